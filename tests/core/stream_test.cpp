#include <portops/ops/delay_line.hpp>
#include <portops/ops/recurrence.hpp>

#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/recurrence_case.hpp"

namespace portops::test {
namespace {

/// Samples [begin, begin + length) of every row; `axis` is that of time.
TensorRef part(const Tensor& whole, std::size_t axis, std::int64_t begin, std::int64_t length, Sizes& sizes) {
  TensorRef ref = whole.ref();
  sizes = whole.layout().sizes;
  sizes[axis] = length;
  ref.sizes = sizes.data();
  ref.data = static_cast<char*>(ref.data) + begin * whole.layout().strides[axis] * size_of(ref.dtype);
  return ref;
}

/// Lengths of blocks that make up `length`: some of them 0 or 1, others longer than a history.
std::vector<std::int64_t> random_blocks(Draw& draw, std::int64_t length) {
  const std::int64_t sizes[] = {0, 1, 1, 7, 30, 200};
  std::vector<std::int64_t> blocks;
  for (std::int64_t begin = 0; begin < length; begin += blocks.back()) {
    blocks.push_back(std::min(length - begin, draw.of(sizes)));
  }
  return blocks;
}

/// Calls step(begin, length, old history, new history) for block after block; the last history.
template <class Step>
Tensor in_blocks(Draw& draw, std::int64_t length, const Tensor& history, const Step& step) {
  Tensor old = history;
  std::int64_t begin = 0;
  for (const std::int64_t block : random_blocks(draw, length)) {
    const Tensor next(old.ref().dtype, old.layout());
    step(begin, block, old.ref(), next.ref());
    old = next;
    begin += block;
  }
  return old;
}

// With half types in between, the history must be of the type of the computation: it is what is passed on.
DType type_of_history(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

TEST(Streams, OfADelayLineEqualTheWhole) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Draw draw(seed);
    const DType dtype = draw.of(float_types);
    const Sizes sizes = {3, 500};
    const Tensor samples = uniform(dtype, draw.of(distinct_layouts(sizes)), -1, 1, draw.seed());
    const Tensor delays = integers(draw.of(integer_types), draw.of(distinct_layouts(sizes)), 0, 40, draw.seed());
    const std::int64_t kept = 40 + draw.below(3) * 100;
    const Tensor history = uniform(type_of_history(dtype), transposed({3, kept}), -1, 1, draw.seed());
    const Tensor whole(dtype, contiguous(sizes)), parts(dtype, contiguous(sizes)),
        next(history.ref().dtype, history.layout());
    const double mix = 0.9 - 0.2 * static_cast<double>(draw.below(10));
    delay_line_stream(StreamRef(), samples.ref(), delays.ref(), history.ref(), whole.ref(), next.ref(), mix);
    const Tensor last = in_blocks(
        draw, 500, history,
        [&](std::int64_t begin, std::int64_t length, const TensorRef& old, const TensorRef& kept_now) {
          Sizes x, d, y;
          delay_line_stream(StreamRef(), part(samples, 1, begin, length, x), part(delays, 1, begin, length, d), old,
                            part(parts, 1, begin, length, y), kept_now, mix);
        });
    ASSERT_TRUE(same_elements(parts, whole)) << "seed " << seed;
    ASSERT_TRUE(same_elements(last, next)) << "seed " << seed;
  }
}

TEST(Streams, OfARecurrenceEqualTheWhole) {
  const std::int64_t counts[] = {1, 2, 3, 9};
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Draw draw(seed);
    RecurrenceShape shape{{3}, 500, draw.of(counts), 40 + draw.below(3) * 100, draw.of(float_types)};
    shape.coefficient_type = draw.of(float_types);
    shape.largest_delay = 40;
    RecurrenceCase one(shape, seed);
    const bool wide = shape.dtype == DType::float64 || shape.coefficient_type == DType::float64;
    one.history = uniform(wide ? DType::float64 : DType::float32, contiguous({3, shape.history}), -1, 1);
    const auto whole = one.run(draw.below(2) == 0 ? Algorithm::serial : Algorithm::blocks);
    const Tensor parts(shape.dtype, contiguous({3, 500}));
    const Tensor last = in_blocks(
        draw, 500, one.history,
        [&](std::int64_t begin, std::int64_t length, const TensorRef& old, const TensorRef& next) {
          Sizes x, a, d, y;
          recurrence(StreamRef(), part(one.input, 1, begin, length, x), part(one.coefficients, 1, begin, length, a),
                     part(one.delays, 1, begin, length, d), old, part(parts, 1, begin, length, y), next);
        });
    ASSERT_TRUE(same_elements(parts, whole.out)) << "seed " << seed;
    ASSERT_TRUE(same_elements(last, whole.next)) << "seed " << seed;
  }
}

