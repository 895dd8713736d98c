#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace portops::reference {

/// A row of outputs, with what rounding may do to them. `growth` bounds the error of output i in units of the rounding
/// of one operation: every step rounds its K products and sums, each relative to at most `magnitude`, which is the same
/// recurrence of absolute values, and hands on the errors of what it reads. Any order of the same products and sums,
/// as pointer jumping has, obeys the same bound to first order.
struct RecurrenceRow {
  std::vector<double> y, magnitude, growth;
};

/// y[i] = x[i] + sum_k a[i,k] * y[i - d[i,k]], sample by sample; a and d hold row i at i*taps. What lies before the row
/// is in `history`, oldest first, and before that its oldest; 0 without one. Delays are doubles, so that none can wrap.
inline RecurrenceRow recurrence(const std::vector<double>& x, const std::vector<double>& a,
                                const std::vector<double>& d, std::size_t taps, const std::vector<double>& history) {
  RecurrenceRow row;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double y = x[i], magnitude = std::fabs(x[i]), growth = 0;
    for (std::size_t k = 0; k < taps; ++k) {
      const double coefficient = a[i * taps + k], source = static_cast<double>(i) - d[i * taps + k];
      if (source >= 0) {
        const auto j = static_cast<std::size_t>(source);
        y += coefficient * row.y[j];
        magnitude += std::fabs(coefficient) * row.magnitude[j];
        growth += std::fabs(coefficient) * row.growth[j];
      } else if (!history.empty()) {
        const double length = static_cast<double>(history.size());
        const double past = history[static_cast<std::size_t>(std::max(0.0, length + source))];
        y += coefficient * past;
        magnitude += std::fabs(coefficient * past);
      }
    }
    row.y.push_back(y);
    row.magnitude.push_back(magnitude);
    row.growth.push_back(growth + static_cast<double>(taps + 2) * magnitude);
  }
  return row;
}

}  // namespace portops::reference
