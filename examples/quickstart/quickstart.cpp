#include <cstdio>

#include <portops/portops.hpp>

int main() {
  const Kokkos::ScopeGuard kokkos;
  const Kokkos::DefaultHostExecutionSpace exec;
  Kokkos::View<float**, Kokkos::HostSpace> x("x", 100, 1000), y("y", 100, 1000);
  Kokkos::deep_copy(x, 3.0F);
  portops::softplus(exec, x, y, 1.0, 20.0);  // Views of any layout, on your instance

  float samples[] = {1, 2, 3, 4, 5, 6}, out[6];
  const int delays[] = {1, 1, 2, 2, 1, 3};
  const std::int64_t size = 6;  // raw pointers: nothing is copied
  const portops::TensorRef in{samples, portops::DType::float32, {}, 1, &size};
  const portops::TensorRef by{const_cast<int*>(delays), portops::DType::int32, {}, 1, &size};
  portops::delay_line(portops::StreamRef{}, in, by, {out, portops::DType::float32, {}, 1, &size});
  std::printf("%.4f %.4f\n", static_cast<double>(y(0, 0)), static_cast<double>(out[5]));
}
