#include <portops/ops/trig_mix.hpp>

#include "elementwise_bench.hpp"

namespace {

[[maybe_unused]] const bool registered = perf::register_elementwise(
    "trig_mix", portops::detail::TrigMixScalar(2.5),
    [](const auto& exec, const auto& x, const auto& y) { portops::trig_mix(exec, x, y, 2.5); });

}  // namespace
