#pragma once
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/SmallVector.h>

#include <portops/registry.hpp>

namespace portops::detail {

using Tensors = std::vector<at::Tensor>;
using Parameters = c10::SmallVector<Parameter, 4>;

/// The operators that torch sees beside a differentiable one, so that its derivatives can be traced, compiled and
/// differentiated again. Each takes and returns lists; P stands for the operator's parameters. Elementwise ones have
///   name_vjp(Tensor[] grads, Tensor[] inputs, P, bool[] needed) -> Tensor[]      one result per needed input
///   name_jvp(Tensor[] inputs, Tensor[] tangents, P) -> Tensor[]
///   name_second(Tensor[] grads, Tensor[] inputs, Tensor[] tangents, P) -> Tensor[]
/// the others
///   name_backward(Tensor[] grads, Tensor[] inputs, Tensor[] results, P) -> Tensor[]
enum class Derivative : std::uint8_t { vjp, jvp, second, backward };

const char* suffix(Derivative kind);

/// How many of the operator's tensors may be absent. They are its last, and lists leave them out where they are.
int optional_count(const Operator& op);

/// True if the gradient of input n exists: it is there and no delay.
bool has_gradient(const Operator& op, const Tensors& inputs, std::size_t n);

/// How many lists of tensors the operator takes.
int list_count(Derivative kind);

std::string derivative_schema(const Operator& op, Derivative kind);

/// Calls go through the dispatcher, so that every mode and transform of torch sees them.
Tensors call_vjp(const Operator& op, const Tensors& grads, const Tensors& inputs, const Parameters& parameters,
                 const std::vector<bool>& needed);
Tensors call_jvp(const Operator& op, const Tensors& inputs, const Tensors& tangents, const Parameters& parameters);
/// Undefined where an input has no gradient.
Tensors call_second(const Operator& op, const Tensors& grads, const Tensors& inputs, const Tensors& tangents,
                    const Parameters& parameters);

Tensors call_backward(const Operator& op, const Tensors& grads, const Tensors& inputs, const Tensors& results,
                      const Parameters& parameters);

/// The arguments of a derivative operator from the top of the stack.
struct DerivativeArguments {
  std::vector<Tensors> lists;
  Parameters parameters;
  std::vector<bool> needed;  // vjp only

  Tensors all() const;
};
DerivativeArguments read_derivative_arguments(const Operator& op, Derivative kind, const torch::jit::Stack& stack);
void drop_derivative_arguments(const Operator& op, Derivative kind, torch::jit::Stack& stack);

}  // namespace portops::detail
