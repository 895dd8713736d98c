// expect: the functor does not have one member per parameter of the schema
#include <portops/elementwise.hpp>

struct Negate {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return -x;
  }
};
PORTOPS_ELEMENTWISE(Negate, "mine::negate(Tensor input, float factor) -> Tensor");
