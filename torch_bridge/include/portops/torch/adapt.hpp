#pragma once
#include <string_view>

#include <ATen/core/Tensor.h>

#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// The tensor's memory as a TensorRef; nothing is copied. The sizes and strides are the tensor's own, so the reference
/// is good while the tensor lives and is not resized.
/// Errors: a tensor without plain memory on the CPU or a CUDA device, or of a dtype that portops does not know;
/// `op` and `argument` are named in the text.
TensorRef tensor_ref(const at::Tensor& tensor, std::string_view op = "portops", std::string_view argument = "tensor");

/// Where torch would run an operator on `tensor` now: torch's number of threads.
StreamRef stream_ref(const at::Tensor& tensor);

/// The DType of a torch type; Error for one that portops does not know.
DType dtype_of(at::ScalarType type, std::string_view op = "portops", std::string_view argument = "tensor");
at::ScalarType scalar_type_of(DType dtype);

}  // namespace portops
