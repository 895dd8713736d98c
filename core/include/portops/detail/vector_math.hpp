#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Macros.hpp>

/// Elementary functions that a compiler can vectorise: no branch, no call, no table. They are the fast formulas of
/// portops' own operators, each with the arguments for which it holds; the operator computes the others elsewhere.
/// Sources: argument reduction in parts after W. J. Cody and W. Waite, Software Manual for the Elementary Functions
/// (1980); error-free products and sums after T. J. Dekker, Numer. Math. 18 (1971). The coefficients are minimax
/// polynomials computed for this file with Sollya's fpminimax, relative error given beside each.
namespace portops::detail {

#define PORTOPS_DETAIL_INLINE KOKKOS_FORCEINLINE_FUNCTION

template <class T>
struct Constants;

template <>
struct Constants<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa_bits = 23, bias = 127;
  /// Adding it rounds to the nearest integer and leaves that in the low bits.
  static constexpr float rounder = 0x1.8p23f;
  static constexpr float inverse_pi = 0x1.45f306p-2f, log2_e = 0x1.715476p0f;
  /// pi and log(2) as unevaluated sums.
  static constexpr float pi[] = {0x1.921fb6p1f, -0x1.777a5cp-24f, -0x1.ee59dap-49f};
  static constexpr float log_2[] = {0x1.62e43p-1f, -0x1.05c61p-29f};
  /// Below it exp is 0.
  static constexpr float exp_lowest = -104.5f;
  /// sin(r) = r + r^3 * P(r^2) for |r| <= pi/2, 2^-27.
  static constexpr float sin[] = {-0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc902p-19f};
  /// exp(r) = 1 + r + r^2 * P(r) for |r| <= log(2)/2, 2^-28.
  static constexpr float exp[] = {0x1.fffff8p-2f, 0x1.55548ep-3f, 0x1.555b9ap-5f, 0x1.123beep-7f, 0x1.684fcp-10f};
  /// atanh(r) = r + r^3 * P(r^2) for 0 <= r <= 1/3, 2^-27.
  static constexpr float atanh[] = {0x1.5555p-2f, 0x1.99d28p-3f, 0x1.1eb694p-3f, 0x1.1ef3d6p-3f};
};

template <>
struct Constants<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr double rounder = 0x1.8p52;
  static constexpr double inverse_pi = 0x1.45f306dc9c883p-2, log2_e = 0x1.71547652b82fep0;
  static constexpr double pi[] = {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};
  static constexpr double log_2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  static constexpr double exp_lowest = -746.0;
  /// 2^-61.
  static constexpr double sin[] = {-0x1.5555555555555p-3, 0x1.11111111110c9p-7,  -0x1.a01a01a014eb4p-13,
                                   0x1.71de3a52aa9b8p-19, -0x1.ae6454d94bc52p-26, 0x1.6123ce4a49ebap-33,
                                   -0x1.ae43da666447dp-41, 0x1.883bd6e22c268p-49};
  /// 2^-57.
  static constexpr double exp[] = {0x1.000000000000cp-1,  0x1.5555555555517p-3,  0x1.555555554fe3bp-5,
                                   0x1.1111111120957p-7,  0x1.6c16c185f8e7dp-10, 0x1.a01a01509795ep-13,
                                   0x1.a01995dfbd16dp-16, 0x1.71ded0a9dc2b4p-19, 0x1.28b0d8ce0743ap-22,
                                   0x1.ae0499d4da1c4p-26};
  /// 2^-59.
  static constexpr double atanh[] = {0x1.5555555555534p-2, 0x1.99999999a0953p-3, 0x1.24924920804fdp-3,
                                     0x1.c71c74210cd11p-4, 0x1.745cb37df0597p-4, 0x1.3b1de43c5b04fp-4,
                                     0x1.1067670ba0762p-4, 0x1.efdd06ebc4e6bp-5, 0x1.55a0539d1d999p-5,
                                     0x1.5c854cafdd5bep-4};
};

