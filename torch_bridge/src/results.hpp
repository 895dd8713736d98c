#pragma once
#include <vector>

#include <portops/check.hpp>
#include <portops/detail/layout.hpp>
#include <portops/registry.hpp>

#include "arguments.hpp"

namespace portops::detail {

/// Sizes and strides of an operator's results. `Int` is std::int64_t in the real kernel, c10::SymInt in the Meta
/// kernel.
template <class Int>
struct ResultLayout {
  std::vector<Int> sizes, strides;
};

template <class Int>
std::string print_sizes(const OperandLayout<Int>& operand) {
  std::ostringstream text;
  text << '(';
  for (int dim = 0; dim < operand.rank; ++dim) text << (dim == 0 ? "" : ", ") << operand.sizes[dim];
  text << ')';
  return text.str();
}

template <class Int>
std::vector<Int> broadcast_sizes(const Operator& op, const std::vector<OperandLayout<Int>>& operands) {
  std::vector<Int> sizes;
  for (const auto& operand : operands) {
    const auto rank = static_cast<std::size_t>(operand.rank);
    if (sizes.size() < rank) sizes.insert(sizes.begin(), rank - sizes.size(), Int(1));
    for (std::size_t own = 0; own < rank; ++own) {
      Int& size = sizes[sizes.size() - rank + own];
      if (operand.sizes[own] == 1) continue;
      check(size == 1 || size == operand.sizes[own], op.name, "the shapes do not broadcast", "first",
            print_sizes(operands.front()), "other", print_sizes(operand));
      size = operand.sizes[own];
    }
  }
  return sizes;
}

/// The leading axes of the first operand, then the row axes of operand `like`, or a row of no elements where that one
/// is absent.
template <class Int>
ResultLayout<Int> row_layout(const Operator& op, const std::vector<OperandLayout<Int>>& operands, std::size_t like) {
  const auto& first = operands.front();
  check(first.rank >= 1, op.name, "the tensor must have a time axis", "argument", argument_name(op, 0), "rank",
        first.rank);
  ResultLayout<Int> layout;
  layout.sizes.assign(first.sizes, first.sizes + first.rank - 1);
  if (like >= operands.size()) {
    layout.sizes.push_back(Int(0));
  } else {
    const int axes = op.rows.in[like].axes, own = operands[like].rank - axes;
    for (int dim = own; dim < own + axes; ++dim) layout.sizes.push_back(dim < 0 ? Int(1) : operands[like].sizes[dim]);
  }
  layout.strides = contiguous_strides(layout.sizes.data(), static_cast<int>(layout.sizes.size()));
  return layout;
}

/// Of result `at`.
template <class Int>
ResultLayout<Int> result_layout(const Operator& op, const std::vector<OperandLayout<Int>>& operands,
                                std::size_t at = 0) {
  if (op.rule == ResultRule::rows) return row_layout(op, operands, static_cast<std::size_t>(op.rows.like[at]));
  ResultLayout<Int> layout;
  if (op.rule == ResultRule::like_first) {
    layout.sizes.assign(operands.front().sizes, operands.front().sizes + operands.front().rank);
    layout.strides = contiguous_strides(layout.sizes.data(), operands.front().rank);
    return layout;
  }
  layout.sizes = broadcast_sizes(op, operands);
  layout.strides = elementwise_strides(operands, layout.sizes.data(), static_cast<int>(layout.sizes.size()));
  return layout;
}

/// The layouts of the tensors that are present.
template <class Int>
std::vector<OperandLayout<Int>> operand_layouts(at::ArrayRef<at::Tensor> tensors) {
  std::vector<OperandLayout<Int>> operands;
  for (const auto& tensor : tensors) {
    if (!tensor.defined()) continue;
    if constexpr (std::is_same_v<Int, std::int64_t>) {
      operands.push_back({tensor.sizes().data(), tensor.strides().data(), static_cast<int>(tensor.dim())});
    } else {
      operands.push_back({tensor.sym_sizes().data(), tensor.sym_strides().data(), static_cast<int>(tensor.dim())});
    }
  }
  return operands;
}

/// Fresh memory for result `at` of these tensors.
at::Tensor make_result(const Operator& op, at::ArrayRef<at::Tensor> tensors, at::ScalarType type, std::size_t at = 0);
at::Tensor make_result(const ResultLayout<std::int64_t>& layout, at::ScalarType type);
at::Tensor make_meta_result(const ResultLayout<c10::SymInt>& layout, at::ScalarType type);

/// Runs one of an operator's kernels; `type` is the type in which torch promotes the inputs.
void run_kernel(const Operator& op, Kernel kernel, at::ArrayRef<at::Tensor> inputs, at::ArrayRef<at::Tensor> outputs,
                at::ArrayRef<Parameter> parameters, at::ScalarType type, bool fresh);

}  // namespace portops::detail
