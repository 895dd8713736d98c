#pragma once
#include <cmath>
#include <type_traits>

#include <Kokkos_Macros.hpp>

#include <portops/complex.hpp>

namespace portops {

namespace detail {

/// slope * direction; 0 in a direction in which nothing moves, even where the slope is infinite.
template <PlainElement T>
KOKKOS_FORCEINLINE_FUNCTION T along(T slope, T direction) {
  return select(direction == T(0), T(0), slope * direction);
}

template <class T, int K>
KOKKOS_FORCEINLINE_FUNCTION Dual<T, K> along(const Dual<T, K>& slope, const Dual<T, K>& direction) {
  Dual<T, K> result;
  result.value = along(slope.value, direction.value);
  for (int k = 0; k < K; ++k) {
    result.tangent[k] = along(slope.value, direction.tangent[k]) + along(slope.tangent[k], direction.value);
  }
  return result;
}

/// A number as a T: a constant that an author wrote as a double, say, in a float or complex formula.
template <class T, class Number>
KOKKOS_FORCEINLINE_FUNCTION T convert_number(const Number& number) {
  if constexpr (std::is_same_v<Number, T>) {
    return number;
  } else {
    return T(static_cast<Real<T>>(number));
  }
}

}  // namespace detail

/// A number with its derivatives along K directions. A functor that is evaluated on duals yields its derivative, and on
/// duals of duals its second derivative, so an author writes the forward formula only.
/// Call mathematical functions without `std::` in such a functor: `exp(x)` then finds the one for T.
/// Source: forward-mode automatic differentiation, R. E. Wengert, Commun. ACM 7 (1964).
template <class T, int K>
struct Dual {
  T value;
  T tangent[K];

  Dual() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number> || (std::is_same_v<Number, T>)
  KOKKOS_FUNCTION Dual(const Number& number) : value(detail::convert_number<T>(number)), tangent{} {}  // NOLINT

  /// f(x) with the slope f'(x) at x.value.
  KOKKOS_FUNCTION static Dual chain(const T& result, const Dual& x, const T& slope) {
    Dual y;
    y.value = result;
    for (int k = 0; k < K; ++k) y.tangent[k] = detail::along(slope, x.tangent[k]);
    return y;
  }

  KOKKOS_FUNCTION static Dual chain(const T& result, const Dual& x, const T& slope_x, const Dual& z, const T& slope_z) {
    Dual y;
    y.value = result;
    for (int k = 0; k < K; ++k)
      y.tangent[k] = detail::along(slope_x, x.tangent[k]) + detail::along(slope_z, z.tangent[k]);
    return y;
  }

  friend KOKKOS_FUNCTION Dual operator+(const Dual& x) { return x; }
  friend KOKKOS_FUNCTION Dual operator-(const Dual& x) { return chain(-x.value, x, T(-1)); }
  friend KOKKOS_FUNCTION Dual operator+(const Dual& x, const Dual& z) {
    return chain(x.value + z.value, x, T(1), z, T(1));
  }
  friend KOKKOS_FUNCTION Dual operator-(const Dual& x, const Dual& z) {
    return chain(x.value - z.value, x, T(1), z, T(-1));
  }
  friend KOKKOS_FUNCTION Dual operator*(const Dual& x, const Dual& z) {
    return chain(x.value * z.value, x, z.value, z, x.value);
  }
  friend KOKKOS_FUNCTION Dual operator/(const Dual& x, const Dual& z) {
    const T inverse = T(1) / z.value, quotient = x.value / z.value;
    return chain(quotient, x, inverse, z, -(quotient * inverse));
  }
  KOKKOS_FUNCTION Dual& operator+=(const Dual& z) { return *this = *this + z; }
  KOKKOS_FUNCTION Dual& operator-=(const Dual& z) { return *this = *this - z; }
  KOKKOS_FUNCTION Dual& operator*=(const Dual& z) { return *this = *this * z; }
  KOKKOS_FUNCTION Dual& operator/=(const Dual& z) { return *this = *this / z; }

