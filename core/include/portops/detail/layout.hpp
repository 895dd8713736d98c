#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace portops::detail {

/// Sizes and strides of one operand, as views of its own arrays. `Int` is std::int64_t for real tensors; the bridge
/// uses its symbolic integer, so that the kernel and the Meta kernel share the rules below.
template <class Int>
struct OperandLayout {
  const Int* sizes;
  const Int* strides;
  int rank;
};

/// The stride of an operand along dimension `dim` of a broadcast shape of `rank` dimensions; 0 where it repeats.
template <class Int>
Int broadcast_stride(const OperandLayout<Int>& operand, const Int* shape, int rank, int dim) {
  const int own = dim - (rank - operand.rank);
  if (own < 0) return Int(0);
  if (operand.sizes[own] == 1 && shape[dim] != 1) return Int(0);
  return operand.strides[own];
}

template <class Int>
std::vector<Int> contiguous_strides(const Int* shape, int rank) {
  std::vector<Int> strides(static_cast<std::size_t>(rank), Int(1));
  for (int dim = rank - 2; dim >= 0; --dim) {
    const auto at = static_cast<std::size_t>(dim);
    strides[at] = strides[at + 1] * (shape[dim + 1] > 1 ? shape[dim + 1] : Int(1));
  }
  return strides;
}

template <class Int>
bool is_contiguous(const Int* sizes, const Int* strides, int rank) {
  Int expected(1);
  for (int dim = rank - 1; dim >= 0; --dim) {
    if (sizes[dim] == 0) return true;
    if (sizes[dim] != 1 && strides[dim] != expected) return false;
    if (sizes[dim] != 1) expected = expected * sizes[dim];
  }
  return true;
}

/// Which of two dimensions lies further out in memory, asked of the operands in order; 0 where none can tell.
template <class Int>
int compare_dimensions(const std::vector<OperandLayout<Int>>& operands, const Int* shape, int rank, int first,
                       int second) {
  for (const auto& operand : operands) {
    const Int left = broadcast_stride(operand, shape, rank, first);
    const Int right = broadcast_stride(operand, shape, rank, second);
    if (left == 0 || right == 0) continue;
    if (left != right) return left < right ? -1 : 1;
    if (shape[first] > shape[second]) return 1;
  }
  return 0;
}

/// The order of the dimensions from the innermost outwards, by the strides of the operands. An insertion sort,
/// because the comparison is not transitive where operands broadcast.
template <class Int>
std::vector<int> dimension_order(const std::vector<OperandLayout<Int>>& operands, const Int* shape, int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  for (int dim = 0; dim < rank; ++dim) order[static_cast<std::size_t>(dim)] = rank - 1 - dim;
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t other = i; other-- > 0;) {
      const int comparison = compare_dimensions(operands, shape, rank, order[other], order[moving]);
      if (comparison < 0) break;
      if (comparison > 0) {
        std::swap(order[other], order[moving]);
        moving = other;
      }
    }
  }
  return order;
}

/// Channels-last strides for (N, C, H, W) and (N, C, D, H, W).
template <class Int>
std::vector<Int> channels_last_strides(const Int* shape, int rank) {
  std::vector<Int> strides(static_cast<std::size_t>(rank));
  Int next(1);
  const auto set = [&](int dim) {
    strides[static_cast<std::size_t>(dim)] = next;
    next = next * (shape[dim] > 1 ? shape[dim] : Int(1));
  };
  set(1);
  for (int dim = rank - 1; dim >= 2; --dim) set(dim);
  set(0);
  return strides;
}

template <class Int>
bool has_strides(const OperandLayout<Int>& operand, const std::vector<Int>& strides) {
  for (int dim = 0; dim < operand.rank; ++dim) {
    if (operand.sizes[dim] != 1 && operand.strides[dim] != strides[static_cast<std::size_t>(dim)]) return false;
  }
  return true;
}

/// True if the elements fill one gap-free block, each element once.
template <class Int>
bool is_dense(const OperandLayout<Int>& operand) {
  const std::vector<OperandLayout<Int>> alone = {operand};
  Int expected(1);
  for (const int dim : dimension_order(alone, operand.sizes, operand.rank)) {
    if (operand.sizes[dim] == 1) continue;
    if (operand.strides[dim] != expected) return false;
    expected = expected * operand.sizes[dim];
  }
  return true;
}

template <class Int>
bool same_sizes(const OperandLayout<Int>& operand, const Int* shape, int rank) {
  if (operand.rank != rank) return false;
  for (int dim = 0; dim < rank; ++dim) {
    if (operand.sizes[dim] != shape[dim]) return false;
  }
  return true;
}

/// Strides of the fresh result of an elementwise operator: torch's rule, so that channels_last and transposed inputs
/// keep their layout. Used by the real kernel and by the Meta kernel.
/// Source: the documented behaviour of at::TensorIterator (all contiguous, all channels_last, all dense with equal
/// strides, else dense in the order of the operands' strides); tests compare with torch.add.
template <class Int>
std::vector<Int> elementwise_strides(const std::vector<OperandLayout<Int>>& operands, const Int* shape, int rank) {
  const auto all = [&](auto&& fact) { return std::all_of(operands.begin(), operands.end(), fact); };
  const std::vector<Int> contiguous = contiguous_strides(shape, rank);
  if (all([&](const auto& operand) { return same_sizes(operand, shape, rank); })) {
    if (all([&](const auto& o) { return is_contiguous(o.sizes, o.strides, o.rank); })) return contiguous;
    if (rank == 4 || rank == 5) {
      const std::vector<Int> channels_last = channels_last_strides(shape, rank);
      if (all([&](const auto& operand) { return has_strides(operand, channels_last); })) return channels_last;
    }
    const auto& first = operands.front();
    std::vector<Int> own(first.strides, first.strides + first.rank);
    const auto equal = [&](const auto& operand) { return std::equal(own.begin(), own.end(), operand.strides); };
    if (all([](const auto& operand) { return is_dense(operand); }) && all(equal)) return own;
  }
  std::vector<Int> strides(static_cast<std::size_t>(rank));
  Int next(1);
  bool row_major = true;
  int expected = rank - 1;
  for (const int dim : dimension_order(operands, shape, rank)) {
    row_major = row_major && dim == expected--;
    strides[static_cast<std::size_t>(dim)] = next;
    next = next * shape[dim];
  }
  return row_major ? contiguous : strides;
}

}  // namespace portops::detail
