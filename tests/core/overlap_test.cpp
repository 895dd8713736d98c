#include <portops/detail/overlap.hpp>

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace portops::test {
namespace {

// One block of memory in which all tensors of a test begin; nothing is ever read.
alignas(64) char memory[4096];

struct RandomTensor {
  Sizes sizes, strides;
  std::int64_t offset = 0;
  DType dtype = DType::float32;

  TensorRef ref() const {
    return {memory + 2048 + offset, dtype, {}, static_cast<int>(sizes.size()), sizes.data(), strides.data()};
  }
  /// The first byte of every element, in row-major order of the indices.
  std::vector<std::int64_t> addresses() const {
    std::vector<std::int64_t> all = {offset};
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      std::vector<std::int64_t> next;
      for (const std::int64_t base : all) {
        for (std::int64_t i = 0; i < sizes[dim]; ++i) next.push_back(base + i * strides[dim] * size_of(dtype));
      }
      all = next;
    }
    return all;
  }
  std::set<std::int64_t> bytes() const {
    std::set<std::int64_t> all;
    for (const std::int64_t address : addresses()) {
      for (std::int64_t byte = 0; byte < size_of(dtype); ++byte) all.insert(address + byte);
    }
    return all;
  }
  std::string text() const {
    std::string text = std::string(name(dtype)) + " at " + std::to_string(offset);
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      text += " " + std::to_string(sizes[dim]) + ":" + std::to_string(strides[dim]);
    }
    return text;
  }
};

RandomTensor random_tensor(std::mt19937& engine) {
  const auto pick = [&](int low, int high) { return low + static_cast<int>(engine() % unsigned(high - low + 1)); };
  RandomTensor tensor;
  tensor.dtype = std::vector<DType>{DType::int8, DType::float16, DType::float32, DType::float64}[engine() % 4];
  const int rank = pick(0, 4);
  for (int dim = 0; dim < rank; ++dim) {
    tensor.sizes.push_back(engine() % 12 == 0 ? 0 : pick(1, 4));
    tensor.strides.push_back(pick(-2, 9) * (engine() % 3 == 0 ? pick(1, 4) : 1));
  }
  tensor.offset = pick(-20, 20);
  return tensor;
}

TEST(Overlap, FindsElementsThatShareMemory) {
  std::mt19937 engine(1);
  int sharing = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const RandomTensor tensor = random_tensor(engine);
    const auto addresses = tensor.addresses();
    const bool expected = std::set(addresses.begin(), addresses.end()).size() < addresses.size();
    sharing += expected ? 1 : 0;
    ASSERT_EQ(detail::overlaps_itself(tensor.ref()), expected) << tensor.text();
  }
  EXPECT_GT(sharing, 2000);
  EXPECT_LT(sharing, 18000);
}

TEST(Overlap, FindsTensorsThatShareAByte) {
  std::mt19937 engine(2);
  int sharing = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const RandomTensor left = random_tensor(engine), right = random_tensor(engine);
    const auto a = left.bytes(), b = right.bytes();
    bool expected = false;
    for (const std::int64_t byte : a) expected = expected || b.contains(byte);
    sharing += expected ? 1 : 0;
    ASSERT_EQ(detail::overlap(left.ref(), right.ref()), expected) << left.text() << " and " << right.text();
  }
  EXPECT_GT(sharing, 2000);
  EXPECT_LT(sharing, 18000);
}

TEST(Overlap, KnowsTheSameMemory) {
  std::mt19937 engine(3);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    RandomTensor left = random_tensor(engine), right = random_tensor(engine);
    if (repeat % 2 == 0) right = left;
    if (repeat % 4 == 0 && !right.strides.empty()) right.strides[engine() % right.strides.size()] += 1;
    const bool same = detail::same_memory(left.ref(), right.ref());
    const bool expected = left.dtype == right.dtype && left.sizes == right.sizes && left.offset == right.offset &&
                          left.addresses() == right.addresses();
    // Empty tensors and repeated elements may be called different; never the other way round.
    if (same) {
      ASSERT_TRUE(expected) << left.text() << " and " << right.text();
    }
    if (expected && left.strides == right.strides) {
      ASSERT_TRUE(same) << left.text();
    }
  }
}

// Columns of one matrix interleave without sharing anything: slices that programs do write into.
TEST(Overlap, KeepsInterleavedTensorsApart) {
  const Sizes rows = {50}, halves = {50, 5}, step = {10}, wide = {10, 1};
  const TensorRef even{memory, DType::float32, {}, 1, rows.data(), step.data()};
  const TensorRef odd{memory + 4, DType::float32, {}, 1, rows.data(), step.data()};
  EXPECT_FALSE(detail::overlap(even, odd));
  const TensorRef left{memory, DType::float32, {}, 2, halves.data(), wide.data()};
  const TensorRef right{memory + 20, DType::float32, {}, 2, halves.data(), wide.data()};
  EXPECT_FALSE(detail::overlap(left, right));
  const TensorRef shifted{memory + 16, DType::float32, {}, 2, halves.data(), wide.data()};
  EXPECT_TRUE(detail::overlap(left, shifted));
}

TEST(Overlap, KeepsOtherDevicesApart) {
  const Sizes size = {4};
  TensorRef here{memory, DType::float32, {}, 1, size.data(), nullptr}, there = here;
  there.device = {DeviceType::cuda, 0};
  EXPECT_FALSE(detail::overlap(here, there));
}

}  // namespace
}  // namespace portops::test
