#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/lfilter.hpp>

namespace portops {
namespace detail {
void lfilter_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// lfilter: `sum_k a[k]*y[i-k] = sum_k b[k]*x[i-k]`, an IIR filter, clamped to [-1, 1] where `clamp` says so.
///
/// Shapes: waveform and out (..., T), time on the last axis; a_coeffs and b_coeffs (..., K), lowest delay first, whose
/// leading axes broadcast to those of waveform. dtypes: float or double. The past is kept in float64 for both.
/// Aliasing: out may be waveform, and must not overlap another tensor. Synchronisation: the host has finished on
/// return. Bits: the same for any number of threads and rows. Empty input: nothing happens. Errors: Error for other
/// shapes and types, and overlaps. a[0] == 0 gives infinities and NaN, as a division by it does. Source:
/// torchaudio.functional.lfilter, whose `batching=False` is an operand of one more axis here.
///
///     portops::lfilter(exec, waveform, a_coeffs, b_coeffs, out, true);
template <class Exec, ElementView Waveform, ElementView A, ElementView B, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void lfilter(const Exec& exec, const Waveform& waveform, const A& a_coeffs, const B& b_coeffs, const Out& out,
             bool clamp = true) {
  detail::call_rows_on<1>(exec, &detail::lfilter_rows, "portops::lfilter", {clamp}, out, waveform, a_coeffs, b_coeffs);
}

}  // namespace portops