/// Constants for float32 results that are computed in float64: fewer terms.
struct Float32InFloat64 : Constants<double> {
  /// 2^-52.
  static constexpr double sin[] = {-0x1.55555555554a2p-3, 0x1.111111110a302p-7,  -0x1.a01a019a4fb51p-13,
                                   0x1.71de3800c4134p-19, -0x1.ae635401989d7p-26, 0x1.60e68305d1a1cp-33,
                                   -0x1.9f0e695bd562ep-41};
  /// 2^-39.
  static constexpr double exp[] = {0x1.00000000a4345p-1,  0x1.5555557ef74ep-3,   0x1.555553640c959p-5,
                                   0x1.1110a0b1af611p-7,  0x1.6c19fd542a92dp-10, 0x1.a187b93c53c33p-13,
                                   0x1.9d5fe2fa33bd6p-16};
};

/// An unevaluated sum: a value and what rounding took from it.
template <class T>
struct Parts {
  T high, low;
};

template <int At = 0, class T, std::size_t Count>
PORTOPS_DETAIL_INLINE T polynomial(T x, const T (&coefficients)[Count]) {
  if constexpr (At + 1 == Count) {
    return coefficients[At];
  } else {
    return std::fma(polynomial<At + 1>(x, coefficients), x, coefficients[At]);
  }
}

/// A double as a sum of two T; `low` is 0 for double itself.
template <class T>
PORTOPS_DETAIL_INLINE Parts<T> split_double(double x) {
  const T high = static_cast<T>(x);
  return {high, std::isfinite(high) ? static_cast<T>(x - static_cast<double>(high)) : T(0)};
}

/// scale * x with what rounding took from it; the low part is 0 where the product is not finite.
template <class T>
PORTOPS_DETAIL_INLINE Parts<T> exact_product(const Parts<T>& scale, T x) {
  const T high = scale.high * x;
  const T low = std::fma(scale.high, x, -high) + scale.low * x;
  return {high, low == low ? low : T(0)};
}

template <class T>
PORTOPS_DETAIL_INLINE Parts<T> exact_sum(T left, T right) {
  const T high = left + right;
  const T part = high - left;
  return {high, (left - (high - part)) + (right - part)};
}

/// x with its sign changed where `count` is odd.
template <class T>
PORTOPS_DETAIL_INLINE T change_sign(T x, typename Constants<T>::Bits count) {
  using Bits = typename Constants<T>::Bits;
  return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(x) ^ (count << (sizeof(T) * 8 - 1))));
}

/// Largest argument of the sines and cosines below: the multiples of pi are then exact enough.
template <class T>
inline constexpr T largest_angle = sizeof(T) == 4 ? T(0x1p18) : T(0x1p30);

/// sin(x) for |x| <= largest_angle<float> as an unevaluated sum, absolute error 2^-26.
PORTOPS_DETAIL_INLINE Parts<float> sin_parts(float x) {
  using C = Constants<float>;
  const float rounded = std::fma(x, C::inverse_pi, C::rounder);
  const float n = rounded - C::rounder;
  const float r = change_sign(std::fma(-n, C::pi[1], std::fma(-n, C::pi[0], x)), std::bit_cast<C::Bits>(rounded));
  const float square = r * r;
  const float tail = r * square * polynomial(square, C::sin);
  const float high = r + tail;
  return {high, tail - (high - r)};
}

