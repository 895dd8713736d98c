#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace portops::test::reference {

/// One row, as the difference equation says.
inline std::vector<double> lfilter(const std::vector<double>& x, const std::vector<double>& a,
                                   const std::vector<double>& b, bool clamp) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < b.size() && k <= i; ++k) sum += b[k] * x[i - k];
    for (std::size_t k = 1; k < a.size() && k <= i; ++k) sum -= a[k] * y[i - k];
    y[i] = sum / a[0];
  }
  if (clamp) {
    for (double& value : y) value = std::clamp(value, -1.0, 1.0);
  }
  return y;
}

}  // namespace portops::test::reference
