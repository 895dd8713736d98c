#include "autograd.hpp"

#include <memory>

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <portops/check.hpp>

#include "derivative_node.hpp"

namespace portops::detail {
namespace {

/// False where autograd has nothing to record, asked of the stack itself: the common case pays for nothing else.
bool may_record(const c10::OperatorHandle& handle, const torch::jit::Stack& stack) {
  const std::size_t count = handle.schema().arguments().size();
  for (std::size_t at = stack.size() - count; at < stack.size(); ++at) {
    if (stack[at].isTensorList()) return true;
    if (!stack[at].isTensor()) continue;
    const auto& tensor = stack[at].toTensor();
    if (tensor.defined() && tensor.unsafeGetTensorImpl()->autograd_meta() != nullptr) return true;
  }
  return false;
}

bool requires_grad(const Tensors& tensors) {
  if (!at::GradMode::is_enabled()) return false;
  for (const auto& tensor : tensors) {
    if (tensor.defined() && tensor.requires_grad()) return true;
  }
  return false;
}

bool has_tangent(const Tensors& tensors) {
  for (const auto& tensor : tensors) {
    if (tensor.defined() && tensor._fw_grad(0).defined()) return true;
  }
  return false;
}

/// The tensors without their tangents, for formulas that compute with both.
Tensors primals(const Tensors& tensors) {
  Tensors result;
  for (const auto& tensor : tensors) {
    const bool moves = tensor.defined() && tensor._fw_grad(0).defined();
    result.push_back(moves ? tensor._fw_primal(0) : tensor);
  }
  return result;
}

Tensors tangents(const Tensors& tensors) {
  Tensors result;
  for (const auto& tensor : tensors) {
    const at::Tensor tangent = tensor.defined() ? tensor._fw_grad(0) : at::Tensor();
    result.push_back(tangent.defined() || !tensor.defined() ? tangent : at::zeros_like(tensor));
  }
  return result;
}

/// Zero, for a direction in which nothing moves: one that broadcasts where the operator lets it.
at::Tensor zero_like(const Operator& op, const at::Tensor& tensor) {
  return op.rule == ResultRule::rows ? at::zeros_like(tensor) : at::zeros({}, tensor.options());
}

/// One tensor per needed input, put where the inputs are.
Tensors spread(const Tensors& results, const std::vector<bool>& needed) {
  Tensors all(needed.size());
  std::size_t next = 0;
  for (std::size_t n = 0; n < needed.size(); ++n) {
    if (needed[n]) all[n] = results[next++];
  }
  return all;
}

bool any_in(const std::vector<bool>& needed, std::size_t begin, std::size_t end) {
  for (std::size_t n = begin; n < end; ++n) {
    if (needed[n]) return true;
  }
  return false;
}

Tensors slice(const Tensors& tensors, std::size_t begin, std::size_t end) {
  return {tensors.begin() + static_cast<std::ptrdiff_t>(begin), tensors.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::shared_ptr<DerivativeNode> make_node(const std::string& name, const Tensors& inputs, Backward backward) {
  return std::shared_ptr<DerivativeNode>(new DerivativeNode(name, inputs, std::move(backward)),
                                         torch::autograd::deleteNode);
}

Backward backward_of(const Operator& op, const Parameters& parameters) {
  return [&op, parameters](const Tensors& grads, const Tensors& inputs, const Tensors& results,
                           const std::vector<bool>& needed) {
    check(op.backward != nullptr || op.derivatives.vjp != nullptr, op.name, "this operator has no derivative");
    if (op.backward != nullptr) return call_backward(op, grads, inputs, results, parameters);
    return spread(call_vjp(op, grads, inputs, parameters, needed), needed);
  };
}

void redispatch(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const at::AutoDispatchBelowAutograd guard;
  handle.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

}  // namespace

void AutogradKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys,
                                torch::jit::Stack* stack) const {
  if (split_filters(m_op, handle, *stack)) return handle.callBoxed(stack);
  if (!may_record(handle, *stack)) return redispatch(handle, keys, stack);
  Arguments arguments = read_arguments(m_op, m_form, *stack);
  Tensors inputs(arguments.tensors.begin(), arguments.tensors.end());
  const bool reverse = requires_grad(inputs), forward = has_tangent(inputs);
  if (m_form == Form::out) {
    const Tensors written(arguments.outputs.begin(), arguments.outputs.end());
    check(!reverse && !forward && !requires_grad(written) && !has_tangent(written), m_op.name,
          "out= does not support automatic differentiation; an argument requires grad");
  }
  check(!forward || m_op.derivatives.jvp != nullptr, m_op.name, "forward-mode differentiation is not supported");
  const bool differentiable = m_op.backward != nullptr || m_op.derivatives.vjp != nullptr;
  check(differentiable || !reverse || m_form == Form::functional, m_op.name,
        "this operator has no derivative; its input requires grad");
  if (m_form == Form::in_place) torch::autograd::check_inplace(inputs.front(), reverse);
  if (!reverse && !forward) return redispatch(handle, keys, stack);

  const at::Tensor self = inputs.front();
  const Tensors directions = forward ? tangents(inputs) : Tensors();
  Tensors plain = forward ? primals(inputs) : inputs;
  std::shared_ptr<DerivativeNode> node;
  if (m_form == Form::in_place) plain.front() = plain.front().clone();
  if (reverse) {
    const auto edges = torch::autograd::collect_next_edges(inputs);
    // The value before it is overwritten, with its own history, for second derivatives.
    if (m_form == Form::in_place) inputs.front() = inputs.front().clone();
    node = make_node(m_op.name + " backward", inputs, backward_of(m_op, arguments.parameters));
    node->set_next_edges(torch::autograd::edge_list(edges));
  }
  redispatch(handle, keys, stack);

  Tensors results;
  if (m_form == Form::in_place) {
    results = {self};
    if (reverse) torch::autograd::rebase_history(self, node);
  } else {
    for (const auto& value : torch::jit::last(*stack, static_cast<std::size_t>(m_op.schema.results))) {
      results.push_back(value.toTensor());
    }
    for (auto& result : results) {
      if (reverse) torch::autograd::set_history(result, node);
    }
    if (reverse && m_op.backward != nullptr) node->save_results(results);
  }
  if (!forward) return;
  const Tensors moved = call_jvp(m_op, plain, directions, arguments.parameters);
  for (std::size_t m = 0; m < results.size(); ++m) {
    // A tangent that is there already is written in place as well: views of it must see the change.
    const at::Tensor present = results[m]._fw_grad(0), tangent = moved[m].to(results[m].scalar_type());
    results[m]._set_fw_grad(present.defined() ? present.copy_(tangent) : tangent, 0, m_form == Form::in_place);
  }
}

namespace {

/// name_vjp: inputs g_1..g_M, x_1..x_N; results for the needed n. Its derivative along g is the jvp, along x the second
/// derivative.
Backward backward_of_vjp(const Operator& op, const DerivativeArguments& arguments) {
  const auto m = static_cast<std::size_t>(op.schema.results);
  return [&op, m, parameters = arguments.parameters, taken = arguments.needed](
             const Tensors& grads, const Tensors& inputs, const Tensors&, const std::vector<bool>& needed) {
    const Tensors g = slice(inputs, 0, m), x = slice(inputs, m, inputs.size());
    Tensors t = spread(grads, taken);
    t.resize(x.size());
    for (std::size_t n = 0; n < x.size(); ++n) {
      if (!t[n].defined()) t[n] = zero_like(op, x[n]);
    }
    Tensors all(inputs.size());
    if (any_in(needed, 0, m)) {
      const Tensors along = call_jvp(op, x, t, parameters);
      std::copy(along.begin(), along.end(), all.begin());
    }
    if (any_in(needed, m, inputs.size())) {
      const Tensors along = call_second(op, g, x, t, parameters);
      std::copy(along.begin(), along.end(), all.begin() + static_cast<std::ptrdiff_t>(m));
    }
    return all;
  };
}

/// name_jvp: inputs x_1..x_N, t_1..t_N. Its derivative along t is the vjp, along x the second derivative.
Backward backward_of_jvp(const Operator& op, const DerivativeArguments& arguments) {
  const auto n = static_cast<std::size_t>(op.schema.tensors);
  return [&op, n, parameters = arguments.parameters](const Tensors& grads, const Tensors& inputs, const Tensors&,
                                                     const std::vector<bool>& needed) {
    const Tensors x = slice(inputs, 0, n), t = slice(inputs, n, 2 * n);
    Tensors all(inputs.size());
    if (any_in(needed, 0, n)) {
      const Tensors along = call_second(op, grads, x, t, parameters);
      std::copy(along.begin(), along.end(), all.begin());
    }
    if (any_in(needed, n, 2 * n)) {
      const std::vector<bool> mask(needed.begin() + static_cast<std::ptrdiff_t>(n), needed.end());
      const Tensors along = spread(call_vjp(op, grads, x, parameters, mask), mask);
      std::copy(along.begin(), along.end(), all.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return all;
  };
}

/// d(vjp) = vjp with the tangents of g, plus the second derivative along the tangents of x.
Tensors tangents_of_vjp(const Operator& op, const DerivativeArguments& arguments) {
  const Tensors g = primals(arguments.lists[0]), x = primals(arguments.lists[1]);
  const Tensors along_g = call_vjp(op, tangents(arguments.lists[0]), x, arguments.parameters, arguments.needed);
  const Tensors along_x = call_second(op, g, x, tangents(arguments.lists[1]), arguments.parameters);
  Tensors moved;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (arguments.needed[n]) moved.push_back(along_g[moved.size()] + along_x[n]);
  }
  return moved;
}

/// d(jvp) = jvp with the tangents of t, plus, for each result, the second derivative along both.
Tensors tangents_of_jvp(const Operator& op, const DerivativeArguments& arguments) {
  check(op.rule == ResultRule::elementwise, op.name, "forward mode over forward mode is not supported");
  const Tensors x = primals(arguments.lists[0]), t = primals(arguments.lists[1]);
  const Tensors moving = tangents(arguments.lists[0]);
  Tensors moved = call_jvp(op, x, tangents(arguments.lists[1]), arguments.parameters);
  for (std::size_t m = 0; m < moved.size(); ++m) {
    Tensors one(moved.size(), zero_like(op, x.front()));
    one[m] = one[m] + 1;
    const Tensors along = call_second(op, one, x, t, arguments.parameters);
    // Conjugated like every gradient.
    for (std::size_t n = 0; n < x.size(); ++n) moved[m] = moved[m] + along[n].conj() * moving[n];
  }
  return moved;
}

}  // namespace

void DerivativeAutogradKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys,
                                          torch::jit::Stack* stack) const {
  const auto arguments = read_derivative_arguments(m_op, m_kind, *stack);
  const Tensors inputs = arguments.all();
  const bool reverse = requires_grad(inputs), forward = has_tangent(inputs);
  redispatch(handle, keys, stack);
  if (!reverse && !forward) return;
  Tensors results = torch::jit::pop(*stack).toTensorVector();
  if (reverse) {
    auto backward = m_kind == Derivative::vjp ? backward_of_vjp(m_op, arguments) : backward_of_jvp(m_op, arguments);
    const auto node = make_node(m_op.name + suffix(m_kind) + " backward", inputs, std::move(backward));
    for (auto& result : results) torch::autograd::set_history(result, node);
  }
  if (forward) {
    const Tensors moved =
        m_kind == Derivative::vjp ? tangents_of_vjp(m_op, arguments) : tangents_of_jvp(m_op, arguments);
    for (std::size_t k = 0; k < results.size(); ++k) results[k]._set_fw_grad(moved[k], 0, false);
  }
  stack->emplace_back(std::move(results));
}

}  // namespace portops::detail
