#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "support/elementwise_suite.hpp"
#include "support/kokkos_recorder.hpp"

namespace portops::test {

/// What every elementwise operator promises on Views; a Case as for Elementwise.
template <class Case>
class ElementwiseOnViews : public testing::Test {
 public:
  using T = typename Case::Element;

  /// Calls the operator with `input` for each of its inputs.
  template <class Output, class Input>
  static void call(const HostSpace& exec, const Output& output, const Input& input) {
    if constexpr (Case::inputs == 1) {
      Case::call(exec, output, input);
    } else {
      Case::call(exec, output, input, input);
    }
  }

  static T value(std::int64_t i) { return static_cast<T>(0.1 + 0.01 * static_cast<double>(i % 200)); }

  /// The result of the operator on value(i), from contiguous memory.
  static std::vector<T> results(std::int64_t count) {
    std::vector<T> x, y(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) x.push_back(value(i));
    const std::vector<TensorRef> inputs(static_cast<std::size_t>(Case::inputs),
                                        {x.data(), Elementwise<Case>::dtype, {}, 1, &count, nullptr});
    Case::call(StreamRef(), inputs.data(), {y.data(), Elementwise<Case>::dtype, {}, 1, &count, nullptr});
    return y;
  }
};

/// Calls body(element, number) for every element of a View of rank 0 to 4, numbered in row-major order.
template <class View, class Body>
void for_each_element(const View& view, const Body& body) {
  std::int64_t number = 0;
  const auto extent = [&](std::size_t dim) { return dim < View::rank() ? view.extent(dim) : 1; };
  for (std::size_t i = 0; i < extent(0); ++i) {
    for (std::size_t j = 0; j < extent(1); ++j) {
      for (std::size_t k = 0; k < extent(2); ++k) {
        for (std::size_t l = 0; l < extent(3); ++l) body(view.access(i, j, k, l), number++);
      }
    }
  }
}

template <class T, int Rank, class Layout>
auto make_view(const char* label, const Layout& layout) {
  return Kokkos::View<typename portops::detail::DataType<T, Rank>::type, Layout, Kokkos::HostSpace>(std::string(label),
                                                                                                    layout);
}

/// Sizes 3, 4, 5, 6 with a gap between the rows where the layout can have one.
template <class Layout, int Rank>
Layout layout_of_rank() {
  Layout layout;
  std::size_t next = 2;
  for (std::size_t dim = 0; dim < Rank; ++dim) {
    layout.dimension[dim] = 3 + dim;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) layout.stride[dim] = next;
    next = next * (3 + dim) + 1;
  }
  return layout;
}

TYPED_TEST_SUITE_P(ElementwiseOnViews);

template <class Test, int Rank, class InLayout, class OutLayout>
void check_views() {
  using T = typename Test::T;
  const auto x = make_view<T, Rank>("x", layout_of_rank<InLayout, Rank>());
  const auto y = make_view<T, Rank>("y", layout_of_rank<OutLayout, Rank>());
  for_each_element(x, [](T& element, std::int64_t i) { element = Test::value(i); });
  const Kokkos::View<typename decltype(x)::const_data_type, InLayout, Kokkos::HostSpace> read_only = x;
  Test::call(HostSpace(), y, read_only);
  const auto expected = Test::results(static_cast<std::int64_t>(x.size()));
  for_each_element(y, [&](T element, std::int64_t i) {
    ASSERT_EQ(element, expected[static_cast<std::size_t>(i)]) << "rank " << Rank << " at " << i;
  });
}

TYPED_TEST_P(ElementwiseOnViews, AcceptsEveryRankAndLayout) {
  using Test = ElementwiseOnViews<TypeParam>;
  check_views<Test, 0, Kokkos::LayoutRight, Kokkos::LayoutRight>();
  check_views<Test, 1, Kokkos::LayoutRight, Kokkos::LayoutStride>();
  check_views<Test, 2, Kokkos::LayoutLeft, Kokkos::LayoutRight>();
  check_views<Test, 3, Kokkos::LayoutStride, Kokkos::LayoutLeft>();
  check_views<Test, 4, Kokkos::LayoutLeft, Kokkos::LayoutStride>();
}

TYPED_TEST_P(ElementwiseOnViews, RunsOnGivenInstanceAndNothingElse) {
  using T = typename TypeParam::Element;
  const auto instances = Kokkos::Experimental::partition_space(HostSpace(), 1, 1);
  const HostSpace& exec = instances[1];
  const Kokkos::View<T*, Kokkos::HostSpace> x("x", 100000), y("y", 100000);
  const KokkosRecorder recorder;
  this->call(exec, y, x);
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels()[0].label, TypeParam::label);
  EXPECT_EQ(recorder.kernels()[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(recorder.fences(), std::vector<std::string>());
  EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
  EXPECT_EQ(recorder.copies(), std::vector<std::string>());
}

TYPED_TEST_P(ElementwiseOnViews, LaunchesNothingForEmptyViews) {
  using T = typename TypeParam::Element;
  const Kokkos::View<T**, Kokkos::HostSpace> x("x", 3, 0), y("y", 3, 0);
  const KokkosRecorder recorder;
  this->call(HostSpace(), y, x);
  EXPECT_TRUE(recorder.kernels().empty());
}

TYPED_TEST_P(ElementwiseOnViews, LaunchesOneLabelledKernelForLargeTensorRefs) {
  using T = typename TypeParam::Element;
  const std::int64_t size = 100000;
  std::vector<T> x(static_cast<std::size_t>(size), T(1)), y(x.size());
  const std::vector<TensorRef> inputs(static_cast<std::size_t>(TypeParam::inputs),
                                      {x.data(), Elementwise<TypeParam>::dtype, {}, 1, &size, nullptr});
  const TensorRef output{y.data(), Elementwise<TypeParam>::dtype, {}, 1, &size, nullptr};
  StreamRef stream;
  stream.threads = 2;
  TypeParam::call(stream, inputs.data(), output);  // makes the instance that the second call finds
  const KokkosRecorder recorder;
  TypeParam::call(stream, inputs.data(), output);
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels()[0].label, TypeParam::label);
  EXPECT_EQ(recorder.fences(), std::vector<std::string>());
  EXPECT_EQ(recorder.allocations(), std::vector<std::string>());
}

REGISTER_TYPED_TEST_SUITE_P(ElementwiseOnViews, AcceptsEveryRankAndLayout, RunsOnGivenInstanceAndNothingElse,
                            LaunchesNothingForEmptyViews, LaunchesOneLabelledKernelForLargeTensorRefs);

}  // namespace portops::test
