#include "support/kokkos_environment.hpp"
#include "support/recurrence_case.hpp"

namespace portops::test {
namespace {

/// The largest delay of a fuzzed row that its type can hold; now and then one beyond every start.
double largest_delay(Draw& draw, DType type) {
  const double choices[] = {1, 3, 20, 100, 2000, 4e4, 2e9, 1e18};
  double limit = std::ldexp(1.0, static_cast<int>(8 * size_of(type)) - (type <= DType::int64 ? 1 : 0)) - 1;
  if (size_of(type) == 8) limit = 9e18;
  return std::min(limit, draw.of(choices));
}

RecurrenceShape random_shape(Draw& draw) {
  RecurrenceShape shape;
  const Sizes batches[] = {{}, {1}, {3}, {2, 3}, {2, 1, 2}};
  const std::int64_t taps[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12}, lengths[] = {0, 1, 2, 3, 17, 100, 777};
  const std::int64_t histories[] = {-1, -1, 0, 1, 5, 40, 900};
  shape.rows = draw.of(batches);
  shape.taps = draw.of(taps);
  shape.length = draw.of(lengths);
  shape.history = draw.of(histories);
  shape.dtype = draw.of(float_types);
  shape.coefficient_type = draw.of(float_types);
  shape.delay_type = draw.of(integer_types);
  shape.largest_delay = largest_delay(draw, shape.delay_type);
  const double gains[] = {0.0, 0.3, 0.7, 0.999};
  shape.gain = draw.of(gains);
  return shape;
}

RecurrenceCase random_case(Draw& draw, const RecurrenceShape& shape) {
  const auto pick = [&](const Sizes& sizes) { return draw.of(input_layouts(sizes)); };
  const bool delays_keep_taps = draw.below(2) == 0;
  // One axis stays, so that the type of the coefficients counts.
  const auto shrink = [&](Sizes sizes, bool of_delays) {
    sizes.erase(sizes.begin(), sizes.begin() + draw.below(static_cast<std::int64_t>(sizes.size())));
    for (auto& size : sizes) size = draw.below(4) == 0 ? 1 : size;
    if (of_delays == delays_keep_taps) sizes.back() = shape.taps;
    return sizes;
  };
  return {shape, pick, shrink, draw.seed()};
}

// Delays of every type, every number of taps, batches, layouts, types and histories; all algorithms.
TEST(Recurrence, MatchesReference) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Draw draw(seed);
    const RecurrenceShape shape = random_shape(draw);
    const RecurrenceCase one = random_case(draw, shape);
    const Layout layout = draw.of(distinct_layouts(one.input.layout().sizes));
    const DType written = draw.below(3) == 0 ? draw.of(float_types) : shape.dtype;
    const auto serial = one.run(Algorithm::serial, 3, layout, written);
    ASSERT_TRUE(one.matches(serial)) << "seed " << seed;
    ASSERT_TRUE(one.matches(one.run(Algorithm::jumping, 3, layout, written))) << "seed " << seed;
    for (const Algorithm algorithm : {Algorithm::blocks, Algorithm::automatic}) {
      const auto other = one.run(algorithm, 3, layout, written);
      ASSERT_TRUE(same_elements(other.out, serial.out)) << "seed " << seed;
      ASSERT_TRUE(same_elements(other.next, serial.next)) << "seed " << seed;
    }
    ASSERT_TRUE(serial.out.guards_intact() && serial.next.guards_intact()) << "seed " << seed;
  }
}

TEST(Recurrence, MatchesReferenceOnLongRows) {
  for (const double largest : {1.0, 700.0, 6000.0}) {
    for (const std::int64_t taps : {1, 2, 12}) {
      RecurrenceShape shape{{2}, 5000, taps, 800};
      shape.largest_delay = largest;
      const RecurrenceCase one(shape);
      for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
        EXPECT_TRUE(one.matches(one.run(algorithm))) << largest << ", " << taps << " taps";
      }
    }
  }
}

// Also where errors and outputs grow from sample to sample: the bound grows with them.
TEST(Recurrence, MatchesReferenceForGainsOfOneAndMore) {
  for (const double gain : {1.0, 1.5, 4.0}) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      RecurrenceShape shape{{3}, 150, 1, 30, dtype, dtype};
      shape.gain = gain;
      RecurrenceCase one(shape);
      one.coefficients.fill([&](std::int64_t i) { return i % 3 == 0 ? gain : -gain; });
      const auto serial = one.run(Algorithm::serial);
      EXPECT_TRUE(one.matches(serial)) << gain;
      for (const Algorithm algorithm : {Algorithm::blocks, Algorithm::jumping}) {
        EXPECT_TRUE(same_elements(one.run(algorithm).out, serial.out)) << gain;
      }
    }
  }
}

