#pragma once
#include <cstdint>

#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// Copies `count` elements and converts them: `stride` bytes apart on the tensor's side, contiguous on the tile's.
using Gather = void (*)(void* tile, const char* tensor, std::int64_t stride, std::int64_t count);
using Scatter = void (*)(char* tensor, const void* tile, std::int64_t stride, std::int64_t count);

/// From elements of type `from` to the compute type `compute`; nullptr from a complex to a real one.
Gather find_gather(DType compute, DType from);
/// From the compute type to elements of type `to`, rounded once, to nearest even; nullptr to an integer, and from a
/// complex to a real one.
Scatter find_scatter(DType compute, DType to);

}  // namespace portops::detail
