#include <cmath>

#include <portops/ops/delay_line.hpp>

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

Tensor ones(DType dtype, const Layout& layout) {
  Tensor tensor(dtype, layout);
  tensor.fill([](std::int64_t) { return 1.0; });
  return tensor;
}

struct Rows {
  Tensor samples{DType::float32, contiguous({16, 3001})}, delays{DType::int16, contiguous({16, 3001})};
  Rows() {
    const auto x = uniform_values<double>(samples.numel(), -1, 1), d = uniform_values<double>(samples.numel(), 0, 300);
    samples.fill([&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; });
    delays.fill([&](std::int64_t i) { return std::floor(d[static_cast<std::size_t>(i)]); });
  }
};

TEST(DelayLine, DoesNotDependOnThreads) {
  const Rows rows;
  std::vector<Tensor> results;
  for (int threads = 1; threads <= 8; ++threads) {
    results.emplace_back(DType::float32, contiguous({16, 3001}));
    StreamRef stream;
    stream.threads = threads;
    delay_line(stream, rows.samples.ref(), rows.delays.ref(), results.back().ref(), 0.9);
    EXPECT_EQ(results.back().bytes(), results.front().bytes()) << threads << " threads";
  }
}

// From the cases of the promises: only rows run in parallel, so that no sample is read before it is written.
TEST(DelayLine, HasNoRace) {
  const Tensor samples = ones(DType::float32, contiguous({3, 100000})), delays = ones(DType::int64, contiguous({}));
  StreamRef stream;
  stream.threads = 8;
  std::vector<std::byte> first;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Tensor out(DType::float32, contiguous({3, 100000}));
    delay_line(stream, samples.ref(), delays.ref(), out.ref(), 0.999);
    if (repeat == 0) {
      first = out.bytes();
      for (std::int64_t i = 0; i < out.numel(); ++i) ASSERT_NEAR(out.get(i), 1.0, 1e-5) << i;
    }
    ASSERT_EQ(out.bytes(), first) << "repeat " << repeat;
  }
}

TEST(DelayLine, RefusesNegativeDelaysAndWritesNothing) {
  for (const DType dtype : {DType::int8, DType::int16, DType::int32, DType::int64}) {
    for (const Layout& layout : {contiguous({4, 30}), transposed({4, 30}), flipped({4, 30})}) {
      Tensor delays = ones(dtype, layout);
      delays.set(77, -3);
      delays.set(78, -100);
      const Tensor samples = ones(DType::float64, contiguous({4, 30})), out(DType::float64, contiguous({4, 30}));
      const auto before = out.bytes();
      EXPECT_TRUE(throws_with<Error>([&] { delay_line(StreamRef(), samples.ref(), delays.ref(), out.ref()); },
                                     {"portops::delay_line: ", "negative", "77", "-3"}));
      EXPECT_EQ(out.bytes(), before);
    }
  }
}

TEST(DelayLine, AcceptsEmptyTensors) {
  for (const Sizes& sizes : std::vector<Sizes>{{0}, {0, 5}, {5, 0}, {2, 0, 3}}) {
    const Tensor samples(DType::float32, contiguous(sizes)), delays(DType::int32, contiguous(sizes));
    const Tensor out(DType::float32, contiguous(sizes)), one = ones(DType::int32, contiguous({}));
    delay_line(StreamRef(), samples.ref(), delays.ref(), out.ref());
    delay_line(StreamRef(), samples.ref(), one.ref(), out.ref());
    EXPECT_TRUE(out.guards_intact());
  }
}

void expect_refused(const Tensor& samples, const Tensor& delays, const Tensor& out,
                    std::initializer_list<std::string> parts) {
  const auto before = out.bytes();
  EXPECT_TRUE(throws_with<Error>([&] { delay_line(StreamRef(), samples.ref(), delays.ref(), out.ref()); }, parts));
  EXPECT_EQ(out.bytes(), before);
}

TEST(DelayLine, NamesRuleAndValuesOfWhatItRefuses) {
  const Tensor x = ones(DType::float32, contiguous({2, 5})), d = ones(DType::int64, contiguous({2, 5}));
  const Tensor y(DType::float32, contiguous({2, 5}));
  const std::string op = "portops::delay_line: ";
  for (const DType dtype : {DType::float32, DType::boolean, DType::float16, DType::float64}) {
    expect_refused(x, Tensor(dtype, contiguous({2, 5})), y,
                   {op, "delays must be of an integer type", std::string(name(dtype))});
  }
  expect_refused(x, ones(DType::int64, contiguous({3, 5})), y, {op, "broadcast", "(3, 5)", "(2, 5)"});
  expect_refused(x, ones(DType::int64, contiguous({1, 2, 5})), y, {op, "broadcast", "(1, 2, 5)"});
  expect_refused(x, d, Tensor(DType::float32, contiguous({5, 2})), {op, "shape", "(5, 2)", "(2, 5)"});
  expect_refused(x, d, Tensor(DType::int64, contiguous({2, 5})), {op, "out", "floating type", "int64"});
  expect_refused(x, d, Tensor(DType::boolean, contiguous({2, 5})), {op, "out", "floating type", "bool"});
  expect_refused(ones(DType::int32, contiguous({2, 5})), d, y, {op, "samples", "floating type", "int32"});
  expect_refused(ones(DType::float32, contiguous({})), d, y, {op, "time axis", "rank=0"});
  expect_refused(x, d, Tensor(DType::float32, expanded({2, 5})), {op, "out overlap in memory", "(2, 5)"});
}

TEST(DelayLine, RefusesPartlyOverlappingMemory) {
  std::vector<float> memory(100, 1.0F);
  std::vector<std::int32_t> ones_of(50, 1);
  const std::int64_t size = 50;
  const TensorRef x{memory.data(), DType::float32, {}, 1, &size, nullptr};
  const TensorRef later{memory.data() + 1, DType::float32, {}, 1, &size, nullptr};
  const TensorRef as_integers{memory.data(), DType::int32, {}, 1, &size, nullptr};
  const TensorRef d{ones_of.data(), DType::int32, {}, 1, &size, nullptr};
  EXPECT_TRUE(throws_with<Error>([&] { delay_line(StreamRef(), x, d, later); }, {"out partly overlaps samples"}));
  EXPECT_TRUE(throws_with<Error>([&] { delay_line(StreamRef(), d, as_integers, x); }, {"portops::delay_line"}));
  EXPECT_TRUE(throws_with<Error>([&] { delay_line(StreamRef(), x, as_integers, x); }, {"out overlaps delays"}));
  EXPECT_EQ(memory, std::vector<float>(100, 1.0F));
}

TEST(DelayLine, AcceptsViewsAndRunsOnGivenInstance) {
  const Rows rows;
  const Tensor expected(DType::float32, contiguous({16, 3001}));
  delay_line(StreamRef(), rows.samples.ref(), rows.delays.ref(), expected.ref(), 0.9);
  const auto exec = Kokkos::Experimental::partition_space(HostSpace(), 1, 1)[1];
  const auto x = as_view<const float, 2>(rows.samples.ref());
  const auto d = as_view<const std::int16_t, 2>(rows.delays.ref());
  const Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> y("y", 16, 3001);
  const KokkosRecorder recorder;
  delay_line(exec, x, d, y, 0.9);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y(i / 3001, i % 3001), expected.read<float>(static_cast<std::int64_t>(i))) << i;
  }
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels()[0].label, "portops::delay_line::serial");
  EXPECT_EQ(recorder.kernels()[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(recorder.fences(), std::vector<std::string>());
  EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
}

}  // namespace
}  // namespace portops::test
