// What a call on one element costs below torch: `one_element/<layer>/<op>`. A block is the arithmetic alone: one
// element is computed in a block of 64, like every other.
#include <array>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <portops/portops.hpp>
#include <portops/refs.hpp>

namespace {

using Scalar = Kokkos::View<float*, portops::HostSpace>;

Scalar one_element() {
  portops::ensure_initialized();
  const Scalar view("one element", 1);
  view(0) = 0.5F;
  return view;
}

template <class Call>
void repeat(const std::string& name, const Call& call) {
  benchmark::RegisterBenchmark(("one_element/" + name).c_str(), [=](benchmark::State& state) {
    const Scalar x = one_element(), y = one_element();
    for (auto _ : state) {
      call(x, y);
      benchmark::ClobberMemory();
    }
  });
}

template <class Functor>
void compute_block(const Functor& functor) {
  alignas(64) static std::array<float, portops::detail::block_size> in{}, out{};
  const void* inputs[] = {in.data()};
  void* outputs[] = {out.data()};
  portops::detail::tile_function<Functor, float, 1>(&functor, inputs, outputs, 1);
  benchmark::DoNotOptimize(out);
}

/// `call(where, x, y)`, for Views and for TensorRefs.
template <class Functor, class Call>
void register_layers(const std::string& op, const Functor& functor, const Call& call) {
  repeat("block/" + op, [=](auto&, auto&) { compute_block(functor); });
  repeat("view/" + op, [=](auto& x, auto& y) { call(portops::HostSpace(), x, y); });
  repeat("tensor_ref/" + op, [=](auto& x, auto& y) {
    const std::int64_t sizes[] = {1};
    const portops::TensorRef x_ref{x.data(), portops::DType::float32, {}, 1, sizes};
    const portops::TensorRef y_ref{y.data(), portops::DType::float32, {}, 1, sizes};
    call(portops::StreamRef{}, x_ref, y_ref);
  });
}

void empty_launch(const Scalar&, const Scalar& y) {
  const Kokkos::RangePolicy<portops::HostSpace> policy(portops::HostSpace(), 0, 1);
  Kokkos::parallel_for("perf::empty_launch", policy, [=](int i) { y(i) = 0; });
}

[[maybe_unused]] const bool registered = [] {
  repeat("kokkos_launch", empty_launch);
  register_layers("softplus", portops::detail::Softplus{1.0, 20.0},
                  [](auto where, auto& x, auto& y) { portops::softplus(where, x, y, 1.0, 20.0); });
  register_layers("trig_mix", portops::detail::TrigMixScalar(2.5),
                  [](auto where, auto& x, auto& y) { portops::trig_mix(where, x, y, 2.5); });
  register_layers("exp_sin", portops::detail::ExpSinNarrow(2.0),
                  [](auto where, auto& x, auto& y) { portops::exp_sin(where, x, y, 2.0); });
  return true;
}();

}  // namespace
