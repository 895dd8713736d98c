#include "meta_kernel.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include "results.hpp"

namespace portops::detail {
namespace {

void check_written(const Operator& op, const at::Tensor& tensor, const ResultLayout<c10::SymInt>& layout,
                   at::ScalarType type) {
  check_cast(op, type, tensor.scalar_type());
  const auto sizes = tensor.sym_sizes();
  const OperandLayout<c10::SymInt> actual = {sizes.data(), nullptr, static_cast<int>(sizes.size())};
  check(same_sizes(actual, layout.sizes.data(), static_cast<int>(layout.sizes.size())), op.name,
        "the tensor that is written must have the shape of the result", "shape", print_sizes(actual), "result shape",
        print_sizes(OperandLayout<c10::SymInt>{layout.sizes.data(), nullptr, static_cast<int>(layout.sizes.size())}));
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    check(tensor.sym_strides()[dim] != 0 || sizes[dim] == 1, op.name,
          "elements of the output overlap in memory; clone it before writing (expanded tensors cannot be written)",
          "shape", print_sizes(actual));
  }
}

}  // namespace

void MetaKernel::operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  check_callable(m_op);
  const Arguments arguments = read_arguments(m_op, m_form, *stack);
  const at::ScalarType type = result_type(m_op, arguments.tensors);
  const auto layout = result_layout(m_op, operand_layouts<c10::SymInt>(arguments.tensors));
  if (m_form == Form::in_place) check_written(m_op, arguments.tensors.front(), layout, type);
  for (const auto& output : arguments.outputs) check_written(m_op, output, layout, type);
  drop_arguments(m_op, m_form, *stack);
  if (m_form != Form::functional) return;
  for (int k = 0; k < m_op.schema.results; ++k) {
    stack->emplace_back(make_meta_result(layout, type));
  }
}

}  // namespace portops::detail
