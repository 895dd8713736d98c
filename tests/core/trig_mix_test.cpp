#include <portops/ops/trig_mix.hpp>

#include "reference/trig_mix.hpp"
#include "support/view_suite.hpp"

namespace portops::test {
namespace {

/// float32 keeps 4 ulp of the result even where its terms cancel; float64 promises 4 ulp of the larger term, squared.
template <class T>
testing::AssertionResult near_reference(T actual, double v, double s) {
  const long double expected = reference::trig_mix(v, s);
  return near(actual, expected, "v=" + exact(v) + ", s=" + exact(s),
              sizeof(T) == 4 ? expected : reference::trig_mix_scale(v, s));
}

template <class T>
struct ScalarCase {
  using Element = T;
  static constexpr int inputs = 1;
  static constexpr const char* label = "portops::trig_mix";

  static void call(const StreamRef& stream, const TensorRef* x, const TensorRef& y) { trig_mix(stream, x[0], y, 2.5); }
  template <class Y, class V>
  static void call(const HostSpace& exec, const Y& y, const V& v) {
    trig_mix(exec, v, y, 2.5);
  }
  static testing::AssertionResult matches(T actual, const double* x) { return near_reference(actual, x[0], 2.5); }
};

template <class T>
struct TensorCase {
  using Element = T;
  static constexpr int inputs = 2;
  static constexpr const char* label = "portops::trig_mix";

  static void call(const StreamRef& stream, const TensorRef* x, const TensorRef& y) { trig_mix(stream, x[0], x[1], y); }
  template <class Y, class V, class S>
  static void call(const HostSpace& exec, const Y& y, const V& v, const S& s) {
    trig_mix(exec, v, s, y);
  }
  static testing::AssertionResult matches(T actual, const double* x) { return near_reference(actual, x[0], x[1]); }
};

using Cases = testing::Types<ScalarCase<float>, ScalarCase<double>, TensorCase<float>, TensorCase<double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(TrigMix, Elementwise, Cases);
INSTANTIATE_TYPED_TEST_SUITE_P(TrigMix, ElementwiseOnViews, Cases);

template <class T>
std::vector<T> run(const std::vector<T>& v, double s) {
  std::vector<T> y(v.size());
  const auto size = static_cast<std::int64_t>(v.size());
  constexpr DType dtype = portops::detail::dtype_of<T>();
  trig_mix(StreamRef(), {const_cast<T*>(v.data()), dtype, {}, 1, &size, nullptr},
           {y.data(), dtype, {}, 1, &size, nullptr}, s);
  return y;
}

template <class T>
testing::AssertionResult matches(const std::vector<T>& v, double s) {
  const auto y = run(v, s);
  return all_of(v.size(), [&](std::size_t i) { return near_reference(y[i], static_cast<double>(v[i]), s); });
}

template <class T>
class TrigMixNumbers : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(TrigMixNumbers, Floats);

TYPED_TEST(TrigMixNumbers, AreAccurateForEveryScale) {
  for (const double s : {1.0, 2.5, -0.3, 1e-3, 7.0, 1000.0, 0.1}) {
    EXPECT_TRUE(matches(uniform_values<TypeParam>(10000, -4, 4), s));
    EXPECT_TRUE(matches(uniform_values<TypeParam>(10000, -1e4, 1e4, 2), s));
  }
}

// A scale that is a power of two leaves v/s exact, so that even the largest angles have one right answer in any format.
TYPED_TEST(TrigMixNumbers, AreAccurateForEveryMagnitude) {
  for (const double s : {1.0, 4.0, 0.5, -2.0}) EXPECT_TRUE(matches(values_of_all_magnitudes<TypeParam>(10000), s));
}

TYPED_TEST(TrigMixNumbers, AreAccurateForLargeAnglesAndAnyScale) {
  for (const double s : {2.5, 3.0, -0.7}) {
    EXPECT_TRUE(matches(uniform_values<TypeParam>(10000, 1e6, 1e9), s));
    EXPECT_TRUE(matches(uniform_values<TypeParam>(10000, -1e14, 1e14), s));
  }
}

TYPED_TEST(TrigMixNumbers, KeepSpecialValues) {
  for (const double s : {1.0, 2.0, 0.25}) EXPECT_TRUE(matches(special_values<TypeParam>(), s));
}

// Where sin(v)*s and cos(v/s) cancel, the square of a difference of near equals remains.
TYPED_TEST(TrigMixNumbers, SurviveCancellation) {
  std::vector<TypeParam> v;
  for (int i = -2000; i < 2000; ++i) v.push_back(static_cast<TypeParam>(-0.40217 + 1e-9 * i));
  for (const double root : {-0.3923, -0.4, 2.9, 3.5}) {
    for (int i = 0; i < 2000; ++i) v.push_back(static_cast<TypeParam>(root + 1e-5 * i));
  }
  EXPECT_TRUE(matches(v, 2.5));
  EXPECT_TRUE(matches(v, 1.0));
}

TEST(TrigMix, ReducesLargeAngles) {
  const auto y = run<float>({1e9F, 1e10F, 1e20F, 1e30F, 16793388.0F}, 1.0);
  const double expected[] = {1.9147105, 0.1486979, 1.9904581, 1.9677588, 1.4655945};
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1.5e-7) << i;
}

TEST(TrigMix, HoldsForTheDerivativeCase) { EXPECT_NEAR(run<double>({1.0}, 2.0)[0], 6.55628588, 5e-9); }

TEST(TrigMix, GivesNanForZeroScale) {
  for (const double y : run<double>({0.0, -0.0}, 0.0)) EXPECT_TRUE(std::isnan(y));
  for (const double y : run<double>({1.0, -1.0}, 0.0)) EXPECT_TRUE(std::isnan(y));
}

}  // namespace
}  // namespace portops::test
