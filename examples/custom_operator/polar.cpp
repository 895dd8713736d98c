#include <portops/elementwise.hpp>

namespace {
/// Radius and angle of (x, y).
struct Polar {
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> operator()(T x, T y) const {
    return {hypot(x, y), atan2(y, x)};
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Polar, "mine::polar(Tensor x, Tensor y) -> (Tensor radius, Tensor angle)");
