#include <portops/recurrence.hpp>

namespace portops::detail {

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

bool wants_long_rows(Algorithm wish, const RowCall& call, int threads) {
  if (call.rows() == 0 || wish == Algorithm::serial) return false;
  if (wish != Algorithm::automatic) return true;
  return call.rows() < threads && row_length(call.shape()) >= long_row;
}

}  // namespace portops::detail
