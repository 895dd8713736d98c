#include <portops/view.hpp>

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

static_assert(OutputView<Kokkos::View<float*>>);
static_assert(!OutputView<Kokkos::View<const float*>>);
static_assert(ElementView<Kokkos::View<const std::uint16_t***, Kokkos::LayoutLeft>>);
static_assert(!ElementView<std::vector<float>>);
static_assert(!ElementView<Kokkos::View<std::string*>>);

template <class T>
class AsView : public testing::Test {};
using Types = testing::Types<float, double, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(AsView, Types);

TYPED_TEST(AsView, HasTheMemoryShapeAndStridesOfTheTensor) {
  constexpr DType dtype = detail::dtype_of<TypeParam>();
  const Sizes sizes = {2, 3, 4};
  for (const Layout& layout : distinct_layouts(sizes)) {
    if (layout.strides.front() < 0) continue;
    Tensor tensor(dtype, layout);
    tensor.fill([](std::int64_t i) { return static_cast<double>(i % 2); });
    const auto view = as_view<const TypeParam, 3>(tensor.ref());
    EXPECT_EQ(static_cast<const void*>(view.data()), tensor.ref().data);
    for (std::int64_t i = 0; i < 24; ++i) {
      EXPECT_EQ(view(i / 12, i / 4 % 3, i % 4), tensor.template read<TypeParam>(i)) << layout.name << " at " << i;
    }
    const ViewRef<std::remove_const_t<decltype(view)>> back(view);
    const TensorRef& ref = back;
    EXPECT_EQ(ref.data, tensor.ref().data);
    EXPECT_EQ(ref.dtype, dtype);
    ASSERT_EQ(ref.rank, 3);
    for (int dim = 0; dim < 3; ++dim) {
      EXPECT_EQ(ref.sizes[dim], tensor.ref().sizes[dim]);
      EXPECT_EQ(ref.stride(dim), tensor.ref().stride(dim)) << layout.name;
    }
  }
}

TEST(AsViews, WritesTheTensor) {
  Tensor tensor(DType::float64, strided({5}));
  const auto view = as_view<double, 1>(tensor.ref());
  Kokkos::parallel_for("portops::test", Kokkos::RangePolicy<HostSpace>(0, 5), [=](int i) { view(i) = 10.0 * i; });
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(tensor.get(i), 10.0 * static_cast<double>(i));
  EXPECT_TRUE(tensor.guards_intact());
}

TEST(AsViews, RunsBackwardsWhereTheTensorDoes) {
  Tensor tensor(DType::float32, reversed({2, 3}));
  tensor.fill([](std::int64_t i) { return static_cast<double>(i); });
  const auto view = as_view<float, 2>(tensor.ref());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(view(i / 3, i % 3), static_cast<float>(i));
}

TEST(AsViews, ServesScalarsAndTensorsWithoutStrides) {
  const Tensor scalar(DType::int32, contiguous({})), row(DType::int32, contiguous({4, 2}));
  const auto view = as_view<std::int32_t, 0>(scalar.ref());
  EXPECT_EQ(static_cast<void*>(view.data()), scalar.ref().data);
  TensorRef plain = row.ref();
  plain.strides = nullptr;
  EXPECT_EQ((as_view<std::int32_t, 2>(plain).stride(0)), 2U);
}

TEST(AsViews, NamesRuleAndValuesOfWhatItRefuses) {
  const Tensor tensor(DType::float32, contiguous({2, 3}));
  EXPECT_TRUE(throws_with<Error>([&] { as_view<double, 2>(tensor.ref()); },
                                 {"portops::as_view: ", "dtype", "float32", "float64"}));
  EXPECT_TRUE(throws_with<Error>([&] { as_view<float, 3>(tensor.ref()); }, {"portops::as_view: ", "rank", "2", "3"}));
  TensorRef on_device = tensor.ref();
  on_device.device = {DeviceType::cuda, 0};
  EXPECT_TRUE(throws_with<Error>([&] { as_view<float, 2>(on_device); }, {"portops::as_view: ", "device=cuda"}));
}

}  // namespace
}  // namespace portops::test
