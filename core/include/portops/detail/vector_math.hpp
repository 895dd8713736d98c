#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

/// Elementary functions that a compiler can vectorise: no branch, no call, no table. They are the fast formulas of
/// portops' own operators, each with the arguments for which it holds; the operator computes the others elsewhere.
/// Products that are added are written as std::fma where one rounding is meant: the compiler is told to contract none
/// (-ffp-contract=off), so that a formula has the same bits wherever it is compiled in.
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
  static constexpr int sin_last = 3, exp_last = 4;
  /// Adding it rounds to the nearest integer and leaves that in the low bits.
  static constexpr float rounder = 0x1.8p23f;
  static constexpr float inverse_pi = 0x1.45f306p-2f, log2_e = 0x1.715476p0f;
  /// pi and log(2) as unevaluated sums.
  static constexpr float pi_high = 0x1.921fb6p1f, pi_low = -0x1.777a5cp-24f;
  static constexpr float log_2_high = 0x1.62e43p-1f, log_2_low = -0x1.05c61p-29f;
  /// Below it exp_nonpositive is 0.
  static constexpr float exp_lowest = -170.0f;
  /// sin(r) = r + r^3 * P(r^2) for |r| <= pi/2, 2^-27.
  static constexpr float sin(int at) {
    constexpr float values[] = {-0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc902p-19f};
    return values[at];
  }
  /// exp(r) = 1 + r + r^2 * P(r) for |r| <= log(2)/2, 2^-28.
  static constexpr float exp(int at) {
    constexpr float values[] = {0x1.fffff8p-2f, 0x1.55548ep-3f, 0x1.555b9ap-5f, 0x1.123beep-7f, 0x1.684fcp-10f};
    return values[at];
  }
  /// log(1 + x) = x + x^2 * P(x) for 0 <= x <= 1, 2^-27.
  static constexpr float log1p(int at) {
    constexpr float values[] = {-0x1p-1f,       0x1.55553p-2f,   -0x1.fff39cp-3f, 0x1.98e11cp-3f,  -0x1.4ff538p-3f,
                                0x1.0d21acp-3f, -0x1.7d99d4p-4f, 0x1.a1ed8p-5f,   -0x1.2828dap-6f, 0x1.88c46p-9f};
    return values[at];
  }
};

template <>
struct Constants<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr int sin_last = 7, exp_last = 9;
  static constexpr double rounder = 0x1.8p52;
  static constexpr double inverse_pi = 0x1.45f306dc9c883p-2, log2_e = 0x1.71547652b82fep0;
  static constexpr double pi_high = 0x1.921fb54442d18p1, pi_low = 0x1.1a62633145c07p-53;
  static constexpr double log_2_high = 0x1.62e42fefa39efp-1, log_2_low = 0x1.abc9e3b39803fp-56;
  static constexpr double exp_lowest = -1400.0;
  /// 2^-61.
  static constexpr double sin(int at) {
    constexpr double values[] = {-0x1.5555555555555p-3,  0x1.11111111110c9p-7,   -0x1.a01a01a014eb4p-13,
                                 0x1.71de3a52aa9b8p-19,  -0x1.ae6454d94bc52p-26, 0x1.6123ce4a49ebap-33,
                                 -0x1.ae43da666447dp-41, 0x1.883bd6e22c268p-49};
    return values[at];
  }
  /// 2^-57.
  static constexpr double exp(int at) {
    constexpr double values[] = {0x1.000000000000cp-1,  0x1.5555555555517p-3,  0x1.555555554fe3bp-5,
                                 0x1.1111111120957p-7,  0x1.6c16c185f8e7dp-10, 0x1.a01a01509795ep-13,
                                 0x1.a01995dfbd16dp-16, 0x1.71ded0a9dc2b4p-19, 0x1.28b0d8ce0743ap-22,
                                 0x1.ae0499d4da1c4p-26};
    return values[at];
  }
  /// 2^-59.
  static constexpr double atanh(int at) {
    constexpr double values[] = {0x1.5555555555534p-2, 0x1.99999999a0953p-3, 0x1.24924920804fdp-3, 0x1.c71c74210cd11p-4,
                                 0x1.745cb37df0597p-4, 0x1.3b1de43c5b04fp-4, 0x1.1067670ba0762p-4, 0x1.efdd06ebc4e6bp-5,
                                 0x1.55a0539d1d999p-5, 0x1.5c854cafdd5bep-4};
    return values[at];
  }
};

