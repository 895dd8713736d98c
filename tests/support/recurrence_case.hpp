#pragma once
#include <functional>
#include <string>

#include <portops/ops/recurrence.hpp>

#include "support/rows.hpp"

namespace portops::test {

/// What a call of `recurrence` looks like. A history of -1 is none.
struct RecurrenceShape {
  Sizes rows = {2};
  std::int64_t length = 100, taps = 1, history = -1;
  DType dtype = DType::float32, coefficient_type = DType::float32, delay_type = DType::int32;
  double gain = 0.9, largest_delay = 20;
};

/// So that all taps together stay within the gain.
inline double gain_per_tap(const RecurrenceShape& shape) {
  return shape.gain / static_cast<double>(std::max<std::int64_t>(1, shape.taps));
}

/// The operands of one call, with its results from the operator and from the oracle.
class RecurrenceCase {
 public:
  using Pick = std::function<Layout(const Sizes&)>;
  using Shrink = std::function<Sizes(Sizes, bool of_delays)>;

  /// Layouts come from `pick`, the sizes of coefficients and delays from `shrink`, which may put 1 for a size, but not
  /// for the taps of both.
  RecurrenceCase(const RecurrenceShape& shape, const Pick& pick, const Shrink& shrink, std::uint64_t seed)
      : m_shape(shape),
        m_full(joined(shape.rows, {shape.length, shape.taps})),
        input(uniform(shape.dtype, pick(joined(shape.rows, {shape.length})), -1, 1, seed)),
        coefficients(uniform(shape.coefficient_type, pick(shrink(m_full, false)), -gain_per_tap(shape),
                             gain_per_tap(shape), seed + 1)),
        delays(integers(shape.delay_type, pick(shrink(m_full, true)), 1, shape.largest_delay, seed + 2)),
        history(uniform(shape.dtype, pick(joined(shape.rows, {std::max<std::int64_t>(0, shape.history)})), -1, 1,
                        seed + 3)) {}
  explicit RecurrenceCase(const RecurrenceShape& shape, std::uint64_t seed = 1)
      : RecurrenceCase(shape, &contiguous, [](Sizes sizes, bool) { return sizes; }, seed) {}

  struct Result {
    Tensor out, next;
  };
  Result run(Algorithm algorithm, int threads, const Layout& layout, DType dtype) const {
    Result result{Tensor(dtype, layout), Tensor(history.ref().dtype, contiguous(history.layout().sizes))};
    StreamRef stream;
    stream.threads = threads;
    if (m_shape.history < 0) {
      recurrence(stream, input.ref(), coefficients.ref(), delays.ref(), result.out.ref(), algorithm);
    } else {
      recurrence(stream, input.ref(), coefficients.ref(), delays.ref(), history.ref(), result.out.ref(),
                 result.next.ref(), algorithm);
    }
    return result;
  }
  Result run(Algorithm algorithm = Algorithm::automatic, int threads = 2) const {
    return run(algorithm, threads, contiguous(input.layout().sizes), input.ref().dtype);
  }

  testing::AssertionResult matches(const Result& result) const {
    for (std::int64_t row = 0; row < product(m_shape.rows); ++row) {
      const auto right = row_matches(result, row);
      if (!right) return testing::AssertionFailure() << "row " << row << ": " << right.message();
    }
    return testing::AssertionSuccess();
  }

 private:
  testing::AssertionResult row_matches(const Result& result, std::int64_t row) const {
    const std::int64_t length = m_shape.length, taps = m_shape.taps, kept = history.layout().sizes.back();
    const auto past = row_of(history, history.layout().sizes, row, kept);
    const auto expected = reference::recurrence(
        row_of(input, input.layout().sizes, row, length), row_of(coefficients, m_full, row, length * taps),
        row_of(delays, m_full, row, length * taps), static_cast<std::size_t>(taps), past);
    const DType written = result.out.ref().dtype;
    const bool decides = coefficients.ref().rank > 0 && m_shape.coefficient_type == DType::float64;
    const bool wide = decides || m_shape.dtype == DType::float64 || written == DType::float64;
    const auto outputs = all_of(static_cast<std::size_t>(length), [&](std::size_t i) {
      const double actual = result.out.get(row * length + static_cast<std::int64_t>(i));
      return near_row(actual, expected, i, wide, written, length * taps);
    });
    if (!outputs || m_shape.history < 0) return outputs;
    return all_of(static_cast<std::size_t>(kept), [&](std::size_t h) {
      const double actual = result.next.get(row * kept + static_cast<std::int64_t>(h));
      const std::int64_t j = length - kept + static_cast<std::int64_t>(h);
      if (j >= 0) {
        return near_row(actual, expected, static_cast<std::size_t>(j), wide, m_shape.dtype, length * taps);
      }
      return actual == past[h + static_cast<std::size_t>(length)] ? testing::AssertionSuccess()
                                                                  : testing::AssertionFailure() << "history is lost";
    });
  }

  RecurrenceShape m_shape;
  Sizes m_full;

 public:
  Tensor input, coefficients, delays, history;
};

}  // namespace portops::test
