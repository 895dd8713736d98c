#include <portops/elementwise.hpp>

namespace {
struct Swish {
  double beta;

  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    const T p = T(beta) * x, e = exp(portops::select(p > T(0), -p, p));
    return x * portops::select(p > T(0), T(1), e) / (T(1) + e);
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Swish, "mine::swish(Tensor input, float beta=1.0) -> Tensor");
