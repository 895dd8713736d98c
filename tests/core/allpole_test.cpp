#include <algorithm>
#include <functional>
#include <limits>

#include <portops/ops/allpole.hpp>

#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/rows.hpp"

namespace portops::test {
namespace {

struct Shape {
  Sizes rows = {2};
  std::int64_t length = 100, taps = 2;
  bool initial = true;
  DType dtype = DType::float32, coefficient_type = DType::float32;
};

/// y[t] = x[t] - sum_k a[t,k]*y[t-1-k] as a recurrence: coefficients of the other sign, delays of 1 to K, and the
/// initial outputs, which come most recent first, in the order of time.
reference::RecurrenceRow expected_row(const std::vector<double>& x, std::vector<double> a, std::vector<double> initial,
                                      std::size_t taps) {
  std::vector<double> delays;
  for (double& coefficient : a) {
    coefficient = -coefficient;
    delays.push_back(static_cast<double>(delays.size() % taps + 1));
  }
  std::reverse(initial.begin(), initial.end());
  return reference::recurrence(x, a, delays, taps, initial);
}

class AllpoleCase {
 public:
  AllpoleCase(const Shape& shape, const std::function<Layout(const Sizes&)>& pick, std::uint64_t seed)
      : m_shape(shape),
        input(uniform(shape.dtype, pick(joined(shape.rows, {shape.length})), -1, 1, seed)),
        coefficients(uniform(shape.coefficient_type, pick(joined(shape.rows, {shape.length, shape.taps})),
                             -0.9 / static_cast<double>(shape.taps), 0.9 / static_cast<double>(shape.taps), seed + 1)),
        initial(uniform(shape.dtype, pick(joined(shape.rows, {shape.taps})), -1, 1, seed + 2)) {}

  Tensor run(const Layout& layout, int threads = 2) const {
    Tensor out(m_shape.dtype, layout);
    write(out, threads);
    return out;
  }
  Tensor run(int threads = 2) const { return run(contiguous(input.layout().sizes), threads); }
  void write(const Tensor& out, int threads = 2) const {
    StreamRef stream;
    stream.threads = threads;
    m_shape.initial ? allpole(stream, input.ref(), coefficients.ref(), initial.ref(), out.ref())
                    : allpole(stream, input.ref(), coefficients.ref(), out.ref());
  }

  testing::AssertionResult matches(const Tensor& out) const {
    const std::int64_t length = m_shape.length, taps = m_shape.taps;
    const bool wide = m_shape.dtype == DType::float64 || m_shape.coefficient_type == DType::float64;
    for (std::int64_t row = 0; row < product(m_shape.rows); ++row) {
      const auto before = m_shape.initial ? row_of(initial, initial.layout().sizes, row, taps) : std::vector<double>();
      const auto expected = expected_row(row_of(input, input.layout().sizes, row, length),
                                         row_of(coefficients, coefficients.layout().sizes, row, length * taps), before,
                                         static_cast<std::size_t>(taps));
      const auto right = all_of(expected.y.size(), [&](std::size_t i) {
        const double actual = out.get(row * length + static_cast<std::int64_t>(i));
        return near_row(actual, expected, i, wide, m_shape.dtype, length * taps);
      });
      if (!right) return testing::AssertionFailure() << "row " << row << ": " << right.message();
    }
    return testing::AssertionSuccess();
  }

 private:
  Shape m_shape;

