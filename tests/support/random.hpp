#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace portops::test {

/// `count` numbers of type T spread evenly over [low, high); the same for the same seed, on every machine.
template <class T>
std::vector<T> uniform_values(std::int64_t count, double low, double high, std::uint64_t seed = 1) {
  std::mt19937_64 engine(seed);
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(engine() >> 11) * 0x1p-53;
    values.push_back(static_cast<T>(low + (high - low) * unit));
  }
  return values;
}

/// `count` finite numbers with random bits: every exponent is as likely as any other, subnormals included.
template <class T>
std::vector<T> values_of_all_magnitudes(std::int64_t count, std::uint64_t seed = 1) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 engine(seed);
  std::vector<T> values;
  while (static_cast<std::int64_t>(values.size()) < count) {
    const T value = std::bit_cast<T>(static_cast<Bits>(engine()));
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

/// What formulas stumble over: both zeros, the ends of the subnormal and normal ranges, infinities, NaN of both signs.
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T magnitude : {T(0), Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min() / 2, Limits::min(),
                            Limits::epsilon(), Limits::epsilon() / 2, T(0.5), T(1), T(2), T(1e4), Limits::max() / 2,
                            Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    values.push_back(magnitude);
    values.push_back(std::copysign(magnitude, T(-1)));
  }
  return values;
}

}  // namespace portops::test
