#pragma once
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <portops/registry.hpp>

namespace portops::detail {

/// What of an operator a kernel serves: a fresh result, the first tensor, or tensors that the caller gives.
enum class Form : std::uint8_t { functional, in_place, out };

/// The arguments of one call, taken from the dispatcher's stack, in the order of the schema.
struct Arguments {
  c10::SmallVector<at::Tensor, 4> tensors;  // undefined where an optional one is absent
  c10::SmallVector<at::Tensor, 2> outputs;  // form out only
  c10::SmallVector<Parameter, 4> parameters;
};

/// Reads the arguments that lie on top of the stack; they stay there.
Arguments read_arguments(const Operator& op, Form form, const torch::jit::Stack& stack);

/// The value of one argument that is not a tensor; Error for a complex number.
Parameter read_parameter(const Operator& op, const Argument& argument, const c10::IValue& value);

/// Removes the arguments from the stack.
void drop_arguments(const Operator& op, Form form, torch::jit::Stack& stack);

/// Throws for a name that two libraries registered.
void check_callable(const Operator& op);

/// The type of the results: torch's promotion for elementwise operators (integers and bool become the default
/// floating type), that of the first tensor otherwise.
at::ScalarType result_type(const Operator& op, at::ArrayRef<at::Tensor> tensors);

/// The type of result `at` where `type` is that of the results: a state keeps its own.
at::ScalarType result_type_at(const Operator& op, at::ArrayRef<at::Tensor> tensors, at::ScalarType type,
                              std::size_t at);

/// Gives the first tensor on the stack its axis of filters where RowRules::batching_parameter asks for one, and sets
/// that parameter to true. False where there is nothing to do.
bool split_filters(const Operator& op, const c10::OperatorHandle& handle, torch::jit::Stack& stack);

/// Throws unless results of type `from` may be written to a tensor of type `to`.
void check_cast(const Operator& op, at::ScalarType from, at::ScalarType to);

/// "x" of the schema for the tensor at `index` of Arguments::tensors; "tensor" beyond them.
std::string_view argument_name(const Operator& op, std::size_t index);

}  // namespace portops::detail
