// The operators from C++, without torch: on Views, on plain memory, and by name.
#include <cmath>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <Kokkos_Core.hpp>

#include <portops/registry.hpp>

#include "axpy.hpp"

namespace {

bool report(const char* what, double value, double expected) {
  std::printf("%s: %.9g, expected %.9g\n", what, value, expected);
  return std::abs(value - expected) < 1e-6;
}

bool axpy_on_views() {
  const Kokkos::DefaultHostExecutionSpace exec;
  const Kokkos::View<double**, Kokkos::HostSpace> x("x", 100, 50), y("y", 100, 50);
  Kokkos::deep_copy(exec, x, 2.0);
  Kokkos::deep_copy(exec, y, 1.0);
  portops::elementwise(exec, Axpy{3.0}, y, x, y);
  exec.fence();
  return report("3*2 + 1 on Views", y(99, 49), 7.0);
}

bool axpy_on_pointers() {
  std::vector<float> x(1000, 2.0F), y(1000, 1.0F);
  const std::int64_t sizes[] = {1000};
  const portops::TensorRef x_ref = {x.data(), portops::DType::float32, {}, 1, sizes};
  const portops::TensorRef y_ref = {y.data(), portops::DType::float32, {}, 1, sizes};
  portops::elementwise("axpy", portops::StreamRef{}, Axpy{3.0}, y_ref, x_ref, y_ref);
  return report("3*2 + 1 on pointers", y[999], 7.0);
}

const portops::Operator& find(std::string_view name) {
  for (const portops::Operator* op : portops::registered_operators()) {
    if (op->name == name) return *op;
  }
  throw std::out_of_range("no operator " + std::string(name));
}

// Needs the library alone, not the functor: `parameters` are in the schema's order, every one given.
void call(std::string_view name, const portops::TensorRef& x, const portops::TensorRef& y, double parameter) {
  const portops::Operator& op = find(name);
  const portops::Parameter parameters[] = {parameter};
  op.forward({op.name.c_str(), portops::StreamRef{}, std::span(&y, 1), std::span(&x, 1), parameters, x.dtype});
}

bool by_name() {
  std::vector<double> x = {1, 1, 1}, y(3);
  const std::int64_t sizes[] = {3};
  const portops::TensorRef x_ref = {x.data(), portops::DType::float64, {}, 1, sizes};
  const portops::TensorRef y_ref = {y.data(), portops::DType::float64, {}, 1, sizes};
  call("mine::decayed_sum", x_ref, y_ref, 0.5);
  const bool good = report("decayed_sum by name", y[2], 1.75);
  call("mine::swish", x_ref, y_ref, 2.0);
  return report("swish by name", y[2], 1 / (1 + std::exp(-2.0))) && good;
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const bool results[] = {axpy_on_views(), axpy_on_pointers(), by_name()};
  return results[0] && results[1] && results[2] ? 0 : 1;
}
