#pragma once
#include <cstdint>

#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// In the ranges of torchaudio.
struct PhaserOptions {
  double gain_in = 0.4;    // factor, 0 to 1
  double gain_out = 0.74;  // factor, 0 to 1e9
  double delay_ms = 3.0;   // largest delay in milliseconds, 0 to 5
  double decay = 0.4;      // factor, 0 to 0.99
  double mod_speed = 0.5;  // of the modulation, in Hz, 0.1 to 2
  bool sinusoidal = true;  // else triangular
};

/// A recurrence of one tap whose delay swings; see <portops/ops/phaser.hpp>. Half types are computed in float32 and
/// rounded once.
void phaser(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, std::int64_t sample_rate,
            const PhaserOptions& options = {});

}  // namespace portops
