#include <portops/detail/delay_lane.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include <portops/check.hpp>
#include <portops/detail/iteration.hpp>
#include <portops/detail/visit_integer.hpp>

namespace portops::detail {
namespace {

/// Through memcpy, which compiles to a plain move: delays may lie at odd addresses.
template <class Stored>
Stored read_delay(const char* from) {
  Stored delay;
  std::memcpy(&delay, from, sizeof(Stored));
  return delay;
}

/// 64-bit, saturated: a delay of 2^63 and more reaches beyond any start all the same.
template <class Stored>
std::int64_t widen_delay(const char* from) {
  const auto delay = read_delay<Stored>(from);
  if constexpr (std::is_same_v<Stored, std::uint64_t>) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(delay, most));
  } else {
    return static_cast<std::int64_t>(delay);
  }
}

/// `stride` bytes apart.
template <class Stored>
void widen_delays(std::int64_t* to, const char* from, std::int64_t stride, std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
  if (stride == size) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen_delay<Stored>(from + i * size);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen_delay<Stored>(from + i * stride);
  }
}

/// Smallest of `count` delays, `stride` bytes apart.
template <class Delay>
Delay least_of(const char* delays, std::int64_t stride, std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Delay));
  Delay least = std::numeric_limits<Delay>::max();
  if (stride == size) {
    for (std::int64_t i = 0; i < count; ++i) least = std::min(least, read_delay<Delay>(delays + i * size));
  } else {
    for (std::int64_t i = 0; i < count; ++i) least = std::min(least, read_delay<Delay>(delays + i * stride));
  }
  return least;
}

/// True if a delay is smaller than `least`. Goes along memory, whatever the order of the axes.
template <class Delay>
bool any_below(const TensorRef& delays, std::int64_t least) {
  if (std::is_unsigned_v<Delay> && least <= 0) return false;
  const Iteration iteration =
      make_iteration({delays.sizes, static_cast<std::size_t>(delays.rank)}, std::span(&delays, 1));
  const std::int64_t line = iteration.sizes[0];
  for (std::int64_t first = 0; first < iteration.numel; first += line) {
    std::int64_t index = first / line, offset = 0;
    for (std::size_t dim = 1; dim < static_cast<std::size_t>(iteration.rank); ++dim) {
      offset += index % iteration.sizes[dim] * iteration.strides[dim][0];
      index /= iteration.sizes[dim];
    }
    const Delay smallest = least_of<Delay>(iteration.data[0] + offset, iteration.strides[0][0], line);
    if (smallest < static_cast<Delay>(least)) return true;
  }
  return false;
}

[[noreturn]] void raise_below(const char* op, const TensorRef& delays, std::int64_t least) {
  const char* rule = least == 0 ? "delays must not be negative" : "delays must be at least 1";
  const std::int64_t length = row_length(delays);
  for (std::int64_t row = 0; row < row_count(delays); ++row) {
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = row_offset(delays, delays, row) + i * row_stride(delays);
      const char* from = static_cast<const char*>(delays.data) + at * size_of(delays.dtype);
      const std::int64_t value =
          visit_integer(delays.dtype, [&](auto zero) { return widen_delay<decltype(zero)>(from); });
      if (value < least) raise(op, rule, "flat index", row * length + i, "delay", value);
    }
  }
  raise(op, "delays are out of range; another thread changes them");
}

}  // namespace

void check_delays(const char* op, const TensorRef& delays, std::int64_t least) {
  if (delays.numel() == 0) return;
  const bool below = visit_integer(delays.dtype, [&](auto delay) { return any_below<decltype(delay)>(delays, least); });
  if (below) raise_below(op, delays, least);
}

DelayLane::DelayLane(const LaneAddress& from) : m_from(from), m_present(true) {
  m_direct = from.dtype() == DType::int64 && from.aligned() && (from.sizes().taps == 1 || from.step(1) == 1);
}

Lane<const std::int64_t> DelayLane::load(std::int64_t row, std::int64_t begin, std::int64_t count,
                                         DelayBuffer& copy) const {
  const std::int64_t taps = m_from.sizes().taps, step = m_from.step(0), tap_step = taps == 1 ? 0 : 1;
  const std::int64_t element = size_of(m_from.dtype());
  const char* from = m_from.row(row) + begin * step * element;
  if (m_direct) return {reinterpret_cast<const std::int64_t*>(from), count, taps, step, tap_step, true};
  const std::int64_t times = step == 0 ? std::min<std::int64_t>(1, count) : count;
  std::int64_t* const to = copy.get(times * taps);
  visit_integer(m_from.dtype(), [&](auto zero) {
    const auto widen = &widen_delays<decltype(zero)>;
    const std::int64_t between_taps = m_from.step(1) * element, between_times = step * element;
    if (taps == 1 || between_times == between_taps * taps) {
      return widen(to, from, taps == 1 ? between_times : between_taps, times * taps);
    }
    for (std::int64_t i = 0; i < times; ++i) {
      widen(to + i * taps, from + i * between_times, between_taps, taps);
    }
  });
  return {to, count, taps, step == 0 ? 0 : taps, tap_step, true};
}

}  // namespace portops::detail
