#include <portops/elementwise.hpp>

namespace {
/// As many tensors and results as there may be.
struct EightTensors {
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 4> operator()(T a, T b, T c, T d, T e, T f, T g, T h) const {
    return {a * b, c * d * d, sin(e) * f, g - h};
  }
};
}  // namespace
PORTOPS_ELEMENTWISE(EightTensors,
                    "mine::eight_tensors(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, "
                    "Tensor h) -> (Tensor, Tensor, Tensor, Tensor)");
