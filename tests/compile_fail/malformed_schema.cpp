// expect: not a schema of the form space::name(Tensor x) -> Tensor
#include <portops/elementwise.hpp>

struct Negate {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return -x;
  }
};
PORTOPS_ELEMENTWISE(Negate, "mine::negate(tensor input) -> Tensor");
