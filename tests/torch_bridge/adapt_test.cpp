#include <portops/torch/adapt.hpp>

#include <ATen/Parallel.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/sparse_coo_tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <portops/check.hpp>

#include "support/compare.hpp"

namespace portops::test {
namespace {

TEST(Adapt, HasTheSameAddressOnBothSides) {
  const at::Tensor base = at::zeros({4, 5, 6}, at::kDouble);
  for (const at::Tensor& tensor :
       {base, base.transpose(0, 2), base.slice(1, 1, 4, 2), base.select(0, 3),
        base.select(0, 1).select(0, 1).select(0, 1), base.unsqueeze(1).expand({4, 7, 5, 6})}) {
    const TensorRef ref = tensor_ref(tensor);
    EXPECT_EQ(ref.data, tensor.data_ptr());
    EXPECT_EQ(ref.dtype, DType::float64);
    EXPECT_EQ(ref.device.type, DeviceType::cpu);
    ASSERT_EQ(ref.rank, tensor.dim());
    EXPECT_EQ(ref.numel(), tensor.numel());
    for (int dim = 0; dim < ref.rank; ++dim) {
      EXPECT_EQ(ref.sizes[dim], tensor.size(dim));
      EXPECT_EQ(ref.stride(dim), tensor.stride(dim));
    }
  }
}

TEST(Adapt, WritesWhatTorchReads) {
  float memory[6] = {};
  const at::Tensor tensor = at::from_blob(memory, {2, 3}, at::kFloat);
  EXPECT_EQ(tensor_ref(tensor).data, memory);
  static_cast<float*>(tensor_ref(tensor).data)[4] = 7;
  EXPECT_EQ(tensor.select(0, 1).select(0, 1).item<float>(), 7);
}

TEST(Adapt, NamesEveryDTypeAsTorchDoes) {
  for (int type = 0; type <= static_cast<int>(DType::uint64); ++type) {
    const auto dtype = static_cast<DType>(type);
    EXPECT_EQ(dtype_of(scalar_type_of(dtype)), dtype);
    EXPECT_EQ(static_cast<std::int64_t>(c10::elementSize(scalar_type_of(dtype))), size_of(dtype)) << name(dtype);
  }
  EXPECT_EQ(scalar_type_of(DType::bfloat16), at::kBFloat16);
  EXPECT_EQ(scalar_type_of(DType::uint32), at::kUInt32);
  EXPECT_TRUE(throws_with<Error>([] { dtype_of(at::kQInt8, "mine::op", "x"); }, {"mine::op", "x", "QInt8"}));
}

TEST(Adapt, RefusesTensorsWithoutPlainMemory) {
  const auto refused = [](const at::Tensor& tensor, std::initializer_list<std::string> parts) {
    return throws_with<Error>([&] { tensor_ref(tensor, "mine::op", "input"); }, parts);
  };
  EXPECT_TRUE(refused(at::Tensor(), {"mine::op: ", "undefined", "argument=input"}));
  const at::Tensor sparse = at::sparse_coo_tensor({3, 3}, at::TensorOptions(at::kFloat).layout(at::kSparse));
  EXPECT_TRUE(refused(sparse, {"mine::op: ", "no plain memory", "argument=input", "layout=Sparse"}));
  EXPECT_TRUE(refused(at::empty({3}, at::TensorOptions(at::kFloat).device(at::kMeta)), {"mine::op: ", "meta"}));
  EXPECT_TRUE(refused(at::_neg_view(at::zeros({3})), {"mine::op: ", "negative"}));
}

TEST(Adapt, TakesTorchsNumberOfThreads) {
  const at::Tensor tensor = at::zeros({3});
  const int before = at::get_num_threads();
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    EXPECT_EQ(stream_ref(tensor).threads, threads);
  }
  at::set_num_threads(before);
  EXPECT_EQ(stream_ref(tensor).device.type, DeviceType::cpu);
}

}  // namespace
}  // namespace portops::test
