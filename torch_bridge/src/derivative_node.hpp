#pragma once
#include <functional>
#include <string>
#include <vector>

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "torch_operator.hpp"

namespace portops::detail {

/// Gradients of the inputs (undefined where not needed, broadcast shape allowed) from those of the results.
/// `results` is what save_results was given.
using Backward = std::function<Tensors(const Tensors& grads, const Tensors& inputs, const Tensors& results,
                                       const std::vector<bool>& needed)>;

/// A node of the autograd graph that saves the inputs and reduces each gradient to its input's shape and type.
class DerivativeNode final : public torch::autograd::Node {
 public:
  DerivativeNode(std::string name, const Tensors& inputs, Backward backward);
  /// For backward formulas that use the results.
  void save_results(const Tensors& results);
  std::string name() const override { return m_name; }
  void release_variables() override;

 private:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override;
  Tensors unpack(const std::vector<torch::autograd::SavedVariable>& saved_list);

  std::string m_name;
  Backward m_backward;
  std::vector<torch::autograd::SavedVariable> m_inputs, m_results;
  bool m_released = false;
};

}  // namespace portops::detail
