#pragma once
#include <cstddef>
#include <vector>

namespace portops::reference {

/// y[i] = (1-g)*x[i] + g*y[max(0, i - d[i])], one row, sample by sample; a sample that points to itself is x[i].
/// Delays are held as doubles, so that none can wrap; those too large for a double's digits are beyond any row's start.
inline std::vector<double> delay_line(const std::vector<double>& x, const std::vector<double>& delays, double mix) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double wanted = static_cast<double>(i) - delays[i];
    const std::size_t source = wanted < 0 ? 0 : static_cast<std::size_t>(wanted);
    y[i] = source == i ? x[i] : (1 - mix) * x[i] + mix * y[source];
  }
  return y;
}

}  // namespace portops::reference
