#include <portops/ops/exp_sin.hpp>

#include "elementwise_bench.hpp"

namespace {

[[maybe_unused]] const bool registered = perf::register_elementwise(
    "exp_sin", portops::detail::ExpSinNarrow(2.0),
    [](const auto& exec, const auto& x, const auto& y) { portops::exp_sin(exec, x, y, 2.0); });

}  // namespace
