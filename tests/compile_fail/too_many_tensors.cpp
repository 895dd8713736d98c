// expect: the functor does not take as many elements as the schema has tensors
#include <portops/elementwise.hpp>

struct Negate {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return -x;
  }
};
PORTOPS_ELEMENTWISE(Negate, "mine::negate(Tensor left, Tensor right) -> Tensor");
