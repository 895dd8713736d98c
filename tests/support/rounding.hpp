#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <portops/tensor_ref.hpp>

namespace portops::test {

/// A binary floating-point format by its numbers, so that rounding to it needs none of its instructions.
struct Format {
  int digits;        // of the significand, the hidden one included
  int min_exponent;  // of the smallest normal number
  int max_exponent;
};

constexpr Format format_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return {11, -14, 15};
    case DType::bfloat16: return {8, -126, 127};
    case DType::float32: return {24, -126, 127};
    default: return {53, -1022, 1023};
  }
}

/// `value` rounded once, to nearest even, to the format of `dtype`.
inline double round_to(DType dtype, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const Format format = format_of(dtype);
  int exponent = std::ilogb(value);
  exponent = (exponent < format.min_exponent ? format.min_exponent : exponent) - (format.digits - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  const double limit = std::ldexp(1.0, format.max_exponent);
  return std::fabs(rounded) / 2 >= limit ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

/// The value of the 16 bits of a half or bfloat16.
inline double decode16(DType dtype, std::uint16_t bits) {
  const Format format = format_of(dtype);
  const int mantissa_bits = format.digits - 1;
  const int mantissa = bits & ((1 << mantissa_bits) - 1), exponent = (bits & 0x7fff) >> mantissa_bits;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (0x7fff >> mantissa_bits)) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  const int hidden = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(mantissa + hidden, (exponent == 0 ? 1 : exponent) - 1 + format.min_exponent - mantissa_bits);
}

/// The 16 bits of the number that `value` is rounded to.
inline std::uint16_t encode16(DType dtype, double value) {
  const Format format = format_of(dtype);
  const int mantissa_bits = format.digits - 1;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U, infinity = 0x7fffU >> mantissa_bits << mantissa_bits;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1U << (mantissa_bits - 1)));
  const double magnitude = std::fabs(round_to(dtype, value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
  // The quanta below a number are counted by its bits, across subnormals and powers of two alike.
  const int exponent = magnitude == 0 ? format.min_exponent : std::max(std::ilogb(magnitude), format.min_exponent);
  const auto quanta = static_cast<unsigned>(std::ldexp(magnitude, mantissa_bits - exponent));
  return static_cast<std::uint16_t>(
      sign | (quanta + (static_cast<unsigned>(exponent - format.min_exponent) << mantissa_bits)));
}

}  // namespace portops::test
