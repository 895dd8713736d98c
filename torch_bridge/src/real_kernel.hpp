#pragma once
#include <ATen/core/boxing/OperatorKernel.h>

#include "arguments.hpp"

namespace portops::detail {

/// The dispatcher's kernel of an operator on tensors with memory.
class RealKernel final : public c10::OperatorKernel {
 public:
  RealKernel(const Operator& op, Form form) : m_op(op), m_form(form) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const;

 private:
  const Operator& m_op;
  Form m_form;
};

}  // namespace portops::detail
