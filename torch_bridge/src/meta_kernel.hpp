#pragma once
#include <ATen/core/boxing/OperatorKernel.h>

#include "arguments.hpp"

namespace portops::detail {

/// The kernel on tensors without memory: the results' shapes, types and strides, and the refusals, of the real one.
class MetaKernel final : public c10::OperatorKernel {
 public:
  MetaKernel(const Operator& op, Form form) : m_op(op), m_form(form) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const;

 private:
  const Operator& m_op;
  Form m_form;
};

}  // namespace portops::detail
