#pragma once
#include <cmath>
#include <limits>

namespace portops::test {

/// One unit in the last place of T at `value`: epsilon scaled by the power of two below it; subnormals share the last.
template <class T>
long double ulp(long double value) {
  using Limits = std::numeric_limits<T>;
  const int lowest = Limits::min_exponent - 1, highest = Limits::max_exponent - 1;
  int exponent = value == 0 ? lowest : std::ilogb(value);
  exponent = exponent < lowest ? lowest : exponent > highest ? highest : exponent;
  return std::ldexp(static_cast<long double>(Limits::epsilon()), exponent);
}

/// How far `actual` is from `expected`, in units in the last place of T. 0 for two NaN or the same infinity, infinite
/// where only one of them is. A finite value beyond the range of T counts as the number that follows the largest one.
template <class T>
long double ulp_distance(T actual, long double expected) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected) ? 0 : infinity;
  const long double wide = actual;
  if (std::isinf(expected)) return wide == expected ? 0 : infinity;
  const long double limit = std::ldexp(1.0L, std::numeric_limits<T>::max_exponent);
  const auto clamp = [limit](long double x) { return x > limit ? limit : x < -limit ? -limit : x; };
  return std::fabs(clamp(wide) - clamp(expected)) / ulp<T>(expected);
}

/// What every elementwise operator promises, for float and for double.
inline constexpr long double allowed_ulp = 4;

}  // namespace portops::test
