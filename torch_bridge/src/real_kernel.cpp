#include "real_kernel.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include "results.hpp"

namespace portops::detail {
namespace {

/// The tensors to write: fresh, the first argument, or those given.
void prepare_outputs(const Operator& op, Form form, Arguments& arguments, at::ScalarType type) {
  if (form == Form::in_place) {
    arguments.outputs.push_back(arguments.tensors.front());
  } else if (form == Form::functional) {
    for (int k = 0; k < op.schema.results; ++k) arguments.outputs.push_back(make_result(op, arguments.tensors, type));
    return;
  }
  for (const auto& output : arguments.outputs) check_cast(op, type, output.scalar_type());
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
