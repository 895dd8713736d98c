#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace portops::test {

using Sizes = std::vector<std::int64_t>;

/// Where the elements of a tensor lie: strides in elements, of any sign.
struct Layout {
  std::string name;
  Sizes sizes, strides;
};

/// Strides of a tensor whose dimensions lie in memory in this order, from the innermost outwards, each `gap` elements
/// longer than it needs to be.
inline Sizes packed_strides(const Sizes& sizes, const std::vector<std::size_t>& order, std::int64_t first = 1,
                            std::int64_t gap = 0) {
  Sizes strides(sizes.size());
  std::int64_t next = first;
  for (const std::size_t dim : order) {
    strides[dim] = next;
    next = next * (sizes[dim] > 0 ? sizes[dim] : 1) + gap;
  }
  return strides;
}

inline std::vector<std::size_t> row_major_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t at = 0; at < rank; ++at) order[at] = rank - 1 - at;
  return order;
}

inline Layout contiguous(const Sizes& sizes) {
  return {"contiguous", sizes, packed_strides(sizes, row_major_order(sizes.size()))};
}

inline Layout column_major(const Sizes& sizes) {
  const auto order = row_major_order(sizes.size());
  return {"column major", sizes, packed_strides(sizes, {order.rbegin(), order.rend()})};
}

/// The last two dimensions exchanged in memory.
inline Layout transposed(const Sizes& sizes) {
  auto order = row_major_order(sizes.size());
  if (order.size() > 1) std::swap(order[0], order[1]);
  return {"transposed", sizes, packed_strides(sizes, order)};
}

/// Rows with a gap after each, as a slice of a wider tensor has.
inline Layout padded(const Sizes& sizes) {
  return {"padded", sizes, packed_strides(sizes, row_major_order(sizes.size()), 1, 3)};
}

/// Every third element of a larger tensor.
inline Layout strided(const Sizes& sizes) {
  return {"strided", sizes, packed_strides(sizes, row_major_order(sizes.size()), 3)};
}

/// Every dimension runs backwards through memory.
inline Layout reversed(const Sizes& sizes) {
  Layout layout = contiguous(sizes);
  for (auto& stride : layout.strides) stride = -stride;
  return {"reversed", sizes, layout.strides};
}

/// Only the outermost dimension runs backwards.
inline Layout flipped(const Sizes& sizes) {
  Layout layout = padded(sizes);
  if (!sizes.empty()) layout.strides.front() = -layout.strides.front();
  return {"flipped", sizes, layout.strides};
}

/// The first dimension repeats itself: for inputs only.
inline Layout expanded(const Sizes& sizes) {
  Layout layout = contiguous(sizes);
  if (!sizes.empty()) layout.strides.front() = 0;
  return {"expanded", sizes, layout.strides};
}

/// Layouts in which no two elements share memory.
inline std::vector<Layout> distinct_layouts(const Sizes& sizes) {
  return {contiguous(sizes), column_major(sizes), transposed(sizes), padded(sizes),
          strided(sizes),    reversed(sizes),     flipped(sizes)};
}

inline std::vector<Layout> input_layouts(const Sizes& sizes) {
  std::vector<Layout> layouts = distinct_layouts(sizes);
  layouts.push_back(expanded(sizes));
  return layouts;
}

}  // namespace portops::test