template <class Value>
void fill_with_largest(const Tensor& delays) {
  auto* data = static_cast<Value*>(delays.ref().data);
  std::fill(data, data + delays.numel(), std::numeric_limits<Value>::max());
}

// The largest delay of every type reads what lies before the row; an index that wrapped would be outside of it.
TEST(Recurrence, NeverWraps) {
  for (const DType type : integer_types) {
    for (const std::int64_t history : {-1, 0, 3}) {
      RecurrenceShape shape{{}, 70, 1, history};
      shape.delay_type = type;
      const RecurrenceCase one(shape);
      switch (type) {
        case DType::int8: fill_with_largest<std::int8_t>(one.delays); break;
        case DType::int16: fill_with_largest<std::int16_t>(one.delays); break;
        case DType::int32: fill_with_largest<std::int32_t>(one.delays); break;
        case DType::int64: fill_with_largest<std::int64_t>(one.delays); break;
        case DType::uint8: fill_with_largest<std::uint8_t>(one.delays); break;
        case DType::uint16: fill_with_largest<std::uint16_t>(one.delays); break;
        case DType::uint32: fill_with_largest<std::uint32_t>(one.delays); break;
        default: fill_with_largest<std::uint64_t>(one.delays);
      }
      for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
        EXPECT_TRUE(one.matches(one.run(algorithm))) << name(type) << ", history " << history;
      }
    }
  }
}

/// The same elements in memory that begins at an odd address.
Tensor at_odd_address(const Tensor& tensor) {
  Tensor odd(tensor.ref().dtype, tensor.layout(), 1);
  odd.fill([&](std::int64_t i) { return tensor.get(i); });
  return odd;
}

TEST(Recurrence, AcceptsOddAddresses) {
  for (const DType dtype : float_types) {
    for (const DType delay_type : integer_types) {
      RecurrenceCase one({{2}, 60, 1, 20, dtype, dtype, delay_type});
      const auto expected = one.run(Algorithm::serial);
      for (Tensor* tensor : {&one.input, &one.coefficients, &one.delays, &one.history})
        *tensor = at_odd_address(*tensor);
      const Tensor out = at_odd_address(expected.out), next = at_odd_address(expected.next);
      for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks}) {
        recurrence(StreamRef(), one.input.ref(), one.coefficients.ref(), one.delays.ref(), one.history.ref(), out.ref(),
                   next.ref(), algorithm);
        EXPECT_TRUE(same_elements(out, expected.out)) << name(dtype) << ", " << name(delay_type);
        EXPECT_TRUE(same_elements(next, expected.next)) << name(dtype) << ", " << name(delay_type);
        EXPECT_TRUE(out.guards_intact() && next.guards_intact());
      }
    }
  }
}

TEST(Recurrence, RoundsHalfTypesOnce) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const RecurrenceCase one({{2}, 500, 3, 10, dtype, dtype});
    const auto half = one.run(Algorithm::serial);
    const auto wide = one.run(Algorithm::serial, 1, contiguous({2, 500}), DType::float32);
    for (std::int64_t i = 0; i < half.out.numel(); ++i) {
      ASSERT_EQ(half.out.get(i), round_to(dtype, wide.out.get(i))) << name(dtype) << " at " << i;
    }
  }
}

TEST(Recurrence, WritesInPlace) {
  for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
    for (const Layout& layout : distinct_layouts({3, 90})) {
      const RecurrenceCase one({{3}, 90, 1, -1});
      const auto expected = one.run(algorithm);
      Tensor samples(DType::float32, layout);
      samples.fill([&](std::int64_t i) { return one.input.get(i); });
      recurrence(StreamRef(), samples.ref(), one.coefficients.ref(), one.delays.ref(), samples.ref(), algorithm);
      EXPECT_TRUE(same_elements(samples, expected.out)) << layout.name;
      EXPECT_TRUE(samples.guards_intact());
    }
  }
}

TEST(Recurrence, PassesHistoryThroughEmptyRows) {
  RecurrenceShape shape{{2}, 0, 3, 5};
  const RecurrenceCase one(shape);
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
    EXPECT_TRUE(same_elements(one.run(algorithm).next, one.history));
  }
}

TEST(Recurrence, CopiesItsInputWithoutTaps) {
  const RecurrenceCase one({{2}, 30, 0, 4});
  for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
    const auto result = one.run(algorithm);
    EXPECT_TRUE(same_elements(result.out, one.input));
    EXPECT_TRUE(one.matches(result));
  }
}

TEST(Recurrence, AcceptsNoRows) {
  const RecurrenceCase one({{0, 2}, 30, 2, 4});
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
    EXPECT_TRUE(one.matches(one.run(algorithm)));
  }
}

}  // namespace
}  // namespace portops::test
