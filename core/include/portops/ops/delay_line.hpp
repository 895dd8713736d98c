#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/delay_line.hpp>

namespace portops {
namespace detail {
void delay_line_rows(const Call& call, const RowLaunch& launch);
void delay_line_mix_rows(const Call& call, const RowLaunch& launch);
void delay_line_stream_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// delay_line: `y[i] = (1-g)*x[i] + g*y[p(i)]` with `p(i) = max(0, i - d[i])`; where `p(i) == i`, `y[i] = x[i]`. Time
/// is the last axis.
///
/// Shapes: samples and out (..., N); delays broadcastable to (..., N). Units: delays in samples.
/// dtypes: samples and out float, double or complex of either; delays any integer type of 8 to 64 bits, signed or
/// unsigned. Computed in double where samples or out are.
/// Aliasing: out may be samples, and must not overlap an input otherwise. The result has the same bits for any number
/// of threads, unless `jumping` computes it. Synchronisation: the host has finished on return. Empty input: nothing
/// happens. Errors: Error for other shapes and types, overlaps, and a negative delay, of which it names the first index
/// and value; nothing is written then. Source: the variable delay line of the question "Torchscript, slow loops and
/// in-place updates" (document B).
///
///     portops::delay_line(exec, samples, delays, out, 0.5);
template <class Exec, ElementView Samples, ElementView Delays, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void delay_line(const Exec& exec, const Samples& samples, const Delays& delays, const Out& out, double mix = 0.5,
                Algorithm algorithm = Algorithm::automatic) {
  detail::call_rows_on<1>(exec, &detail::delay_line_rows, "portops::delay_line",
                          {mix, static_cast<std::int64_t>(algorithm)}, out, samples, delays);
}

/// The same with a gain g that may differ per sample: mix, of a type that samples may have, broadcasts to (..., N).
///
///     portops::delay_line(exec, samples, delays, mix, out);
template <class Exec, ElementView Samples, ElementView Delays, ElementView Mix, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void delay_line(const Exec& exec, const Samples& samples, const Delays& delays, const Mix& mix, const Out& out) {
  detail::call_rows_on<1>(exec, &detail::delay_line_mix_rows, "portops::delay_line", {}, out, samples, delays, mix);
}

/// The same for one block of a longer signal: history (..., H) holds the last outputs before the block, oldest first;
/// next_history, of the same shape, receives those for the next block. A delay beyond the history reads its oldest
/// output. Blocks give the bits of the whole, with a history at least as long as the largest delay.
///
///     portops::delay_line_stream(exec, samples, delays, history, out, next_history, 0.5);
template <class Exec, ElementView Samples, ElementView Delays, ElementView History, OutputView Out, OutputView Next>
  requires Kokkos::is_execution_space_v<Exec>
void delay_line_stream(const Exec& exec, const Samples& samples, const Delays& delays, const History& history,
                       const Out& out, const Next& next_history, double mix = 0.5) {
  detail::call_rows_on<2>(exec, &detail::delay_line_stream_rows, "portops::delay_line_stream", {mix}, out, next_history,
                          samples, delays, history);
}

}  // namespace portops
