#include <portops/recurrence.hpp>

namespace portops::detail {

DelayRange range_of(const Lane<const std::int64_t>& delays) {
  DelayRange range;
  const auto take = [&](const std::int64_t* from, std::int64_t count) {
    std::int64_t least = range.least, most = range.most;
    for (std::int64_t i = 0; i < count; ++i) {
      least = std::min(least, from[i]);
      most = std::max(most, from[i]);
    }
    range = {least, most};
  };
  const std::int64_t times = delays.step == 0 ? std::min<std::int64_t>(1, delays.size) : delays.size;
  if (delays.step == delays.taps) {
    take(delays.data, times * delays.taps);
  } else {
    for (std::int64_t i = 0; i < times; ++i) take(&delays(i, 0), delays.taps);
  }
  return range;
}

std::int64_t least_positive_delay(const DelayLane& delays, std::int64_t row, std::int64_t length) {
  std::int64_t least = std::max<std::int64_t>(1, length);
  DelayBuffer copy;
  for (std::int64_t begin = 0; begin < length; begin += 1024) {
    const Lane<const std::int64_t> lane = delays.load(row, begin, std::min<std::int64_t>(1024, length - begin), copy);
    for (std::int64_t i = 0; i < lane.size; ++i) {
      for (std::int64_t k = 0; k < lane.taps; ++k) least = lane(i, k) > 0 ? std::min(least, lane(i, k)) : least;
    }
  }
  return least;
}

// |y| <= largest input times the sum of the geometric series; half the range is left for rounding.
bool may_jump(const RowTraits& traits, double largest) {
  const double c = traits.largest_coefficient;
  return c <= jumping_coefficient && traits.largest_input / (1 - c) <= largest / 2;
}

Algorithm choose_algorithm(Algorithm wish, const RowTraits& traits, double largest, int threads) {
  const bool jumps = may_jump(traits, largest);
  if (wish == Algorithm::automatic) {
    if (traits.least_delay >= least_block) return Algorithm::blocks;
    return jumps && threads >= jumping_threads ? Algorithm::jumping : Algorithm::serial;
  }
  return wish == Algorithm::jumping && !jumps ? Algorithm::serial : wish;
}

int thread_count(const StreamRef& stream) {
  if (stream.threads > 0) return stream.threads;
  ensure_initialized();
  return HostSpace().concurrency();
}

namespace {

/// Whether the first delays already say that blocks would be short.
bool begins_with_near_delays(const RowCall& call) {
  for (std::size_t n = 0; n < call.inputs.size(); ++n) {
    if (call.rules->in[n].kind != LaneKind::delay) continue;
    const DelayLane delays(call.address(call.inputs[n], n));
    DelayBuffer copy;
    const std::int64_t length = call.full().time, taps = call.sizes_of(n).taps;
    const auto first = delays.load(0, 0, std::min<std::int64_t>(length, 1024), copy);
    for (std::int64_t i = 0; i < first.size; ++i) {
      for (std::int64_t k = 0; k < taps; ++k) {
        if (first(i, k) > 0 && first(i, k) < least_block) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool wants_long_rows(Algorithm wish, const RowCall& call, int threads) {
  if (call.rows() == 0 || wish == Algorithm::serial) return false;
  if (wish != Algorithm::automatic) return true;
  if (call.rows() >= threads || row_length(call.shape()) < long_row) return false;
  return threads >= jumping_threads || !begins_with_near_delays(call);
}

}  // namespace portops::detail
