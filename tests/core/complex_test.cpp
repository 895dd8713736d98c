#include <portops/elementwise.hpp>

#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"
#include "support/view_suite.hpp"

namespace portops::test {

// Only their layouts and Views are used here.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Elementwise);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ElementwiseOnViews);

namespace {

/// Products, sums and a quotient: the same bits from a vector loop and from a plain one.
struct Mix {
  static constexpr bool accepts_complex = true;
  double a;
  template <class T>
  KOKKOS_FUNCTION T operator()(T z, T w) const {
    return Real<T>(a) * z * w + z / (w + T(2));
  }
};

struct SumAndProduct {
  static constexpr bool accepts_complex = true;
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> operator()(T z, T w) const {
    return {z + w, z * w};
  }
};

struct Wave {
  static constexpr bool accepts_complex = true;
  template <class T>
  KOKKOS_FUNCTION T operator()(T z) const {
    using std::exp, std::sin;  // portops has functions of these names
    return exp(z) * sin(z);
  }
};

constexpr Mix mix{1.5};

template <class R>
class ComplexElementwise : public testing::Test {
 public:
  using Z = Kokkos::complex<R>;
  static constexpr DType dtype = portops::detail::dtype_of<Z>();

  static Tensor random(const Layout& layout, std::uint64_t seed, std::int64_t shift = 0) {
    Tensor tensor(dtype, layout, shift);
    const auto parts = uniform_values<R>(2 * tensor.numel(), -3, 3, seed);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      tensor.write(i, Z(parts[at], parts[at + 1]));
    }
    return tensor;
  }

  static void run(const Tensor& z, const Tensor& w, const Tensor& y, int threads = 1) {
    StreamRef stream;
    stream.threads = threads;
    elementwise("mine::mix", stream, mix, y.ref(), z.ref(), w.ref());
  }

  static testing::AssertionResult is_plain_loop(const Tensor& y, const Tensor& z, const Tensor& w) {
    for (std::int64_t i = 0; i < y.numel(); ++i) {
      const Z expected = mix(z.read<Z>(i), w.read<Z>(i)), actual = y.read<Z>(i);
      if (std::memcmp(&actual, &expected, sizeof(Z)) != 0) {
        return testing::AssertionFailure() << "[" << i << "] actual " << actual << ", expected " << expected;
      }
    }
    return y.guards_intact() ? testing::AssertionSuccess() : testing::AssertionFailure() << "wrote beside the elements";
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexElementwise, Reals);

TYPED_TEST(ComplexElementwise, IsAPlainLoopForEveryLength) {
  std::vector<std::int64_t> lengths = {0, 500, 511, 512, 513, 1000, 1024, 5000, 70001};
  for (std::int64_t length = 1; length <= 260; ++length) lengths.push_back(length);
  for (const std::int64_t length : lengths) {
    const Tensor z = this->random(contiguous({length}), 1), w = this->random(contiguous({length}), 2);
    const Tensor y(this->dtype, contiguous({length}));
    this->run(z, w, y, 2);
    ASSERT_TRUE(this->is_plain_loop(y, z, w)) << "length " << length;
  }
}

TYPED_TEST(ComplexElementwise, AcceptsEveryLayout) {
  for (const Sizes& sizes : shapes()) {
    for (const Layout& in : input_layouts(sizes)) {
      const Tensor z = this->random(in, 1), w = this->random(contiguous(sizes), 2);
      for (const Layout& out : distinct_layouts(sizes)) {
        const Tensor y(this->dtype, out);
        this->run(z, w, y);
        EXPECT_TRUE(this->is_plain_loop(y, z, w)) << in.name << " to " << out.name << ", rank " << sizes.size();
      }
    }
  }
}

TYPED_TEST(ComplexElementwise, AcceptsAnyAlignment) {
  for (const std::int64_t shift : {1, 4, 8, 12}) {
    for (const Layout& layout : {contiguous({3, 150}), strided({450})}) {
      const Tensor z = this->random(layout, 1, shift), w = this->random(layout, 2, shift / 2);
      const Tensor y(this->dtype, layout, shift);
      this->run(z, w, y);
      EXPECT_TRUE(this->is_plain_loop(y, z, w)) << "shift " << shift;
    }
  }
}

TYPED_TEST(ComplexElementwise, WritesOverItsOwnInput) {
  for (const Layout& layout : distinct_layouts({5, 1030})) {
    const Tensor z = this->random(layout, 1), w = this->random(layout, 2), before = z;
    this->run(z, w, z);
    EXPECT_TRUE(this->is_plain_loop(z, before, w)) << layout.name;
  }
}

TYPED_TEST(ComplexElementwise, DependsOnElementOnly) {
  using Z = Kokkos::complex<TypeParam>;
  const auto run = [](const Tensor& z, const Tensor& y) { elementwise("mine::wave", {}, Wave(), y.ref(), z.ref()); };
  const Tensor z = this->random(contiguous({700}), 1), whole(this->dtype, contiguous({700}));
  run(z, whole);
  for (std::int64_t length = 1; length <= 300; ++length) {
    Tensor part(this->dtype, length % 3 == 0 ? strided({length}) : contiguous({length}));
    for (std::int64_t i = 0; i < length; ++i) part.write(i, z.read<Z>(length + i));
    const Tensor y(this->dtype, length % 2 == 0 ? contiguous({length}) : reversed({length}));
    run(part, y);
    for (std::int64_t i = 0; i < length; ++i) ASSERT_TRUE(y.same_bits(i, whole, length + i)) << length << " at " << i;
  }
}

TYPED_TEST(ComplexElementwise, CallsTheFunctionsOfComplexNumbers) {
  using Z = Kokkos::complex<TypeParam>;
  const Tensor z = this->random(contiguous({1000}), 1), y(this->dtype, contiguous({1000}));
  elementwise("mine::wave", {}, Wave(), y.ref(), z.ref());
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::complex<double> v(z.read<Z>(i).real(), z.read<Z>(i).imag()), expected = std::exp(v) * std::sin(v);
    const std::complex<double> actual(y.read<Z>(i).real(), y.read<Z>(i).imag());
    // Some functions of up to 4 ulp each, relative to the whole number: a part may cancel.
    ASSERT_LE(std::abs(actual - expected), 32 * std::numeric_limits<TypeParam>::epsilon() * std::abs(expected)) << i;
  }
}

/// What is read becomes complex, exactly; what is computed is rounded once.
TYPED_TEST(ComplexElementwise, ConvertsEveryDType) {
  using Z = Kokkos::complex<TypeParam>;
  constexpr std::int64_t count = 130;
  const Tensor z = this->random(padded({count}), 1);
  for (int from = 0; from <= static_cast<int>(DType::uint64); ++from) {
    const auto in = static_cast<DType>(from);
    if (is_complex(in)) continue;
    Tensor x(in, strided({count})), w(this->dtype, contiguous({count}));
    x.fill([&](std::int64_t i) { return in == DType::boolean ? 1.0 : static_cast<double>(i % 50); });
    for (std::int64_t i = 0; i < count; ++i) w.write(i, Z(static_cast<TypeParam>(x.get(i))));
    const bool wide = in == DType::float64 || this->dtype == DType::complex128;
    const Tensor expected(this->dtype, contiguous({count})), y(this->dtype, contiguous({count}));
    elementwise("mine::mix", {}, mix, y.ref(), z.ref(), x.ref());
    if (wide && this->dtype == DType::complex64) continue;  // computed in complex128, which the next test does
    this->run(z, w, expected);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_TRUE(y.same_bits(i, expected, i)) << name(in) << " at " << i;
  }
}

TYPED_TEST(ComplexElementwise, BroadcastsItsInputs) {
  using Z = Kokkos::complex<TypeParam>;
  const Tensor z = this->random(transposed({4, 3}), 1), one = this->random(contiguous({}), 2);
  const Tensor y(this->dtype, column_major({600, 4, 3}));
  this->run(z, one, y);
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    const Z expected = mix(z.read<Z>(i % 12), one.read<Z>(0));
    ASSERT_EQ(y.read<Z>(i), expected) << i;
  }
}

