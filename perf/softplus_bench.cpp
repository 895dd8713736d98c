#include <portops/ops/softplus.hpp>

#include "elementwise_bench.hpp"

namespace {

[[maybe_unused]] const bool registered = perf::register_elementwise(
    "softplus", portops::detail::Softplus{1.0, 20.0},
    [](const auto& exec, const auto& x, const auto& y) { portops::softplus(exec, x, y, 1.0, 20.0); });

}  // namespace
