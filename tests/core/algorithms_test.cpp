#include <algorithm>
#include <limits>

#include <portops/ops/delay_line.hpp>

#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/recurrence_case.hpp"

namespace portops::test {
namespace {

constexpr Algorithm algorithms[] = {Algorithm::serial, Algorithm::blocks, Algorithm::jumping};
constexpr const char* names[] = {"serial", "blocks", "jumping"};

Tensor run(const Tensor& samples, const Tensor& delays, double mix, Algorithm algorithm, int threads = 2) {
  Tensor out(samples.ref().dtype, contiguous(samples.layout().sizes));
  StreamRef stream;
  stream.threads = threads;
  delay_line(stream, samples.ref(), delays.ref(), out.ref(), mix, algorithm);
  return out;
}

/// delay_line as the recurrence that it is: (1-g)*x or x, one tap g or 0, and the first sample for what lies before.
reference::RecurrenceRow expected_row(const Tensor& samples, const Tensor& delays, double mix, std::int64_t row) {
  const std::int64_t length = samples.layout().sizes.back();
  std::vector<double> x, a, d;
  for (std::int64_t i = 0; i < length; ++i) {
    const double sample = samples.get(row * length + i);
    const double delay = std::min(delays.get(row * length + i), static_cast<double>(i));
    x.push_back(delay == 0 ? sample : (1 - mix) * sample);
    a.push_back(delay == 0 ? 0 : mix);
    d.push_back(delay == 0 ? 1 : delay);
  }
  return reference::recurrence(x, a, d, 1, {});
}

testing::AssertionResult matches(const Tensor& out, const Tensor& samples, const Tensor& delays, double mix) {
  const Sizes& sizes = samples.layout().sizes;
  for (std::int64_t row = 0; row < product(sizes) / std::max<std::int64_t>(1, sizes.back()); ++row) {
    const auto expected = expected_row(samples, delays, mix, row);
    const DType dtype = out.ref().dtype;
    const auto right = all_of(expected.y.size(), [&](std::size_t i) {
      const double actual = out.get(row * sizes.back() + static_cast<std::int64_t>(i));
      return near_row(actual, expected, i, dtype == DType::float64, dtype, sizes.back());
    });
    if (!right) return testing::AssertionFailure() << "row " << row << ": " << right.message();
  }
  return testing::AssertionSuccess();
}

TEST(Algorithms, GiveTheDelayLineOfTheOracle) {
  const std::int64_t lengths[] = {0, 1, 2, 3, 100, 777, 5000};
  const double delay_limits[] = {0, 1, 5, 100, 6000}, mixes[] = {0, 0.1, 0.5, 0.75, -0.75, 0.999, 1, -1.5, 1e-30};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    const std::int64_t length = draw.of(lengths);
    const double mix = draw.of(mixes);
    // 1.5 to the power of 200 is within the range of float32.
    const Sizes sizes = {2, std::fabs(mix) > 1 ? std::min<std::int64_t>(length, 100) : length};
    const DType dtype = draw.of(float_types), delay_type = draw.of(integer_types);
    const double limit = std::min(draw.of(delay_limits), size_of(delay_type) == 1 ? 100.0 : 6000.0);
    const Tensor samples = uniform(dtype, draw.of(distinct_layouts(sizes)), -1, 1, draw.seed());
    const Tensor delays = integers(delay_type, draw.of(distinct_layouts(sizes)), 0, limit, draw.seed());
    const Tensor serial = run(samples, delays, mix, Algorithm::serial);
    if (is_half(dtype) && std::fabs(mix) > 1) continue;  // beyond the range of float16
    ASSERT_TRUE(matches(serial, samples, delays, mix)) << "seed " << seed << ", mix " << mix;
    ASSERT_TRUE(same_elements(run(samples, delays, mix, Algorithm::blocks), serial)) << "seed " << seed;
    ASSERT_TRUE(same_elements(run(samples, delays, mix, Algorithm::automatic), serial)) << "seed " << seed;
    ASSERT_TRUE(matches(run(samples, delays, mix, Algorithm::jumping), samples, delays, mix)) << "seed " << seed;
  }
}

// Blocks long enough for several threads, which write them side by side.
TEST(Algorithms, HaveTheSameBitsForAnyThreadCountAndEveryTime) {
  RecurrenceShape shape{{3}, 60000, 1, 5};
  shape.gain = 0.7;
  const RecurrenceCase one(shape);
  const Tensor delays = integers(DType::int32, contiguous({3, 60000, 1}), 10000, 20000);
  std::copy_n(static_cast<const std::int32_t*>(delays.ref().data), delays.numel(),
              static_cast<std::int32_t*>(one.delays.ref().data));
  for (const Algorithm algorithm : algorithms) {
    const auto first = one.run(algorithm, 1);
    ASSERT_TRUE(one.matches(first));
    for (int threads = 1; threads <= 8; ++threads) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto again = one.run(algorithm, threads);
        ASSERT_TRUE(again.out.bytes() == first.out.bytes() && again.next.bytes() == first.next.bytes())
            << names[static_cast<int>(algorithm) - 1] << ", " << threads << " threads";
      }
    }
  }
}

