#include <portops/elementwise.hpp>

namespace {
/// sin(x)/x, and 1 at zero.
struct Sinc {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return sin(x) / x;
  }

  /// The formula gives 0/0 at zero: these elements are computed by `careful`.
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T x) const {
    return x == T(0);
  }
  template <class T>
  KOKKOS_FUNCTION T careful(T) const {
    return T(1);
  }

  /// d/dx; near zero its series, since cos(x) - sin(x)/x would cancel.
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& x) const {
    const T square = x * x, series = x * (square * (T(1) / T(30) - square / T(840)) - T(1) / T(3));
    return {portops::select(square < T(0.01), series, (cos(x) - sin(x) / x) / x)};
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Sinc, "mine::sinc(Tensor input) -> Tensor");
