#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <portops/algorithm.hpp>
#include <portops/detail/pointer_jumping.hpp>
#include <portops/detail/row_job.hpp>

/// The engine of `y[i] = b[i] + sum_k a[i,k] * y[i - d[i,k]]`. What an operator adds is a row kernel
/// (detail/row_job.hpp) from which the three algorithms take what they need:
///   least_delay                                        the smallest delay that is allowed
///   sweep_piece(rows, delays, most, y, begin, end)     y of these times from earlier outputs   (serial sweep, blocks)
///   link(rows, i)                                      y[i] as b + a * y[parent], parent < i   (pointer jumping)
/// All give the result of the serial sweep; blocks give its bits.
namespace portops {

namespace detail {

/// Where output j < 0 lies in a history, oldest first; one beyond it is its oldest.
inline std::int64_t history_index(std::int64_t j, std::int64_t history_length) {
  return std::max<std::int64_t>(0, history_length + j);
}

/// Output j of a row with its history before it; 0 where there is none.
template <class T, class Outputs>
T output_at(const Outputs& y, const Lane<const T>& history, std::int64_t j) {
  if (j >= 0) return y[j];
  return history.size == 0 ? T(0) : history[history_index(j, history.size)];
}

/// The last outputs of a row, oldest first, as the history of the next.
template <class T, class Outputs>
void keep_history(const Outputs& y, std::int64_t length, const Lane<const T>& history, const Lane<T>& next) {
  for (std::int64_t h = 0; h < next.size; ++h) {
    const std::int64_t j = length - next.size + h;
    next[h] = j >= 0 ? y[j] : history[h + length];
  }
}

/// The reverse of keep_history: adds gradients of the next history to those of outputs and of the history.
template <class T>
void add_history_grad(T* z, std::int64_t length, const Lane<const T>& next, std::vector<T>& of_history) {
  for (std::int64_t h = 0; h < next.size; ++h) {
    const std::int64_t j = length - next.size + h;
    (j >= 0 ? z[j] : of_history[static_cast<std::size_t>(h + length)]) += next[h];
  }
}

template <class T>
void copy_to(const std::vector<T>& from, const Lane<T>& to) {
  if (!to) return;
  for (std::int64_t i = 0; i < to.size; ++i) to[i] = from[static_cast<std::size_t>(i)];
}

/// Smallest and largest delay of a piece.
struct DelayRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
};
DelayRange range_of(const Lane<const std::int64_t>& delays);

/// Smallest delay above 0 of a row.
std::int64_t least_positive_delay(const DelayLane& delays, std::int64_t row, std::int64_t length);

/// Times whose delays are read, checked and used together, so that the check leaves them in the first-level cache.
inline std::int64_t piece_of(std::int64_t taps) {
  return std::max<std::int64_t>(1, 1024 / std::max<std::int64_t>(1, taps));
}

/// Sweeps the times [begin, end) of a row piece by piece; false where a delay is too small, which ends it.
template <class RowKernel, class T, class Outputs>
bool sweep_range(const RowKernel& kernel, const Rows<T>& rows, const Outputs& y, std::int64_t begin, std::int64_t end) {
  DelayBuffer copy;
  const std::int64_t piece = piece_of(rows.taps);
  for (; begin < end; begin += piece) {
    const std::int64_t last = std::min(end, begin + piece);
    const Lane<const std::int64_t> lane = rows.delay_pieces->load(rows.row, begin, last - begin, copy);
    const DelayRange range = range_of(lane);
    if (range.least < RowKernel::least_delay) return false;
    kernel.sweep_piece(rows, lane, range.most, y, begin, last);
  }
  return true;
}

/// The outputs of a row, whichever way its delays come; false where one is refused.
template <class RowKernel, class T, class Outputs>
bool sweep_row(const RowKernel& kernel, const Rows<T>& rows, const Outputs& y) {
  if (rows.delay_pieces != nullptr) return sweep_range(kernel, rows, y, 0, rows.length);
  kernel.sweep_piece(rows, rows.delays, std::numeric_limits<std::int64_t>::max(), y, 0, rows.length);
  return true;
}

/// The forward pass of a row kernel.
template <class RowKernel, class T>
void forward_recurrence(const RowKernel& kernel, const Rows<T>& rows) {
  if (sweep_row(kernel, rows, rows.out[0])) return kernel.finish(rows);
  if (rows.refused != nullptr) *rows.refused = true;
}

/// What decides between the algorithms for one row.
struct RowTraits {
  /// No sample reads an output nearer than this, other than output 0.
  std::int64_t least_delay = 1;
  /// One tap, and every |a| is at most this; infinity where links cannot be used.
  double largest_coefficient = HUGE_VAL;
  /// Largest absolute value of b; infinity where one is not finite.
  double largest_input = HUGE_VAL;

  template <class T>
  void take_coefficient(const T& a) {
    largest_coefficient = std::max(largest_coefficient, magnitude(a));
  }
  template <class T>
  void take_input(const T& b) {
    largest_input = std::max(largest_input, magnitude(b));
  }

