#include "meta_kernel.hpp"

#include <algorithm>
#include <cstdint>

#include <ATen/core/dispatch/Dispatcher.h>

#include <portops/torch/adapt.hpp>

#include "results.hpp"

namespace portops::detail {
namespace {

void check_written(const Operator& op, const at::Tensor& tensor, const ResultLayout<c10::SymInt>& layout,
                   at::ScalarType type) {
  check_cast(op, type, tensor.scalar_type());
  const auto sizes = tensor.sym_sizes();
  const OperandLayout<c10::SymInt> actual = {sizes.data(), nullptr, static_cast<int>(sizes.size())};
  check(same_sizes(actual, layout.sizes.data(), static_cast<int>(layout.sizes.size())), op.name,
        "the tensor that is written must have the shape of the result", "shape", print_sizes(actual), "result shape",
        print_sizes(OperandLayout<c10::SymInt>{layout.sizes.data(), nullptr, static_cast<int>(layout.sizes.size())}));
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    check(tensor.sym_strides()[dim] != 0 || sizes[dim] == 1, op.name,
          "elements of the output overlap in memory; clone it before writing (expanded tensors cannot be written)",
          "shape", print_sizes(actual));
  }
}

/// Torch lets a tensor without dimensions stand beside tensors of another device, if it is only read.
void check_devices(const Operator& op, const Arguments& arguments) {
  const auto check_device = [&](const at::Tensor& tensor, std::string_view name, bool written) {
    if (!tensor.defined() || tensor.is_meta() || (tensor.dim() == 0 && !written)) return;
    check(false, op.name, "all tensors must be on one device", "argument", name, "device", tensor.device(), "other",
          "meta");
  };
  for (std::size_t at = 0; at < arguments.tensors.size(); ++at) {
    check_device(arguments.tensors[at], argument_name(op, at), false);
  }
  for (const auto& output : arguments.outputs) check_device(output, "out", true);
}

/// Asks the operator's own check, as the real kernel does, where all sizes are known. Addresses stand for storages, so
/// that it sees which tensors share one.
void check_as_real(const Operator& op, const Arguments& arguments, at::ArrayRef<at::Tensor> outputs) {
  std::vector<const c10::StorageImpl*> storages;
  const auto to_ref = [&](const at::Tensor& tensor, std::string_view name) {
    TensorRef ref;
    ref.rank = -1;
    if (!tensor.defined()) return ref;
    const auto* storage = tensor.storage().unsafeGetStorageImpl();
    auto at = std::find(storages.begin(), storages.end(), storage);
    if (at == storages.end()) at = storages.insert(at, storage);
    const auto base = static_cast<std::intptr_t>(at - storages.begin() + 1) << 48;
    ref.data = reinterpret_cast<void*>(base + tensor.storage_offset() * static_cast<std::int64_t>(tensor.itemsize()));
    ref.dtype = dtype_of(tensor.scalar_type(), op.name, name);
    ref.rank = static_cast<int>(tensor.dim());
    ref.sizes = tensor.sizes().data();
    ref.strides = tensor.strides().data();
    return ref;
  };
  std::vector<TensorRef> input_refs, output_refs;
  for (std::size_t at = 0; at < arguments.tensors.size(); ++at) {
    input_refs.push_back(to_ref(arguments.tensors[at], argument_name(op, at)));
  }
  for (const auto& output : outputs) output_refs.push_back(to_ref(output, "out"));
  Call call;
  call.op = op.name.c_str();
  call.inputs = input_refs;
  call.outputs = output_refs;
  call.parameters = {arguments.parameters.data(), arguments.parameters.size()};
  op.check(call);
}

bool is_symbolic(const at::Tensor& tensor) {
  return tensor.defined() && tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

}  // namespace

void MetaKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  check_callable(m_op);
  if (split_filters(m_op, handle, *stack)) return handle.callBoxed(stack);
  const Arguments arguments = read_arguments(m_op, m_form, *stack);
  check_devices(m_op, arguments);
  const at::ScalarType type = result_type(m_op, arguments.tensors);
  const auto operands = operand_layouts<c10::SymInt>(arguments.tensors);
  std::vector<at::Tensor> outputs(arguments.outputs.begin(), arguments.outputs.end());
  if (m_form == Form::in_place) outputs.push_back(arguments.tensors.front());
  for (std::size_t k = 0; k < static_cast<std::size_t>(m_op.schema.results); ++k) {
    const auto layout = result_layout(m_op, operands, k);
    const at::ScalarType own = result_type_at(m_op, arguments.tensors, type, k);
    if (m_form == Form::functional) {
      outputs.push_back(make_meta_result(layout, own));
    } else {
      check_written(m_op, outputs[k], layout, own);
    }
  }
  const auto any_symbolic = [](const auto& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), is_symbolic);
  };
  if (m_op.check != nullptr && !any_symbolic(arguments.tensors) && !any_symbolic(outputs)) {
    check_as_real(m_op, arguments, outputs);
  }
  drop_arguments(m_op, m_form, *stack);
  if (m_form != Form::functional) return;
  for (auto& output : outputs) stack->emplace_back(std::move(output));
}

}  // namespace portops::detail
