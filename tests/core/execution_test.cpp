#include <atomic>
#include <thread>
#include <vector>

#include <portops/portops.hpp>

#ifdef PORTOPS_BACKEND_OPENMP
#include <omp.h>
#endif

#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/random.hpp"

namespace portops::test {
namespace {

constexpr std::int64_t size = 200000;

/// softplus of `size` numbers on the threads that `stream` allows.
std::vector<float> run(const StreamRef& stream) {
  const auto x = uniform_values<float>(size, -5, 5);
  std::vector<float> y(x.size());
  const auto ref = [](const float* data) {
    return TensorRef{const_cast<float*>(data), DType::float32, {}, 1, &size, nullptr};
  };
  softplus(stream, ref(x.data()), ref(y.data()));
  return y;
}

StreamRef with_threads(int threads) {
  StreamRef stream;
  stream.threads = threads;
  return stream;
}

TEST(Execution, ServesSeveralThreadsAtOnce) {
  const auto expected = run(with_threads(1));
  std::vector<std::vector<float>> results(6);
  std::vector<std::thread> threads;
  for (std::size_t at = 0; at < results.size(); ++at) {
    threads.emplace_back([&results, at] {
      for (int repeat = 0; repeat < 20; ++repeat) results[at] = run(with_threads(1 + static_cast<int>(at % 3)));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST(Execution, UsesAsManyThreadsAsTheStreamAllows) {
  for (const int threads : {2, 3, 5}) {
    std::atomic<int> ranges = 0;
    detail::run_on_host(with_threads(threads), "portops::test", 1000, 1, 10,
                        [&](std::int64_t, std::int64_t) { ++ranges; });
#ifdef PORTOPS_BACKEND_OPENMP
    EXPECT_EQ(ranges, threads);
#else
    EXPECT_GE(ranges, 1);
#endif
  }
}

// Every element once, ranges at multiples of the granule, for sizes around every corner.
TEST(Execution, CoversTheRangeOnce) {
  for (const std::int64_t granule : {1, 64}) {
    for (const std::int64_t count : {1, 2, 63, 64, 65, 127, 128, 1000, 4097}) {
      for (int threads = 1; threads <= 8; ++threads) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
        std::atomic<bool> aligned = true;
        detail::run_on_host(with_threads(threads), "portops::test", count, granule, 0,
                            [&](std::int64_t begin, std::int64_t end) {
                              if (begin % granule != 0) aligned = false;
                              for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
                            });
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count << " elements, " << threads << " threads";
        EXPECT_TRUE(aligned);
      }
    }
  }
}

TEST(Execution, StaysInTheCallingThreadForSmallSizes) {
  const KokkosRecorder recorder;
  const auto caller = std::this_thread::get_id();
  detail::run_on_host(with_threads(4), "portops::test", 100, 1, 100,
                      [&](std::int64_t, std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  EXPECT_TRUE(recorder.kernels().empty());
}

TEST(Execution, PassesOnTheErrorOfABody) {
  const auto fail = [](std::int64_t, std::int64_t) { throw Error("portops::test: as asked"); };
  EXPECT_THROW(detail::run_on_host(with_threads(1), "portops::test", 1000, 1, 0, fail), Error);
}

#ifdef PORTOPS_BACKEND_OPENMP
TEST(Execution, LeavesOpenMPAsItIs) {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    run(with_threads(2));
    run(with_threads(0));
    EXPECT_EQ(omp_get_max_threads(), threads);
    EXPECT_EQ(omp_get_dynamic(), 0);
  }
}

TEST(Execution, WorksInsideAParallelRegion) {
  const auto expected = run(with_threads(1));
  std::vector<std::vector<float>> results(4);
#pragma omp parallel num_threads(4)
  {
    results[static_cast<std::size_t>(omp_get_thread_num())] = run(with_threads(4));
  }
  for (const auto& result : results) EXPECT_EQ(result, expected);
}
#endif

}  // namespace
}  // namespace portops::test
