// expect: OutputView
#include <portops/portops.hpp>

int main() {
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 4);
  const Kokkos::View<const double*, Kokkos::HostSpace> y = x;
  portops::softplus(Kokkos::DefaultHostExecutionSpace(), x, y);
}
