#include "halve.hpp"

struct Half {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x / T(2);
  }
};
PORTOPS_ELEMENTWISE(Half, "consumer::halve(Tensor input) -> Tensor");

void halve(const Kokkos::DefaultHostExecutionSpace& exec, Samples samples) {
  portops::elementwise(exec, Half{}, samples, samples);
}
