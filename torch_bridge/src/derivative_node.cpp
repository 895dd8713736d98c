#include "derivative_node.hpp"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/real.h>

namespace portops::detail {

DerivativeNode::DerivativeNode(std::string name, const Tensors& inputs, Backward backward)
    : Node(torch::autograd::collect_next_edges(inputs)), m_name(std::move(name)), m_backward(std::move(backward)) {
  for (const auto& input : inputs) m_inputs.emplace_back(input, /*is_output=*/false);
}

void DerivativeNode::save_results(const Tensors& results) {
  for (const auto& result : results) m_results.emplace_back(result, /*is_output=*/true);
}

void DerivativeNode::release_variables() {
  const std::lock_guard lock(mutex_);
  m_released = true;
  for (auto& saved : m_inputs) saved.reset_data();
  for (auto& saved : m_results) saved.reset_data();
}

Tensors DerivativeNode::unpack(const std::vector<torch::autograd::SavedVariable>& saved_list) {
  const std::lock_guard lock(mutex_);
  TORCH_CHECK(!m_released, torch::autograd::ERR_BACKWARD_TWICE);
  Tensors tensors;
  for (const auto& saved : saved_list) tensors.push_back(saved.unpack(shared_from_this()));
  return tensors;
}

torch::autograd::variable_list DerivativeNode::apply(torch::autograd::variable_list&& grads) {
  const Tensors inputs = unpack(m_inputs);
  bool any = false;
  for (const auto& grad : grads) any = any || grad.defined();
  if (!any) return torch::autograd::variable_list(inputs.size());
  for (std::size_t m = 0; m < grads.size(); ++m) {
    if (!grads[m].defined()) grads[m] = input_metadata(static_cast<uint32_t>(m)).zeros_like();
  }
  std::vector<bool> needed;
  for (std::size_t n = 0; n < inputs.size(); ++n) needed.push_back(task_should_compute_output(n));
  Tensors results = m_backward(grads, inputs, unpack(m_results), needed);
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    if (!results[n].defined()) continue;
    // A real input that was promoted: casting would warn of the imaginary part that is lost.
    if (results[n].is_complex() && !inputs[n].is_complex()) results[n] = at::real(results[n]);
    results[n] = at::sum_to(results[n], inputs[n].sym_sizes()).to(inputs[n].scalar_type());
  }
  return results;
}

}  // namespace portops::detail
