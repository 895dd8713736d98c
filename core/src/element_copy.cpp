#include <portops/detail/element_copy.hpp>

#include <bit>
#include <complex>
#include <cstring>

namespace portops::detail {
namespace {

// The storage types of half precision: two bytes in memory, computed in float32.
struct Half {
  _Float16 value;
  explicit operator float() const { return static_cast<float>(value); }
  explicit operator double() const { return static_cast<double>(value); }
  static Half from(float x) { return {static_cast<_Float16>(x)}; }
  static Half from(double x) { return {static_cast<_Float16>(x)}; }
};

struct BFloat16 {
  std::uint16_t bits;
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  /// Adds just under half of the last kept bit, or half where that bit is odd; a NaN keeps its top bits, made quiet.
  static BFloat16 from(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    return {static_cast<std::uint16_t>(x == x ? rounded : ((bits >> 16) | 0x40U))};
  }
  /// Through float rounded to odd: the lost bits stay visible to the second rounding, so that it is the only one.
  static BFloat16 from(double x) {
    const auto nearest = static_cast<float>(x);
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    const double error = static_cast<double>(nearest) - x;
    const bool away = x > 0 ? error > 0 : error < 0;
    bits -= away && nearest - nearest == 0 ? 1U : 0U;
    bits |= error != 0 && error == error && nearest - nearest == 0 ? 1U : 0U;
    return from(std::bit_cast<float>(bits));
  }
};

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

template <class Compute>
Gather gather_to(DType from) {
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
