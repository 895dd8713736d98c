#pragma once
#include <cstdint>
#include <string>

#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

enum class Modulation : std::uint8_t { sinusoidal, triangular };
enum class Interpolation : std::uint8_t { linear, quadratic };

inline std::string name(Modulation modulation) {
  return modulation == Modulation::sinusoidal ? "sinusoidal" : "triangular";
}
inline std::string name(Interpolation interpolation) {
  return interpolation == Interpolation::linear ? "linear" : "quadratic";
}

/// In the ranges of torchaudio.
struct FlangerOptions {
  double delay = 0.0;   // smallest delay in milliseconds, 0 to 30
  double depth = 2.0;   // swing of the delay in milliseconds, 0 to 10
  double regen = 0.0;   // feedback in percent, -95 to 95
  double width = 71.0;  // delayed signal in percent, 0 to 100
  double speed = 0.5;   // of the modulation, in Hz, 0.1 to 10
  double phase = 25.0;  // of the modulation from channel to channel, in percent of its period, 0 to 100
  Modulation modulation = Modulation::sinusoidal;
  Interpolation interpolation = Interpolation::linear;
};

/// A signal mixed with itself behind a delay that swings; see <portops/ops/flanger.hpp>. waveform (.., channel, time).
/// Half types are computed in float32 and rounded once.
void flanger(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, std::int64_t sample_rate,
             const FlangerOptions& options = {});

/// The length of the delay buffer in samples, which is the least length of the history of `flanger_stream`.
std::int64_t flanger_history_length(std::int64_t sample_rate, const FlangerOptions& options = {});

/// The same for one block of a longer signal. history (.., channel, H) holds the last values that entered the delay
/// buffer, oldest first, zeros at the start; `position` is the number of samples before the block.
void flanger_stream(const StreamRef& stream, const TensorRef& waveform, const TensorRef& history, const TensorRef& out,
                    const TensorRef& next_history, std::int64_t position, std::int64_t sample_rate,
                    const FlangerOptions& options = {});

}  // namespace portops
