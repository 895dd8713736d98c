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
/// `axes` and `shape_axes` trailing axes belong to a row and are not counted.
constexpr std::int64_t row_offset(const TensorRef& tensor, int axes, const TensorRef& shape, int shape_axes,
                                  std::int64_t row) {
  std::int64_t offset = 0;
  const int missing = (shape.rank - shape_axes) - (tensor.rank - axes);
  for (int dim = shape.rank - shape_axes - 1; dim >= 0 && dim >= missing; --dim) {
    const std::int64_t at = row % shape.sizes[dim];
    row /= shape.sizes[dim];
    const int own = dim - missing;
    if (tensor.sizes[own] != 1) offset += at * tensor.stride(own);
  }
  return offset;
}

constexpr std::int64_t row_offset(const TensorRef& tensor, const TensorRef& shape, std::int64_t row) {
  return row_offset(tensor, 1, shape, 1, row);
}

/// True if the leading axes of `tensor` broadcast to those of `shape`; the `axes` trailing ones may be any.
constexpr bool rows_broadcast(const TensorRef& tensor, int axes, const TensorRef& shape) {
  const int own = tensor.rank - axes, all = shape.rank - 1;
  if (own > all) return false;
  for (int dim = 1; dim <= own; ++dim) {
    const std::int64_t size = tensor.sizes[own - dim];
    if (size != 1 && size != shape.sizes[all - dim]) return false;
  }
  return true;
}

constexpr bool rows_broadcast(const TensorRef& tensor, const TensorRef& shape) {
  return tensor.rank >= 1 && rows_broadcast(tensor, 1, shape);
}

}  // namespace portops::detail
