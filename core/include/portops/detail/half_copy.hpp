#pragma once
#include <bit>
#include <cstdint>

namespace portops::detail {

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
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    return {static_cast<std::uint16_t>((x == x ? rounded : (bits | 0x400000U)) >> 16)};
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

/// Elements that lie side by side, from and to float32.
using Widen = void (*)(float* to, const char* from, std::int64_t count);
using Narrow = void (*)(char* to, const float* from, std::int64_t count);

/// Compiled for the vector instructions of the processor that runs this, whatever the build is for: without them a
/// float16 is converted by a call, which costs more than all that is computed with it.
template <class Stored>
Widen find_widen();
template <class Stored>
Narrow find_narrow();

}  // namespace portops::detail
