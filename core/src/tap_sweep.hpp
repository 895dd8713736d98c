#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <portops/recurrence.hpp>

namespace portops::detail {

/// The taps of one row: coefficients, delays and what lies before the row. `negative` is the sign of every coefficient.
template <class T>
struct Taps {
  Lane<const T> coefficients;
  Lane<const std::int64_t> delays;
  Lane<const T> history;
  bool negative;
};

/// -a or a; `negative` is known where this is compiled, so that it costs nothing.
template <class T>
inline T signed_tap(const Taps<T>& taps, const T& a) {
  return taps.negative ? -a : a;
}

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

/// y[i] = x +- sum_k a[i,k] * y[i - d[i,k]]. The last tap is added first: the first, which usually is the nearest,
/// then waits for the previous output alone. The lane of delays begins at time `i - local`.
template <class T, class Outputs, class Count>
inline T tap_sample(T x, const Taps<T>& taps, const Outputs& y, std::int64_t i, std::int64_t local, Count count) {
  for (std::int64_t k = count - 1; k >= 0; --k) {
    x = multiply_add(signed_tap(taps, taps.coefficients(i, k)), output_at(y, taps.history, i - taps.delays(local, k)),
                     x);
  }
  return x;
}

/// The times [begin, end) where taps lie side by side in memory and no delay reaches before the row. Adds in the order
/// of tap_sample, whose bits it gives.
template <class T, class Count>
inline void sweep_inside(const Lane<const T>& x, const Taps<T>& taps, T* y, std::int64_t begin, std::int64_t end,
                         Count count) {
  const T* a = &taps.coefficients(begin, 0);
  const std::int64_t* d = taps.delays.data;
  for (std::int64_t i = begin; i < end; ++i, a += taps.coefficients.step, d += taps.delays.step) {
    T sum = x[i];
    for (std::int64_t k = count - 1; k >= 0; --k) sum = multiply_add(signed_tap(taps, a[k]), y[i - d[k]], sum);
    y[i] = sum;
  }
}

/// One piece of a row; `most` is its largest delay.
template <class T, class Outputs>
void sweep_taps(const Lane<const T>& x, const Taps<T>& taps, std::int64_t count, std::int64_t most, const Outputs& y,
                std::int64_t begin, std::int64_t end) {
  const bool dense = count == 1 || (taps.coefficients.tap_step == 1 && taps.delays.taps == count);
  visit_taps<T>(count, [&](auto fixed) {
    if (dense && y.step == 1 && most <= begin) return sweep_inside(x, taps, y.data, begin, end, fixed);
    for (std::int64_t i = begin; i < end; ++i) y[i] = tap_sample(T(x[i]), taps, y, i, i - begin, fixed);
  });
}

/// What the reverse sweep of a row reads and writes beside its taps. `z` holds the gradients of the outputs, which
/// become those of the inputs; `y` the outputs, asked for where the gradients of the coefficients are wanted.
template <class T>
struct BackSweep {
  T* z;
  const T* y;
  std::vector<T>& of_history;
  const Lane<T>& of_coefficients;
};

/// The reverse sweep over the times [begin, end), the last first. The lane of delays begins at `begin`. `Inside` says
/// that no delay reaches before the row.
template <bool Inside, bool WithCoefficients, class T, class Count>
inline void sweep_back(const Taps<T>& taps, const BackSweep<T>& sweep, std::int64_t begin, std::int64_t end,
                       Count count) {
  T* const z = sweep.z;
  for (std::int64_t i = end - 1; i >= begin; --i) {
    const T gradient = signed_tap(taps, z[i]);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t j = i - taps.delays(i - begin, k);
      if constexpr (WithCoefficients) {
        const T output = Inside ? sweep.y[j] : output_at(sweep.y, taps.history, j);
        sweep.of_coefficients(i, k) = gradient * conjugate(output);
      }
      const T part = conjugate(taps.coefficients(i, k)) * gradient;
      if (Inside || j >= 0) {
        z[j] += part;
      } else if (!sweep.of_history.empty()) {
        sweep.of_history[static_cast<std::size_t>(history_index(j, taps.history.size))] += part;
      }
    }
  }
}

/// Whichever of the four serves one piece.
template <class T, class Count>
void sweep_piece_back(bool inside, const Taps<T>& taps, const BackSweep<T>& sweep, std::int64_t begin, std::int64_t end,
                      Count count) {
  if (sweep.of_coefficients) {
    inside ? sweep_back<true, true>(taps, sweep, begin, end, count)
           : sweep_back<false, true>(taps, sweep, begin, end, count);
  } else {
    inside ? sweep_back<true, false>(taps, sweep, begin, end, count)
           : sweep_back<false, false>(taps, sweep, begin, end, count);
  }
}

/// Calls back(delays, begin, end) for the pieces of a row, the last first.
template <class T, class Back>
void for_each_piece_back(const Rows<T>& rows, const Back& back) {
  const std::int64_t piece = piece_of(rows.taps);
  DelayBuffer copy;
  for (std::int64_t begin = (rows.length - 1) / piece * piece; begin >= 0; begin -= piece) {
    const std::int64_t end = std::min(rows.length, begin + piece);
    back(rows.delay_pieces->load(rows.row, begin, end - begin, copy), begin, end);
  }
}

/// The reverse sweep of a row, piece by piece where its delays come so.
template <class T>
void sweep_row_back(const Rows<T>& rows, std::int64_t count, Taps<T> taps, const BackSweep<T>& sweep) {
  const auto back = [&](const Lane<const std::int64_t>& delays, std::int64_t begin, std::int64_t end) {
    taps.delays = delays;
    const bool inside = range_of(delays).most <= begin;
    visit_taps<T>(count, [&](auto fixed) { sweep_piece_back(inside, taps, sweep, begin, end, fixed); });
  };
  rows.delay_pieces == nullptr ? back(taps.delays, 0, rows.length) : for_each_piece_back(rows, back);
}

/// Memory for the gradients of a row's outputs, filled with those that came: the memory of the input's gradient where
/// it is wanted and dense, which the reverse sweep makes of them.
template <class T>
T* gradient_memory(const Rows<T>& rows, std::vector<T>& own) {
  const Lane<T>& of_input = rows.grad_in[0];
  const bool shared = of_input && of_input.step == 1;
  if (!shared) own.resize(static_cast<std::size_t>(rows.length));
  T* z = shared ? of_input.data : own.data();
  for (std::int64_t i = 0; i < rows.length; ++i) z[i] = rows.grad[0][i];
  return z;
}

}  // namespace portops::detail
