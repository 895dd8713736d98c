// expect: ElementView
#include <portops/portops.hpp>

struct Pair {
  float left, right;
};

int main() {
  const Kokkos::View<Pair*, Kokkos::HostSpace> x("x", 4);
  const Kokkos::View<float*, Kokkos::HostSpace> y("y", 4);
  portops::softplus(Kokkos::DefaultHostExecutionSpace(), x, y);
}