/// Constants for float32 results that are computed in float64: fewer terms.
struct Float32InFloat64 : Constants<double> {
  static constexpr int sin_last = 5, cos_last = 6, exp_last = 6;
  /// 2^-43.
  static constexpr double sin(int at) {
    constexpr double values[] = {-0x1.5555555546858p-3, 0x1.1111110a2ac7dp-7,   -0x1.a019fd4756565p-13,
                                 0x1.71dcf4dd7a1d8p-19, -0x1.ae035c51aef76p-26, 0x1.52d1760b7b8a1p-33};
    return values[at];
  }
  /// cos(r) = 1 + r^2 * P(r^2) for |r| <= pi/2, absolute 2^-48.
  static constexpr double cos(int at) {
    constexpr double values[] = {-0x1.ffffffffffaf6p-2, 0x1.555555553b9ap-5,    -0x1.6c16c160e9deap-10,
                                 0x1.a019fd0295fa9p-16, -0x1.27e3f5fd63813p-22, 0x1.1eadd337c9fe2p-29,
                                 -0x1.836df7ce816edp-37};
    return values[at];
  }
  /// 2^-39.
  static constexpr double exp(int at) {
    constexpr double values[] = {0x1.00000000a4345p-1, 0x1.5555557ef74ep-3,   0x1.555553640c959p-5,
                                 0x1.1110a0b1af611p-7, 0x1.6c19fd542a92dp-10, 0x1.a187b93c53c33p-13,
                                 0x1.9d5fe2fa33bd6p-16};
    return values[at];
  }
};

/// An unevaluated sum: a value and what rounding took from it.
template <class T>
struct Parts {
  T high, low;
};

