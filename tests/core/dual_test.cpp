#include <portops/dual.hpp>

#include <vector>

#include <gtest/gtest.h>

#include <portops/detail/derivatives.hpp>

namespace portops::test {
namespace {

using Z = Kokkos::complex<double>;

/// Points in every quadrant, off the cuts along the axes.
std::vector<Z> points() { return {{0.4, 0.3}, {-0.7, 0.2}, {-0.5, -0.9}, {0.8, -0.6}, {1.7, 0.4}, {-2.1, -0.3}}; }

/// Success if the derivative by dual numbers, and the second by duals of duals, are those by differences.
template <class Function>
testing::AssertionResult is_differentiated(const Function& f) {
  constexpr double h = 1e-4;
  for (const Z& z : points()) {
    Dual<Dual<Z>> x(Dual<Z>{z});
    x.value.tangent[0] = Z(1);
    x.tangent[0] = Dual<Z>(Z(1));
    const Dual<Dual<Z>> y = f(x);
    const Z low = f(z - h), high = f(z + h), first = (high - low) / (2 * h), second = (high - f(z) * 2 + low) / (h * h);
    const double scale = 1 + abs(first) + abs(second);
    // The error of the differences is of order h^2 and of epsilon / h^2.
    if (!(abs(y.value.value - f(z)) < 1e-14 * (1 + abs(f(z)))) || !(abs(y.value.tangent[0] - first) < 1e-6 * scale) ||
        !(abs(y.tangent[0].tangent[0] - second) < 1e-5 * scale)) {
      return testing::AssertionFailure() << "at " << z << ": " << y.value.value << ", " << y.value.tangent[0] << ", "
                                         << y.tangent[0].tangent[0] << "; expected " << f(z) << ", " << first << ", "
                                         << second;
    }
  }
  return testing::AssertionSuccess();
}

#define PORTOPS_TEST_FUNCTION(name) EXPECT_TRUE(is_differentiated([](const auto& z) { return name(z); })) << #name

TEST(Dual, DifferentiatesComplexFunctions) {
  PORTOPS_TEST_FUNCTION(exp);
  PORTOPS_TEST_FUNCTION(log);
  PORTOPS_TEST_FUNCTION(log10);
  PORTOPS_TEST_FUNCTION(sqrt);
  PORTOPS_TEST_FUNCTION(sin);
  PORTOPS_TEST_FUNCTION(cos);
  PORTOPS_TEST_FUNCTION(tan);
  PORTOPS_TEST_FUNCTION(asin);
  PORTOPS_TEST_FUNCTION(acos);
  PORTOPS_TEST_FUNCTION(atan);
  PORTOPS_TEST_FUNCTION(sinh);
  PORTOPS_TEST_FUNCTION(cosh);
  PORTOPS_TEST_FUNCTION(tanh);
  PORTOPS_TEST_FUNCTION(asinh);
  PORTOPS_TEST_FUNCTION(acosh);
  PORTOPS_TEST_FUNCTION(atanh);
}

TEST(Dual, DifferentiatesComplexArithmetic) {
  EXPECT_TRUE(is_differentiated([](auto z) { return -z * z + decltype(z)(2.5) * z; }));
  EXPECT_TRUE(is_differentiated([](auto z) { return (z - 1) / (z * z + 3); }));
  EXPECT_TRUE(is_differentiated([](auto z) { return Real<decltype(z)>(0.1) * z; }));
  EXPECT_TRUE(is_differentiated([](auto z) { return pow(z, decltype(z)(3)); }));
  EXPECT_TRUE(is_differentiated([](auto z) { return pow(decltype(z)(2), z); }));
  EXPECT_TRUE(is_differentiated([](auto z) { return pow(z, z); }));
  EXPECT_TRUE(is_differentiated([](auto z) { return select(z != decltype(z)(0), z * z * z, z); }));
}

TEST(Dual, HasFiniteSlopesOfComplexPowersAtZero) {
  for (const double exponent : {1.0, 2.0, 3.0}) {
    Dual<Z> x{Z(0)};
    x.tangent[0] = Z(1);
    EXPECT_EQ(pow(x, Dual<Z>(exponent)).tangent[0], Z(exponent == 1 ? 1 : 0)) << exponent;
  }
}

struct Reciprocal {
  static constexpr bool accepts_complex = true;
  template <class T>
  T operator()(T z) const {
    return T(1) / z;
  }
  template <class T>
  Kokkos::Array<T, 1> derivative(const T& z) const {
    return {T(-1) / (z * z)};
  }
};

// torch's convention: forward f'(z)*t, backward g*conj(f'(z)).
TEST(Derivatives, ConjugateBackwardOnly) {
  const Z z(0.3, 0.4), g(2, -1), slope = Z(-1) / (z * z), curve = Z(2) / (z * z * z);
  const auto near = [](const Z& actual, const Z& expected) { return abs(actual - expected) < 1e-12 * abs(expected); };
  EXPECT_TRUE(near(detail::Jvp<Reciprocal, 1, 1>{}(z, g)[0], slope * g));
  EXPECT_TRUE(near(detail::Vjp<Reciprocal, 1, 1>{}(g, z)[0], g * conj(slope)));
  EXPECT_TRUE(near(detail::SecondDerivative<Reciprocal, 1, 1>{}(g, z, Z(0, 1))[0], g * conj(Z(0, 1) * curve)));
  EXPECT_TRUE((detail::accepts_complex<detail::Vjp<Reciprocal, 1, 1>>));
}

}  // namespace
}  // namespace portops::test