 private:
  /// Infinite for NaN.
  template <class T>
  static double magnitude(const T& x) {
    double size = 0;
    if constexpr (is_complex_element<T>) {
      size = std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag()));
    } else {
      size = std::fabs(static_cast<double>(x));
    }
    return size == size ? size : HUGE_VAL;
  }
};

/// A block's launch must be small beside the block, also where a thread is slow to start.
inline constexpr std::int64_t least_block = 32768;
/// Pointer jumping does about ten times the work of the sweep (eight rounds, three arrays).
inline constexpr int jumping_threads = 32;
inline constexpr double jumping_coefficient = 0.75;
inline constexpr std::int64_t long_row = 65536;

/// True if links give what the sweep gives, in the range of the type whose largest number this is: see
/// `jump_pointers`.
bool may_jump(const RowTraits& traits, double largest);
/// Resolves `automatic`. A row that does not allow jumping is swept also where jumping is wished.
Algorithm choose_algorithm(Algorithm wish, const RowTraits& traits, double largest, int threads);

/// Samples [1, length) in blocks whose samples do not depend on each other. All may read output 0, which is therefore
/// computed before.
template <class Sweep, class Launch>
void run_blocks(const Sweep& sweep, std::int64_t length, std::int64_t block, const Launch& launch) {
  sweep(0, std::min<std::int64_t>(1, length));
  for (std::int64_t begin = 1; begin < length; begin += block) {
    launch(std::min(block, length - begin),
           [&](std::int64_t first, std::int64_t last) { sweep(begin + first, begin + last); });
  }
}

/// Labels of an operator's kernels.
struct RecurrenceLabels {
  const char *serial, *blocks, *jumping;
};

/// Row after row, each by all threads.
template <class T, class RowKernel>
PORTOPS_DETAIL_LOCAL void launch_long_rows(const RowKernel& kernel, const RowCall& call, Algorithm wish, int threads,
                                           const RecurrenceLabels& labels, const RowLaunch& launch) {
  const bool may_use_links = wish == Algorithm::jumping || (wish == Algorithm::automatic && threads >= jumping_threads);
  RowLanes<T> pieces(call, true), whole(call, !may_use_links);
  for (std::int64_t row = 0; row < call.rows(); ++row) {
    const Rows<T> rows = pieces.open(row);
    RowTraits traits;
    traits.least_delay = least_positive_delay(*rows.delay_pieces, row, rows.length);
    const Rows<T> all = may_use_links ? whole.open(row) : rows;
    if (may_use_links) kernel.take_numbers(all, traits);
    const Algorithm algorithm = choose_algorithm(wish, traits, std::numeric_limits<Real<T>>::max(), threads);
    const auto sweep = [&](std::int64_t begin, std::int64_t end) {
      sweep_range(kernel, rows, rows.out[0], begin, end);
    };
    if (algorithm == Algorithm::jumping) {
      jump_pointers<T>([&](std::int64_t i) { return kernel.link(all, i); }, rows.out[0], rows.length,
                       [&](std::int64_t size, RangeBody body) { launch(labels.jumping, size, 1, body); });
    } else if (algorithm == Algorithm::blocks) {
      run_blocks(sweep, rows.length, traits.least_delay,
                 [&](std::int64_t size, RangeBody body) { launch(labels.blocks, size, 1, body); });
    } else {
      launch(labels.serial, 1, std::max<std::int64_t>(1, rows.length),
             [&](std::int64_t, std::int64_t) { sweep(0, rows.length); });
    }
    kernel.finish(rows);
    pieces.store(row);
  }
}

/// Whether one row is worth the threads that rows leave idle. Finding the smallest delay reads all delays once more.
bool wants_long_rows(Algorithm wish, const RowCall& call, int threads);

/// Threads that a call may use.
int thread_count(const StreamRef& stream);

/// Checks a call and chooses how its rows are computed. Delays of a call whose outputs nobody sees if it throws are
/// checked as they are used; else before anything is written.
template <class RowKernel>
PORTOPS_DETAIL_LOCAL void launch_recurrence(const RowKernel& kernel, const Call& from, Algorithm wish,
                                            const RecurrenceLabels& labels, const RowLaunch& launch) {
  RowCall call(RowKernel::rules, from, Pass::forward);
  std::atomic<bool> refused{false};
  call.refused = &refused;
  kernel.check(call);
  const int threads = thread_count(from.stream);
  const bool long_rows = wants_long_rows(wish, call, threads);
  if (long_rows || !from.fresh) kernel.check_values(call);
  if (long_rows) {
    return visit_row_type<RowKernel>(call.compute, [&](auto zero) {
      launch_long_rows<decltype(zero)>(kernel, call, wish, threads, labels, launch);
    });
  }
  launch(labels.serial, call.rows(), std::max<std::int64_t>(1, row_length(call.shape())),
         RowJob<RowKernel>{kernel, call});
  if (refused) kernel.check_values(call);
}

}  // namespace detail
}  // namespace portops
