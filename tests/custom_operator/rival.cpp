// A second library that claims a name.
#include <portops/elementwise.hpp>

namespace {
struct Twice {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x + x;
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(Twice, "mine::swish(Tensor input) -> Tensor");
PORTOPS_ELEMENTWISE(Twice, "rival::twice(Tensor input) -> Tensor");
