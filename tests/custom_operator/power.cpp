#include <portops/elementwise.hpp>

namespace {
/// factor * x^exponent, with one parameter of every kind.
struct Power {
  double factor;
  std::int64_t exponent;
  bool negate;

  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    T y = T(negate ? -factor : factor);
    for (std::int64_t k = 0; k < exponent; ++k) y *= x;
    return y;
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Power, "mine::power(Tensor x, Scalar factor, int exponent=2, bool negate=False) -> Tensor");
PORTOPS_ELEMENTWISE(Power, "mine::power.real(Tensor x, float factor, int exponent, bool negate) -> Tensor");
