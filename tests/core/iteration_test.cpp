#include <portops/detail/iteration.hpp>

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace portops::test {
namespace {

alignas(64) char memory[1];  // only addresses are computed

struct Operand {
  Sizes sizes, strides;
  TensorRef ref() const {
    return {memory, DType::float32, {}, static_cast<int>(sizes.size()), sizes.data(), strides.data()};
  }
};

using Tuples = std::vector<std::vector<std::int64_t>>;

/// The offsets of all operands, element by element, as the definition of broadcasting says.
Tuples expected_tuples(const Sizes& shape, const std::vector<Operand>& operands) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  Tuples tuples;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> offsets(operands.size(), 0);
    std::int64_t rest = i;
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      const std::int64_t index = rest % shape[dim];
      rest /= shape[dim];
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::size_t missing = shape.size() - operands[k].sizes.size();
        if (dim < missing || operands[k].sizes[dim - missing] == 1) continue;
        offsets[k] += index * operands[k].strides[dim - missing] * 4;
      }
    }
    tuples.push_back(offsets);
  }
  std::sort(tuples.begin(), tuples.end());
  return tuples;
}

Tuples actual_tuples(const detail::Iteration& iteration) {
  Tuples tuples;
  for (std::int64_t i = 0; i < iteration.numel; ++i) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(iteration.operands), 0);
    std::int64_t rest = i;
    for (std::size_t dim = 0; dim < static_cast<std::size_t>(iteration.rank); ++dim) {
      const std::int64_t index = rest % iteration.sizes[dim];
      rest /= iteration.sizes[dim];
      for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] += index * iteration.strides[dim][k];
    }
    tuples.push_back(offsets);
  }
  std::sort(tuples.begin(), tuples.end());
  return tuples;
}

detail::Iteration iterate(const Sizes& shape, const std::vector<Operand>& operands) {
  std::vector<TensorRef> refs;
  for (const Operand& operand : operands) refs.push_back(operand.ref());
  return detail::make_iteration(shape, refs);
}

TEST(Iteration, VisitsTheElementsOfRandomLayoutsOnce) {
  std::mt19937 engine(4);
  for (int repeat = 0; repeat < 5000; ++repeat) {
    Sizes shape;
    for (std::size_t dim = engine() % 6; dim > 0; --dim) shape.push_back(engine() % 20 == 0 ? 0 : 1 + engine() % 4);
    std::vector<Operand> operands;
    for (std::size_t k = 0; k < 1 + repeat % 3U; ++k) {
      const auto layouts = k == 0 ? distinct_layouts(shape) : input_layouts(shape);
      const Layout layout = layouts[engine() % layouts.size()];
      operands.push_back({layout.sizes, layout.strides});
      if (k == 0) continue;
      for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        if (engine() % 4 == 0) operands[k].sizes[dim] = 1;
      }
      const auto drop = static_cast<std::ptrdiff_t>(engine() % (shape.size() + 1));
      operands[k].sizes.erase(operands[k].sizes.begin(), operands[k].sizes.begin() + drop);
      operands[k].strides.erase(operands[k].strides.begin(), operands[k].strides.begin() + drop);
    }
    ASSERT_EQ(actual_tuples(iterate(shape, operands)), expected_tuples(shape, operands)) << "repeat " << repeat;
  }
}

TEST(Iteration, FoldsWhatIsOneRunOfMemory) {
  const Sizes shape = {2, 3, 1, 4, 5};
  const auto rank = [&](const Layout& first, const Layout& second) {
    return iterate(shape, {{first.sizes, first.strides}, {second.sizes, second.strides}}).rank;
  };
  EXPECT_EQ(rank(contiguous(shape), contiguous(shape)), 1);
  EXPECT_EQ(rank(column_major(shape), column_major(shape)), 1);
  EXPECT_EQ(rank(transposed(shape), transposed(shape)), 1);
  EXPECT_EQ(rank(strided(shape), strided(shape)), 1);
  EXPECT_EQ(rank(reversed(shape), reversed(shape)), 1);
  EXPECT_EQ(rank(contiguous(shape), expanded(shape)), 2);
  EXPECT_EQ(rank(contiguous(shape), contiguous({})), 1);
}

// Offsets beyond 32 bits, from few elements: nothing of this size is ever allocated.
TEST(Iteration, KeepsOffsetsBeyond32Bits) {
  const Operand far{{3, 2}, {std::int64_t(1) << 40, std::int64_t(1) << 33}};
  EXPECT_EQ(actual_tuples(iterate({3, 2}, {far})), expected_tuples({3, 2}, {far}));
}

TEST(Iteration, ServesTheHighestRank) {
  const Sizes sizes(max_rank, 1);
  Sizes with_two = sizes;
  with_two.front() = with_two.back() = with_two[30] = 2;
  for (const Sizes& shape : {sizes, with_two}) {
    const Layout layout = column_major(shape);
    const std::vector<Operand> operands = {{layout.sizes, layout.strides}};
    EXPECT_EQ(actual_tuples(iterate(shape, operands)), expected_tuples(shape, operands));
  }
}

}  // namespace
}  // namespace portops::test
