#include <portops/ops/exp_sin.hpp>

#include "reference/exp_sin.hpp"
#include "support/view_suite.hpp"

namespace portops::test {
namespace {

template <class T>
testing::AssertionResult near_reference(T actual, double x, double amplitude) {
  return near(actual, reference::exp_sin(x, amplitude), "x=" + exact(x) + ", amplitude=" + exact(amplitude));
}

template <class T>
struct ScalarCase {
  using Element = T;
  static constexpr int inputs = 1;
  static constexpr const char* label = "portops::exp_sin";

  static void call(const StreamRef& stream, const TensorRef* x, const TensorRef& y) { exp_sin(stream, x[0], y, 2.0); }
  template <class Y, class X>
  static void call(const HostSpace& exec, const Y& y, const X& x) {
    exp_sin(exec, x, y, 2.0);
  }
  static testing::AssertionResult matches(T actual, const double* x) { return near_reference(actual, x[0], 2.0); }
};

template <class T>
struct TensorCase {
  using Element = T;
  static constexpr int inputs = 2;
  static constexpr const char* label = "portops::exp_sin";

  static void call(const StreamRef& stream, const TensorRef* x, const TensorRef& y) { exp_sin(stream, x[0], x[1], y); }
  template <class Y, class X, class A>
  static void call(const HostSpace& exec, const Y& y, const X& x, const A& amplitude) {
    exp_sin(exec, x, amplitude, y);
  }
  static testing::AssertionResult matches(T actual, const double* x) { return near_reference(actual, x[0], x[1]); }
};

using Cases = testing::Types<ScalarCase<float>, ScalarCase<double>, TensorCase<float>, TensorCase<double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(ExpSin, Elementwise, Cases);
INSTANTIATE_TYPED_TEST_SUITE_P(ExpSin, ElementwiseOnViews, Cases);

/// Through the scalar form, and through the tensor form where the amplitude is a number of type T.
template <class T>
testing::AssertionResult matches(const std::vector<T>& x, double amplitude) {
  std::vector<T> y(x.size());
  const auto size = static_cast<std::int64_t>(x.size());
  constexpr DType dtype = portops::detail::dtype_of<T>();
  T number = static_cast<T>(amplitude);
  const TensorRef x_ref{const_cast<T*>(x.data()), dtype, {}, 1, &size, nullptr};
  const TensorRef y_ref{y.data(), dtype, {}, 1, &size, nullptr}, a_ref{&number, dtype, {}, 0, nullptr, nullptr};
  exp_sin(StreamRef(), x_ref, y_ref, amplitude);
  const std::vector<T> from_number = y;
  exp_sin(StreamRef(), x_ref, a_ref, y_ref);
  return all_of(2 * x.size(), [&](std::size_t k) {
    const std::size_t i = k / 2;
    if (k % 2 == 0) return near_reference(from_number[i], static_cast<double>(x[i]), amplitude);
    return near_reference(y[i], static_cast<double>(x[i]), static_cast<double>(number));
  });
}

template <class T>
class ExpSinNumbers : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(ExpSinNumbers, Floats);

TYPED_TEST(ExpSinNumbers, AreAccurateForEveryAmplitude) {
  for (const double amplitude : {2.0, -2.0, 0.0, 1e-3, 0.75, 1.9999, 2.0001, 11.9, 12.1, -40.0, 85.0, 300.0, 1000.0}) {
    EXPECT_TRUE(matches(uniform_values<TypeParam>(5000, -10, 10), amplitude));
    EXPECT_TRUE(matches(uniform_values<TypeParam>(5000, -1e5, 1e5, 2), amplitude));
  }
}

TYPED_TEST(ExpSinNumbers, AreAccurateForEveryMagnitude) {
  for (const double amplitude : {2.0, -1.0, 9.0, 20.0}) {
    EXPECT_TRUE(matches(values_of_all_magnitudes<TypeParam>(5000), amplitude));
  }
}

TYPED_TEST(ExpSinNumbers, KeepSpecialValues) {
  for (const double amplitude : {2.0, -0.5, 0.0, 1e6}) EXPECT_TRUE(matches(special_values<TypeParam>(), amplitude));
}

TYPED_TEST(ExpSinNumbers, KeepInfiniteAndNanAmplitudes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<TypeParam> x = {TypeParam(0.5), TypeParam(-0.5), TypeParam(0), TypeParam(4)};
  for (const double amplitude : {infinity, -infinity, std::nan("")}) EXPECT_TRUE(matches(x, amplitude));
}

}  // namespace
}  // namespace portops::test
