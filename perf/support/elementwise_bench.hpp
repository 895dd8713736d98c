#pragma once
#include <cstdint>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include <portops/execution.hpp>

/// Benchmarks of an elementwise operator on Views, beside the same functor in a plain loop. A benchmark is called
/// `<op>/<dtype>/<elements>`, the plain loop's `<op>_by_hand/<dtype>/<elements>`.
namespace perf {

template <class T>
using Vector = Kokkos::View<T*, portops::HostSpace>;

template <class T>
const char* dtype_name() {
  return sizeof(T) == 4 ? "float32" : "float64";
}

/// Numbers in [-20, 20), the same in every run.
template <class T>
Vector<T> some_numbers(std::int64_t count) {
  portops::ensure_initialized();
  const Vector<T> numbers("numbers", static_cast<std::size_t>(count));
  std::mt19937 generator(0);
  std::uniform_real_distribution<T> distribution(-20, 20);
  for (std::int64_t i = 0; i < count; ++i) numbers(i) = distribution(generator);
  return numbers;
}

/// `call(exec, x, y)` again and again, each followed by a fence.
template <class T, class Call>
void repeat(benchmark::State& state, const Call& call) {
  const std::int64_t count = state.range(0);
  const Vector<T> x = some_numbers<T>(count), y = some_numbers<T>(count);
  const portops::HostSpace exec;
  for (auto _ : state) {
    call(exec, x, y);
    exec.fence();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

/// Flattened, so that the functor is inlined and the loop vectorised.
template <class T, class Functor>
__attribute__((flatten)) void compute(const Functor functor, const T* __restrict x, T* __restrict y,
                                      std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) y[i] = functor(x[i]);
}

/// What somebody would write who has the functor and nothing else: a share for each thread, small arrays in one.
template <class T, class Functor>
void plain_loop(const Functor& functor, const Vector<T>& x, const Vector<T>& y) {
  const auto count = static_cast<std::int64_t>(x.extent(0));
  const int threads = count > 16384 ? portops::HostSpace().concurrency() : 1;
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int thread = 0; thread < threads; ++thread) {
    const std::int64_t first = count * thread / threads, end = count * (thread + 1) / threads;
    compute(functor, x.data() + first, y.data() + first, end - first);
  }
}

template <class T, class Functor, class Call>
void register_type(const std::string& op, const Functor& functor, const Call& call) {
  const std::string suffix = std::string("/") + dtype_name<T>();
  auto* ours =
      benchmark::RegisterBenchmark((op + suffix).c_str(), [=](benchmark::State& state) { repeat<T>(state, call); });
  auto* by_hand = benchmark::RegisterBenchmark((op + "_by_hand" + suffix).c_str(), [=](benchmark::State& state) {
    repeat<T>(state, [=](auto&, auto& x, auto& y) { plain_loop(functor, x, y); });
  });
  for (auto* entry : {ours, by_hand}) entry->Arg(64)->Arg(4096)->Arg(65536)->Arg(1000000);
}

/// For namespace scope: the registrations of both types.
template <class Functor, class Call>
bool register_elementwise(const std::string& op, const Functor& functor, const Call& call) {
  register_type<float>(op, functor, call);
  register_type<double>(op, functor, call);
  return true;
}

}  // namespace perf
