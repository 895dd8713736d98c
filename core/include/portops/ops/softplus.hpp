#pragma once
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
    const T inverse = static_cast<T>(1.0 / beta);
    const T inverse_low = static_cast<T>(std::fma(-static_cast<double>(inverse), beta, 1.0) / beta);
    const auto scaled = exact_product(split_double<T>(beta), x);
    const bool positive = scaled.high > T(0);
    const T decaying = exp_nonpositive(positive ? -scaled.high : scaled.high, positive ? -scaled.low : scaled.low);
    const T tail = log1p_unit(decaying);
    const T result = (positive ? x : T(0)) + std::fma(tail, inverse, tail * inverse_low);
    return scaled.high < static_cast<T>(threshold) ? result : x;
  }

  /// Of the formula, the tail would be exp(p) / (1 + exp(p)), inf / inf from p = 89 on.
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& x) const {
    using std::exp;
    const T p = T(beta) * x;
    const bool positive = p > T(0);
    const T decaying = exp(positive ? -p : p);
    const T sigmoid = (positive ? T(1) : decaying) / (T(1) + decaying);
    return {p < T(threshold) ? sigmoid : (x == x ? T(1) : x)};
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
