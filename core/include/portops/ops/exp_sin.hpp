#pragma once
#include <portops/detail/vector_math.hpp>
#include <portops/elementwise.hpp>
#include <portops/refs/exp_sin.hpp>

namespace portops {
namespace detail {

/// The amplitude multiplies every error of the sine. Up to 2 the float32 sine with its low part is good enough for
/// float32; above, it is computed in float64; float64 itself holds up to an amplitude of 12.
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
  T careful(T x, T amplitude) const {
    return any(x, static_cast<double>(amplitude));
  }

  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> derivative(const T& x, const T& amplitude) const {
    using std::cos, std::exp, std::sin;
    const T sine = sin(x), value = exp(amplitude * sine);
    return {amplitude * cos(x) * value, sine * value};
  }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION static float narrow(float x, double amplitude) {
    const auto scale = split_double<float>(amplitude);
    const auto sine = sin_parts(x);
    const float exponent = scale.high * sine.high;
    const float low = std::fma(scale.high, sine.high, -exponent) + std::fma(scale.high, sine.low, scale.low * sine.high);
    return exp_normal(exponent, low);
  }

  KOKKOS_FORCEINLINE_FUNCTION static float wide(float x, double amplitude) {
    double exponent = amplitude * sin_or_cos_for_float32(static_cast<double>(x), false);
    exponent = exponent > 200.0 ? 200.0 : exponent;
    exponent = exponent < -200.0 ? -200.0 : exponent;
    return static_cast<float>(exp_normal<double, Float32InFloat64>(exponent, 0.0));
  }

  KOKKOS_FORCEINLINE_FUNCTION static double wide(double x, double amplitude) {
    const auto sine = sin_parts(x);
    const double exponent = amplitude * sine.high;
    return exp_normal(exponent, std::fma(amplitude, sine.high, -exponent) + amplitude * sine.low);
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(float x, double) {
    return std::fabs(x) > largest_angle<float>;
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(double x, double amplitude) {
    return std::fabs(x) > largest_angle<double> || std::fabs(amplitude) > 12.0;
  }

  static float any(float x, double amplitude) {
    return static_cast<float>(std::exp(amplitude * std::sin(static_cast<double>(x))));
  }
  static double any(double x, double amplitude) {
    return static_cast<double>(std::exp(amplitude * std::sin(static_cast<long double>(x))));
  }
};

struct ExpSinScalar : private ExpSin {
  double amplitude;
  explicit constexpr ExpSinScalar(double value) : amplitude(value) {}

  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (std::fabs(amplitude) <= 2.0) return narrow(x, amplitude);
    }
    return wide(x, amplitude);
  }
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T x) const {
    return out_of_range(x, amplitude);
  }
  template <class T>
  T careful(T x) const {
    return any(x, amplitude);
  }
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& x) const {
    return {ExpSin::derivative(x, T(amplitude))[0]};
  }
};

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
