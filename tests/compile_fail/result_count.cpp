// expect: the functor does not return as many values as the schema has results
#include <portops/elementwise.hpp>

struct Negate {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return -x;
  }
};
PORTOPS_ELEMENTWISE(Negate, "mine::negate(Tensor input) -> (Tensor, Tensor)");
