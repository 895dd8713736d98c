#pragma once
#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// True if two different indices of `tensor` name the same memory.
bool overlaps_itself(const TensorRef& tensor);

/// True if some element of one tensor shares a byte with some element of the other.
bool overlap(const TensorRef& left, const TensorRef& right);

/// True if both name the same elements in the same order: reading one while writing the other is then safe for a
/// kernel that reads an element before it writes it.
bool same_memory(const TensorRef& left, const TensorRef& right);

}  // namespace portops::detail
