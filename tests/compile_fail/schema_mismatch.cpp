// expect: the functor does not have one member per parameter of the schema
#include <portops/elementwise.hpp>

struct Scale {
  double factor;
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return T(factor) * x;
  }
};
PORTOPS_ELEMENTWISE(Scale, "mine::scale(Tensor input) -> Tensor");
