#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/phaser.hpp>

namespace portops {
namespace detail {
void phaser_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// phaser: `y[i] = clamp(gain_out*t[i], -1, 1)` with `t[i] = gain_in*x[i] + decay*t[i - D(i)]`, 0 before the row. D
/// swings between 1 sample and delay_ms. Time is the last axis.
///
/// Shapes: waveform and out (..., N). Units: sample_rate and mod_speed in Hz, delay_ms in milliseconds; gains and decay
/// are factors. dtypes: float or double. Aliasing: out may be waveform, and must not overlap it otherwise. Bits: those
/// of torchaudio, for any number of threads. Synchronisation: the host has finished on return. Empty input: nothing
/// happens. Errors: Error for other shapes and types, overlaps, parameters out of the ranges of PhaserOptions, a
/// sample_rate that is not 1 to 2^24, and a delay_ms of less than half a sample. Cost: N per row, whatever the delays;
/// memory for one delay buffer per thread and at most one period of the modulation.
/// Source: the effect "phaser" of SoX, as torchaudio.functional.phaser computes it.
///
///     portops::phaser(exec, waveform, out, 44100, {.decay = 0.6});
template <class Exec, ElementView Waveform, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void phaser(const Exec& exec, const Waveform& waveform, const Out& out, std::int64_t sample_rate,
            const PhaserOptions& options = {}) {
  detail::call_rows_on<1>(exec, &detail::phaser_rows, "portops::phaser",
                          {sample_rate, options.gain_in, options.gain_out, options.delay_ms, options.decay,
                           options.mod_speed, options.sinusoidal},
                          out, waveform);
}

}  // namespace portops
