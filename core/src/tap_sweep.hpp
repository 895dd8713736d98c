#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include <portops/recurrence.hpp>

namespace portops::detail {

/// The taps of one row: coefficients, delays and what lies before the row. `sign` is that of every coefficient.
template <class T>
struct Taps {
  Lane<const T> coefficients;
  Lane<const std::int64_t> delays;
  Lane<const T> history;
  T sign;
};

/// Compiled for 1 to 8 taps, whose loop is then unrolled; by a loop for more, and for the numbers of derivatives.
template <class T, class Visit>
void visit_taps(std::int64_t taps, const Visit& visit) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (taps) {
      case 1: return visit(std::integral_constant<int, 1>());
      case 2: return visit(std::integral_constant<int, 2>());
      case 3: return visit(std::integral_constant<int, 3>());
      case 4: return visit(std::integral_constant<int, 4>());
      case 5: return visit(std::integral_constant<int, 5>());
      case 6: return visit(std::integral_constant<int, 6>());
      case 7: return visit(std::integral_constant<int, 7>());
      case 8: return visit(std::integral_constant<int, 8>());
      default: break;
    }
  }
  visit(taps);
}

/// y[i] = x + sum_k sign * a[i,k] * y[i - d[i,k]]. The last tap is added first: the first, which usually is the
/// nearest, then waits for the previous output alone.
template <class T, class Outputs, class Count>
inline T tap_sample(T x, const Taps<T>& taps, const Outputs& y, std::int64_t i, Count count) {
  for (std::int64_t k = count - 1; k >= 0; --k) {
    x = multiply_add(taps.sign * taps.coefficients(i, k), output_at(y, taps.history, i - taps.delays(i, k)), x);
  }
  return x;
}

/// The reverse sweep over z, the gradients of the outputs, which become those of the inputs. Adds to `of_history`, and
/// writes the gradients of the coefficients where they are wanted, for which it needs the outputs.
template <class T, class Outputs>
void sweep_taps_back(const Taps<T>& taps, std::int64_t count, const Outputs& y, std::vector<T>& z,
                     std::vector<T>& of_history, const Lane<T>& of_coefficients) {
  for (auto i = static_cast<std::int64_t>(z.size()) - 1; i >= 0; --i) {
    const T gradient = taps.sign * z[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t j = i - taps.delays(i, k);
      if (of_coefficients) of_coefficients(i, k) = gradient * output_at(y, taps.history, j);
      const T part = taps.coefficients(i, k) * gradient;
      if (j >= 0) {
        z[static_cast<std::size_t>(j)] += part;
      } else if (!of_history.empty()) {
        of_history[static_cast<std::size_t>(history_index(j, taps.history.size))] += part;
      }
    }
  }
}

}  // namespace portops::detail
