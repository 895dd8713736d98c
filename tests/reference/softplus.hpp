#pragma once
#include "reference/wide.hpp"

namespace portops::reference {

/// log(1 + exp(beta*x)) / beta below the threshold, x above it and for NaN.
inline long double softplus(double x, double beta, double threshold) {
  const Wide scaled = static_cast<Wide>(beta) * x;
  if (!(scaled < threshold)) return x;
  // exp leaves even this range where a large threshold asks for it; the formula is then x to all digits.
  if (scaled > 11000) return x;
  return static_cast<long double>(log_one_plus(exponential(scaled)) / beta);
}

}  // namespace portops::reference
