#pragma once
#include <portops/detail/row_launch.hpp>
#include <portops/refs/allpole.hpp>

namespace portops {
namespace detail {
void allpole_rows(const Call& call, const RowLaunch& launch);
}  // namespace detail

/// allpole: `y[t] = x[t] - sum_k a[t,k] * y[t-1-k]`, a filter of poles that move with time.
///
/// Shapes: input and out (..., T); coefficients (..., T, K); initial (..., K): outputs before the row, most recent
/// first. dtypes: float, double or complex of either; computed in double where input or coefficients are. Aliasing: out
/// may be input, and must not overlap another tensor. Synchronisation: the host has finished on return. Empty input:
/// nothing happens. Errors: Error for other shapes and types, and overlaps. Bits: the same for any number of threads.
/// Source: the time-varying all-pole filter of C.-Y. Yu and G. Fazekas, "Differentiable time-varying linear prediction
/// in the context of end-to-end analysis-by-synthesis", Interspeech 2024, as torchlpc computes it.
///
///     portops::allpole(exec, input, coefficients, initial, out);
template <class Exec, ElementView Input, ElementView Coefficients, ElementView Initial, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void allpole(const Exec& exec, const Input& input, const Coefficients& coefficients, const Initial& initial,
             const Out& out) {
  detail::call_rows_on<1>(exec, &detail::allpole_rows, "portops::allpole", {}, out, input, coefficients, initial);
}

}  // namespace portops
