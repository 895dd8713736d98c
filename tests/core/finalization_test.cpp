#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <portops/portops.hpp>

#include "support/compare.hpp"

#ifdef PORTOPS_BACKEND_OPENMP
#include <omp.h>
#endif

namespace portops::test {
namespace {

void run(std::int64_t size) {
  std::vector<float> x(static_cast<std::size_t>(size), 1.0F);
  const TensorRef ref{x.data(), DType::float32, {}, 1, &size, nullptr};
  softplus(StreamRef(), ref, ref);
}

// The whole life of a process, in one test, because Kokkos starts and ends once.
TEST(Finalization, IsNoticedByEveryOperator) {
  ASSERT_FALSE(Kokkos::is_initialized());
#ifdef PORTOPS_BACKEND_OPENMP
  omp_set_num_threads(3);
#endif
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  run(1000);
  run(100000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(Kokkos::is_initialized());
#ifdef PORTOPS_BACKEND_OPENMP
  EXPECT_EQ(omp_get_max_threads(), 3);
#endif
  std::atomic<bool> ran = false, finalized = false;
  std::thread other([&] {
    run(100000);  // this thread's instance outlives Kokkos
    ran = true;
    while (!finalized) std::this_thread::yield();
    EXPECT_TRUE(throws_with<Error>([] { run(100000); }, {"portops", "finalized"}));
  });
  while (!ran) std::this_thread::yield();
  Kokkos::finalize();
  finalized = true;
  other.join();
  for (const std::int64_t size : {1, 1000, 100000}) {
    EXPECT_TRUE(throws_with<Error>([&] { run(size); }, {"portops", "finalized"})) << size;
  }
}

}  // namespace
}  // namespace portops::test
