#pragma once
#include <cstdint>
#include <vector>

/// The slow oscillation that moves the delay of an effect, as a table that repeats.
namespace portops::detail {

enum class WaveShape : std::uint8_t { sine, triangle };

/// One period, in samples, of values from `low` to `high`; `shift` is the sample of the period with which it begins.
struct Wave {
  WaveShape shape = WaveShape::sine;
  std::int64_t period = 1, shift = 0;
  double low = 0, high = 0;
};

/// to[k] = value at `first + k`, computed in double and rounded as torchaudio rounds: to float32, or to the nearest
/// integer with halves away from zero. A value depends on its place in the period only. first >= 0.
void fill_wave(const Wave& wave, std::int64_t first, std::int64_t count, float* to);
void fill_wave(const Wave& wave, std::int64_t first, std::int64_t count, std::int32_t* to);

/// A place in a table that repeats.
template <class Value>
class WaveCursor {
 public:
  WaveCursor(const Value* values, std::int64_t at, std::int64_t size) : m_values(values), m_at(at), m_size(size) {}
  Value operator*() const { return m_values[m_at]; }
  WaveCursor& operator++() {
    m_at = m_at + 1 == m_size ? 0 : m_at + 1;
    return *this;
  }
  WaveCursor& operator--() {
    m_at = (m_at == 0 ? m_size : m_at) - 1;
    return *this;
  }

 private:
  const Value* m_values;
  std::int64_t m_at, m_size;
};

/// What a call reads of a wave: `count` values from each of a few starts. A short call computes those, a long one the
/// whole period, once.
template <class Value>
class WaveTable {
 public:
  WaveTable() = default;
  WaveTable(const Wave& wave, const std::vector<std::int64_t>& starts, std::int64_t count) : m_starts(starts) {
    m_whole = count > 0 && static_cast<std::int64_t>(starts.size()) >= (wave.period + count - 1) / count;
    m_size = m_whole ? wave.period : count;
    m_values.resize(m_whole ? static_cast<std::size_t>(m_size) : starts.size() * static_cast<std::size_t>(count));
    if (m_whole) {
      fill_wave(wave, 0, m_size, m_values.data());
      for (auto& start : m_starts) start %= wave.period;
    } else {
      for (std::size_t n = 0; n < starts.size(); ++n) fill_wave(wave, starts[n], count, m_values.data() + offset(n));
    }
  }

  /// Value `i` after start n, 0 <= i < count.
  WaveCursor<Value> at(std::size_t n, std::int64_t i) const {
    if (!m_whole) return {m_values.data() + offset(n), i, m_size};
    return {m_values.data(), (m_starts[n] + i) % m_size, m_size};
  }

 private:
  std::size_t offset(std::size_t n) const { return n * static_cast<std::size_t>(m_size); }

  std::vector<std::int64_t> m_starts;
  std::vector<Value> m_values;
  std::int64_t m_size = 0;
  bool m_whole = false;
};

}  // namespace portops::detail
