#include <portops/tensor_ref.hpp>

#include <gtest/gtest.h>

namespace portops::test {
namespace {

TEST(TensorRef, CountsItsElements) {
  const std::int64_t sizes[] = {2, 3, 4}, empty[] = {2, 0, 4};
  EXPECT_EQ((TensorRef{nullptr, DType::float32, {}, 3, sizes, nullptr}.numel()), 24);
  EXPECT_EQ((TensorRef{nullptr, DType::float32, {}, 3, empty, nullptr}.numel()), 0);
  EXPECT_EQ(TensorRef().numel(), 1);
}

TEST(TensorRef, IsRowMajorWithoutStrides) {
  const std::int64_t sizes[] = {2, 3, 4}, strides[] = {1, -5, 0};
  const TensorRef plain{nullptr, DType::float32, {}, 3, sizes, nullptr};
  EXPECT_EQ(plain.stride(0), 12);
  EXPECT_EQ(plain.stride(1), 4);
  EXPECT_EQ(plain.stride(2), 1);
  const TensorRef given{nullptr, DType::float32, {}, 3, sizes, strides};
  for (int dim = 0; dim < 3; ++dim) EXPECT_EQ(given.stride(dim), strides[dim]);
}

TEST(DType, HasNameSizeAndKind) {
  struct Row {
    DType dtype;
    const char* name;
    int size;
    bool floating, complex, integer;
  };
  const Row rows[] = {
      {DType::float16, "float16", 2, true, false, false},     {DType::bfloat16, "bfloat16", 2, true, false, false},
      {DType::float32, "float32", 4, true, false, false},     {DType::float64, "float64", 8, true, false, false},
      {DType::complex64, "complex64", 8, false, true, false}, {DType::complex128, "complex128", 16, false, true, false},
      {DType::boolean, "bool", 1, false, false, false},       {DType::int8, "int8", 1, false, false, true},
      {DType::int16, "int16", 2, false, false, true},         {DType::int32, "int32", 4, false, false, true},
      {DType::int64, "int64", 8, false, false, true},         {DType::uint8, "uint8", 1, false, false, true},
      {DType::uint16, "uint16", 2, false, false, true},       {DType::uint32, "uint32", 4, false, false, true},
      {DType::uint64, "uint64", 8, false, false, true}};
  for (const Row& row : rows) {
    EXPECT_EQ(name(row.dtype), row.name);
    EXPECT_EQ(size_of(row.dtype), row.size) << row.name;
    EXPECT_EQ(is_floating(row.dtype), row.floating) << row.name;
    EXPECT_EQ(is_complex(row.dtype), row.complex) << row.name;
    EXPECT_EQ(is_integer(row.dtype), row.integer) << row.name;
  }
}

TEST(Device, HasAnIndexOnlyWhereThereAreSeveral) {
  EXPECT_EQ((Device{DeviceType::cpu, 0}), (Device{DeviceType::cpu, 1}));
  EXPECT_NE((Device{DeviceType::cuda, 0}), (Device{DeviceType::cuda, 1}));
  EXPECT_NE((Device{DeviceType::cuda, 0}), (Device{DeviceType::cpu, 0}));
}

}  // namespace
}  // namespace portops::test
