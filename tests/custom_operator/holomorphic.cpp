#include <portops/elementwise.hpp>

namespace {
/// exp(rate * z) * w: differentiable as a complex function.
struct Carrier {
  static constexpr bool accepts_complex = true;
  double rate;

  template <class T>
  KOKKOS_FUNCTION T operator()(T z, T w) const {
    return exp(portops::Real<T>(rate) * z) * w;
  }
};

/// Several results, a quotient and functions with cuts.
struct Holomorphic {
  static constexpr bool accepts_complex = true;

  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 3> operator()(T z, T w) const {
    return {log(z) / w, sqrt(w) * sin(z), tanh(z) - pow(w, z)};
  }
};

/// 1/z with a derivative of its own; elements that need care are computed one by one.
struct Reciprocal {
  static constexpr bool accepts_complex = true;

  template <class T>
  KOKKOS_FUNCTION T operator()(T z) const {
    return T(1) / z;
  }
  template <class T>
  KOKKOS_FUNCTION bool needs_care(T z) const {
    return z == T(0);
  }
  template <class T>
  KOKKOS_FUNCTION T careful(T) const {
    return T(0);
  }
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 1> derivative(const T& z) const {
    return {T(-1) / (z * z)};
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Carrier, "mine::carrier(Tensor z, Tensor w, float rate=1.0) -> Tensor");
PORTOPS_ELEMENTWISE(Holomorphic, "mine::holomorphic(Tensor z, Tensor w) -> (Tensor, Tensor, Tensor)");
PORTOPS_ELEMENTWISE(Reciprocal, "mine::reciprocal(Tensor z) -> Tensor");
