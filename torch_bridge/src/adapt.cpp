#include <portops/torch/adapt.hpp>

#include <ATen/Parallel.h>

#include <portops/check.hpp>

namespace portops {

DType dtype_of(at::ScalarType type, std::string_view op, std::string_view argument) {
  switch (type) {
    case at::kHalf: return DType::float16;
    case at::kBFloat16: return DType::bfloat16;
    case at::kFloat: return DType::float32;
    case at::kDouble: return DType::float64;
    case at::kComplexFloat: return DType::complex64;
    case at::kComplexDouble: return DType::complex128;
    case at::kBool: return DType::boolean;
    case at::kChar: return DType::int8;
    case at::kShort: return DType::int16;
    case at::kInt: return DType::int32;
    case at::kLong: return DType::int64;
    case at::kByte: return DType::uint8;
    case at::kUInt16: return DType::uint16;
    case at::kUInt32: return DType::uint32;
    case at::kUInt64: return DType::uint64;
    default: detail::raise(op, "the dtype is not supported", "argument", argument, "dtype", at::toString(type));
  }
}

at::ScalarType scalar_type_of(DType dtype) {
  constexpr at::ScalarType types[] = {at::kHalf,          at::kBFloat16, at::kFloat,  at::kDouble, at::kComplexFloat,
                                      at::kComplexDouble, at::kBool,     at::kChar,   at::kShort,  at::kInt,
                                      at::kLong,          at::kByte,     at::kUInt16, at::kUInt32, at::kUInt64};
  return types[static_cast<int>(dtype)];
}

TensorRef tensor_ref(const at::Tensor& tensor, std::string_view op, std::string_view argument) {
  check(tensor.defined(), op, "the tensor is undefined", "argument", argument);
  check(tensor.layout() == at::kStrided, op, "the tensor has no plain memory", "argument", argument, "layout",
        tensor.layout());
  check(!tensor.is_neg() && !tensor.is_conj(), op, "the tensor has a lazy negative or conjugate bit; resolve it first",
        "argument", argument);
  const bool cuda = tensor.is_cuda();
  check(cuda || tensor.device().is_cpu(), op, "the device has no kernels", "argument", argument, "device",
        tensor.device());
  check(tensor.numel() == 0 || tensor.data_ptr() != nullptr, op, "the tensor has no memory", "argument", argument);
  return {tensor.data_ptr(),
          dtype_of(tensor.scalar_type(), op, argument),
          {cuda ? DeviceType::cuda : DeviceType::cpu, cuda ? tensor.device().index() : 0},
          static_cast<int>(tensor.dim()),
          tensor.sizes().data(),
          tensor.strides().data()};
}

StreamRef stream_ref(const at::Tensor& tensor) {
  StreamRef stream;
  stream.device.type = tensor.is_cuda() ? DeviceType::cuda : DeviceType::cpu;
  stream.threads = at::get_num_threads();
  return stream;
}

}  // namespace portops
