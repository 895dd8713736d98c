#pragma once
#include <array>
#include <cstdint>
#include <span>

#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// 8 inputs, 4 results: their second derivative takes 4 + 2 * 8 tensors and gives 8.
inline constexpr int max_operands = 28;

/// The loop nest of an elementwise call after broadcasting and folding: dimension 0 is the innermost, neighbours
/// that are one run of memory for every operand are one dimension, dimensions of size 1 are gone (at least one
/// dimension stays). Any order of the elements will do, so it follows the first operand's memory.
struct Iteration {
  int rank = 0;
  int operands = 0;
  std::int64_t numel = 0;
  // Not initialised: only the first `rank` and `operands` entries are ever used, and clearing all would cost more
  // than a small call.
  std::array<std::int64_t, max_rank> sizes;
  std::array<char*, max_operands> data;
  std::array<DType, max_operands> dtypes;
  /// Bytes from one element to the next, per dimension and operand.
  std::array<std::array<std::int64_t, max_operands>, max_rank> strides;
};

/// Precondition: every operand broadcasts to `sizes`; the operands that are written come first.
Iteration make_iteration(std::span<const std::int64_t> sizes, std::span<const TensorRef> operands);

}  // namespace portops::detail
