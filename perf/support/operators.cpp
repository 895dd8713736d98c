// A user's own operator that computes next to nothing: its time is that of the memory.
#include <portops/elementwise.hpp>

namespace {

struct Axpy {
  double a;

  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return T(a) * x + y;
  }
};

PORTOPS_ELEMENTWISE(Axpy, "portops_perf::axpy(Tensor x, Tensor y, float a=1.0) -> Tensor");

}  // namespace
