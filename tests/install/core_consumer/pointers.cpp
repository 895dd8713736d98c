#include <cstdint>
#include <cstdio>
#include <vector>

#include <portops/refs.hpp>

#ifdef KOKKOS_DEPENDENCE
#error "what Kokkos asks of its users must not reach a program that only uses pointers"
#endif

int main() {
  std::vector<float> samples = {1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> delays(6, 1);
  std::vector<float> result(6);
  const std::int64_t sizes[] = {6};
  const portops::TensorRef samples_ref = {samples.data(), portops::DType::float32, {}, 1, sizes};
  const portops::TensorRef delays_ref = {delays.data(), portops::DType::int64, {}, 1, sizes};
  const portops::TensorRef result_ref = {result.data(), portops::DType::float32, {}, 1, sizes};
  portops::delay_line(portops::StreamRef{}, samples_ref, delays_ref, result_ref, 0.5);
  std::printf("delay_line: %g ... %g, expected 1 ... 5.03125\n", result[0], result[5]);
  return result[0] == 1.0F && result[5] == 5.03125F ? 0 : 1;
}
