#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <Kokkos_Core.hpp>

namespace portops::test {

/// Records what Kokkos is asked to do while it lives: kernels with their labels and instances, fences, allocations,
/// copies. One at a time, because Kokkos' callbacks are plain functions.
class KokkosRecorder {
 public:
  struct Kernel {
    std::string label;
    std::uint32_t device;
  };

  KokkosRecorder() : m_previous(Kokkos::Tools::Experimental::get_callbacks()) {
    using namespace Kokkos::Tools::Experimental;
    current() = this;
    set_begin_parallel_for_callback(&begin_kernel);
    set_begin_parallel_reduce_callback(&begin_kernel);
    set_begin_parallel_scan_callback(&begin_kernel);
    set_begin_fence_callback(&begin_fence);
    set_allocate_data_callback(&allocate);
    set_begin_deep_copy_callback(&begin_copy);
  }
  ~KokkosRecorder() {
    Kokkos::Tools::Experimental::set_callbacks(m_previous);
    current() = nullptr;
  }
  KokkosRecorder(const KokkosRecorder&) = delete;
  KokkosRecorder& operator=(const KokkosRecorder&) = delete;

  const std::vector<Kernel>& kernels() const { return m_kernels; }
  const std::vector<std::string>& fences() const { return m_fences; }
  const std::vector<std::string>& allocations() const { return m_allocations; }
  const std::vector<std::string>& copies() const { return m_copies; }

  /// Labels of the kernels that are not `prefix` or a step of it, `prefix::step`. Kokkos names a kernel without a label
  /// after its functor's type.
  std::vector<std::string> kernels_outside(const std::string& prefix) const {
    std::vector<std::string> outside;
    for (const Kernel& kernel : m_kernels) {
      if (kernel.label != prefix && !kernel.label.starts_with(prefix + "::")) outside.push_back(kernel.label);
    }
    return outside;
  }

 private:
  using Space = Kokkos_Profiling_SpaceHandle;

  static KokkosRecorder*& current() {
    static KokkosRecorder* recorder = nullptr;
    return recorder;
  }
  static void begin_kernel(const char* label, std::uint32_t device, std::uint64_t*) {
    const std::lock_guard lock(current()->m_mutex);
    current()->m_kernels.push_back({label, device});
  }
  static void begin_fence(const char* name, std::uint32_t, std::uint64_t*) {
    // Kokkos fences before it calls a tool; without this recorder there is no such fence.
    if (std::string_view(name).starts_with("Kokkos::Tools::invoke_kokkosp_callback")) return;
    const std::lock_guard lock(current()->m_mutex);
    current()->m_fences.emplace_back(name);
  }
  static void allocate(Space, const char* label, const void*, std::uint64_t) {
    const std::lock_guard lock(current()->m_mutex);
    current()->m_allocations.emplace_back(label);
  }
  static void begin_copy(Space, const char* label, const void*, Space, const char*, const void*, std::uint64_t) {
    const std::lock_guard lock(current()->m_mutex);
    current()->m_copies.emplace_back(label);
  }

  Kokkos::Tools::Experimental::EventSet m_previous;
  std::mutex m_mutex;
  std::vector<Kernel> m_kernels;
  std::vector<std::string> m_fences, m_allocations, m_copies;
};

}  // namespace portops::test