// Without a history the first sample stands for what lies before it.
TEST(Streams, WithoutAHistoryAreADelayLine) {
  const Tensor samples = uniform(DType::float32, contiguous({2, 90}), -1, 1);
  const Tensor delays = integers(DType::int16, contiguous({2, 90}), 0, 200);
  const Tensor history(DType::float32, contiguous({2, 0})), next(DType::float32, contiguous({2, 0}));
  const Tensor out(DType::float32, contiguous({2, 90})), expected(DType::float32, contiguous({2, 90}));
  delay_line_stream(StreamRef(), samples.ref(), delays.ref(), history.ref(), out.ref(), next.ref(), 0.7);
  delay_line(StreamRef(), samples.ref(), delays.ref(), expected.ref(), 0.7);
  EXPECT_TRUE(same_elements(out, expected));
}

TEST(Streams, ReadTheOldestOutputBeyondTheHistory) {
  const Tensor samples = uniform(DType::float64, contiguous({3}), -1, 1);
  Tensor delays = integers(DType::uint64, contiguous({3}), 1, 1), history(DType::float64, contiguous({2}));
  delays.write(1, ~std::uint64_t(0));
  history.set(0, 7);
  history.set(1, 8);
  const Tensor out(DType::float64, contiguous({3})), next(DType::float64, contiguous({2}));
  delay_line_stream(StreamRef(), samples.ref(), delays.ref(), history.ref(), out.ref(), next.ref(), 0.5);
  EXPECT_EQ(out.get(0), 0.5 * samples.get(0) + 4);
  EXPECT_EQ(out.get(1), 0.5 * samples.get(1) + 3.5);
  EXPECT_EQ(out.get(2), 0.5 * samples.get(2) + 0.5 * out.get(1));
  EXPECT_TRUE(next.same_bits(0, out, 1) && next.same_bits(1, out, 2));
}

TEST(Streams, AcceptViewsOfAnyLayout) {
  const RecurrenceCase one({{4}, 300, 2, 30});
  const auto expected = one.run(Algorithm::serial);
  const Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", 4, 300), y("y", 4, 300),
      next("next", 4, 30);
  for (std::size_t i = 0; i < 1200; ++i) x(i / 300, i % 300) = one.input.read<float>(static_cast<std::int64_t>(i));
  const Kokkos::View<const float**, Kokkos::LayoutLeft, Kokkos::HostSpace> read_only = x;
  const auto exec = Kokkos::Experimental::partition_space(HostSpace(), 1, 1)[1];
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::serial, Algorithm::blocks}) {
    const KokkosRecorder recorder;
    recurrence(exec, read_only, as_view<const float, 3>(one.coefficients.ref()),
               as_view<const std::int32_t, 3>(one.delays.ref()), as_view<const float, 2>(one.history.ref()), y, next,
               algorithm);
    for (std::size_t i = 0; i < 1200; ++i) {
      ASSERT_EQ(y(i / 300, i % 300), expected.out.read<float>(static_cast<std::int64_t>(i))) << i;
    }
    for (std::size_t i = 0; i < 120; ++i) {
      ASSERT_EQ(next(i / 30, i % 30), expected.next.read<float>(static_cast<std::int64_t>(i))) << i;
    }
    const std::string label =
        std::string("portops::recurrence::") + (algorithm == Algorithm::blocks ? "blocks" : "serial");
    EXPECT_EQ(recorder.kernels_outside(label), std::vector<std::string>());
    EXPECT_EQ(recorder.kernels().at(0).device, Kokkos::Tools::Experimental::device_id(exec));
    EXPECT_EQ(recorder.fences(), std::vector<std::string>());
    EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace portops::test
