#pragma once
#include <portops/registry.hpp>

namespace portops::detail {

/// Defines an operator's functional, in-place and out forms with torch's dispatcher and registers their kernels.
void register_with_torch(const Operator& op);

}  // namespace portops::detail