/// Coefficient(At) + Coefficient(At + 1) * x + .. up to Coefficient(Last). The coefficients come from a function
/// because device code cannot read a constexpr array of the host.
template <auto Coefficient, int Last, int At = 0, class T>
PORTOPS_DETAIL_INLINE T polynomial(T x) {
  constexpr T coefficient = Coefficient(At);
  if constexpr (At == Last) {
    return coefficient;
  } else {
    return std::fma(polynomial<Coefficient, Last, At + 1>(x), x, coefficient);
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
  const T low = std::fma(scale.low, x, std::fma(scale.high, x, -high));
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

/// x as r + n * pi with the nearest integer n, |r| <= pi/2: sin(x) = (-1)^n sin(r), cos(x) = (-1)^n cos(r). The lowest
/// bit of `count` is that of n.
template <class T>
struct Angle {
  T r;
  typename Constants<T>::Bits count;
};

/// Largest arguments of the reductions: the error of r is then 2^-26 (float), 2^-52 (double).
template <class T>
inline constexpr T largest_angle = sizeof(T) == 4 ? T(0x1p18) : T(0x1p30);

template <class T>
PORTOPS_DETAIL_INLINE Angle<T> reduce_angle(T x) {
  using C = Constants<T>;
  const T rounded = std::fma(x, C::inverse_pi, C::rounder);
  const T n = rounded - C::rounder;
  return {std::fma(-n, C::pi_low, std::fma(-n, C::pi_high, x)), std::bit_cast<typename C::Bits>(rounded)};
}

/// The same around the zeros of the cosine: cos(x) = (-1)^count sin(r), to full relative accuracy.
template <class T>
PORTOPS_DETAIL_INLINE Angle<T> reduce_angle_for_cosine(T x) {
  using C = Constants<T>;
  const T rounded = std::fma(x, C::inverse_pi, T(-0.5)) + C::rounder;
  const T n = (rounded - C::rounder) + T(0.5);
  return {std::fma(-n, C::pi_low, std::fma(-n, C::pi_high, x)), std::bit_cast<typename C::Bits>(rounded) + 1U};
}

/// For |x| <= 2^12, in one step; error 2^-42.
PORTOPS_DETAIL_INLINE Angle<double> reduce_small_angle(double x) {
  using C = Constants<double>;
  const double rounded = std::fma(x, C::inverse_pi, C::rounder);
  return {std::fma(-(rounded - C::rounder), C::pi_high, x), std::bit_cast<C::Bits>(rounded)};
}

/// sin(r) - r for |r| <= pi/2; the sum with r, not yet rounded, has an error of 2^-3 ulp.
template <class C, class T>
PORTOPS_DETAIL_INLINE T sin_tail(T r) {
  const T square = r * r;
  return square * r * polynomial<&C::sin, C::sin_last>(square);
}

/// sin(r) for |r| <= pi/2.
template <class C, class T>
PORTOPS_DETAIL_INLINE T sin_reduced(T r) {
  const T square = r * r;
  return std::fma(square * r, polynomial<&C::sin, C::sin_last>(square), r);
}

/// cos(r) for |r| <= pi/2, absolute error 2^-48.
template <class C, class T>
PORTOPS_DETAIL_INLINE T cos_reduced(T r) {
  const T square = r * r;
  return std::fma(square, polynomial<&C::cos, C::cos_last>(square), T(1));
}

/// Sine and cosine of an angle that was reduced.
template <class C, class T>
PORTOPS_DETAIL_INLINE Kokkos::Array<T, 2> sin_cos(const Angle<T>& angle) {
  return {change_sign(sin_reduced<C>(angle.r), angle.count), change_sign(cos_reduced<C>(angle.r), angle.count)};
}

/// sin(x + low), or cos(x + low) for shift 1/2, for |x| <= largest_angle<double> as an unevaluated sum: 2^-3 ulp, also
/// beside its zeros.
PORTOPS_DETAIL_INLINE Parts<double> sin_parts(double x, double low = 0.0, double shift = 0.0) {
  using C = Constants<double>;
  const double rounded = std::fma(x, C::inverse_pi, -shift) + C::rounder;
  const double n = (rounded - C::rounder) + shift;
  const double first = std::fma(-n, C::pi_high, x);
  const double step = n * C::pi_low;
  const auto reduced = exact_sum(first, -step);
  const auto angle = exact_sum(reduced.high, reduced.low - std::fma(n, C::pi_low, -step) + low);
  // With the shift the next multiple of pi is meant: cos(r + (n + 1/2) pi) = -(-1)^n sin(r).
  const auto count = std::bit_cast<C::Bits>(rounded) + (shift != 0.0 ? 1U : 0U);
  const double r = change_sign(angle.high, count), r_low = change_sign(angle.low, count);

  const double square = r * r, cube = square * r;
  const double cube_low = std::fma(std::fma(r, r, -square), r, std::fma(square, r, -cube));
  const double third = cube * C::sin(0);
  const double third_low = std::fma(cube_low, C::sin(0), std::fma(cube, C::sin(0), -third));
  const double tail = cube * (square * polynomial<&C::sin, C::sin_last, 1>(square));
  // The slope carries the low part of the angle to the result; a few bits of it are enough.
  const double slope = std::fma(square, std::fma(square, 1.0 / 24, -0.5), 1.0);
  const Parts<double> value = exact_sum(r, third);
  const double high = value.high + tail;
  return {high, std::fma(r_low, slope, value.low + third_low) + (tail - (high - value.high))};
}

/// exp(x + y) for |x + y| <= 87 (float) or 708 (double). y may be as large as x: it joins after x has been reduced, so
/// that the two need no common rounding.
template <class T, class C = Constants<T>>
PORTOPS_DETAIL_INLINE T exp_of_sum(T x, T y) {
  using Bits = typename C::Bits;
  const T rounded = std::fma(x + y, C::log2_e, C::rounder);
  const T n = rounded - C::rounder;
  const T r = std::fma(-n, C::log_2_low, std::fma(-n, C::log_2_high, x) + y);
  const T mantissa = std::fma(r * r, polynomial<&C::exp, C::exp_last>(r), r) + T(1);
  return std::bit_cast<T>(std::bit_cast<Bits>(mantissa) + (std::bit_cast<Bits>(rounded) << C::mantissa_bits));
}

/// A number as a product, for one that may be too small for T while a multiple of it is not.
template <class T>
struct Scaled {
  T value, scale;
};

/// exp(x + low) for x <= 0, low a rounding error of x: down to 2^-246 (float) or 2^-2020 (double) with full precision,
/// 0 below, NaN for NaN.
template <class T>
PORTOPS_DETAIL_INLINE Scaled<T> exp_nonpositive(T x, T low) {
  using C = Constants<T>;
  using Bits = typename C::Bits;
  // The power of two is raised while it is assembled, so that it is normal.
  constexpr int raise = sizeof(T) == 4 ? 120 : 1000;
  constexpr T rounder = C::rounder + T(C::bias + raise);
  const T rounded = std::fma(x, C::log2_e, rounder);
  const T n = rounded - rounder;
  const T r = std::fma(-n, C::log_2_low, std::fma(-n, C::log_2_high, x)) + low;
  const T mantissa = std::fma(r * r, polynomial<&C::exp, C::exp_last>(r), r) + T(1);
  const T raised = mantissa * std::bit_cast<T>(std::bit_cast<Bits>(rounded) << C::mantissa_bits);
  return {x < C::exp_lowest ? T(0) : raised, sizeof(T) == 4 ? T(0x1p-120) : T(0x1p-1000)};
}

/// log(1 + x) for 0 <= x <= 1. Below 2^-60 it is x itself; computing with 0 instead keeps the processor from its slow
/// path for subnormals.
PORTOPS_DETAIL_INLINE float log1p_unit(float x) {
  const float normal = x < 0x1p-60f ? 0.0f : x;
  return std::fma(normal * normal, polynomial<&Constants<float>::log1p, 9>(normal), x);
}

/// As 2 atanh(x / (2 + x)), the quotient with its remainder.
PORTOPS_DETAIL_INLINE double log1p_unit(double x) {
  const double normal = x < 0x1p-60 ? 0.0 : x;
  const double denominator = 2.0 + normal;
  const double inverse = 1.0 / denominator;
  const double quotient = normal * inverse;
  const double lost = normal - (denominator - 2.0);
  const double rest = std::fma(-quotient, lost, std::fma(-quotient, denominator, normal)) * inverse;
  const double square = quotient * quotient;
  const double tail = std::fma(quotient * square, polynomial<&Constants<double>::atanh, 9>(square), rest);
  return 2.0 * quotient + (2.0 * tail + (x - normal));
}

}  // namespace portops::detail
