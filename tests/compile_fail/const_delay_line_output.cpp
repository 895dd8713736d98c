// expect: OutputView
#include <portops/portops.hpp>

int main() {
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 4);
  const Kokkos::View<int*, Kokkos::HostSpace> delays("delays", 4);
  const Kokkos::View<const double*, Kokkos::HostSpace> y = x;
  portops::delay_line(Kokkos::DefaultHostExecutionSpace(), x, delays, y);
}
