#include "support/tensor.hpp"

#include <set>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace portops::test {
namespace {

TEST(Tensor, HoldsValuesOfEveryDTypeInEveryLayout) {
  for (int type = 0; type <= static_cast<int>(DType::uint64); ++type) {
    const auto dtype = static_cast<DType>(type);
    if (is_complex(dtype)) continue;
    for (const Layout& layout : distinct_layouts({3, 1, 4})) {
      Tensor tensor(dtype, layout, 1);
      tensor.fill([](std::int64_t i) { return static_cast<double>(i); });
      for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(tensor.get(i), static_cast<double>(i)) << name(dtype);
      EXPECT_TRUE(tensor.guards_intact()) << name(dtype) << " " << layout.name;
    }
  }
}

TEST(Tensor, LiesWhereItsReferenceSays) {
  for (const Layout& layout : distinct_layouts({3, 4})) {
    Tensor tensor(DType::float32, layout);
    tensor.fill([](std::int64_t i) { return static_cast<double>(i); });
    const TensorRef ref = tensor.ref();
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t offset = i / 4 * ref.stride(0) + i % 4 * ref.stride(1);
      EXPECT_EQ(static_cast<const float*>(ref.data)[offset], static_cast<float>(i)) << layout.name;
    }
  }
}

TEST(Tensor, NoticesAWriteBesideItsElements) {
  Tensor tensor(DType::float32, padded({2, 3}));
  static_cast<float*>(tensor.ref().data)[3] = 1;
  EXPECT_FALSE(tensor.guards_intact());
}

TEST(Layouts, HaveDistinctElements) {
  for (const Sizes& sizes : std::vector<Sizes>{{}, {5}, {2, 3}, {2, 3, 4}, {2, 1, 3, 2}}) {
    for (const Layout& layout : distinct_layouts(sizes)) {
      std::int64_t count = 1;
      for (const std::int64_t size : sizes) count *= size;
      std::set<std::int64_t> offsets;
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i, offset = 0;
        for (std::size_t dim = sizes.size(); dim-- > 0;) {
          offset += rest % sizes[dim] * layout.strides[dim];
          rest /= sizes[dim];
        }
        offsets.insert(offset);
      }
      EXPECT_EQ(static_cast<std::int64_t>(offsets.size()), count) << layout.name;
    }
  }
}

TEST(Rounding, KnowsEveryHalf) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (int bits = 0; bits < 65536; ++bits) {
      const double value = decode16(dtype, static_cast<std::uint16_t>(bits));
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode16(dtype, value), bits) << name(dtype);
      ASSERT_EQ(round_to(dtype, value), value) << name(dtype);
    }
  }
  EXPECT_EQ(decode16(DType::float16, 0x3c00), 1.0);
  EXPECT_EQ(decode16(DType::float16, 0x7bff), 65504.0);
  EXPECT_EQ(decode16(DType::float16, 0x0001), 0x1p-24);
  EXPECT_EQ(decode16(DType::bfloat16, 0xc040), -3.0);
}

TEST(Rounding, GoesToNearestEvenAndToInfinity) {
  EXPECT_EQ(round_to(DType::float16, 2049), 2048);
  EXPECT_EQ(round_to(DType::float16, 2051), 2052);
  EXPECT_EQ(round_to(DType::float16, 65519), 65504);
  EXPECT_EQ(round_to(DType::float16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(round_to(DType::float16, 0x1p-25), 0);
  for (const double value : uniform_values<double>(1000, -1e38, 1e38)) {
    EXPECT_EQ(round_to(DType::float32, value), static_cast<double>(static_cast<float>(value)));
  }
}

TEST(RandomValues, AreTheSameForTheSameSeedAndCoverTheRange) {
  const auto values = uniform_values<float>(1000, -2, 3);
  EXPECT_EQ(values, uniform_values<float>(1000, -2, 3));
  EXPECT_NE(values, uniform_values<float>(1000, -2, 3, 2));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -1.9F);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 2.9F);
  const auto magnitudes = values_of_all_magnitudes<double>(1000);
  EXPECT_TRUE(std::any_of(magnitudes.begin(), magnitudes.end(), [](double x) { return std::fabs(x) > 1e200; }));
  EXPECT_TRUE(std::any_of(magnitudes.begin(), magnitudes.end(), [](double x) { return std::fabs(x) < 1e-200; }));
}

}  // namespace
}  // namespace portops::test
