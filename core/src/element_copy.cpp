#include <portops/detail/element_copy.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <type_traits>

#include <portops/detail/half_copy.hpp>

namespace portops::detail {
namespace {

// Complex elements are copied only, so the standard's type will do for whichever the functor has: all are two numbers.
template <class T>
inline constexpr bool is_complex_type = false;
template <class R>
inline constexpr bool is_complex_type<std::complex<R>> = true;

template <class To, class From>
To convert(From value) {
  if constexpr (requires { To::from(value); }) {
    return To::from(value);
  } else if constexpr (is_complex_type<To> && is_complex_type<From>) {
    using Real = typename To::value_type;
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  } else if constexpr (is_complex_type<To>) {
    return {static_cast<typename To::value_type>(value), 0};
  } else {
    return static_cast<To>(value);
  }
}

// Memory that an element's type does not describe (a bool that torch stores as a byte, a misaligned buffer) is read
// through memcpy, which compiles to plain moves.
template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class Compute, class Stored>
void gather(void* tile, const char* tensor, std::int64_t stride, std::int64_t count) {
  auto* to = static_cast<Compute*>(tile);
  if (stride == static_cast<std::int64_t>(sizeof(Stored))) {
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = convert<Compute>(read<Stored>(tensor + i * static_cast<std::int64_t>(sizeof(Stored))));
    }
  } else if (stride == 0) {
    const Compute value = convert<Compute>(read<Stored>(tensor));
    for (std::int64_t i = 0; i < count; ++i) to[i] = value;
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = convert<Compute>(read<Stored>(tensor + i * stride));
  }
}

template <class Compute, class Stored>
void scatter(char* tensor, const void* tile, std::int64_t stride, std::int64_t count) {
  const auto* from = static_cast<const Compute*>(tile);
  if (stride == static_cast<std::int64_t>(sizeof(Stored))) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Stored value = convert<Stored>(from[i]);
      std::memcpy(tensor + i * static_cast<std::int64_t>(sizeof(Stored)), &value, sizeof(Stored));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const Stored value = convert<Stored>(from[i]);
      std::memcpy(tensor + i * stride, &value, sizeof(Stored));
    }
  }
}

// Half types are converted many at a time; from or to strided memory by way of a few that lie side by side.
constexpr std::int64_t chunk = 128, half_size = 2;

/// Asks for the elements behind `data`, which come next where a tensor is contiguous: while they are on their way the
/// loop computes. Beyond the end of memory this does nothing.
template <int Write>
void fetch_ahead(const char* data, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(data + at, Write);
}

template <class Stored>
void gather_half(void* tile, const char* tensor, std::int64_t stride, std::int64_t count) {
  auto* to = static_cast<float*>(tile);
  const Widen widen = find_widen<Stored>();
  if (stride == half_size) {
    widen(to, tensor, count);
    return fetch_ahead<0>(tensor + count * half_size, count * half_size);
  }
  std::array<char, chunk * half_size> packed;
  for (std::int64_t first = 0; first < count; first += chunk) {
    const std::int64_t some = std::min(chunk, count - first);
    for (std::int64_t i = 0; i < some; ++i) {
      std::memcpy(packed.data() + i * half_size, tensor + (first + i) * stride, half_size);
    }
    widen(to + first, packed.data(), some);
  }
}

template <class Stored>
void scatter_half(char* tensor, const void* tile, std::int64_t stride, std::int64_t count) {
  const auto* from = static_cast<const float*>(tile);
  const Narrow narrow = find_narrow<Stored>();
  if (stride == half_size) {
    narrow(tensor, from, count);
    return fetch_ahead<1>(tensor + count * half_size, count * half_size);
  }
  std::array<char, chunk * half_size> packed;
  for (std::int64_t first = 0; first < count; first += chunk) {
    const std::int64_t some = std::min(chunk, count - first);
    narrow(packed.data(), from + first, some);
    for (std::int64_t i = 0; i < some; ++i) {
      std::memcpy(tensor + (first + i) * stride, packed.data() + i * half_size, half_size);
    }
  }
}

template <class Compute>
Gather gather_to(DType from) {
  if constexpr (std::is_same_v<Compute, float>) {
    if (from == DType::float16) return &gather_half<Half>;
    if (from == DType::bfloat16) return &gather_half<BFloat16>;
  }
  switch (from) {
    case DType::float16: return &gather<Compute, Half>;
    case DType::bfloat16: return &gather<Compute, BFloat16>;
    case DType::float32: return &gather<Compute, float>;
    case DType::float64: return &gather<Compute, double>;
    case DType::boolean:
    case DType::uint8: return &gather<Compute, std::uint8_t>;
    case DType::int8: return &gather<Compute, std::int8_t>;
    case DType::int16: return &gather<Compute, std::int16_t>;
    case DType::int32: return &gather<Compute, std::int32_t>;
    case DType::int64: return &gather<Compute, std::int64_t>;
    case DType::uint16: return &gather<Compute, std::uint16_t>;
    case DType::uint32: return &gather<Compute, std::uint32_t>;
    case DType::uint64: return &gather<Compute, std::uint64_t>;
    default: break;
  }
  if constexpr (is_complex_type<Compute>) {
    if (from == DType::complex64) return &gather<Compute, std::complex<float>>;
    if (from == DType::complex128) return &gather<Compute, std::complex<double>>;
  }
  return nullptr;
}

template <class Compute>
Scatter scatter_from(DType to) {
  if constexpr (std::is_same_v<Compute, float>) {
    if (to == DType::float16) return &scatter_half<Half>;
    if (to == DType::bfloat16) return &scatter_half<BFloat16>;
  }
  if (to == DType::complex64) return &scatter<Compute, std::complex<float>>;
  if (to == DType::complex128) return &scatter<Compute, std::complex<double>>;
  if constexpr (!is_complex_type<Compute>) {
    if (to == DType::float16) return &scatter<Compute, Half>;
    if (to == DType::bfloat16) return &scatter<Compute, BFloat16>;
    if (to == DType::float32) return &scatter<Compute, float>;
    if (to == DType::float64) return &scatter<Compute, double>;
  }
  return nullptr;
}

}  // namespace

Gather find_gather(DType compute, DType from) {
  if (compute == DType::complex64) return gather_to<std::complex<float>>(from);
  if (compute == DType::complex128) return gather_to<std::complex<double>>(from);
  return compute == DType::float64 ? gather_to<double>(from) : gather_to<float>(from);
}

Scatter find_scatter(DType compute, DType to) {
  if (compute == DType::complex64) return scatter_from<std::complex<float>>(to);
  if (compute == DType::complex128) return scatter_from<std::complex<double>>(to);
  return compute == DType::float64 ? scatter_from<double>(to) : scatter_from<float>(to);
}

}  // namespace portops::detail
