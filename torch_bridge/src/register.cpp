#include "register.hpp"

#include <memory>
#include <string>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include <portops/check.hpp>

#include "autograd.hpp"
#include "derivative_kernel.hpp"
#include "meta_kernel.hpp"
#include "real_kernel.hpp"
#include "vmap.hpp"

namespace portops::detail {
namespace {

/// Raises the version counter of what an operator wrote, as torch's own operators do, so that autograd notices a saved
/// tensor that changed.
class VersionKernel final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) const {
    const auto& arguments = handle.schema().arguments();
    c10::SmallVector<at::Tensor, 2> written;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      const auto* alias = arguments[at].alias_info();
      const auto& value = (*stack)[stack->size() - arguments.size() + at];
      if (alias != nullptr && alias->isWrite()) written.push_back(value.toTensor());
    }
    {
      const at::AutoDispatchBelowADInplaceOrView guard;
      handle.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
    }
    for (const auto& tensor : written) {
      if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
    }
  }
};

/// Resolves tensors that are to be read as negated or conjugated. One that is written is computed in resolved memory
/// and copied back, since plain memory cannot hold it; torch's own fallback does not support operators that return
/// nothing.
class LazyBitKernel final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const {
    const auto& arguments = handle.schema().arguments();
    std::vector<std::pair<at::Tensor, at::Tensor>> written;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      auto& value = (*stack)[stack->size() - arguments.size() + at];
      if (value.isTensor()) {
        const at::Tensor lazy = value.toTensor(), plain = resolve(lazy);
        const auto* alias = arguments[at].alias_info();
        if (alias != nullptr && alias->isWrite() && !plain.is_same(lazy)) written.emplace_back(lazy, plain);
        value = plain;
      } else if (value.isTensorList()) {
        std::vector<at::Tensor> list = value.toTensorVector();
        for (auto& tensor : list) tensor = resolve(tensor);
        value = list;
      }
    }
    handle.callBoxed(stack);
    for (auto& [lazy, plain] : written) lazy.copy_(plain);
  }

 private:
  static at::Tensor resolve(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.resolve_neg().resolve_conj() : tensor;
  }
};

/// Stands where an operator has no kernel, to say why.
class RefusingKernel final : public c10::OperatorKernel {
 public:
  RefusingKernel(const Operator& op, std::string rule) : m_op(op), m_rule(std::move(rule)) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) const {
    const auto& arguments = handle.schema().arguments();
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      const auto& value = (*stack)[stack->size() - arguments.size() + at];
      if (value.isTensor()) refuse(value.toTensor(), arguments[at].name());
      if (!value.isTensorList()) continue;
      for (const at::Tensor& tensor : value.toTensorVector()) refuse(tensor, arguments[at].name());
    }
    raise(m_op.name, m_rule);
  }

 private:
  void refuse(const at::Tensor& tensor, std::string_view argument) const {
    const bool plain = tensor.layout() == at::kStrided && !tensor.is_quantized() && !tensor.is_nested();
    if (tensor.device().is_cpu() && plain) return;
    raise(m_op.name, m_rule, "argument", argument, "device", tensor.device(), "layout", tensor.layout(), "dtype",
          at::toString(tensor.scalar_type()));
  }

  const Operator& m_op;
  std::string m_rule;
};

const char* const without_memory = "tensors without plain memory (sparse, quantized, nested, mkldnn) are not supported";
const char* const without_device =
    "this build of portops has no kernels for the device; configure with -DPORTOPS_BACKEND=CUDA";

std::string schema_of(const Operator& op, Form form) {
  std::string text = op.schema_text;
  const std::size_t open = text.find('('), name_end = text.rfind(')', text.find("->"));
  std::string name = text.substr(0, open), arguments = text.substr(open + 1, name_end - open - 1);
  if (form == Form::functional) return text;
  if (form == Form::in_place) {
    name.insert(name.find(op.schema.name, op.schema.space.size()) + op.schema.name.size(), "_");
    arguments.replace(arguments.find("Tensor"), 6, "Tensor(a!)");
    return name + "(" + arguments + ") -> ()";
  }
  name += op.schema.overload.empty() ? ".out" : "_out";
  arguments += ", *";
  for (int k = 0; k < op.schema.results; ++k) {
    const std::string number = op.schema.results == 1 ? "" : std::to_string(k);
    arguments += ", Tensor(" + std::string(1, static_cast<char>('a' + k)) + "!) out" + number;
  }
  return name + "(" + arguments + ") -> ()";
}

