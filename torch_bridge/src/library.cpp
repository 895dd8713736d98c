#include "register.hpp"

namespace portops {
namespace {

// Loading this library offers every registered operator to torch, and those of libraries that are loaded later.
[[maybe_unused]] const bool registered = (visit_operators(&detail::register_with_torch), true);

}  // namespace
}  // namespace portops
