#include <portops/ops/lfilter.hpp>

#include <cmath>

#include "reference/lfilter.hpp"
#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

using Row = std::vector<double>;

const Row poles = {2, -1.9, 1.1, -0.2}, zeros = {0.5, 0.25, -1, 0.75};

Tensor filled(DType dtype, const Layout& layout, const Row& values) {
  Tensor tensor(dtype, layout);
  tensor.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i) % values.size()]; });
  return tensor;
}

Tensor noise(DType dtype, const Layout& layout) {
  Tensor tensor(dtype, layout);
  const auto values = uniform_values<double>(tensor.numel(), -1, 1);
  tensor.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  return tensor;
}

Row row_of(const Tensor& tensor, std::int64_t row, std::int64_t length) {
  Row values;
  for (std::int64_t i = 0; i < length; ++i) values.push_back(tensor.get(row * length + i));
  return values;
}

void run(const Tensor& x, const Tensor& out, bool clamp = true, int threads = 1) {
  StreamRef stream;
  stream.threads = threads;
  const Tensor a = filled(DType::float64, contiguous({4}), poles), b = filled(DType::float64, contiguous({4}), zeros);
  lfilter(stream, x.ref(), a.ref(), b.ref(), out.ref(), clamp);
}

/// The past is kept in float64: the result is off by its own rounding, and by what twenty steps of float64 make of it.
testing::AssertionResult row_matches(const Tensor& x, const Tensor& out, std::int64_t row, bool clamp) {
  const std::int64_t length = x.ref().sizes[x.ref().rank - 1];
  const Row expected = reference::lfilter(row_of(x, row, length), poles, zeros, clamp),
            actual = row_of(out, row, length);
  const double epsilon = out.ref().dtype == DType::float32 ? 0x1p-24 : 0x1p-48;
  return all_of(expected.size(), [&](std::size_t i) {
    if (std::fabs(actual[i] - expected[i]) <= epsilon * std::fabs(expected[i]) + 0x1p-47) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "actual " << exact(actual[i]) << ", expected " << exact(expected[i]);
  });
}

TEST(Lfilter, MatchesReference) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t length : {1, 2, 127, 128, 129, 1000}) {
      for (const bool clamp : {true, false}) {
        const Tensor x = noise(dtype, contiguous({11, length})), out(dtype, contiguous({11, length}));
        run(x, out, clamp);
        for (std::int64_t row = 0; row < 11; ++row) EXPECT_TRUE(row_matches(x, out, row, clamp)) << length;
      }
    }
  }
}

TEST(Lfilter, AcceptsEveryLayoutAndItsOwnInput) {
  const Sizes sizes = {2, 5, 200};
  const Tensor plain = noise(DType::float32, contiguous(sizes)), expected(DType::float32, contiguous(sizes));
  run(plain, expected);
  for (const Layout& layout : distinct_layouts(sizes)) {
    Tensor x(DType::float32, layout);
    x.fill([&](std::int64_t i) { return plain.get(i); });
    const Tensor out(DType::float32, layout);
    run(x, out);
    run(x, x);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      ASSERT_TRUE(out.same_bits(i, expected, i)) << layout.name << " at " << i;
      ASSERT_TRUE(x.same_bits(i, expected, i)) << layout.name << " in place at " << i;
    }
    ASSERT_TRUE(out.guards_intact() && x.guards_intact());
  }
}

TEST(Lfilter, DoesNotDependOnThreads) {
  const Tensor x = noise(DType::float32, contiguous({29, 3000}));
  const Tensor expected(DType::float32, contiguous({29, 3000}));
  run(x, expected);
  for (int threads = 2; threads <= 8; ++threads) {
    const Tensor out(DType::float32, contiguous({29, 3000}));
    run(x, out, true, threads);
    EXPECT_EQ(out.bytes(), expected.bytes()) << threads << " threads";
  }
}

TEST(Lfilter, AcceptsViewsAndRunsOnGivenInstance) {
  const Tensor x = noise(DType::float64, contiguous({9, 100})), expected(DType::float64, contiguous({9, 100}));
  run(x, expected);
  const Tensor a = filled(DType::float64, contiguous({4}), poles), b = filled(DType::float64, contiguous({4}), zeros);
  const auto exec = Kokkos::Experimental::partition_space(HostSpace(), 1, 1)[1];
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> y("y", 9, 100);
  const KokkosRecorder recorder;
  lfilter(exec, as_view<const double, 2>(x.ref()), as_view<const double, 1>(a.ref()), as_view<const double, 1>(b.ref()),
          y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y(i / 100, i % 100), expected.get(static_cast<std::int64_t>(i))) << i;
  }
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels()[0].label, "portops::lfilter");
  EXPECT_EQ(recorder.kernels()[0].device, Kokkos::Tools::Experimental::device_id(exec));
}

TEST(Lfilter, RefusesAndWritesNothing) {
  const Tensor x = noise(DType::float32, contiguous({2, 9})), a = noise(DType::float32, contiguous({3}));
  const Tensor longer = noise(DType::float32, contiguous({4})), per_row = noise(DType::float32, contiguous({3, 3}));
  const Tensor out = noise(DType::float32, contiguous({2, 9}));
  const auto before = out.bytes();
  const auto call = [&](const Tensor& of_a, const Tensor& of_b) {
    return [&] { lfilter(StreamRef(), x.ref(), of_a.ref(), of_b.ref(), out.ref()); };
  };
  EXPECT_TRUE(throws_with<Error>(call(a, longer), {"portops::lfilter: ", "a_coeffs=3", "b_coeffs=4"}));
  EXPECT_TRUE(
      throws_with<Error>(call(per_row, per_row), {"portops::lfilter: ", "argument=a_coeffs", "(3, 3)", "(2, 9)"}));
  EXPECT_TRUE(throws_with<Error>(call(a, Tensor(DType::int64, contiguous({3}))),
                                 {"portops::lfilter: ", "argument=b_coeffs", "int64"}));
  EXPECT_TRUE(throws_with<Error>(
      [&] { lfilter(StreamRef(), x.ref(), a.ref(), a.ref(), Tensor(DType::float32, expanded({2, 9})).ref()); },
      {"portops::lfilter: ", "overlap"}));
  EXPECT_EQ(out.bytes(), before);
}

}  // namespace
}  // namespace portops::test
