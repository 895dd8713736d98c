#pragma once
#include <algorithm>

#include "reference/wide.hpp"

namespace portops::reference {

/// (sin(v)*s + cos(v/s))^2
inline long double trig_mix(double v, double s) {
  const Wide angle = v, scale = s;
  const Wide sum = sine(angle) * scale + cosine(angle / scale);
  return static_cast<long double>(sum * sum);
}

/// The largest of the result and the squares of its two terms: where these cancel, what remains of them is no better
/// known than to an ulp of this.
inline long double trig_mix_scale(double v, double s) {
  const Wide angle = v, scale = s;
  const auto left = static_cast<long double>(sine(angle) * scale);
  const auto right = static_cast<long double>(cosine(angle / scale));
  return std::max({trig_mix(v, s), left * left, right * right});
}

}  // namespace portops::reference
