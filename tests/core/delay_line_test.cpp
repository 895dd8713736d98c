#include <portops/ops/delay_line.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/delay_line.hpp"
#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

constexpr DType integer_types[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                   DType::uint8, DType::uint16, DType::uint32, DType::uint64};

Tensor random_samples(DType dtype, const Layout& layout) {
  Tensor samples(dtype, layout);
  const auto values = uniform_values<double>(samples.numel(), -1, 1);
  samples.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  return samples;
}

Tensor random_delays(DType dtype, const Layout& layout, double largest = 12) {
  Tensor delays(dtype, layout);
  const auto values = uniform_values<double>(delays.numel(), 0, largest, 3);
  delays.fill([&](std::int64_t i) { return std::floor(values[static_cast<std::size_t>(i)]); });
  return delays;
}

void run(const Tensor& samples, const Tensor& delays, const Tensor& out, double mix = 0.5, int threads = 1) {
  StreamRef stream;
  stream.threads = threads;
  delay_line(stream, samples.ref(), delays.ref(), out.ref(), mix);
}

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// What the elements of the type are computed in: half types in float32, with one rounding at the end.
double epsilon_of(DType dtype) { return dtype == DType::float64 ? 0x1p-52 : 0x1p-23; }

/// One row against the oracle. Every step rounds; a gain below one lets no step's error grow. A half type adds half a
/// unit in its last place, or of its smallest number.
testing::AssertionResult row_matches(const Tensor& samples, const std::vector<double>& delays, const Tensor& out,
                                     std::int64_t row, double mix) {
  const auto length = static_cast<std::int64_t>(delays.size());
  std::vector<double> x;
  for (std::int64_t i = 0; i < length; ++i) x.push_back(samples.get(row * length + i));
  const auto expected = reference::delay_line(x, delays, mix);
  const double allowed = 4 * epsilon_of(out.ref().dtype) / (1 - std::min(std::fabs(mix), 0.999));
  const double last = is_half(out.ref().dtype) ? std::ldexp(1.0, -format_of(out.ref().dtype).digits) : 0;
  return all_of(expected.size(), [&](std::size_t i) {
    const double actual = out.get(row * length + static_cast<std::int64_t>(i));
    const double size = std::fabs(expected[i]), smallest = last > 0 ? 0x1p-25 : 0;
    if (std::fabs(actual - expected[i]) <= allowed * (1 + size) + last * size + smallest) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "actual " << exact(actual) << ", expected " << exact(expected[i]);
  });
}

std::vector<double> row_of(const Tensor& delays, std::int64_t row, std::int64_t length) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < length; ++i) values.push_back(delays.get(row * length + i));
  return values;
}

using Types = std::tuple<DType, DType>;
class DelayLineTypes : public testing::TestWithParam<Types> {};

TEST_P(DelayLineTypes, MatchReference) {
  const auto [sample_type, delay_type] = GetParam();
  const Tensor samples = random_samples(sample_type, contiguous({3, 400}));
  for (const double mix : {0.5, 0.0, 1.0, -0.9, 0.25}) {
    for (const double largest : {1.0, 2.0, 12.0, 120.0}) {
      const Tensor delays = random_delays(delay_type, contiguous({3, 400}), largest);
      const Tensor out(sample_type, contiguous({3, 400}));
      run(samples, delays, out, mix);
      for (std::int64_t row = 0; row < 3; ++row) {
        EXPECT_TRUE(row_matches(samples, row_of(delays, row, 400), out, row, mix)) << "mix " << mix;
      }
    }
  }
}

