#include "wave_table.hpp"

#include <algorithm>
#include <numbers>

#include <portops/detail/vector_math.hpp>

namespace portops::detail {
namespace {

/// sin(2 pi point / period), in torchaudio's order of operations: where a value lies halfway between two integers, its
/// last bit decides which delay it becomes.
struct Sine {
  double operator()(double point, double period) const {
    const Angle<double> angle = reduce_angle(point / period * 2 * std::numbers::pi);
    return (change_sign(sin_reduced<Constants<double>>(angle.r), angle.count) + 1) / 2;
  }
};

/// Rises from 1/2 to 1 in the first quarter, falls to 0 in the next two, and rises to 1/2 in the last.
struct Triangle {
  double operator()(double point, double period) const {
    const double d = point * 2 / period, quarters = 4 * point;
    return quarters < period ? d + 0.5 : quarters < 3 * period ? 1.5 - d : d - 1.5;
  }
};

void round_to(double value, float& to) { to = static_cast<float>(value); }
void round_to(double value, std::int32_t& to) { to = static_cast<std::int32_t>(value < 0 ? value - 0.5 : value + 0.5); }

template <class Shape, class Value>
void fill_shape(const Shape& shape, const Wave& wave, std::int64_t first, std::int64_t count, Value* to) {
  const auto period = static_cast<double>(wave.period);
  const double range = wave.high - wave.low;
  std::int64_t point = (first % wave.period + wave.shift) % wave.period;
  for (std::int64_t done = 0, run = 0; done < count; done += run, point = 0) {
    run = std::min(count - done, wave.period - point);
    const auto begin = static_cast<double>(point);
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(run); ++k) {
      round_to(shape(begin + k, period) * range + wave.low, to[done + k]);
    }
  }
}

template <class Value>
void fill(const Wave& wave, std::int64_t first, std::int64_t count, Value* to) {
  wave.shape == WaveShape::sine ? fill_shape(Sine(), wave, first, count, to)
                                : fill_shape(Triangle(), wave, first, count, to);
}

}  // namespace

void fill_wave(const Wave& wave, std::int64_t first, std::int64_t count, float* to) { fill(wave, first, count, to); }
void fill_wave(const Wave& wave, std::int64_t first, std::int64_t count, std::int32_t* to) {
  fill(wave, first, count, to);
}

}  // namespace portops::detail
