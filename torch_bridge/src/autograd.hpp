#pragma once
#include <ATen/core/boxing/OperatorKernel.h>

#include "arguments.hpp"
#include "torch_operator.hpp"

namespace portops::detail {

/// Records an elementwise operator in the autograd graph: reverse mode, forward mode, in-place and out rules.
class AutogradKernel final : public c10::OperatorKernel {
 public:
  AutogradKernel(const Operator& op, Form form) : m_op(op), m_form(form) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;

 private:
  const Operator& m_op;
  Form m_form;
};

/// The same for its vjp and jvp, which gives second derivatives.
class DerivativeAutogradKernel final : public c10::OperatorKernel {
 public:
  DerivativeAutogradKernel(const Operator& op, Derivative kind) : m_op(op), m_kind(kind) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) const;

 private:
  const Operator& m_op;
  Derivative m_kind;
};

}  // namespace portops::detail
