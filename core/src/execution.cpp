#include <portops/execution.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include <pthread.h>

#include <portops/check.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace portops {
namespace {

std::atomic<bool> usable{false};
std::atomic<bool> forked{false};
std::mutex mutex;

// The threads of an OpenMP pool do not exist in a forked child, and libgomp waits for them for ever. From loading on,
// not from the first call: the parent's pool may be torch's.
[[maybe_unused]] const int watching_forks = pthread_atfork(nullptr, nullptr, [] { forked = true; });

bool inside_parallel_region() {
#ifdef KOKKOS_ENABLE_OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

#ifdef KOKKOS_ENABLE_OPENMP
constexpr bool has_openmp = std::is_same_v<HostSpace, Kokkos::OpenMP>;
#else
constexpr bool has_openmp = false;
#endif

/// One host instance per calling thread, renewed when the thread count changes. Instances must be gone before
/// Kokkos::finalize, which a thread that still lives does not notice by itself: hence the set.
class ThreadInstance {
 public:
  ThreadInstance() {
    const std::lock_guard lock(mutex);
    all().insert(this);
  }
  ~ThreadInstance() {
    const std::lock_guard lock(mutex);
    all().erase(this);
    if (!usable) static_cast<void>(m_instance.release());  // too late to hand it back: Kokkos is gone
  }
  ThreadInstance(const ThreadInstance&) = delete;
  ThreadInstance& operator=(const ThreadInstance&) = delete;

  const HostSpace& get(int threads) {
    if (!m_instance || m_threads != threads) {
      m_instance.reset();
      if constexpr (has_openmp) {
        m_instance = std::make_unique<HostSpace>(threads);
      } else {
        m_instance = std::make_unique<HostSpace>();
      }
      m_threads = threads;
    }
    return *m_instance;
  }

  static void drop_all() {
    const std::lock_guard lock(mutex);
    usable = false;
    for (ThreadInstance* instance : all()) instance->m_instance.reset();
  }

 private:
  // Never destroyed: threads may end after the static objects of this library.
  static std::set<ThreadInstance*>& all() {
    static auto* set = new std::set<ThreadInstance*>;
    return *set;
  }
  std::unique_ptr<HostSpace> m_instance;
  int m_threads = 0;
};

void initialize_kokkos() {
  check(!Kokkos::is_finalized(), "portops", "Kokkos was finalized; operators cannot run any more");
  if (!Kokkos::is_initialized()) {
#ifdef KOKKOS_ENABLE_OPENMP
    const int threads = omp_get_max_threads();
#endif
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#ifdef KOKKOS_ENABLE_OPENMP
    omp_set_num_threads(threads);
#endif
  }
  Kokkos::push_finalize_hook(&ThreadInstance::drop_all);
  usable = true;
}

}  // namespace

void ensure_initialized() {
  if (usable) return;
  const std::lock_guard lock(mutex);
  if (!usable) initialize_kokkos();
}

namespace detail {

void run_on_host(const StreamRef& stream, const char* label, std::int64_t size, std::int64_t granule,
                 std::int64_t grain, RangeBody body) {
  if (size <= 0) return;
  const bool alone = size <= grain || stream.threads == 1 || forked || inside_parallel_region();
  if (alone && !Kokkos::is_finalized()) return body(0, size);
  ensure_initialized();
  thread_local ThreadInstance instance;
  const int threads = stream.threads > 0 ? stream.threads : HostSpace().concurrency();
  launch_ranges(instance.get(threads), label, size, granule, body);
}

}  // namespace detail
}  // namespace portops