template <class R, class InLayout, class OutLayout>
void check_complex_views() {
  using Z = Kokkos::complex<R>;
  const auto z = make_view<Z, 3>("z", layout_of_rank<InLayout, 3>());
  const auto y = make_view<Z, 3>("y", layout_of_rank<OutLayout, 3>());
  const Kokkos::View<R, Kokkos::HostSpace> w("w");
  w() = R(0.75);
  const auto value = [](std::int64_t i) { return Z(R(0.25) * static_cast<R>(i), R(3) - static_cast<R>(i)); };
  for_each_element(z, [&](Z& element, std::int64_t i) { element = value(i); });
  elementwise("mine::mix", HostSpace(), mix, y, z, w);
  for_each_element(y, [&](const Z& element, std::int64_t i) { ASSERT_EQ(element, mix(value(i), Z(w()))) << i; });
}

TYPED_TEST(ComplexElementwise, AcceptsViewsOfEveryLayout) {
  check_complex_views<TypeParam, Kokkos::LayoutRight, Kokkos::LayoutLeft>();
  check_complex_views<TypeParam, Kokkos::LayoutLeft, Kokkos::LayoutStride>();
  check_complex_views<TypeParam, Kokkos::LayoutStride, Kokkos::LayoutRight>();
  check_complex_views<TypeParam, Kokkos::LayoutRight, Kokkos::LayoutRight>();
}

TYPED_TEST(ComplexElementwise, HasSeveralResults) {
  using Z = Kokkos::complex<TypeParam>;
  const Tensor z = this->random(contiguous({9, 70}), 1), w = this->random(transposed({9, 70}), 2);
  const Tensor sum(this->dtype, padded({9, 70})), product(this->dtype, reversed({9, 70}));
  const detail::Operands<2, 2> operands{{sum.ref(), product.ref(), z.ref(), w.ref()}};
  detail::elementwise_refs("mine::sum_and_product", {}, SumAndProduct(), operands, this->dtype);
  for (std::int64_t i = 0; i < sum.numel(); ++i) {
    ASSERT_EQ(sum.read<Z>(i), z.read<Z>(i) + w.read<Z>(i)) << i;
    ASSERT_EQ(product.read<Z>(i), z.read<Z>(i) * w.read<Z>(i)) << i;
  }
}

}  // namespace
}  // namespace portops::test
