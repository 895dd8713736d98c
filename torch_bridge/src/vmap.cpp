#include "vmap.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/native/TypeProperties.h>

// Behind functorch's header, whose inline functions would find the older ones of the same names as well.
#include <ATen/LegacyBatchedTensorImpl.h>

#include <portops/check.hpp>

#include "arguments.hpp"

namespace portops::detail {
namespace {

/// The batch of a tensor: its axis in the tensor underneath, and the level of the vmap that it belongs to.
struct Batch {
  at::Tensor value;
  std::int64_t axis, level;
};

/// torch.vmap keeps its batches in one kind of wrapper, torch.autograd.grad(is_grads_batched=True) in an older one.
std::optional<Batch> batch_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return std::nullopt;
  if (const auto* wrapper = at::functorch::maybeGetBatchedImpl(tensor)) {
    return Batch{wrapper->value(), wrapper->bdim(), wrapper->level()};
  }
  if (const auto* wrapper = at::maybeGetBatchedImpl(tensor)) {
    check(wrapper->bdims().size() == 1, "portops", "batched gradients cannot be nested");
    return Batch{wrapper->value(), wrapper->bdims().front().dim(), wrapper->bdims().front().level()};
  }
  return std::nullopt;
}

/// One tensor argument without its batch: where it stands on the stack, and the axis of the batch.
struct Unwrapped {
  at::Tensor value;
  std::optional<std::int64_t> axis;
  bool written;
  /// Trailing axes that belong to a row, of which none is aligned.
  std::int64_t row_axes = 0;

  /// Axes that are aligned with those of the others.
  std::int64_t rank() const { return std::max<std::int64_t>(0, value.dim() - (axis ? 1 : 0) - row_axes); }

  /// The same for every element of a batch, without a copy.
  Unwrapped repeated(std::int64_t batch) const {
    std::vector<std::int64_t> sizes = {batch};
    sizes.insert(sizes.end(), value.sizes().begin(), value.sizes().end());
    return {value.expand(sizes), 0, written, row_axes};
  }

  /// (B, 1, .., 1, sizes..) with `rank` axes behind the batch, so that it broadcasts against the others.
  at::Tensor aligned(std::int64_t rank_of_all) const {
    if (!axis) return value;
    at::Tensor moved = value.movedim(*axis, 0);
    while (moved.dim() - 1 < row_axes) moved = moved.unsqueeze(1);
    for (std::int64_t missing = rank_of_all - rank(); missing > 0; --missing) moved = moved.unsqueeze(1);
    return moved;
  }
};

/// Trailing axes of a tensor that belong to a row: of an argument of that name, or of entry `index` in a list.
std::int64_t row_axes(const Operator& op, std::string_view name, std::optional<std::size_t> index) {
  if (op.rule != ResultRule::rows) return 0;
  const auto inputs = static_cast<std::size_t>(op.rows.inputs);
  if (index) return name == "inputs" || name == "tangents" ? op.rows.in[*index].axes : 1;
  for (std::size_t n = 0; n < inputs; ++n) {
    if (argument_name(op, n) == name) return op.rows.in[n].axes;
  }
  return 1;
}

template <class Visit>
void for_each_tensor(const Operator& op, const c10::OperatorHandle& handle, const torch::jit::Stack& stack,
                     const Visit& visit) {
  const auto& arguments = handle.schema().arguments();
  const std::size_t first = stack.size() - arguments.size();
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const auto* alias = arguments[at].alias_info();
    const bool written = alias != nullptr && alias->isWrite();
    const auto& value = stack[first + at];
    if (value.isTensor()) visit(value.toTensor(), written, row_axes(op, arguments[at].name(), std::nullopt));
    if (value.isTensorList()) {
      std::size_t index = 0;
      for (const at::Tensor& tensor : value.toTensorVector())
        visit(tensor, written, row_axes(op, arguments[at].name(), index++));
    }
  }
}

/// The vmap to serve where several are nested.
std::int64_t innermost_level(const Operator& op, const c10::OperatorHandle& handle, const torch::jit::Stack& stack) {
  std::int64_t level = -1;
  for_each_tensor(op, handle, stack, [&](const at::Tensor& tensor, bool, std::int64_t) {
    if (const auto batch = batch_of(tensor)) level = std::max(level, batch->level);
  });
  return level;
}