TEST_P(DelayLineTypes, AcceptEveryLayout) {
  const auto [sample_type, delay_type] = GetParam();
  const Sizes sizes = {2, 3, 37};
  const Tensor plain_samples = random_samples(sample_type, contiguous(sizes));
  const Tensor plain_delays = random_delays(delay_type, contiguous(sizes)), expected(sample_type, contiguous(sizes));
  run(plain_samples, plain_delays, expected);
  for (const Layout& of_samples : distinct_layouts(sizes)) {
    for (const Layout& of_delays : distinct_layouts(sizes)) {
      Tensor samples(sample_type, of_samples), delays(delay_type, of_delays);
      samples.fill([&](std::int64_t i) { return plain_samples.get(i); });
      delays.fill([&](std::int64_t i) { return plain_delays.get(i); });
      const Tensor out(sample_type, of_delays);
      run(samples, delays, out);
      run(samples, delays, samples);  // in place
      for (std::int64_t i = 0; i < out.numel(); ++i) {
        ASSERT_TRUE(out.same_bits(i, expected, i)) << of_samples.name << ", " << of_delays.name << " at " << i;
        ASSERT_TRUE(samples.same_bits(i, expected, i)) << of_samples.name << " in place at " << i;
      }
      ASSERT_TRUE(out.guards_intact() && samples.guards_intact());
    }
  }
}

// The largest delay of every type reads sample 0; an index that wrapped would be outside of the row.
TEST_P(DelayLineTypes, NeverWrap) {
  const auto [sample_type, delay_type] = GetParam();
  Tensor samples = random_samples(sample_type, contiguous({70})), delays(delay_type, contiguous({70}));
  const bool is_signed = delay_type <= DType::int64;
  for (std::int64_t i = 0; i < 70; ++i) {
    // All bits set, without the sign bit where there is one: written through the bytes of the largest type.
    const auto bits = ~std::uint64_t(0) >> (64 - 8 * size_of(delay_type) + (is_signed ? 1 : 0));
    switch (size_of(delay_type)) {
      case 1: delays.write(i, static_cast<std::uint8_t>(bits)); break;
      case 2: delays.write(i, static_cast<std::uint16_t>(bits)); break;
      case 4: delays.write(i, static_cast<std::uint32_t>(bits)); break;
      default: delays.write(i, bits);
    }
  }
  const Tensor out(sample_type, contiguous({70}));
  run(samples, delays, out);
  EXPECT_TRUE(row_matches(samples, std::vector<double>(70, 1e20), out, 0, 0.5));
  EXPECT_EQ(out.get(0), samples.get(0));
}

INSTANTIATE_TEST_SUITE_P(All, DelayLineTypes,
                         testing::Combine(testing::Values(DType::float32, DType::float64, DType::float16,
                                                          DType::bfloat16),
                                          testing::ValuesIn(integer_types)),
                         [](const auto& values) {
                           return std::string(name(std::get<0>(values.param))) + "_" +
                                  std::string(name(std::get<1>(values.param)));
                         });

std::vector<double> of_case(std::initializer_list<std::int64_t> delays) {
  Tensor samples(DType::float32, contiguous({6})), d(DType::int64, contiguous({6}));
  samples.fill([](std::int64_t i) { return static_cast<double>(i + 1); });
  std::copy(delays.begin(), delays.end(), static_cast<std::int64_t*>(d.ref().data));
  const Tensor out(DType::float32, contiguous({6}));
  run(samples, d, out);
  return row_of(out, 0, 6);
}

TEST(DelayLine, GivesTheExactCases) {
  using Row = std::vector<double>;
  EXPECT_EQ(of_case({1, 1, 1, 1, 1, 1}), (Row{1, 1.5, 2.25, 3.125, 4.0625, 5.03125}));
  EXPECT_EQ(of_case({100, 100, 100, 100, 100, 100}), (Row{1, 1.5, 2, 2.5, 3, 3.5}));
  EXPECT_EQ(of_case({1, 1, 2, 2, 1, 3}), (Row{1, 1.5, 2, 2.75, 3.875, 4}));
  EXPECT_EQ(of_case({0, 0, 0, 0, 0, 0}), (Row{1, 2, 3, 4, 5, 6}));
}

