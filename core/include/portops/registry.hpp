#pragma once
#include <array>
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
  /// The outputs are new memory that nobody sees if the call throws.
  bool fresh = false;
};

using Kernel = void (*)(const Call&);

/// How results get their sizes, types and strides.
enum class ResultRule : std::uint8_t {
  elementwise,  // broadcast of all inputs; promoted type, integers to the default float type; torch's stride rule
  like_first,   // sizes and type of the first input, contiguous
  rows          // leading axes of the first input, then those of `RowRules`; contiguous
};

/// How a tensor takes part in an operator that works along rows of time.
enum class LaneKind : std::uint8_t {
  signal,       // (.., N): the first tensor
  coefficient,  // broadcasts to (.., N) or (.., N, K)
  delay,        // the same, of an integer type: has no gradient
  parameter,    // row axes of its own size
  state         // the same; keeps its type and does not decide that of the results
};

struct LaneRule {
  LaneKind kind = LaneKind::signal;
  /// Trailing axes that belong to a row.
  int axes = 1;
};

/// Of an operator with ResultRule::rows. The leading axes of every tensor broadcast to those of the first.
struct RowRules {
  static constexpr int max_inputs = 4, max_results = 2;
  int inputs = 1, results = 1;
  std::array<LaneRule, max_inputs> in{};
  /// Result m has the row axes of this input, or a row of no elements where that one is absent.
  std::array<int, max_results> like{};
  bool accepts_complex = false;
  /// The bool parameter that, where it is false, gives the first tensor an axis before the row, one entry per row of
  /// the second tensor; -1 where there is none.
  int batching_parameter = -1;
};

/// Kernels of the derivatives of an elementwise or row operator, for M results y_m, N inputs x_n, incoming gradients
/// g_m, tangents t_n. Of an elementwise one all broadcast; of a row operator each has its own shape, and a gradient has
/// the leading axes of the first input before its own row. nullptr where an operator has none.
struct Derivatives {
  /// x_1..x_N, t_1..t_N -> sum_n t_n dy_m/dx_n for all m.
  Kernel jvp = nullptr;
  /// g_1..g_M, x_1..x_N -> sum_m g_m dy_m/dx_n for all n.
  Kernel vjp = nullptr;
  /// The same for input n alone. Row operators have none: their vjp leaves out the outputs that are absent.
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
  /// Elementwise and row operators have these.
  Derivatives derivatives;
  /// With ResultRule::rows.
  RowRules rows;
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
