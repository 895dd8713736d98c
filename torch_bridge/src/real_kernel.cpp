#include "real_kernel.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <portops/torch/adapt.hpp>

#include "results.hpp"

namespace portops::detail {
namespace {

/// A written tensor has the shape of the result: it is not resized, and the result is not repeated into it.
void check_sizes(const Operator& op, const at::Tensor& output, const Arguments& arguments, std::size_t at) {
  const auto& first = arguments.tensors.front();
  const bool like_first =
      op.rule == ResultRule::rows ? op.rows.like[at] == 0 && first.dim() > 0 : arguments.tensors.size() == 1;
  if (like_first && output.sizes() == first.sizes()) return;
  const auto sizes = result_layout(op, operand_layouts<std::int64_t>(arguments.tensors), at).sizes;
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
    for (std::size_t k = 0; k < static_cast<std::size_t>(op.schema.results); ++k) {
      const at::ScalarType own = result_type_at(op, arguments.tensors, type, k);
      arguments.outputs.push_back(make_result(op, arguments.tensors, own, k));
    }
    return;
  }
  for (std::size_t k = 0; k < arguments.outputs.size(); ++k) {
    const at::Tensor& output = arguments.outputs[k];
    dtype_of(output.scalar_type(), op.name, "out");
    check_cast(op, result_type_at(op, arguments.tensors, type, k), output.scalar_type());
    check_sizes(op, output, arguments, k);
  }
}

}  // namespace

void RealKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  check_callable(m_op);
  if (split_filters(m_op, handle, *stack)) return handle.callBoxed(stack);
  Arguments arguments = read_arguments(m_op, m_form, *stack);
  const at::ScalarType type = result_type(m_op, arguments.tensors);
  prepare_outputs(m_op, m_form, arguments, type);
  run_kernel(m_op, m_op.forward, arguments.tensors, arguments.outputs, arguments.parameters, type,
             m_form == Form::functional);
  drop_arguments(m_op, m_form, *stack);
  if (m_form != Form::functional) return;
  for (auto& output : arguments.outputs) stack->emplace_back(std::move(output));
}

}  // namespace portops::detail