// Computed in float32, where the row itself is kept: half types are not rounded from sample to sample.
TEST(DelayLine, RoundsHalfTypesOnce) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const Tensor samples = random_samples(dtype, padded({3, 400}));
    const Tensor delays = random_delays(DType::int16, transposed({3, 400}));
    Tensor same(DType::float32, contiguous({3, 400}));
    same.fill([&](std::int64_t i) { return samples.get(i); });
    const Tensor out(dtype, strided({3, 400})), wide(DType::float32, contiguous({3, 400}));
    const Tensor into_wide(DType::float32, flipped({3, 400}));
    run(samples, delays, out, 0.9);
    run(same, delays, wide, 0.9);
    run(samples, delays, into_wide, 0.9);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      ASSERT_EQ(out.get(i), round_to(dtype, wide.get(i))) << name(dtype) << " at " << i;
      ASSERT_TRUE(into_wide.same_bits(i, wide, i)) << name(dtype) << " at " << i;
    }
    EXPECT_TRUE(out.guards_intact() && into_wide.guards_intact());
  }
}

TEST(DelayLine, WritesToAnyFloatType) {
  constexpr DType floats[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
  for (const DType from : floats) {
    const Tensor samples = random_samples(from, contiguous({2, 100}));
    const Tensor delays = random_delays(DType::uint8, contiguous({2, 100}));
    for (const DType to : floats) {
      const Tensor out(to, contiguous({2, 100}));
      run(samples, delays, out, 0.25);
      for (std::int64_t row = 0; row < 2; ++row) {
        EXPECT_TRUE(row_matches(samples, row_of(delays, row, 100), out, row, 0.25)) << name(from) << ", " << name(to);
      }
    }
  }
}

// A sample that points to itself is passed on as it is, also where gain times infinity would be NaN.
TEST(DelayLine, PassesOnWhatPointsToItself) {
  Tensor samples(DType::float64, contiguous({3})), delays(DType::uint8, contiguous({}));
  const double values[] = {0.1, std::numeric_limits<double>::infinity(), std::nan("")};
  samples.fill([&](std::int64_t i) { return values[i]; });
  delays.set(0, 0);
  const Tensor out(DType::float64, contiguous({3}));
  run(samples, delays, out, 1.0);
  EXPECT_EQ(out.get(0), 0.1);
  EXPECT_EQ(out.get(1), values[1]);
  EXPECT_TRUE(std::isnan(out.get(2)));
}

TEST_P(DelayLineTypes, AcceptOddAddresses) {
  const auto [sample_type, delay_type] = GetParam();
  const Tensor samples = random_samples(sample_type, contiguous({3, 50}));
  const Tensor delays = random_delays(delay_type, contiguous({3, 50})), expected(sample_type, contiguous({3, 50}));
  run(samples, delays, expected);
  for (const std::int64_t shift : {1, 2, 3}) {
    Tensor x(sample_type, padded({3, 50}), shift), d(delay_type, padded({3, 50}), shift);
    x.fill([&](std::int64_t i) { return samples.get(i); });
    d.fill([&](std::int64_t i) { return delays.get(i); });
    const Tensor out(sample_type, contiguous({3, 50}), shift);
    run(x, d, out);
    run(x, delays, x);  // in place
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      ASSERT_TRUE(out.same_bits(i, expected, i) && x.same_bits(i, expected, i)) << "shift " << shift << " at " << i;
    }
    EXPECT_TRUE(out.guards_intact() && x.guards_intact());
  }
}

TEST(DelayLine, BroadcastsItsDelays) {
  const Tensor samples = random_samples(DType::float32, transposed({4, 3, 50}));
  for (const Sizes& own : std::vector<Sizes>{{}, {1}, {50}, {3, 1}, {3, 50}, {4, 1, 1}, {4, 1, 50}, {1, 1, 50}}) {
    const Tensor delays = random_delays(DType::int32, column_major(own)), out(DType::float32, padded({4, 3, 50}));
    run(samples, delays, out);
    for (std::int64_t row = 0; row < 12; ++row) {
      std::vector<double> d;
      for (std::int64_t i = 0; i < 50; ++i) {
        const std::int64_t index[] = {row / 3, row % 3, i};
        std::int64_t at = 0;
        for (std::size_t dim = 0; dim < own.size(); ++dim) {
          at = at * own[dim] + (own[dim] == 1 ? 0 : index[3 - own.size() + dim]);
        }
        d.push_back(delays.get(at));
      }
      EXPECT_TRUE(row_matches(samples, d, out, row, 0.5)) << "rank " << own.size() << ", row " << row;
    }
  }
}

}  // namespace
}  // namespace portops::test
