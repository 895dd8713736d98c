#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/overdrive.hpp>

namespace portops {
namespace detail {
void overdrive_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// overdrive: `y[i] = clamp(x[i]/2 + 3/4*h[i], -1, 1)` with `h[i] = t[i] - t[i-1] + 0.995*h[i-1]`, where t is
/// `u = 10^(gain/20)*x + colour/200` clipped softly: `u - u^3/3` for |u| <= 1, 2/3 with u's sign beyond. Time is the
/// last axis.
///
/// Shapes: waveform and out (..., N). Units: gain in dB, 0 to 100; colour in percent, 0 to 100. dtypes: float or
/// double. Aliasing: out may be waveform, and must not overlap it otherwise. Bits: the same for any number of threads.
/// Synchronisation: the host has finished on return. Empty input: nothing happens. Errors: Error for other shapes and
/// types, overlaps, and parameters out of their ranges.
/// Source: the effect "overdrive" of SoX, as torchaudio.functional.overdrive computes it.
///
///     portops::overdrive(exec, waveform, out, 20, 20);
template <class Exec, ElementView Waveform, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void overdrive(const Exec& exec, const Waveform& waveform, const Out& out, double gain = 20, double colour = 20) {
  detail::call_rows_on<1>(exec, &detail::overdrive_rows, "portops::overdrive", {gain, colour}, out, waveform);
}

}  // namespace portops
