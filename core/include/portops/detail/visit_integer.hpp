#pragma once
#include <cstdint>

#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// Calls `visit` with a zero of the C++ type of an integer tensor.
template <class Visit>
auto visit_integer(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::int8: return visit(std::int8_t());
    case DType::int16: return visit(std::int16_t());
    case DType::int32: return visit(std::int32_t());
    case DType::uint8: return visit(std::uint8_t());
    case DType::uint16: return visit(std::uint16_t());
    case DType::uint32: return visit(std::uint32_t());
    case DType::uint64: return visit(std::uint64_t());
    default: return visit(std::int64_t());
  }
}

}  // namespace portops::detail
