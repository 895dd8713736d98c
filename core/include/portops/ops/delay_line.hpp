#pragma once
#include <portops/execution.hpp>
#include <portops/recurrence.hpp>
#include <portops/refs/delay_line.hpp>
#include <portops/view.hpp>

namespace portops {

/// delay_line: `y[i] = (1-g)*x[i] + g*y[p(i)]` with `p(i) = max(0, i - d[i])`; where `p(i) == i`, `y[i] = x[i]`. Time
/// is the last axis.
///
/// Shapes: samples and out (..., N); delays broadcastable to (..., N). Units: delays in samples.
/// dtypes: samples and out float or double, the same; delays any integer type of 8 to 64 bits, signed or unsigned.
/// Aliasing: out may be samples, and must not overlap an input otherwise. Only leading axes run in parallel, so the
/// result has the same bits for any number of threads. Synchronisation: the host has finished on return.
/// Empty input: nothing happens. Errors: Error for other shapes and types, overlaps, and a negative delay, of which it
/// names the first index and value; nothing is written then.
/// Source: the variable delay line of the question "Torchscript, slow loops and in-place updates" (document B).
///
///     portops::delay_line(exec, samples, delays, out, 0.5);
template <class Exec, ElementView Samples, ElementView Delays, OutputView Out>
  requires Kokkos::is_execution_space_v<Exec>
void delay_line(const Exec& exec, const Samples& samples, const Delays& delays, const Out& out, double mix = 0.5) {
  static_assert(detail::device_of<Exec> == DeviceType::cpu, "this execution space has no delay_line kernel");
  const ViewRef<Samples> samples_ref(samples);
  const ViewRef<Delays> delays_ref(delays);
  const ViewRef<Out> out_ref(out);
  const detail::DelayLineJob job{samples_ref, delays_ref, out_ref, mix};
  detail::check_delay_line("portops::delay_line", job);
  detail::check_delays("portops::delay_line", delays_ref);
  detail::launch_ranges(exec, "portops::delay_line", job.rows(), 1, job);
}

}  // namespace portops
