#pragma once
#include <portops/detail/vector_math.hpp>
#include <portops/elementwise.hpp>
#include <portops/refs/trig_mix.hpp>

namespace portops {
namespace detail {

/// float32 is computed in float64, because the two terms cancel: near a zero of the sum no float32 formula keeps a
/// single digit. float64 carries what rounding takes from each term, and from v/s before its cosine.
struct TrigMix {
  template <class T>
  KOKKOS_FUNCTION T operator()(T v, T scale) const {
    return mix(v, static_cast<double>(scale));
  }

  template <class T>
  KOKKOS_FUNCTION bool needs_care(T v, T scale) const {
    return out_of_range(v, static_cast<double>(scale));
  }

  template <class T>
  KOKKOS_FUNCTION T careful(T v, T scale) const {
    return mix_any(v, static_cast<double>(scale));
  }

  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> derivative(const T& v, const T& scale) const {
    return slopes(v, scale);
  }
  KOKKOS_FUNCTION Kokkos::Array<float, 2> fast_derivative(float v, float scale) const {
    return fast_slopes(v, static_cast<double>(scale));
  }
  KOKKOS_FUNCTION Kokkos::Array<float, 2> careful_derivative(float v, float scale) const {
    return careful_slopes(static_cast<double>(v), static_cast<double>(scale));
  }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION static Kokkos::Array<float, 2> fast_slopes(float v, double scale) {
    const double inverse = 1.0 / scale, quotient = static_cast<double>(v) * inverse;
    const auto at_v = sin_cos<Float32InFloat64>(reduce_small_angle(static_cast<double>(v)));
    const auto at_q = sin_cos<Float32InFloat64>(reduce_small_angle(quotient));
    const double twice = 2.0 * std::fma(at_v[0], scale, at_q[1]);
    return {static_cast<float>(twice * std::fma(at_v[1], scale, -(at_q[0] * inverse))),
            static_cast<float>(twice * std::fma(at_q[0], quotient * inverse, at_v[0]))};
  }

  /// float32 in float64, as the values: v/s would lose what its sine needs.
  KOKKOS_FORCEINLINE_FUNCTION static Kokkos::Array<float, 2> slopes(float v, double scale) {
    const auto wide = slopes(static_cast<double>(v), scale);
    return {static_cast<float>(wide[0]), static_cast<float>(wide[1])};
  }

  template <class T, class Scale>
  KOKKOS_FORCEINLINE_FUNCTION static Kokkos::Array<T, 2> slopes(const T& v, const Scale& s) {
    using std::cos, std::sin;
    const T scale(s), quotient = v / scale;
    const T sin_v = sin(v), sin_q = sin(quotient);
    const T twice = T(2) * (sin_v * scale + cos(quotient));
    return {twice * (cos(v) * scale - sin_q / scale), twice * (sin_v + sin_q * quotient / scale)};
  }