/// sin(x + low), or cos(x + low) for shift 1/2, for |x| <= largest_angle<double> as an unevaluated sum, absolute
/// error 2^-55.
PORTOPS_DETAIL_INLINE Parts<double> sin_parts(double x, double low = 0.0, double shift = 0.0) {
  using C = Constants<double>;
  const double rounded = std::fma(x, C::inverse_pi, -shift) + C::rounder;
  const double n = (rounded - C::rounder) + shift;
  const double first = std::fma(-n, C::pi[0], x);
  const double second = std::fma(-n, C::pi[1], first);
  const double rest = std::fma(-n, C::pi[1], first - second) + low;
  // With a whole shift the next multiple of pi is meant: cos(r + (n + 1/2) pi) = -(-1)^n sin(r).
  const auto count = std::bit_cast<C::Bits>(rounded) + (shift != 0.0 ? 1U : 0U);
  const double r = change_sign(second, count), r_low = change_sign(rest, count);

  const double square = r * r, cube = square * r;
  const double cube_low = std::fma(square, r, -cube) + std::fma(r, r, -square) * r;
  const double third = cube * C::sin[0];
  const double third_low = std::fma(cube, C::sin[0], -third) + cube_low * C::sin[0];
  const double tail = cube * (square * polynomial<1>(square, C::sin));
  // The slope carries the low part of the angle to the result; a few bits of it are enough.
  const double slope = std::fma(square, std::fma(square, 1.0 / 24, -0.5), 1.0);
  const Parts<double> value = exact_sum(r, third);
  const double high = value.high + tail;
  return {high, (value.low + third_low + r_low * slope) + (tail - (high - value.high))};
}

/// exp(x + low) scaled by a single power of two: |x| <= 87 (float) or 708 (double).
template <class T, class C = Constants<T>>
PORTOPS_DETAIL_INLINE T exp_normal(T x, T low, T scale = T(1), int bias = 0) {
  using Bits = typename C::Bits;
  const T rounded = std::fma(x, C::log2_e, C::rounder);
  const T n = rounded - C::rounder;
  const T r = std::fma(-n, C::log_2[1], std::fma(-n, C::log_2[0], x)) + low;
  const T mantissa = std::fma(r * r, polynomial(r, C::exp), r) + T(1);
  const Bits exponent = (std::bit_cast<Bits>(rounded) + static_cast<Bits>(C::bias + bias)) << C::mantissa_bits;
  return mantissa * std::bit_cast<T>(exponent) * scale;
}

/// exp(x + low) for x <= 0, subnormal results included; NaN for NaN.
template <class T>
PORTOPS_DETAIL_INLINE T exp_nonpositive(T x, T low) {
  using C = Constants<T>;
  constexpr int raise = sizeof(T) == 4 ? 64 : 128;
  constexpr T lower = sizeof(T) == 4 ? T(0x1p-64) : T(0x1p-128);
  return exp_normal<T>(x < C::exp_lowest ? C::exp_lowest : x, low, lower, raise);
}

/// log(1 + x) for 0 <= x <= 1 as 2 atanh(x / (2 + x)), the quotient with its remainder.
/// Below 2^-60 it is x itself, and computing with 0 instead keeps the processor from its slow path for subnormals.
template <class T>
PORTOPS_DETAIL_INLINE T log1p_unit(T argument) {
  const bool tiny = argument < T(0x1p-60);
  const T x = tiny ? T(0) : argument;
  const T denominator = T(2) + x;
  const T lost = x - (denominator - T(2));
  const T inverse = T(1) / denominator;
  const T quotient = x * inverse;
  const T rest = (std::fma(-quotient, denominator, x) - quotient * lost) * inverse;
  const T square = quotient * quotient;
  const T tail = std::fma(quotient * square, polynomial(square, Constants<T>::atanh), rest);
  return tiny ? argument : T(2) * quotient + T(2) * tail;
}

/// sin(x) or cos(x), |x| <= largest_angle<double>, absolute error 2^-50: what a float32 result needs even where it
/// cancels to a few bits.
PORTOPS_DETAIL_INLINE double sin_or_cos_for_float32(double x, bool cosine) {
  using C = Float32InFloat64;
  const double shift = cosine ? 0.5 : 0.0;
  const double rounded = std::fma(x, C::inverse_pi, -shift) + C::rounder;
  const double n = (rounded - C::rounder) + shift;
  const double r = std::fma(-n, C::pi[1], std::fma(-n, C::pi[0], x));
  const double signed_r = change_sign(r, std::bit_cast<std::uint64_t>(rounded) + (cosine ? 1U : 0U));
  return std::fma(signed_r * (r * r), polynomial(r * r, C::sin), signed_r);
}

}  // namespace portops::detail