 public:
  Tensor input, coefficients, initial;
};

TEST(Allpole, MatchesReference) {
  const Sizes batches[] = {{}, {1}, {3}, {2, 3}};
  const std::int64_t taps[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}, lengths[] = {0, 1, 2, 3, 17, 300};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    const Shape shape{draw.of(batches),   draw.of(lengths),     draw.of(taps),
                      draw.below(2) == 0, draw.of(float_types), draw.of(float_types)};
    const AllpoleCase one(shape, [&](const Sizes& sizes) { return draw.of(input_layouts(sizes)); }, draw.seed());
    const Tensor out = one.run(draw.of(distinct_layouts(one.input.layout().sizes)));
    ASSERT_TRUE(one.matches(out)) << "seed " << seed;
    ASSERT_TRUE(out.guards_intact());
  }
}

TEST(Allpole, MatchesReferenceOnLongRows) {
  for (const std::int64_t taps : {1, 2, 12}) {
    const AllpoleCase one({{2}, 5000, taps}, &contiguous, 1);
    EXPECT_TRUE(one.matches(one.run())) << taps << " taps";
  }
}

// The most recent output comes first: it is what the first coefficient meets.
TEST(Allpole, TakesInitialOutputsMostRecentFirst) {
  Tensor x(DType::float64, contiguous({2})), a(DType::float64, contiguous({2, 2}));
  Tensor initial(DType::float64, contiguous({2}));
  x.fill([](std::int64_t) { return 0.0; });
  a.fill([](std::int64_t i) { return i % 2 == 0 ? -1.0 : -10.0; });
  initial.fill([](std::int64_t i) { return i == 0 ? 3.0 : 5.0; });
  const Tensor out(DType::float64, contiguous({2}));
  allpole(StreamRef(), x.ref(), a.ref(), initial.ref(), out.ref());
  EXPECT_EQ(out.get(0), 3.0 + 50.0);
  EXPECT_EQ(out.get(1), 53.0 + 30.0);
}

TEST(Allpole, DoesNotDependOnThreads) {
  const AllpoleCase one({{16}, 3001, 3}, &contiguous, 1);
  const Tensor first = one.run(1);
  for (int threads = 1; threads <= 8; ++threads) EXPECT_TRUE(one.run(threads).bytes() == first.bytes()) << threads;
}

TEST(Allpole, WritesInPlace) {
  for (const Layout& layout : distinct_layouts({3, 90})) {
    AllpoleCase one(
        {{3}, 90, 2}, [&](const Sizes& sizes) { return sizes.size() == 2 ? layout : contiguous(sizes); }, 1);
    one.initial = uniform(DType::float32, contiguous({3, 2}), -1, 1);
    const Tensor expected = one.run();
    one.write(one.input);
    EXPECT_TRUE(same_elements(one.input, expected)) << layout.name;
    EXPECT_TRUE(one.input.guards_intact());
  }
}

TEST(Allpole, PassesInfinityAndNanOn) {
  AllpoleCase one({{1}, 50, 1}, &contiguous, 1);
  one.input.set(7, std::numeric_limits<double>::infinity());
  one.coefficients.fill([](std::int64_t) { return 0.5; });
  const Tensor out = one.run();
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(std::isfinite(out.get(i)), i < 7) << i;
}

TEST(Allpole, AcceptsViewsAndRunsOnGivenInstance) {
  const AllpoleCase one({{4}, 300, 3}, &contiguous, 1);
  const Tensor expected = one.run();
  const auto exec = Kokkos::Experimental::partition_space(HostSpace(), 1, 1)[1];
  const Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> a("a", 4, 300, 3);
  for (std::size_t i = 0; i < 3600; ++i) {
    a(i / 900, i / 3 % 300, i % 3) = one.coefficients.read<float>(static_cast<std::int64_t>(i));
  }
  const Kokkos::View<const float***, Kokkos::LayoutLeft, Kokkos::HostSpace> read_only = a;
  const Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> y("y", 4, 300);
  const KokkosRecorder recorder;
  allpole(exec, as_view<const float, 2>(one.input.ref()), read_only, as_view<const float, 2>(one.initial.ref()), y);
  for (std::size_t i = 0; i < 1200; ++i) {
    ASSERT_EQ(y(i / 300, i % 300), expected.read<float>(static_cast<std::int64_t>(i))) << i;
  }
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels_outside("portops::allpole"), std::vector<std::string>());
  EXPECT_EQ(recorder.kernels()[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(recorder.fences(), std::vector<std::string>());
  EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
}

}  // namespace
}  // namespace portops::test
