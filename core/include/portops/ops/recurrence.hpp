#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/recurrence.hpp>

namespace portops {
namespace detail {
void recurrence_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// recurrence: `y[i] = x[i] + sum_k a[i,k] * y[i - d[i,k]]`, a filter whose taps and delays may differ per sample. Time
/// is the last axis of input, the last but one of coefficients and delays.
///
/// Shapes: input and out (..., N); coefficients and delays broadcastable to (..., N, K); history and next_history
/// (..., H): past outputs, oldest first, before the row and for the next one. An output before the history is its
/// oldest; without history it is 0. Units: delays in samples, at least 1.
/// dtypes: float, double or complex of either; delays any integer type. Computed in double where input or coefficients
/// are, and as complex numbers where one of them is.
/// Aliasing: out may be input, and must not overlap another tensor. Bits: the same for any number of threads, for
/// blocks of a signal with their history and for the whole, unless `jumping` computes it. Synchronisation: the host has
/// finished on return. Empty input: the history passes through. Errors: Error for other shapes and types, overlaps, and
/// a delay below 1, of which it names the first index and value; nothing is written then.
/// Cost: N*K, whatever the delays; no memory but the arguments, unless `jumping` computes it.
///
///     portops::recurrence(exec, input, coefficients, delays, history, out, next_history);
template <class Exec, ElementView Input, ElementView Coefficients, ElementView Delays, ElementView History,
          OutputView Out, OutputView Next>
  requires Kokkos::is_execution_space_v<Exec>
void recurrence(const Exec& exec, const Input& input, const Coefficients& coefficients, const Delays& delays,
                const History& history, const Out& out, const Next& next_history,
                Algorithm algorithm = Algorithm::automatic) {
  detail::call_rows_on<2>(exec, &detail::recurrence_rows, "portops::recurrence", {static_cast<std::int64_t>(algorithm)},
                          out, next_history, input, coefficients, delays, history);
}

}  // namespace portops
