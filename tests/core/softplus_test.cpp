#include <portops/ops/softplus.hpp>

#include "reference/softplus.hpp"
#include "support/view_suite.hpp"

namespace portops::test {
namespace {

template <class T>
struct SoftplusCase {
  using Element = T;
  static constexpr int inputs = 1;
  static constexpr const char* label = "portops::softplus";
  static constexpr double beta = 1.5, threshold = 12;

  static void call(const StreamRef& stream, const TensorRef* x, const TensorRef& y) {
    softplus(stream, x[0], y, beta, threshold);
  }
  template <class Y, class X>
  static void call(const HostSpace& exec, const Y& y, const X& x) {
    softplus(exec, x, y, beta, threshold);
  }
  static testing::AssertionResult matches(T actual, const double* x) {
    return near(actual, reference::softplus(x[0], beta, threshold), "x=" + exact(x[0]));
  }
};

using Cases = testing::Types<SoftplusCase<float>, SoftplusCase<double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Softplus, Elementwise, Cases);
INSTANTIATE_TYPED_TEST_SUITE_P(Softplus, ElementwiseOnViews, Cases);

template <class T>
std::vector<T> run(const std::vector<T>& x, double beta, double threshold) {
  std::vector<T> y(x.size());
  const auto size = static_cast<std::int64_t>(x.size());
  constexpr DType dtype = portops::detail::dtype_of<T>();
  softplus(StreamRef(), {const_cast<T*>(x.data()), dtype, {}, 1, &size, nullptr},
           {y.data(), dtype, {}, 1, &size, nullptr}, beta, threshold);
  return y;
}

template <class T>
testing::AssertionResult matches(const std::vector<T>& x, double beta, double threshold,
                                 long double ulps = allowed_ulp) {
  const std::vector<T> y = run(x, beta, threshold);
  return all_of(x.size(), [&](std::size_t i) {
    const long double expected = reference::softplus(static_cast<double>(x[i]), beta, threshold);
    return near(y[i], expected, "x=" + exact(x[i]) + ", beta " + exact(beta) + ", threshold " + exact(threshold),
                expected, ulps);
  });
}

template <class T>
class SoftplusNumbers : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SoftplusNumbers, Floats);

TYPED_TEST(SoftplusNumbers, AreAccurateForEveryMagnitudeAndParameter) {
  const auto magnitudes = values_of_all_magnitudes<TypeParam>(5000);
  const auto near_zero = uniform_values<TypeParam>(5000, -2, 2);
  const auto tails = uniform_values<TypeParam>(5000, -800, 800);
  for (const double beta : {1.0, 0.1, 3.0, 1e-3, 250.0, -1.0, -0.7}) {
    for (const double threshold : {20.0, 1.0, 0.0, -3.0, 1000.0, 1e308}) {
      EXPECT_TRUE(matches(magnitudes, beta, threshold));
      EXPECT_TRUE(matches(near_zero, beta, threshold));
      EXPECT_TRUE(matches(tails, beta, threshold));
    }
  }
}

TYPED_TEST(SoftplusNumbers, KeepSpecialValues) {
  for (const double beta : {1.0, 0.5, 4.0}) EXPECT_TRUE(matches(special_values<TypeParam>(), beta, 20.0));
}

// The smallest results are subnormal: the tail must reach them.
TYPED_TEST(SoftplusNumbers, KeepTheSubnormalTail) {
  const bool narrow = sizeof(TypeParam) == 4;
  EXPECT_TRUE(matches(uniform_values<TypeParam>(5000, narrow ? -104 : -746, narrow ? -86 : -707), 1.0, 20.0));
}

// From the cases of the promises: log1p does not overflow below a large threshold.
TEST(Softplus, HaveNoOverflowBelowALargeThreshold) {
  EXPECT_TRUE(matches<float>({20, 50, 88.7F, 89, 100}, 1.0, 1000.0, 1));
  EXPECT_TRUE(matches<double>({20, 50, 709.7, 710, 900}, 1.0, 1000.0, 1));
}

TEST(Softplus, HoldForTheBranchCase) { EXPECT_NEAR(run<double>({0.2736}, 3.0, 1.0)[0], 0.3951660952, 5e-11); }

TEST(Softplus, KeepNanAndInfinityAtEveryPosition) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t length : {4U, 17U}) {
    std::vector<float> x;
    for (std::size_t i = 0; i < length; ++i) x.push_back(std::vector<float>{nan, infinity, -infinity, -nan}[i % 4]);
    const auto y = run(x, 1.0, 20.0);
    for (std::size_t i = 0; i < length; ++i) {
      const float expected[] = {nan, infinity, 0.0F, nan};
      EXPECT_EQ(ulp_distance(y[i], expected[i % 4]), 0) << "length " << length << " at " << i;
    }
  }
}

/// All of both half types: the float32 result, rounded once. The shorter formula for halves may take the other
/// neighbour where the result lies in the middle of two.
TEST(Softplus, AreRoundedOnceForEveryHalf) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    Tensor x(dtype, contiguous({65536})), y(dtype, contiguous({65536}));
    std::vector<float> wide;
    for (std::int64_t i = 0; i < 65536; ++i) {
      x.write(i, static_cast<std::uint16_t>(i));
      wide.push_back(static_cast<float>(x.get(i)));
    }
    const auto expected = run(wide, 1.0, 1000.0);
    softplus(StreamRef(), x.ref(), y.ref(), 1.0, 1000.0);
    for (std::int64_t i = 0; i < 65536; ++i) {
      const double value = static_cast<double>(expected[static_cast<std::size_t>(i)]), rounded = round_to(dtype, value);
      if (std::isnan(rounded)) {
        ASSERT_TRUE(std::isnan(y.get(i))) << name(dtype) << " bits " << i;
      } else if (y.get(i) != rounded) {
        const int exponent = std::max(std::ilogb(value), format_of(dtype).min_exponent);
        const double ulp = std::ldexp(1.0, exponent - (format_of(dtype).digits - 1));
        ASSERT_LE(std::fabs(y.get(i) - value), 0.502 * ulp) << name(dtype) << " of " << x.get(i);
      }
    }
  }
}

}  // namespace
}  // namespace portops::test
