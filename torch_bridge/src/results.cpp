#include "results.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty_strided.h>

#include <portops/torch/adapt.hpp>

namespace portops::detail {
namespace {

/// The common case, for which the layout rule need not be asked: all tensors contiguous and of one shape.
bool all_contiguous_alike(at::ArrayRef<at::Tensor> tensors) {
  const auto& first = tensors.front();
  if (!first.defined() || !first.is_contiguous()) return false;
  for (const auto& tensor : tensors.slice(1)) {
    if (tensor.defined() && !(tensor.is_contiguous() && tensor.sizes() == first.sizes())) return false;
  }
  return true;
}

TensorRef absent_tensor() {
  TensorRef ref;
  ref.rank = -1;
  return ref;
}

}  // namespace

at::Tensor make_result(const Operator& op, at::ArrayRef<at::Tensor> tensors, at::ScalarType type, std::size_t at) {
  const bool like_first = op.rule == ResultRule::rows
                              ? op.rows.like[at] == 0 && tensors.front().dim() > 0
                              : op.rule == ResultRule::like_first || all_contiguous_alike(tensors);
  if (like_first) return at::Tensor(at::detail::empty_cpu(tensors.front().sizes(), type));
  return make_result(result_layout(op, operand_layouts<std::int64_t>(tensors), at), type);
}

at::Tensor make_result(const ResultLayout<std::int64_t>& layout, at::ScalarType type) {
  return at::Tensor(at::detail::empty_strided_cpu(layout.sizes, layout.strides, type));
}

at::Tensor make_meta_result(const ResultLayout<c10::SymInt>& layout, at::ScalarType type) {
  return at::empty_strided_symint(layout.sizes, layout.strides, at::TensorOptions(at::kMeta).dtype(type));
}

void run_kernel(const Operator& op, Kernel kernel, at::ArrayRef<at::Tensor> inputs, at::ArrayRef<at::Tensor> outputs,
                at::ArrayRef<Parameter> parameters, at::ScalarType type, bool fresh) {
  c10::SmallVector<TensorRef, 8> input_refs, output_refs;
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    input_refs.push_back(inputs[at].defined() ? tensor_ref(inputs[at], op.name, argument_name(op, at))
                                              : absent_tensor());
  }
  for (const auto& tensor : outputs) {
    output_refs.push_back(tensor.defined() ? tensor_ref(tensor, op.name, "out") : absent_tensor());
  }
  Call call;
  call.op = op.name.c_str();
  call.stream = stream_ref(inputs.front());
  call.fresh = fresh;
  call.outputs = {output_refs.data(), output_refs.size()};
  call.inputs = {input_refs.data(), input_refs.size()};
  call.parameters = {parameters.data(), parameters.size()};
  const bool as_promoted = type == at::kDouble || (op.accepts_complex && c10::isComplexType(type));
  call.compute = as_promoted ? dtype_of(type, op.name, "result") : DType::float32;
  kernel(call);
}

}  // namespace portops::detail
