#include "real_kernel.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <portops/torch/adapt.hpp>

#include "results.hpp"

namespace portops::detail {
namespace {

/// A written tensor has the shape of the result: it is not resized, and the result is not repeated into it.
void check_sizes(const Operator& op, const at::Tensor& output, const Arguments& arguments) {
  const auto& first = arguments.tensors.front();
  if (arguments.tensors.size() == 1 && output.sizes() == first.sizes()) return;
  const auto sizes = result_layout(op, operand_layouts<std::int64_t>(arguments.tensors)).sizes;
  const OperandLayout<std::int64_t> result = {sizes.data(), nullptr, static_cast<int>(sizes.size())};
  const OperandLayout<std::int64_t> actual = {output.sizes().data(), nullptr, static_cast<int>(output.dim())};
  check(output.sizes() == at::IntArrayRef(sizes), op.name,
        "the tensor that is written must have the shape of the result", "shape", print_sizes(actual), "result shape",
        print_sizes(result));
}

/// The tensors to write: fresh, the first argument, or those given.
void prepare_outputs(const Operator& op, Form form, Arguments& arguments, at::ScalarType type) {
  if (form == Form::in_place) {
    arguments.outputs.push_back(arguments.tensors.front());
  } else if (form == Form::functional) {
    for (int k = 0; k < op.schema.results; ++k) arguments.outputs.push_back(make_result(op, arguments.tensors, type));
    return;
  }
  for (const auto& output : arguments.outputs) {
    dtype_of(output.scalar_type(), op.name, "out");
    check_cast(op, type, output.scalar_type());
    check_sizes(op, output, arguments);
  }
}

}  // namespace

void RealKernel::operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  check_callable(m_op);
  Arguments arguments = read_arguments(m_op, m_form, *stack);
  const at::ScalarType type = result_type(m_op, arguments.tensors);
  prepare_outputs(m_op, m_form, arguments, type);
  run_kernel(m_op, m_op.forward, arguments.tensors, arguments.outputs, arguments.parameters, type);
  drop_arguments(m_op, m_form, *stack);
  if (m_form != Form::functional) return;
  for (auto& output : arguments.outputs) stack->emplace_back(std::move(output));
}

}  // namespace portops::detail