/// Equal to the bit where there is a number; any NaN is like another.
testing::AssertionResult same_or_nan(const Tensor& left, const Tensor& right) {
  return all_of(static_cast<std::size_t>(right.numel()), [&](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at);
    const bool both_nan = std::isnan(left.get(i)) && std::isnan(right.get(i));
    if (both_nan || left.same_bits(i, right, i)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << exact(left.get(i)) << " is not " << exact(right.get(i));
  });
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// A coefficient that vanishes must not stop what is infinite or no number.
TEST(Algorithms, PassInfinityAndNanToEveryDescendant) {
  for (const double bad : {infinity, -infinity, std::nan("")}) {
    for (const double gain : {0.5, 1e-30, 0.0}) {
      for (const bool in_history : {false, true}) {
        RecurrenceShape shape{{}, 3000, 1, 4};
        shape.gain = gain;
        RecurrenceCase one(shape);
        in_history ? one.history.set(3, bad) : one.input.set(5, bad);
        const auto serial = one.run(Algorithm::serial);
        EXPECT_TRUE(same_or_nan(one.run(Algorithm::jumping).out, serial.out)) << bad << ", " << gain;
        EXPECT_TRUE(same_or_nan(one.run(Algorithm::blocks).out, serial.out)) << bad << ", " << gain;
        one.coefficients.fill([&](std::int64_t) { return gain; });
        one.delays.fill([](std::int64_t) { return 1.0; });
        const auto all = one.run(Algorithm::jumping).out;
        EXPECT_FALSE(std::isfinite(all.get(2999)));
      }
    }
  }
}

TEST(Algorithms, PassNanOfACoefficientOn) {
  RecurrenceCase one({{}, 300, 1, 4});
  one.coefficients.set(7, std::nan(""));
  EXPECT_TRUE(same_or_nan(one.run(Algorithm::jumping).out, one.run(Algorithm::serial).out));
}

// Outputs that leave the range of the type are infinite from there on, also where every input and gain is modest.
TEST(Algorithms, OverflowAsTheSweepDoes) {
  const Tensor delays = integers(DType::int32, contiguous({2000}), 1, 1);
  for (const double mix : {-0.75, 0.75, 0.5}) {
    for (const double share : {0.1, 0.2, 0.24, 0.3, 0.9}) {
      Tensor samples(DType::float32, contiguous({2000}));
      const double largest = share * std::numeric_limits<float>::max();
      samples.fill([&](std::int64_t i) { return i > 300 ? 0 : i % 2 == 0 ? largest : -largest; });
      const Tensor serial = run(samples, delays, mix, Algorithm::serial);
      const Tensor jumped = run(samples, delays, mix, Algorithm::jumping);
      for (std::int64_t i = 0; i < 2000; ++i) {
        ASSERT_EQ(std::isfinite(jumped.get(i)), std::isfinite(serial.get(i))) << mix << ", " << share << " at " << i;
      }
    }
  }
}

/// Labels of the kernels that delay_line launches on Views.
std::vector<std::string> labels(double mix, Algorithm algorithm, std::int64_t delay, float sample = 1.0F) {
  const Kokkos::View<float*, Kokkos::HostSpace> x("x", 1000), y("y", 1000);
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> d("d", 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    x(i) = sample;
    d(i) = static_cast<std::int32_t>(delay);
  }
  const KokkosRecorder recorder;
  delay_line(HostSpace(), x, d, y, mix, algorithm);
  EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
  std::vector<std::string> found;
  for (const auto& kernel : recorder.kernels()) {
    if (found.empty() || found.back() != kernel.label) found.push_back(kernel.label);
  }
  return found;
}

TEST(Algorithms, AreVisibleInTheLabel) {
  using Labels = std::vector<std::string>;
  const std::string op = "portops::delay_line::";
  EXPECT_EQ(labels(0.5, Algorithm::automatic, 1), Labels{op + "serial"});
  for (const Algorithm algorithm : algorithms) {
    EXPECT_EQ(labels(0.5, algorithm, 300), Labels{op + names[static_cast<int>(algorithm) - 1]});
  }
  EXPECT_EQ(labels(1e-30, Algorithm::jumping, 1), Labels{op + "jumping"});
}

// Coefficients near or above 1 do not vanish; a number times 0 is only 0 if it is finite.
TEST(Algorithms, SweepWhatCannotJump) {
  const std::vector<std::string> serial = {"portops::delay_line::serial"};
  for (const double mix : {0.999, 1.0, -1.0, -1.5, infinity, std::nan("")}) {
    EXPECT_EQ(labels(mix, Algorithm::jumping, 1), serial) << mix;
  }
  for (const double sample : {infinity, -infinity, std::nan(""), 3e38}) {
    EXPECT_EQ(labels(0.5, Algorithm::jumping, 1, static_cast<float>(sample)), serial) << sample;
  }
  RecurrenceCase two({{}, 500, 2, -1});
  EXPECT_TRUE(same_elements(two.run(Algorithm::jumping).out, two.run(Algorithm::serial).out));
}

}  // namespace
}  // namespace portops::test