  // Branches follow the value: the derivative is that of the branch that the forward takes.
  friend KOKKOS_FUNCTION bool operator<(const Dual& x, const Dual& z) { return x.value < z.value; }
  friend KOKKOS_FUNCTION bool operator>(const Dual& x, const Dual& z) { return x.value > z.value; }
  friend KOKKOS_FUNCTION bool operator<=(const Dual& x, const Dual& z) { return x.value <= z.value; }
  friend KOKKOS_FUNCTION bool operator>=(const Dual& x, const Dual& z) { return x.value >= z.value; }
  friend KOKKOS_FUNCTION bool operator==(const Dual& x, const Dual& z) { return x.value == z.value; }
  friend KOKKOS_FUNCTION bool operator!=(const Dual& x, const Dual& z) { return x.value != z.value; }
};

namespace detail {
/// sqrt(v^2 - 1), on the branch of acosh.
template <class T>
KOKKOS_FUNCTION T acosh_root(const T& v) {
  using std::sqrt;
  if constexpr (is_over_complex<T>) {
    return sqrt(v - T(1)) * sqrt(v + T(1));
  } else {
    return sqrt(v * v - T(1));
  }
}

/// The slope of each function at v, where it has the value y.
#define PORTOPS_DETAIL_SLOPE(name, slope) \
  template <class T> \
  KOKKOS_FUNCTION T slope_##name([[maybe_unused]] const T& v, [[maybe_unused]] const T& y) { \
    using std::cos, std::sin, std::sinh, std::cosh, std::sqrt, std::exp; \
    return slope; \
  }
#define PORTOPS_DETAIL_FUNCTIONS(apply) \
  apply(exp, y) apply(exp2, y* T(0.69314718055994530942)) apply(expm1, y + T(1)) apply(log, T(1) / v) \
      apply(log2, T(1.4426950408889634074) / v) apply(log10, T(Real<T>(0.43429448190325182765)) / v) \
          apply(log1p, T(1) / (T(1) + v)) apply(sqrt, T(0.5) / y) apply(cbrt, T(1) / (T(3) * y * y)) \
              apply(sin, cos(v)) apply(cos, -sin(v)) apply(tan, T(1) + y * y) apply(asin, T(1) / sqrt(T(1) - v * v)) \
                  apply(acos, T(-1) / sqrt(T(1) - v * v)) apply(atan, T(1) / (T(1) + v * v)) apply(sinh, cosh(v)) \
                      apply(cosh, sinh(v)) apply(tanh, T(1) - y * y) apply(asinh, T(1) / sqrt(v * v + T(1))) \
                          apply(acosh, T(1) / acosh_root(v)) apply(atanh, T(1) / (T(1) - v * v)) \
                              apply(erf, T(1.12837916709551257390) * exp(-v * v)) \
                                  apply(erfc, T(-1.12837916709551257390) * exp(-v * v)) \
                                      apply(abs, v > T(0)   ? T(1) \
                                                 : v < T(0) ? T(-1) \
                                                            : v * T(0)) apply(fabs, v > T(0)   ? T(1) \
                                                                                    : v < T(0) ? T(-1) \
                                                                                               : v * T(0))
PORTOPS_DETAIL_FUNCTIONS(PORTOPS_DETAIL_SLOPE)
}  // namespace detail

#define PORTOPS_DETAIL_DUAL(name, slope) \
  template <class T, int K> \
  KOKKOS_FUNCTION Dual<T, K> name(const Dual<T, K>& x) { \
    using std::name; \
    const T v = x.value, y = name(v); \
    return Dual<T, K>::chain(y, x, detail::slope_##name(v, y)); \
  }

PORTOPS_DETAIL_FUNCTIONS(PORTOPS_DETAIL_DUAL)
#undef PORTOPS_DETAIL_FUNCTIONS
#undef PORTOPS_DETAIL_SLOPE
#undef PORTOPS_DETAIL_DUAL

namespace detail {
/// Only a positive base has a derivative along the exponent, or a complex one; at 0 the product would be 0 * inf.
template <class T>
KOKKOS_FUNCTION bool has_logarithm(const T& base) {
  if constexpr (is_over_complex<T>) {
    return base != T(0);
  } else {
    return base > T(0);
  }
}

/// x^(z - 1); Kokkos has 0 for the complex 0^0.
template <class T>
KOKKOS_FUNCTION T lower_power(const T& x, const T& z) {
  using std::pow;
  const T y = pow(x, z - T(1));
  return is_over_complex<T> && z == T(1) ? T(1) : y;
}
}  // namespace detail

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> pow(const Dual<T, K>& x, const Dual<T, K>& z) {
  using std::log, std::pow;
  const T y = pow(x.value, z.value);
  const T slope_z = detail::has_logarithm(x.value) ? y * log(x.value) : T(0);
  return Dual<T, K>::chain(y, x, z.value * detail::lower_power(x.value, z.value), z, slope_z);
}

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> atan2(const Dual<T, K>& y, const Dual<T, K>& x) {
  using std::atan2;
  const T square = x.value * x.value + y.value * y.value;
  return Dual<T, K>::chain(atan2(y.value, x.value), y, x.value / square, x, -(y.value / square));
}

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> hypot(const Dual<T, K>& x, const Dual<T, K>& z) {
  using std::hypot;
  const T y = hypot(x.value, z.value);
  return Dual<T, K>::chain(y, x, x.value / y, z, z.value / y);
}

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> fma(const Dual<T, K>& x, const Dual<T, K>& z, const Dual<T, K>& w) {
  return x * z + w;
}

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> fmax(const Dual<T, K>& x, const Dual<T, K>& z) {
  return x.value > z.value || z.value != z.value ? x : z;
}

template <class T, int K>
KOKKOS_FUNCTION Dual<T, K> fmin(const Dual<T, K>& x, const Dual<T, K>& z) {
  return x.value < z.value || z.value != z.value ? x : z;
}

template <class T, int K>
KOKKOS_FORCEINLINE_FUNCTION Dual<T, K> select(bool condition, const Dual<T, K>& yes, const Dual<T, K>& no) {
  Dual<T, K> result;
  result.value = select(condition, yes.value, no.value);
  for (int k = 0; k < K; ++k) result.tangent[k] = select(condition, yes.tangent[k], no.tangent[k]);
  return result;
}

}  // namespace portops
