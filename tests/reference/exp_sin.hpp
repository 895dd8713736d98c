#pragma once
#include "reference/wide.hpp"

namespace portops::reference {

/// exp(a * sin(x))
inline long double exp_sin(double x, double amplitude) {
  return static_cast<long double>(exponential(static_cast<Wide>(amplitude) * sine(x)));
}

}  // namespace portops::reference
