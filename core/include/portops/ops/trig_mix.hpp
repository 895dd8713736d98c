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
  T careful(T v, T scale) const {
    return mix_any(v, static_cast<double>(scale));
  }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION static float mix(float v, double scale) {
    using namespace vector_math;
    const double wide = v;
    const double sum = std::fma(sin_or_cos_for_float32(wide, false), scale, sin_or_cos_for_float32(wide / scale, true));
    return static_cast<float>(sum * sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION static double mix(double v, double scale) {
    using namespace vector_math;
    const double quotient = v / scale;
    const double rest = std::fma(-quotient, scale, v) / scale;
    const auto sine = sin_parts(v), cosine = sin_parts(quotient, rest == rest ? rest : 0.0, 0.5);
    const auto scaled = product(Parts<double>{scale, 0.0}, sine.high);
    const auto total = sum(scaled.high, cosine.high);
    const double lost = total.low + (scaled.low + std::fma(scale, sine.low, cosine.low));
    const double value = std::isfinite(scaled.high) ? total.high + lost : total.high;
    return value * value;
  }

  /// Angles beyond what the fast sine reduces. A NaN needs no care: it passes through.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static bool out_of_range(T v, double scale) {
    constexpr double largest = vector_math::largest_angle<double>;
    return std::fabs(static_cast<double>(v)) > largest || std::fabs(static_cast<double>(v) / scale) > largest;
  }

  static float mix_any(float v, double scale) {
    const double sum = std::sin(static_cast<double>(v)) * scale + std::cos(static_cast<double>(v) / scale);
    return static_cast<float>(sum * sum);
  }
  static double mix_any(double v, double scale) {
    const long double wide = v;
    const long double sum = std::sin(wide) * scale + std::cos(wide / scale);
    return static_cast<double>(sum * sum);
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
  T careful(T v) const {
    return mix_any(v, scale);
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
