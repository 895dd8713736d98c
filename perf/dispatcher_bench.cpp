// What a call on one element costs from a libtorch application: `one_element/<layer>/<op>`.
#include <string>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <benchmark/benchmark.h>

namespace {

template <class Call>
void repeat(const std::string& name, const Call& call) {
  benchmark::RegisterBenchmark(("one_element/" + name).c_str(), [=](benchmark::State& state) {
    const at::Tensor x = at::ones({1});
    for (auto _ : state) benchmark::DoNotOptimize(call(x));
  });
}

/// Calls the operator through the dispatcher.
template <class Signature, class... Arguments>
void register_call(const std::string& op, const std::string& name, const char* overload, Arguments... arguments) {
  benchmark::RegisterBenchmark(("one_element/dispatcher/" + op).c_str(), [=](benchmark::State& state) {
    const at::Tensor x = at::ones({1});
    const auto call =
        c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload).template typed<Signature>();
    for (auto _ : state) benchmark::DoNotOptimize(call.call(x, arguments...));
  });
}

[[maybe_unused]] const bool registered = [] {
  using WithDouble = at::Tensor(const at::Tensor&, double);
  using WithDoubles = at::Tensor(const at::Tensor&, double, double);
  using WithScalar = at::Tensor(const at::Tensor&, const at::Scalar&);
  repeat("new_tensor", [](const at::Tensor& x) { return at::empty(x.sizes(), x.options()); });
  repeat("dispatcher/sin", [](const at::Tensor& x) { return at::sin(x); });
  register_call<WithDouble>("nothing", "portops_perf::nothing", "", 1.0);
  register_call<WithDoubles>("softplus", "portops::softplus", "", 1.0, 20.0);
  register_call<WithScalar>("trig_mix", "portops::trig_mix", "Scalar", at::Scalar(2.5));
  register_call<WithScalar>("exp_sin", "portops::exp_sin", "", at::Scalar(2.0));
  return true;
}();

}  // namespace
