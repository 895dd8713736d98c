#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// One row of a recurrence: time runs along it, `stride` elements apart.
template <class T>
struct Row {
  T* data;
  std::int64_t stride;
  T& operator[](std::int64_t i) const { return data[i * stride]; }
};

/// The same with neighbours in memory, which the compiler then knows.
template <class T>
struct DenseRow {
  T* data;
  T& operator[](std::int64_t i) const { return data[i]; }
};

/// The sample that a delay points to: i - delay, at least 0; never wraps for any integer type.
/// Precondition: delay >= 0. Signed arithmetic wherever it holds the delay: it compiles to one subtraction and one
/// maximum, where an unsigned comparison takes twice the time of the whole sweep.
template <class Delay>
std::int64_t delayed_index(std::int64_t i, Delay delay) {
  if constexpr (std::is_same_v<Delay, std::uint64_t>) {
    return i - static_cast<std::int64_t>(std::min(delay, static_cast<std::uint64_t>(i)));
  } else {
    return std::max<std::int64_t>(0, i - static_cast<std::int64_t>(delay));
  }
}

/// The serial sweep: y[i] = (1 - mix) * x[i] + mix * y[p(i)], and y[i] = x[i] where a sample points to itself.
/// Reads x[i] before it writes y[i] and only earlier y, so y may be x.
template <class T, class Samples, class Delays, class Out>
void sweep_delay_line(Samples x, Delays delays, Out y, std::int64_t length, double mix) {
  const T keep = static_cast<T>(1.0 - mix), feedback = static_cast<T>(mix);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t source = delayed_index(i, delays[i]);
    const T sample = x[i];
    y[i] = source == i ? sample : keep * sample + feedback * y[source];
  }
}

/// One call of delay_line on the host without its types: rows are the indices of all axes but the last.
struct DelayLineJob {
  TensorRef samples, delays, out;
  double mix;

  std::int64_t rows() const;
  /// Sweeps the rows [begin, end).
  void operator()(std::int64_t begin, std::int64_t end) const;
};

/// Throws unless the shapes and types fit and `out` may be written.
void check_delay_line(const char* op, const DelayLineJob& job);

/// Throws if a delay is negative, with the first index and value.
void check_delays(const char* op, const TensorRef& delays);

}  // namespace portops::detail