Unwrapped unwrap(const at::Tensor& tensor, std::int64_t level, bool written, std::int64_t row_axes) {
  const auto batch = batch_of(tensor);
  if (!batch || batch->level != level) return {tensor, std::nullopt, written, row_axes};
  return {batch->value, batch->axis, written, row_axes};
}

/// Puts the next tensors of `tensors` where the arguments stand.
void replace_tensors(const c10::OperatorHandle& handle, torch::jit::Stack& stack,
                     const std::vector<at::Tensor>& tensors) {
  std::size_t next = 0;
  const std::size_t first = stack.size() - handle.schema().arguments().size();
  for (std::size_t at = first; at < stack.size(); ++at) {
    if (stack[at].isTensor()) {
      stack[at] = tensors[next++];
    } else if (stack[at].isTensorList()) {
      std::vector<at::Tensor> list = stack[at].toTensorVector();
      for (auto& tensor : list) tensor = tensors[next++];
      stack[at] = list;
    }
  }
}

template <class Wrap>
void wrap_results(const c10::OperatorHandle& handle, torch::jit::Stack& stack, const Wrap& wrap) {
  const std::size_t first = stack.size() - handle.schema().returns().size();
  for (std::size_t at = first; at < stack.size(); ++at) {
    if (stack[at].isTensor()) {
      stack[at] = wrap(stack[at].toTensor());
    } else {
      std::vector<at::Tensor> list = stack[at].toTensorVector();
      for (auto& tensor : list) tensor = wrap(tensor);
      stack[at] = list;
    }
  }
}

/// Elements without dimensions promote as such, although their batch has one: they are brought to the type that they
/// and the others have without the batch.
void promote_elements(std::vector<Unwrapped>& tensors) {
  at::native::ResultTypeState state = {};
  for (const Unwrapped& tensor : tensors) {
    if (!tensor.value.defined() || tensor.value.numel() == 0) return;
    state =
        at::native::update_result_type_state(tensor.axis ? tensor.value.select(*tensor.axis, 0) : tensor.value, state);
  }
  const at::ScalarType type = at::native::result_type(state);
  for (Unwrapped& tensor : tensors) {
    if (tensor.axis && tensor.rank() == 0 && !tensor.written) tensor.value = tensor.value.to(type);
  }
}

}  // namespace

void VmapKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  const bool derivative = handle.schema().name() != m_op.name;
  if (!derivative && split_filters(m_op, handle, *stack)) return handle.callBoxed(stack);
  const c10::impl::ExcludeDispatchKeyGuard guard(m_key);
  std::vector<Unwrapped> tensors;
  std::int64_t rank = 0, batch = -1;
  const std::int64_t level = innermost_level(m_op, handle, *stack);
  for_each_tensor(m_op, handle, *stack, [&](const at::Tensor& tensor, bool written, std::int64_t row_axes) {
    tensors.push_back(unwrap(tensor, level, written, row_axes));
    rank = std::max(rank, tensors.back().rank());
    if (tensors.back().axis) batch = tensors.back().value.size(*tensors.back().axis);
  });
  if (batch < 0) return handle.callBoxed(stack);

  if (m_op.rule == ResultRule::elementwise && tensors.size() > 1) promote_elements(tensors);
  std::vector<at::Tensor> aligned;
  for (Unwrapped& tensor : tensors) {
    check(tensor.axis || !tensor.written, m_op.name,
          "vmap: a tensor without a batch cannot be written with batched inputs");
    // Where results are like one tensor, that one needs the batch, whichever it is.
    if (m_op.rule != ResultRule::elementwise && !tensor.axis) tensor = tensor.repeated(batch);
    aligned.push_back(tensor.aligned(rank));
  }
  replace_tensors(handle, *stack, aligned);
  handle.callBoxed(stack);
  wrap_results(handle, *stack, [&](const at::Tensor& result) {
    return m_key == c10::DispatchKey::Batched ? at::addBatchDim(result, level, 0)
                                              : at::functorch::makeBatched(result, 0, level);
  });
}

}  // namespace portops::detail
