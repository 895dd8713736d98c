#pragma once
#include <portops/tensor_ref.hpp>

namespace portops::detail {

constexpr bool same_shape(const TensorRef& left, const TensorRef& right) {
  if (left.rank != right.rank) return false;
  for (int dim = 0; dim < left.rank; ++dim) {
    if (left.sizes[dim] != right.sizes[dim]) return false;
  }
  return true;
}

/// True if `tensor` broadcasts to the sizes of `shape`, by NumPy's rule.
constexpr bool broadcasts_to(const TensorRef& tensor, const TensorRef& shape) {
  if (tensor.rank > shape.rank) return false;
  for (int dim = 1; dim <= tensor.rank; ++dim) {
    const std::int64_t size = tensor.sizes[tensor.rank - dim];
    if (size != 1 && size != shape.sizes[shape.rank - dim]) return false;
  }
  return true;
}

/// True if the elements lie in memory in index order without gaps.
constexpr bool is_row_major(const TensorRef& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int dim = tensor.rank - 1; dim >= 0; --dim) {
    if (tensor.sizes[dim] != 1 && tensor.strides[dim] != expected) return false;
    expected *= tensor.sizes[dim];
  }
  return true;
}

}  // namespace portops::detail
