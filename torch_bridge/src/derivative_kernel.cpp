#include "derivative_kernel.hpp"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "results.hpp"

namespace portops::detail {

Tensors DerivativeKernel::make_results(const Tensors& tensors, std::size_t count, at::ScalarType type) const {
  Tensors results;
  if (m_meta) {
    const auto layout = result_layout(m_op, operand_layouts<c10::SymInt>(tensors));
    for (std::size_t k = 0; k < count; ++k) results.push_back(make_meta_result(layout, type));
  } else {
    for (std::size_t k = 0; k < count; ++k) results.push_back(make_result(m_op, tensors, type));
  }
  return results;
}

/// Gradients of all inputs, each with the leading axes of the first input and its own last axis.
Tensors DerivativeKernel::run_backward(const DerivativeArguments& arguments) const {
  const Tensors& inputs = arguments.lists[1];
  const at::ScalarType type = inputs.front().scalar_type();
  Tensors results;
  for (const auto& input : inputs) {
    auto sizes = inputs.front().sym_sizes().vec();
    sizes.back() = input.sym_sizes().back();
    results.push_back(at::empty_symint(sizes, inputs.front().options().dtype(type)));
  }
  if (!m_meta) run_kernel(m_op, m_op.backward, arguments.all(), results, arguments.parameters, type, true);
  return results;
}

/// A list that leaves out absent tensors at its end, which torch's lists cannot hold, with them.
static Tensors filled(Tensors list, std::size_t size) {
  list.resize(size);
  return list;
}

/// Tangents of all results, or gradients of the inputs that have one (second) or need one (vjp), each with its own row.
Tensors DerivativeKernel::run_rows(const DerivativeArguments& arguments) const {
  const Tensors& inputs = arguments.lists[m_kind == Derivative::jvp ? 0 : 1];
  const at::ScalarType type = result_type(m_op, inputs);
  const auto n = static_cast<std::size_t>(m_op.schema.tensors);
  const auto make = [&](std::size_t like) {
    if (m_meta) return make_meta_result(row_layout(m_op, operand_layouts<c10::SymInt>(inputs), like), type);
    return make_result(row_layout(m_op, operand_layouts<std::int64_t>(inputs), like), type);
  };
  Tensors outputs;
  if (m_kind == Derivative::jvp) {
    for (int m = 0; m < m_op.schema.results; ++m)
      outputs.push_back(make(static_cast<std::size_t>(m_op.rows.like[static_cast<std::size_t>(m)])));
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      const bool wanted = m_kind == Derivative::second ? has_gradient(m_op, inputs, k) : arguments.needed[k];
      outputs.push_back(wanted ? make(k) : at::Tensor());
    }
  }
  if (!m_meta) {
    Tensors all;
    for (std::size_t list = 0; list < arguments.lists.size(); ++list) {
      const bool grads = m_kind != Derivative::jvp && list == 0;
      const Tensors whole = grads ? arguments.lists[list] : filled(arguments.lists[list], n);
      all.insert(all.end(), whole.begin(), whole.end());
    }
    const auto& derivatives = m_op.derivatives;
    const Kernel kernels[] = {derivatives.vjp, derivatives.jvp, derivatives.second};
    run_kernel(m_op, kernels[static_cast<int>(m_kind)], all, outputs, arguments.parameters, type, true);
  }
  outputs.erase(std::remove_if(outputs.begin(), outputs.end(), [](const auto& output) { return !output.defined(); }),
                outputs.end());
  return outputs;
}

/// One fused pass where all or one of the gradients are needed, which are the common cases; else a pass for each, so
/// that nothing is computed for an input that needs none.
Tensors DerivativeKernel::run(const DerivativeArguments& arguments) const {
  if (m_kind == Derivative::backward) return run_backward(arguments);
  if (m_op.rule == ResultRule::rows) return run_rows(arguments);
  const Tensors inputs = arguments.all();
  const at::ScalarType type = result_type(m_op, inputs);
  const auto& derivatives = m_op.derivatives;
  const auto into = [&](Kernel kernel, std::size_t count) {
    Tensors results = make_results(inputs, count, type);
    if (!m_meta) run_kernel(m_op, kernel, inputs, results, arguments.parameters, type, true);
    return results;
  };
  const auto n = static_cast<std::size_t>(m_op.schema.tensors);
  if (m_kind == Derivative::jvp) return into(derivatives.jvp, static_cast<std::size_t>(m_op.schema.results));
  if (m_kind == Derivative::second) return into(derivatives.second, n);
  if (std::all_of(arguments.needed.begin(), arguments.needed.end(), [](bool needed) { return needed; })) {
    return into(derivatives.vjp, n);
  }
  Tensors results;
  for (std::size_t k = 0; k < n; ++k) {
    if (arguments.needed[k]) results.push_back(into(derivatives.vjp_of[k], 1).front());
  }
  return results;
}

void DerivativeKernel::check_lists(const DerivativeArguments& arguments) const {
  const auto n = static_cast<std::size_t>(m_op.schema.tensors), m = static_cast<std::size_t>(m_op.schema.results);
  const std::size_t expected[] = {m_kind == Derivative::jvp ? n : m, n, m_kind == Derivative::backward ? m : n};
  for (std::size_t list = 0; list < arguments.lists.size(); ++list) {
    const bool of_inputs = list > 0 || m_kind == Derivative::jvp;
    const std::size_t optional = of_inputs ? static_cast<std::size_t>(optional_count(m_op)) : 0;
    const std::size_t size = arguments.lists[list].size();
    check(size <= expected[list] && size + optional >= expected[list], m_op.name,
          "a list of tensors has another length", "list", list, "length", arguments.lists[list].size(), "expected",
          expected[list]);
  }
  for (const auto& tensor : arguments.all()) {
    check(!m_meta || tensor.is_meta() || tensor.dim() == 0, m_op.name, "all tensors must be on one device", "device",
          tensor.device(), "other", "meta");
  }
  check(m_kind != Derivative::vjp || arguments.needed.size() == n, m_op.name, "there must be one flag per input",
        "flags", arguments.needed.size(), "inputs", n);
  for (std::size_t k = 0; k < arguments.needed.size(); ++k) {
    check(!arguments.needed[k] || has_gradient(m_op, arguments.lists[1], k), m_op.name,
          "this tensor is of integers or absent, and has no gradient", "argument", argument_name(m_op, k));
  }
}

void DerivativeKernel::operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) const {
  const auto arguments = read_derivative_arguments(m_op, m_kind, *stack);
  check_lists(arguments);
  Tensors results = run(arguments);
  drop_derivative_arguments(m_op, m_kind, *stack);
  stack->emplace_back(std::move(results));
}

}  // namespace portops::detail
