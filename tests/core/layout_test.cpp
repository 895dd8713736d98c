#include <portops/detail/layout.hpp>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace portops::test {
namespace {

using Operand = portops::detail::OperandLayout<std::int64_t>;

Sizes strides_of(const std::vector<Layout>& layouts, const Sizes& shape) {
  std::vector<Operand> operands;
  for (const Layout& layout : layouts) {
    operands.push_back({layout.sizes.data(), layout.strides.data(), static_cast<int>(layout.sizes.size())});
  }
  return detail::elementwise_strides(operands, shape.data(), static_cast<int>(shape.size()));
}

// The rule is compared with torch's own on thousands of layouts by the Python tests; here are the cases by name.
TEST(Layout, OfAResultFollowsItsInputs) {
  const Sizes shape = {2, 3, 4, 5}, channels_last = {60, 1, 15, 3};
  EXPECT_EQ(strides_of({contiguous(shape)}, shape), contiguous(shape).strides);
  EXPECT_EQ(strides_of({{"", shape, channels_last}}, shape), channels_last);
  EXPECT_EQ(strides_of({{"", shape, channels_last}, contiguous({})}, shape), channels_last);
  EXPECT_EQ(strides_of({column_major(shape)}, shape), column_major(shape).strides);
  EXPECT_EQ(strides_of({transposed(shape), transposed(shape)}, shape), transposed(shape).strides);
  EXPECT_EQ(strides_of({strided(shape)}, shape), contiguous(shape).strides);
  EXPECT_EQ(strides_of({padded(shape)}, shape), contiguous(shape).strides);
  EXPECT_EQ(strides_of({contiguous({})}, {}), Sizes());
}

TEST(Layout, IsContiguousWhateverTheStrideOfASizeOfOne) {
  const Sizes sizes = {3, 1, 4}, strides = {4, 999, 1}, gap = {8, 1, 1}, empty = {3, 0, 4};
  EXPECT_TRUE(detail::is_contiguous(sizes.data(), strides.data(), 3));
  EXPECT_FALSE(detail::is_contiguous(sizes.data(), gap.data(), 3));
  EXPECT_TRUE(detail::is_contiguous(empty.data(), gap.data(), 3));
}

TEST(Layout, IsDenseWithoutGapsAndRepeats) {
  const Sizes sizes = {3, 4, 5};
  const auto dense = [](const Layout& layout) {
    return detail::is_dense(Operand{layout.sizes.data(), layout.strides.data(), static_cast<int>(layout.sizes.size())});
  };
  EXPECT_TRUE(dense(contiguous(sizes)));
  EXPECT_TRUE(dense(column_major(sizes)));
  EXPECT_TRUE(dense(transposed(sizes)));
  EXPECT_FALSE(dense(padded(sizes)));
  EXPECT_FALSE(dense(strided(sizes)));
  EXPECT_FALSE(dense(expanded(sizes)));
}

}  // namespace
}  // namespace portops::test
