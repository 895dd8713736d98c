#pragma once
#include <cstdint>

#include <portops/tensor_ref.hpp>

/// Tensors as rows: the last axis runs along a row, all others count rows.
namespace portops::detail {

constexpr std::int64_t row_length(const TensorRef& tensor) {
  return tensor.rank == 0 ? 1 : tensor.sizes[tensor.rank - 1];
}

constexpr std::int64_t row_count(const TensorRef& tensor) {
  std::int64_t rows = 1;
  for (int dim = 0; dim + 1 < tensor.rank; ++dim) rows *= tensor.sizes[dim];
  return rows;
}

constexpr std::int64_t row_stride(const TensorRef& tensor) {
  return tensor.rank == 0 ? 0 : tensor.stride(tensor.rank - 1);
}

/// Elements from the start of `tensor` to its row for row `row` of `shape`, to whose leading axes its own broadcast.
constexpr std::int64_t row_offset(const TensorRef& tensor, const TensorRef& shape, std::int64_t row) {
  std::int64_t offset = 0;
  for (int dim = shape.rank - 2; dim >= 0; --dim) {
    const std::int64_t at = row % shape.sizes[dim];
    row /= shape.sizes[dim];
    const int own = dim - (shape.rank - tensor.rank);
    if (own >= 0 && tensor.sizes[own] != 1) offset += at * tensor.stride(own);
  }
  return offset;
}

/// True if the leading axes of `tensor` broadcast to those of `shape`; the last axes may differ.
constexpr bool rows_broadcast(const TensorRef& tensor, const TensorRef& shape) {
  if (tensor.rank < 1 || tensor.rank > shape.rank) return false;
  for (int dim = 2; dim <= tensor.rank; ++dim) {
    const std::int64_t size = tensor.sizes[tensor.rank - dim];
    if (size != 1 && size != shape.sizes[shape.rank - dim]) return false;
  }
  return true;
}

}  // namespace portops::detail
