#pragma once
#include <ATen/core/boxing/OperatorKernel.h>
#include <ATen/core/stack.h>

#include <portops/registry.hpp>

namespace portops::detail {

/// torch.vmap for any operator of portops, one call for the whole batch: the batch is moved to the front of every
/// tensor that has one, and broadcasting does the rest.
class VmapKernel final : public c10::OperatorKernel {
 public:
  /// `key` is that of the wrapper: FuncTorchBatched or Batched.
  VmapKernel(const Operator& op, c10::DispatchKey key) : m_op(op), m_key(key) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const;

 private:
  const Operator& m_op;
  c10::DispatchKey m_key;
};

}  // namespace portops::detail
