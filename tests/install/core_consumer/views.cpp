#include <cmath>
#include <cstdio>

#include "halve.hpp"

int main() {
  const Kokkos::ScopeGuard guard;
  const Kokkos::DefaultHostExecutionSpace exec;
  const Samples x("x", 1000);
  const Samples y("y", 1000);
  Kokkos::deep_copy(x, 2.0);
  halve(exec, x);
  portops::softplus(exec, x, y, 1.0, 20.0);
  exec.fence();
  const double expected = std::log1p(std::exp(1.0));
  std::printf("softplus(1) = %.17g, expected %.17g\n", y(999), expected);
  return std::abs(y(999) - expected) < 1e-14 ? 0 : 1;
}
