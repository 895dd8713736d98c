#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include <portops/detail/lanes.hpp>

namespace portops::detail {

/// Throws if a delay is smaller than `least` (0 or 1), with the first index and value.
void check_delays(const char* op, const TensorRef& delays, std::int64_t least = 0);

/// Memory for converted delays; a piece of a row needs none of the heap.
class DelayBuffer {
 public:
  std::int64_t* get(std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    if (size <= m_few.size()) return m_few.data();
    m_many.resize(size);
    return m_many.data();
  }

 private:
  std::array<std::int64_t, 1024> m_few;
  std::vector<std::int64_t> m_many;
};

/// Delays as 64-bit integers, the taps of one time side by side: where they lie, or as a copy.
class DelayLane {
 public:
  DelayLane() = default;
  explicit DelayLane(const LaneAddress& from);
  explicit operator bool() const { return m_present; }
  /// The times [begin, begin + count) of a row; time 0 of the lane is `begin`.
  Lane<const std::int64_t> load(std::int64_t row, std::int64_t begin, std::int64_t count, DelayBuffer& copy) const;
  Lane<const std::int64_t> load(std::int64_t row, DelayBuffer& copy) const {
    return load(row, 0, m_from.sizes().time, copy);
  }

 private:
  LaneAddress m_from;
  bool m_present = false, m_direct = false;
};

}  // namespace portops::detail