template <class Kernel, class... Values>
void implement(torch::Library& library, const std::string& name, c10::DispatchKey key, Values&&... values) {
  auto function = torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(std::forward<Values>(values)...));
  library.impl(name.c_str(), torch::dispatch(key, std::move(function)));
}

/// vmap, lazy bits, and a clear error for tensors that have no kernel.
void register_common(torch::Library& library, const std::string& name, const Operator& op) {
  for (const auto key : {c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::Batched}) {
    implement<VmapKernel>(library, name, key, op, key);
  }
  for (const auto key : {c10::DispatchKey::Negative, c10::DispatchKey::Conjugate}) {
    implement<LazyBitKernel>(library, name, key);
  }
  for (const auto key : {c10::DispatchKey::SparseCPU, c10::DispatchKey::SparseCsrCPU, c10::DispatchKey::QuantizedCPU,
                         c10::DispatchKey::MkldnnCPU, c10::DispatchKey::NestedTensorCPU}) {
    implement<RefusingKernel>(library, name, key, op, without_memory);
  }
  implement<RefusingKernel>(library, name, c10::DispatchKey::CUDA, op, without_device);
}

/// Defines the operator; its name without the namespace.
std::string define(torch::Library& library, const std::string& schema) {
  library.def(schema.c_str(), {at::Tag::pt2_compliant_tag});
  const std::size_t begin = schema.find("::") + 2;
  return schema.substr(begin, schema.find('(') - begin);
}

void register_form(torch::Library& library, const Operator& op, Form form) {
  const std::string name = define(library, schema_of(op, form));
  implement<RealKernel>(library, name, c10::DispatchKey::CPU, op, form);
  implement<MetaKernel>(library, name, c10::DispatchKey::Meta, op, form);
  if (form != Form::functional) implement<VersionKernel>(library, name, c10::DispatchKey::ADInplaceOrView);
  register_common(library, name, op);
  implement<AutogradKernel>(library, name, c10::DispatchKey::Autograd, op, form);
}

void register_derivative(torch::Library& library, const Operator& op, Derivative kind) {
  const std::string name = define(library, derivative_schema(op, kind));
  implement<DerivativeKernel>(library, name, c10::DispatchKey::CPU, op, kind, false);
  implement<DerivativeKernel>(library, name, c10::DispatchKey::Meta, op, kind, true);
  register_common(library, name, op);
  if (kind == Derivative::second || kind == Derivative::backward) {
    library.impl(name.c_str(), c10::DispatchKey::Autograd, torch::autograd::autogradNotImplementedFallback());
  } else {
    implement<DerivativeAutogradKernel>(library, name, c10::DispatchKey::Autograd, op, kind);
  }
}

}  // namespace

void register_with_torch(const Operator& op) {
  auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, std::string(op.schema.space), std::nullopt,
                                                  __FILE__, __LINE__);
  try {
    register_form(*library, op, Form::functional);
    if (op.in_place && op.schema.results == 1) register_form(*library, op, Form::in_place);
    register_form(*library, op, Form::out);
    if (op.backward != nullptr) register_derivative(*library, op, Derivative::backward);
    if (op.derivatives.vjp != nullptr) {
      for (const auto kind : {Derivative::vjp, Derivative::jvp, Derivative::second}) {
        register_derivative(*library, op, kind);
      }
    }
  } catch (const c10::Error& error) {
    // This runs while a library is loaded, where an exception would end the process. What was registered is taken back.
    TORCH_WARN(op.name, ": not registered, torch already has this operator: ", error.what_without_backtrace());
    return;
  }
  // Never destroyed: torch's registrations end with the process, in an order that nobody controls.
  static_cast<void>(library.release());
}

}  // namespace portops::detail
