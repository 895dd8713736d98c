#pragma once
#include <portops/detail/half_form.hpp>
#include <portops/detail/vector_math.hpp>
#include <portops/elementwise.hpp>
#include <portops/refs/softplus.hpp>

namespace portops {
namespace detail {

/// Written so that nothing overflows on the way and no tail is lost: log(1 + exp(p)) = max(p, 0) + log1p(exp(-|p|)).
struct Softplus {
  double beta, threshold;

  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    const auto inverse = reciprocal<T>();
    const T p = static_cast<T>(beta) * x;
    const auto small = decaying(x);
    const T e = small.value * small.scale, logarithm = log1p_unit(e);
    // Where exp(p) may be too small for T, its quotient by beta may not be.
    const T tail = e < T(0x1p-60) ? small.value * (small.scale * inverse.high)
                                  : std::fma(logarithm, inverse.high, logarithm * inverse.low);
    const T result = (p > T(0) ? x : T(0)) + tail;
    return p < static_cast<T>(threshold) ? result : x;
  }

  /// The same without what rounding takes from each product.
  KOKKOS_FUNCTION float half_form(float x) const {
    const float inverse = static_cast<float>(1.0 / beta), p = static_cast<float>(beta) * x;
    const auto small = exp_nonpositive_for_half(-std::fabs(p));
    const float e = small.value * small.scale;
    const float tail = e < 0x1p-60F ? small.value * (small.scale * inverse) : log1p_for_half(e) * inverse;
    return p < static_cast<float>(threshold) ? (p > 0.0F ? x : 0.0F) + tail : x;
  }
  bool has_half_form() const { return true; }

  /// Of the formula, the tail would be exp(p) / (1 + exp(p)), inf / inf from p = 89 on.
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& x) const {
    const auto small = decaying(x);
    const T p = T(beta) * x, e = small.value * small.scale;
    const T sigmoid = select(p > T(0), T(1), e) / (T(1) + e);
    return {select(p < T(threshold), sigmoid, select(x == x, T(1), x))};
  }

 private:
  /// exp(-|beta * x|), the product with what rounding takes from it.
  template <class T>
    requires std::is_floating_point_v<T>
  KOKKOS_FORCEINLINE_FUNCTION Scaled<T> decaying(const T& x) const {
    const auto scale = split_double<T>(std::fabs(beta));
    const T negative = -std::fabs(x), p = scale.high * negative;
    return exp_nonpositive(p, std::fma(scale.low, negative, std::fma(scale.high, negative, -p)));
  }
  /// By branches, not by the absolute value, whose derivative at 0 would be 0.
  template <class T>
  KOKKOS_FUNCTION Scaled<T> decaying(const T& x) const {
    const T p = T(beta) * x;
    return {exp(select(p > T(0), -p, p)), T(1)};
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION Parts<T> reciprocal() const {
    const T high = static_cast<T>(1.0 / beta);
    const double rest = std::fma(-static_cast<double>(high), beta, 1.0) / beta;
    return {high, rest == rest ? static_cast<T>(rest) : T(0)};
  }
};

}  // namespace detail

/// softplus: `y = beta*x < threshold ? log(1 + exp(beta*x)) / beta : x`, elementwise.
///
/// Shapes: x broadcasts to y. dtypes: float and double. Accuracy: 4 ulp over the whole range; NaN gives NaN.
/// Aliasing: y may be x, and must not overlap it otherwise. Synchronisation: asynchronous on `exec`; host spaces have
/// finished on return. Empty input: nothing happens. Errors: Error for shapes that do not broadcast and for overlaps.
/// Source: torch.nn.functional.softplus.
///
///     portops::softplus(exec, x, y, 1.0, 20.0);
template <class Exec, ElementView X, OutputView Y>
void softplus(const Exec& exec, const X& x, const Y& y, double beta = 1.0, double threshold = 20.0) {
  elementwise("portops::softplus", exec, detail::Softplus{beta, threshold}, y, x);
}

}  // namespace portops
