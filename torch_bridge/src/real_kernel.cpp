#include "real_kernel.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <portops/torch/adapt.hpp>

#include "results.hpp"

namespace portops::detail {
namespace {

/// The common case, for which the layout rule need not be asked: all tensors contiguous and of one shape.
bool all_contiguous_alike(const Arguments& arguments) {
  const auto& first = arguments.tensors.front();
  if (!first.defined() || !first.is_contiguous()) return false;
  for (std::size_t at = 1; at < arguments.tensors.size(); ++at) {
    const auto& tensor = arguments.tensors[at];
    if (tensor.defined() && !(tensor.is_contiguous() && tensor.sizes() == first.sizes())) return false;
  }
  return true;
}

at::Tensor make_result(const Operator& op, const Arguments& arguments, at::ScalarType type) {
  const auto& first = arguments.tensors.front();
  if (op.rule == ResultRule::like_first || all_contiguous_alike(arguments)) {
    return at::Tensor(at::detail::empty_cpu(first.sizes(), type));
  }
  std::vector<OperandLayout<std::int64_t>> operands;
  for (const auto& tensor : arguments.tensors) {
    if (!tensor.defined()) continue;
    operands.push_back({tensor.sizes().data(), tensor.strides().data(), static_cast<int>(tensor.dim())});
  }
  const auto layout = result_layout(op, operands);
  return at::Tensor(at::detail::empty_strided_cpu(layout.sizes, layout.strides, type));
}

/// The tensors to write: fresh, the first argument, or those given.
void prepare_outputs(const Operator& op, Form form, Arguments& arguments, at::ScalarType type) {
  if (form == Form::in_place) {
    arguments.outputs.push_back(arguments.tensors.front());
  } else if (form == Form::functional) {
    for (int k = 0; k < op.schema.results; ++k) arguments.outputs.push_back(make_result(op, arguments, type));
    return;
  }
  for (const auto& output : arguments.outputs) check_cast(op, type, output.scalar_type());
}

TensorRef absent_tensor() {
  TensorRef ref;
  ref.rank = -1;
  return ref;
}

void run(const Operator& op, const Arguments& arguments, at::ScalarType type) {
  c10::SmallVector<TensorRef, 4> inputs, outputs;
  for (std::size_t at = 0; at < arguments.tensors.size(); ++at) {
    const auto& tensor = arguments.tensors[at];
    inputs.push_back(tensor.defined() ? tensor_ref(tensor, op.name.c_str(), "input") : absent_tensor());
  }
  for (const auto& tensor : arguments.outputs) outputs.push_back(tensor_ref(tensor, op.name.c_str(), "out"));
  Call call;
  call.op = op.name.c_str();
  call.stream = stream_ref(arguments.outputs.front());
  call.outputs = {outputs.data(), outputs.size()};
  call.inputs = {inputs.data(), inputs.size()};
  call.parameters = {arguments.parameters.data(), arguments.parameters.size()};
  call.compute = type == at::kDouble ? DType::float64 : DType::float32;
  op.forward(call);
}

}  // namespace

void RealKernel::operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  check_callable(m_op);
  Arguments arguments = read_arguments(m_op, m_form, *stack);
  const at::ScalarType type = result_type(m_op, arguments);
  prepare_outputs(m_op, m_form, arguments, type);
  run(m_op, arguments, type);
  drop_arguments(m_op, m_form, *stack);
  if (m_form != Form::functional) return;
  for (auto& output : arguments.outputs) stack->emplace_back(std::move(output));
}

}  // namespace portops::detail
