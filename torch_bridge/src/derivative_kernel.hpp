#pragma once
#include <ATen/core/boxing/OperatorKernel.h>

#include "torch_operator.hpp"

namespace portops::detail {

/// The kernel of a derivative operator on tensors with memory, or on meta tensors.
class DerivativeKernel final : public c10::OperatorKernel {
 public:
  DerivativeKernel(const Operator& op, Derivative kind, bool meta) : m_op(op), m_kind(kind), m_meta(meta) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const;

 private:
  void check_lists(const DerivativeArguments& arguments) const;
  Tensors run(const DerivativeArguments& arguments) const;
  Tensors run_backward(const DerivativeArguments& arguments) const;
  Tensors run_rows(const DerivativeArguments& arguments) const;
  Tensors make_results(const Tensors& tensors, std::size_t count, at::ScalarType type) const;

  const Operator& m_op;
  Derivative m_kind;
  bool m_meta;
};

}  // namespace portops::detail