  /// Of the signs of the two terms only their product counts, because of the square.
  KOKKOS_FORCEINLINE_FUNCTION static float mix(float v, double scale) {
    using C = Float32InFloat64;
    const double inverse = 1.0 / scale;
    const auto angle = reduce_small_angle(static_cast<double>(v));
    const auto quotient = reduce_small_angle(static_cast<double>(v) * inverse);
    const double sine = sin_reduced<C>(angle.r);
    const double cosine = change_sign(cos_reduced<C>(quotient.r), angle.count + quotient.count);
    const auto sum = static_cast<float>(std::fma(sine, scale, cosine));
    return sum * sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION static double mix(double v, double scale) {
    const double quotient = v / scale;
    const double rest = std::fma(-quotient, scale, v) / scale;
    const auto sine = sin_parts(v), cosine = sin_parts(quotient, rest == rest ? rest : 0.0, 0.5);
    const auto scaled = exact_product(Parts<double>{scale, 0.0}, sine.high);
    const auto total = exact_sum(scaled.high, cosine.high);
    const double lost = total.low + (scaled.low + std::fma(scale, sine.low, cosine.low));
    const double value = std::isfinite(scaled.high) ? total.high + lost : total.high;
    return value * value;
  }

  /// Angles that the fast formulas do not reduce well enough. A NaN needs no care: it passes through.
  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(float v, double scale) {
    constexpr float float_angle = 0x1p12f;
    const float limit = static_cast<float>(std::fmin(1.0, std::fabs(scale))) * float_angle;
    return std::fabs(v) > limit;
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(double v, double scale) {
    constexpr double limit = largest_angle<double>;
    return std::fabs(v) > limit || std::fabs(v / scale) > limit;
  }

  KOKKOS_FUNCTION static float mix_any(float v, double scale) { return static_cast<float>(mix_wide<double>(v, scale)); }
  KOKKOS_FUNCTION static double mix_any(double v, double scale) {
    return static_cast<double>(mix_wide<long double>(v, scale));
  }

  /// Sine and cosine of v/scale for a quotient of any size: it is the sum of parts, each the rounded rest of the
  /// division so far, and the sine and cosine of the sum come from turning by one after the other.
  template <class Wide>
  KOKKOS_FUNCTION static Kokkos::Array<Wide, 2> sin_cos_of_quotient(Wide v, Wide scale) {
    Wide cosine = 1, sine = 0, rest = v;
    for (Wide part = rest / scale; part != 0; part = rest / scale) {
      const Wide c = std::cos(part), s = std::sin(part), turned = cosine * c - sine * s;
      sine = sine * c + cosine * s;
      cosine = turned;
      rest = std::fma(-part, scale, rest);
      if (!(std::fabs(part) > Wide(1e-25))) break;
    }
    return {sine, cosine};
  }

  template <class Wide>
  KOKKOS_FUNCTION static Wide mix_wide(Wide v, Wide scale) {
    const Wide sum = std::sin(v) * scale + sin_cos_of_quotient(v, scale)[1];
    return sum * sum;
  }

  KOKKOS_FUNCTION static Kokkos::Array<float, 2> careful_slopes(double v, double scale) {
    const auto at_q = sin_cos_of_quotient(v, scale);
    const double twice = 2.0 * (std::sin(v) * scale + at_q[1]);
    return {static_cast<float>(twice * (std::cos(v) * scale - at_q[0] / scale)),
            static_cast<float>(twice * (std::sin(v) + at_q[0] * (v / scale) / scale))};
  }
};

struct TrigMixScalar : private TrigMix {
  double scale;
  explicit constexpr TrigMixScalar(double value) : scale(value) {}

  template <class T>
  KOKKOS_FUNCTION T operator()(T v) const {
    return mix(v, scale);
  }
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T v) const {
    return out_of_range(v, scale);
  }
  template <class T>
  KOKKOS_FUNCTION T careful(T v) const {
    return mix_any(v, scale);
  }
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& v) const {
    return {slopes(v, scale)[0]};
  }
  KOKKOS_FUNCTION Kokkos::Array<float, 1> fast_derivative(float v) const { return {fast_slopes(v, scale)[0]}; }
  KOKKOS_FUNCTION Kokkos::Array<float, 1> careful_derivative(float v) const {
    return {careful_slopes(static_cast<double>(v), scale)[0]};
  }
};

}  // namespace detail

/// trig_mix: `y = (sin(v)*s + cos(v/s))^2`, elementwise; v and s in radians.
///
/// Shapes: v and the scale (a View or a number) broadcast to y. dtypes: float and double. Accuracy: float 4 ulp
/// everywhere, also where the terms cancel and for any finite angle; double 4 ulp of max(|s sin v|, |cos(v/s)|)^2.
/// Aliasing: y may be v or s, and must not overlap them otherwise. Synchronisation: asynchronous on `exec`; host spaces
/// have finished on return. Empty input: nothing happens. Errors: Error for shapes that do not broadcast, overlaps.
/// Source: the Numba example of the lesson on custom operators for PyTorch that portops began with.
///
///     portops::trig_mix(exec, v, y, 2.5);
template <class Exec, ElementView V, OutputView Y>
void trig_mix(const Exec& exec, const V& v, const Y& y, double scale) {
  elementwise("portops::trig_mix", exec, detail::TrigMixScalar{scale}, y, v);
}

template <class Exec, ElementView V, ElementView S, OutputView Y>
void trig_mix(const Exec& exec, const V& v, const S& scale, const Y& y) {
  elementwise("portops::trig_mix", exec, detail::TrigMix{}, y, v, scale);
}

}  // namespace portops
