#pragma once
#include <algorithm>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <portops/stream_ref.hpp>

// The only place that knows which backend was built.
namespace portops {

#if defined(PORTOPS_BACKEND_SERIAL)
using HostSpace = Kokkos::Serial;
#elif defined(PORTOPS_BACKEND_THREADS)
using HostSpace = Kokkos::Threads;
#elif defined(PORTOPS_BACKEND_OPENMP)
using HostSpace = Kokkos::OpenMP;
#else
using HostSpace = Kokkos::DefaultHostExecutionSpace;
#endif

/// Initialises Kokkos silently unless the program did; throws Error after Kokkos::finalize. The thread count and the
/// other settings of the process are as before. Thread-safe.
void ensure_initialized();

namespace detail {

/// Calls body(begin, end) over [0, size) on the given instance, one labelled launch; ranges begin at multiples of
/// `granule`.
template <class Exec, class Body>
void launch_ranges(const Exec& exec, const char* label, std::int64_t size, std::int64_t granule, const Body& body) {
  const std::int64_t granules = (size + granule - 1) / granule;
  const std::int64_t workers = std::min<std::int64_t>(exec.concurrency(), granules);
  if (workers == 0) return;
  const auto bound = [=](std::int64_t worker) { return std::min(size, granules * worker / workers * granule); };
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, workers),
                       [&body, bound](std::int64_t worker) { body(bound(worker), bound(worker + 1)); });
}

/// A reference to a callable body(begin, end); the callable outlives the call.
class RangeBody {
 public:
  template <class Body>
  RangeBody(const Body& body)  // NOLINT(google-explicit-constructor): as std::function_ref
      : m_body(&body), m_call([](const void* erased, std::int64_t begin, std::int64_t end) {
          (*static_cast<const Body*>(erased))(begin, end);
        }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { m_call(m_body, begin, end); }

 private:
  const void* m_body;
  void (*m_call)(const void*, std::int64_t, std::int64_t);
};

/// As launch_ranges, on the threads that `stream` allows: in this thread where the size is at most `grain`, the
/// stream allows one thread, or the call comes from a parallel region or a forked child; else on an instance of
/// its own per calling thread, so that callers do not wait for each other.
void run_on_host(const StreamRef& stream, const char* label, std::int64_t size, std::int64_t granule,
                 std::int64_t grain, RangeBody body);

}  // namespace detail
}  // namespace portops
