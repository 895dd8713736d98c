#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/flanger.hpp>

namespace portops {
namespace detail {
void flanger_rows(const Call& call, const RowLaunch& launch);
void flanger_stream_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// flanger: `y[i] = clamp(a*x[i] + b*v[i], -1, 1)`, where `v[i]` is `s` at `i - d(i)`, between samples, and
/// `s[i] = x[i] + c*v[i-1]`. With w = width/100: `c = regen/100`, `a = 1/(1+w)`, `b = (1-|c|)*w/(1+w)`. d swings
/// between delay and delay + depth, in every channel `phase` later.
///
/// Shapes: waveform and out (..., C, N), C at most 4. Units: sample_rate and speed in Hz, delay and depth in
/// milliseconds, regen, width and phase in percent. dtypes: float or double; d is rounded to float32, as in torchaudio.
/// Aliasing: out may be waveform, and must not overlap it otherwise. Bits: those of torchaudio, for any number of
/// threads. Synchronisation: the host has finished on return. Empty input: nothing happens.
/// Errors: Error for other shapes and types, overlaps, parameters out of the ranges of FlangerOptions, a sample_rate
/// that is not 1 to 2^24, and a period of the modulation shorter than a sample. Cost: N per row, whatever the delays;
/// memory for one delay buffer per thread and at most one period of the modulation.
/// Source: the effect "flanger" of SoX, as torchaudio.functional.flanger computes it.
///
///     portops::flanger(exec, waveform, out, 44100, {.regen = 40});
template <class Exec, ElementView Waveform, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void flanger(const Exec& exec, const Waveform& waveform, const Out& out, std::int64_t sample_rate,
             const FlangerOptions& options = {}) {
  detail::call_rows_on<1>(exec, &detail::flanger_rows, "portops::flanger",
                          {sample_rate, options.delay, options.depth, options.regen, options.width, options.speed,
                           options.phase, name(options.modulation), name(options.interpolation)},
                          out, waveform);
}

/// The same for one block of a longer signal, whose first sample is sample `position` of that. history and next_history
/// (..., C, H) hold the last values of s before the block and after it, oldest first; at the start they are 0.
/// H is at least `flanger_history_length(sample_rate, options)`, which is
/// `int((delay/1000 + depth/1000)*sample_rate + 0.5) + 2`; an Error otherwise, and for a negative position.
/// Blocks of any size give the bits of the whole, unless history is of a smaller type than that in which is computed:
/// float for half types. Aliasing: next_history must not overlap another tensor. Empty block: the history passes
/// through.
///
///     portops::flanger_stream(exec, block, history, out, next_history, position, 44100, {.regen = 40});
template <class Exec, ElementView Waveform, ElementView History, OutputView Out, OutputView Next>
  requires Kokkos::is_execution_space_v<Exec>
void flanger_stream(const Exec& exec, const Waveform& waveform, const History& history, const Out& out,
                    const Next& next_history, std::int64_t position, std::int64_t sample_rate,
                    const FlangerOptions& options = {}) {
  detail::call_rows_on<2>(exec, &detail::flanger_stream_rows, "portops::flanger_stream",
                          {position, sample_rate, options.delay, options.depth, options.regen, options.width,
                           options.speed, options.phase, name(options.modulation), name(options.interpolation)},
                          out, next_history, waveform, history);
}

}  // namespace portops
