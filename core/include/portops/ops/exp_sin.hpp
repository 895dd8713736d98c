#pragma once
#include <portops/detail/half_form.hpp>
#include <portops/detail/vector_math.hpp>
#include <portops/elementwise.hpp>
#include <portops/refs/exp_sin.hpp>

namespace portops {
namespace detail {

/// The amplitude multiplies every error of the sine. Up to 2 a sine of the type itself is good enough; above, float32
/// is computed in float64, and float64 with a sine in two parts, which holds up to an amplitude of 12.
struct ExpSin {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T amplitude) const {
    return wide(x, static_cast<double>(amplitude));
  }
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T x, T amplitude) const {
    return out_of_range(x, static_cast<double>(amplitude));
  }
  template <class T>
  KOKKOS_FUNCTION T careful(T x, T amplitude) const {
    return any(x, static_cast<double>(amplitude));
  }

  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> derivative(const T& x, const T& amplitude) const {
    using std::cos, std::exp, std::sin;
    // In two factors, of which neither overflows where their product with a small slope does not.
    const T sine = sin(x), root = exp(T(0.5) * amplitude * sine);
    return {amplitude * cos(x) * root * root, sine * root * root};
  }

 protected:
  /// |amplitude| <= 2. sin(x) = r + tail: each part is multiplied, and the exponential takes their sum.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T narrow(T x, double amplitude) {
    const auto angle = reduce_angle(x);
    const auto scale = split_double<T>(amplitude);
    const T r = change_sign(angle.r, angle.count);
    const T exponent = scale.high * r;
    const T rest = std::fma(scale.low, r, std::fma(scale.high, r, -exponent));
    return exp_of_sum(exponent, std::fma(scale.high, sin_tail<Constants<T>>(r), rest));
  }

  KOKKOS_FORCEINLINE_FUNCTION static float wide(float x, double amplitude) {
    using C = Float32InFloat64;
    const auto angle = reduce_angle(static_cast<double>(x));
    const double r = change_sign(angle.r, angle.count);
    double exponent = amplitude * sin_reduced<C>(r);
    exponent = exponent > 200.0 ? 200.0 : exponent;
    exponent = exponent < -200.0 ? -200.0 : exponent;
    return static_cast<float>(exp_of_sum<double, C>(exponent, 0.0));
  }

  KOKKOS_FORCEINLINE_FUNCTION static double wide(double x, double amplitude) {
    const auto sine = sin_parts(x);
    const double exponent = amplitude * sine.high;
    return exp_of_sum(exponent, std::fma(amplitude, sine.low, std::fma(amplitude, sine.high, -exponent)));
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(float x, double) { return std::fabs(x) > largest_angle<float>; }
  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(double x, double amplitude) {
    return std::fabs(x) > largest_angle<double> || std::fabs(amplitude) > 12.0;
  }

  KOKKOS_FUNCTION static float any(float x, double amplitude) {
    return static_cast<float>(std::exp(amplitude * std::sin(static_cast<double>(x))));
  }
  KOKKOS_FUNCTION static double any(double x, double amplitude) {
    return static_cast<double>(std::exp(amplitude * std::sin(static_cast<long double>(x))));
  }
};

struct ExpSinScalar : protected ExpSin {
  double amplitude;
  explicit constexpr ExpSinScalar(double value) : amplitude(value) {}

  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return wide(x, amplitude);
  }
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T x) const {
    return out_of_range(x, amplitude);
  }
  template <class T>
  KOKKOS_FUNCTION T careful(T x) const {
    return any(x, amplitude);
  }
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& x) const {
    return {ExpSin::derivative(x, T(amplitude))[0]};
  }

  KOKKOS_FUNCTION float half_form(float x) const {
    const auto angle = reduce_angle(x);
    const float sine = change_sign(sin_reduced<Constants<float>>(angle.r), angle.count);
    return exp_for_half(static_cast<float>(amplitude) * sine);
  }
  /// The exponent's range, and its error of 2^-24 times the amplitude.
  bool has_half_form() const { return std::fabs(amplitude) <= 80.0; }

  template <class Run>
  void choose(const Run& run) const;
};

/// For |amplitude| <= 2.
struct ExpSinNarrow : ExpSinScalar {
  using ExpSinScalar::ExpSinScalar;
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return narrow(x, amplitude);
  }
  KOKKOS_FUNCTION Kokkos::Array<float, 1> fast_derivative(float x) const {
    using C = Constants<float>;
    const auto at_sine = reduce_angle(x), at_cosine = reduce_angle_for_cosine(x);
    const float sine = change_sign(sin_reduced<C>(at_sine.r), at_sine.count);
    const float cosine = change_sign(sin_reduced<C>(at_cosine.r), at_cosine.count);
    const float scale = static_cast<float>(amplitude);
    return {scale * cosine * exp_of_sum(scale * sine, 0.0F)};
  }
};

template <class Run>
void ExpSinScalar::choose(const Run& run) const {
  std::fabs(amplitude) <= 2.0 ? run(ExpSinNarrow(amplitude)) : run(*this);
}

}  // namespace detail

/// exp_sin: `y = exp(a * sin(x))`, elementwise; x in radians.
///
/// Shapes: x and the amplitude (a View or a number) broadcast to y. dtypes: float and double. Accuracy: 4 ulp for any
/// amplitude and any finite angle. Aliasing: y may be x or a, and must not overlap them otherwise. Synchronisation:
/// asynchronous on `exec`; host spaces have finished on return. Empty input: nothing happens. Errors: Error for shapes
/// that do not broadcast, overlaps.
/// Source: the Numba-on-CUDA example of the lesson on custom operators for PyTorch that portops began with.
///
///     portops::exp_sin(exec, x, y, 2.0);
template <class Exec, ElementView X, OutputView Y>
void exp_sin(const Exec& exec, const X& x, const Y& y, double amplitude = 2.0) {
  elementwise("portops::exp_sin", exec, detail::ExpSinScalar{amplitude}, y, x);
}

template <class Exec, ElementView X, ElementView A, OutputView Y>
void exp_sin(const Exec& exec, const X& x, const A& amplitude, const Y& y) {
  elementwise("portops::exp_sin", exec, detail::ExpSin{}, y, x, amplitude);
}

}  // namespace portops
