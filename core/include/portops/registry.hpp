#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <portops/schema.hpp>
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// The value of an argument that is not a tensor, in the order of the schema.
using Parameter = std::variant<double, std::int64_t, bool, std::string>;

/// One call of a registered operator on memory that the caller allocated.
struct Call {
  /// Qualified name of the operator, for error texts; the label of its kernel.
  const char* op;
  StreamRef stream;
  std::span<const TensorRef> outputs;
  /// In the schema's order; an absent optional tensor has data == nullptr and rank -1.
  std::span<const TensorRef> inputs;
  std::span<const Parameter> parameters;
  /// The type in which the elements are computed, as the operands promote: float32 or float64, complex64 or complex128.
  DType compute = DType::float32;
};

using Kernel = void (*)(const Call&);

/// How results get their sizes, types and strides.
enum class ResultRule : std::uint8_t {
  elementwise,  // broadcast of all inputs; promoted type, integers to the default float type; torch's stride rule
  like_first    // sizes and type of the first input, contiguous
};

/// Kernels of an elementwise operator's derivatives, for M results y_m, N inputs x_n, incoming gradients g_m, tangents
/// t_n. All broadcast; nullptr where an operator has none.
struct Derivatives {
  /// x_1..x_N, t_1..t_N -> sum_n t_n dy_m/dx_n for all m.
  Kernel jvp = nullptr;
  /// g_1..g_M, x_1..x_N -> sum_m g_m dy_m/dx_n for all n.
  Kernel vjp = nullptr;
  /// The same for input n alone.
  std::vector<Kernel> vjp_of;
  /// g_1..g_M, x_1..x_N, t_1..t_N -> sum_m g_m sum_i t_i d2y_m/dx_i dx_n for all n.
  Kernel second = nullptr;
};

/// A registered operator: what every front end (torch's dispatcher, a C interface) needs to offer it.
struct Operator {
  std::string schema_text;
  ResultRule rule = ResultRule::elementwise;
  /// Whether the first tensor may be written in place.
  bool in_place = true;
  /// Whether an elementwise operator has loops for complex numbers.
  bool accepts_complex = false;
  Kernel forward = nullptr;
  /// Throws what `forward` would throw for these tensors, without reading or writing their elements; also called on
  /// tensors without memory. nullptr: there is nothing to check beyond the sizes.
  Kernel check = nullptr;
  /// Elementwise operators have these.
  Derivatives derivatives;
  /// Others may have one kernel: gradients of the results, the inputs, the results -> gradients of the inputs, each
  /// with the leading axes of the first input and its own last axis.
  Kernel backward = nullptr;

  // Filled in by the registry.
  Schema schema;     // points into schema_text
  std::string name;  // "portops::softplus"
  /// Set if a second operator claimed the name and overload; every call then raises it.
  std::string conflict;
};

/// Adds an operator; it is never removed and its address never changes. Throws Error if the text is not a schema.
/// A second operator of the same name and overload is not added: calls of that name raise an error from then on, since
/// nobody could tell which of the two would run.
void register_operator(Operator op);

/// The same for an operator without derivatives.
void register_operator(std::string schema, ResultRule rule, Kernel forward, Kernel check = nullptr);

/// Calls `visit` for every operator there is, and for each that is registered later, once. One visitor at a time:
/// the torch bridge. Thread-safe.
void visit_operators(std::function<void(const Operator&)> visit);

/// All operators registered so far.
std::vector<const Operator*> registered_operators();

}  // namespace portops
