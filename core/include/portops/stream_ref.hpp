#pragma once
#include <portops/tensor_ref.hpp>

namespace portops {

/// Where and in which order a call runs: a device and its native stream (`cudaStream_t`), or the host and a number
/// of threads. The native stream is borrowed; nullptr is the device's default stream.
struct StreamRef {
  Device device = {};
  void* native = nullptr;
  /// Host only: how many threads the call may use; 0 stands for all that Kokkos has.
  int threads = 0;
};

}  // namespace portops
