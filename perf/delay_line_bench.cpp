// delay_line on Views: `delay_line/<dtype>_<delay dtype>/<rows>/<samples>`, beside the loop that the formula says.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <portops/ops/delay_line.hpp>

namespace {

constexpr double mix = 0.5;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, portops::HostSpace>;

template <class T, class Delay>
struct Problem {
  Matrix<T> samples, out;
  Matrix<Delay> delays;
};

/// Delays of 1 to 199 samples without a pattern.
template <class T, class Delay>
Problem<T, Delay> some_problem(std::int64_t rows, std::int64_t length) {
  portops::ensure_initialized();
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(length);
  const Problem<T, Delay> problem{Matrix<T>("samples", n, m), Matrix<T>("out", n, m), Matrix<Delay>("delays", n, m)};
  std::uint32_t random = 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < length; ++i) {
      random = random * 1664525 + 1013904223;
      problem.samples(row, i) = static_cast<T>(random >> 8) / static_cast<T>(1 << 24);
      problem.delays(row, i) = static_cast<Delay>(1 + (random >> 16) % 199);
    }
  }
  return problem;
}

template <class T, class Delay>
void by_hand(const T* x, const Delay* d, T* y, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t source = i - d[i] < 0 ? 0 : i - d[i];
    y[i] = source == i ? x[i] : static_cast<T>(1 - mix) * x[i] + static_cast<T>(mix) * y[source];
  }
}

template <class T, class Delay>
void plain_loop(const Problem<T, Delay>& problem) {
  const auto rows = static_cast<std::int64_t>(problem.samples.extent(0));
  const auto length = static_cast<std::int64_t>(problem.samples.extent(1));
#pragma omp parallel for schedule(static) if (rows > 1)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = row * length;
    by_hand(problem.samples.data() + first, problem.delays.data() + first, problem.out.data() + first, length);
  }
}

template <class T, class Delay, class Call>
void repeat(benchmark::State& state, const Call& call) {
  const auto problem = some_problem<T, Delay>(state.range(0), state.range(1));
  const portops::HostSpace exec;
  for (auto _ : state) {
    call(exec, problem);
    exec.fence();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

template <class T, class Delay>
void register_types(const std::string& types) {
  auto* ours = benchmark::RegisterBenchmark(("delay_line/" + types).c_str(), [](benchmark::State& state) {
    repeat<T, Delay>(state, [](auto& exec, auto& problem) {
      portops::delay_line(exec, problem.samples, problem.delays, problem.out, mix);
    });
  });
  auto* plain = benchmark::RegisterBenchmark(("delay_line_by_hand/" + types).c_str(), [](benchmark::State& state) {
    repeat<T, Delay>(state, [](auto&, auto& problem) { plain_loop(problem); });
  });
  for (auto* entry : {ours, plain}) entry->Args({1, 1024})->Args({2, 48000})->Args({64, 48000});
}

[[maybe_unused]] const bool registered = [] {
  register_types<float, std::int32_t>("float32_int32");
  register_types<float, std::int64_t>("float32_int64");
  register_types<double, std::int64_t>("float64_int64");
  return true;
}();

}  // namespace
