#include <portops/detail/iteration.hpp>

#include <algorithm>
#include <cstdlib>

#include <portops/detail/layout.hpp>
#include <portops/detail/shapes.hpp>

namespace portops::detail {
namespace {

/// True if the dimension that begins where `inner` ends can be folded into it, for every operand.
bool continues(const Iteration& iteration, int inner, const std::array<std::int64_t, max_operands>& strides) {
  for (std::size_t operand = 0; operand < static_cast<std::size_t>(iteration.operands); ++operand) {
    const auto at = static_cast<std::size_t>(inner);
    if (strides[operand] != iteration.strides[at][operand] * iteration.sizes[at]) return false;
  }
  return true;
}

void append(Iteration& iteration, std::int64_t size, const std::array<std::int64_t, max_operands>& strides) {
  if (size == 1) return;
  if (iteration.rank > 0 && continues(iteration, iteration.rank - 1, strides)) {
    iteration.sizes[static_cast<std::size_t>(iteration.rank - 1)] *= size;
    return;
  }
  iteration.sizes[static_cast<std::size_t>(iteration.rank)] = size;
  iteration.strides[static_cast<std::size_t>(iteration.rank)] = strides;
  ++iteration.rank;
}

bool has_sizes(const TensorRef& operand, std::span<const std::int64_t> sizes) {
  return std::equal(sizes.begin(), sizes.end(), operand.sizes, operand.sizes + operand.rank);
}

/// The most common case, without the general search: every operand is contiguous or a single element.
bool make_flat_iteration(Iteration& iteration, std::span<const std::int64_t> sizes,
                         std::span<const TensorRef> operands) {
  for (std::size_t at = 0; at < operands.size(); ++at) {
    const bool single = operands[at].numel() == 1;
    if (!single && !(is_row_major(operands[at]) && has_sizes(operands[at], sizes))) return false;
    iteration.strides[0][at] = single ? 0 : size_of(operands[at].dtype);
  }
  iteration.rank = 1;
  iteration.sizes[0] = iteration.numel;
  return true;
}

}  // namespace

Iteration make_iteration(std::span<const std::int64_t> sizes, std::span<const TensorRef> operands) {
  Iteration iteration;
  iteration.operands = static_cast<int>(operands.size());
  iteration.numel = 1;
  for (const std::int64_t size : sizes) iteration.numel *= size;

  for (std::size_t at = 0; at < operands.size(); ++at) {
    iteration.data[at] = static_cast<char*>(operands[at].data);
    iteration.dtypes[at] = operands[at].dtype;
  }
  if (make_flat_iteration(iteration, sizes, operands)) return iteration;

  const int rank = static_cast<int>(sizes.size());
  std::vector<std::vector<std::int64_t>> strides(operands.size());
  std::vector<OperandLayout<std::int64_t>> layouts;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    const TensorRef& operand = operands[at];
    for (int dim = 0; dim < operand.rank; ++dim) strides[at].push_back(std::abs(operand.stride(dim)));
    layouts.push_back({operand.sizes, strides[at].data(), operand.rank});
  }
  for (const int dim : dimension_order(layouts, sizes.data(), rank)) {
    std::array<std::int64_t, max_operands> bytes{};
    for (std::size_t at = 0; at < operands.size(); ++at) {
      const std::int64_t stride = broadcast_stride(layouts[at], sizes.data(), rank, dim);
      const bool backwards = stride != 0 && operands[at].stride(dim - (rank - operands[at].rank)) < 0;
      bytes[at] = (backwards ? -stride : stride) * size_of(operands[at].dtype);
    }
    append(iteration, sizes[static_cast<std::size_t>(dim)], bytes);
  }
  if (iteration.rank == 0) {
    iteration.rank = 1;
    iteration.sizes[0] = 1;
    iteration.strides[0].fill(0);
  }
  return iteration;
}

}  // namespace portops::detail
