#include <portops/detail/elementwise_check.hpp>

#include <algorithm>

#include <portops/check.hpp>
#include <portops/detail/overlap.hpp>
#include <portops/detail/shapes.hpp>

namespace portops::detail {
namespace {

void check_operand(const char* op, const char* role, const TensorRef& tensor) {
  check(tensor.rank >= 0 && tensor.rank <= max_rank, op, "a tensor has 0 to 64 dimensions", "argument", role, "rank",
        tensor.rank);
  check(tensor.device.type == DeviceType::cpu, op,
        "this build of portops has no kernels for the device; configure with -DPORTOPS_BACKEND=CUDA", "argument", role,
        "device", tensor.device);
  check(tensor.data != nullptr || tensor.numel() == 0, op, "the tensor has no memory", "argument", role, "shape",
        shape(tensor));
}

bool any_complex(std::span<const TensorRef> tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const TensorRef& tensor) { return is_complex(tensor.dtype); });
}

void check_output(const char* op, const TensorRef& output, const TensorRef& first, bool complex) {
  check_operand(op, "out", output);
  check(is_floating(output.dtype) || (complex && is_complex(output.dtype)), op, "the output must be of a floating type",
        "dtype", output.dtype);
  check(same_shape(output, first), op, "all outputs must have one shape", "shape", shape(output), "first shape",
        shape(first));
  check(!overlaps_itself(output), op,
        "elements of the output overlap in memory; clone it before writing (expanded tensors cannot be written)",
        "shape", shape(output), "stride of the first dimension", output.rank > 0 ? output.stride(0) : 0);
}

}  // namespace

void check_elementwise(const char* op, std::span<const TensorRef> outputs, std::span<const TensorRef> inputs,
                       bool complex) {
  const TensorRef& first = outputs.front();
  for (const TensorRef& output : outputs) check_output(op, output, first, complex);
  for (const TensorRef& input : inputs) {
    check_operand(op, "input", input);
    check(complex || !is_complex(input.dtype), op, "complex tensors are not supported", "dtype", input.dtype);
    check(broadcasts_to(input, first), op, "the input does not broadcast to the output's shape", "input shape",
          shape(input), "output shape", shape(first));
    for (const TensorRef& output : outputs) {
      if (input.data == output.data && same_memory(input, output)) continue;
      check(!overlap(input, output), op, "the output partly overlaps an input", "input shape", shape(input),
            "output shape", shape(output));
    }
  }
  for (const TensorRef& output : outputs) {
    check(is_complex(output.dtype) || !any_complex(inputs), op, "a complex result needs a complex output", "dtype",
          output.dtype);
  }
  for (std::size_t left = 0; left < outputs.size(); ++left) {
    for (std::size_t right = left + 1; right < outputs.size(); ++right) {
      check(!overlap(outputs[left], outputs[right]), op, "two outputs overlap", "first", left, "second", right);
    }
  }
}

void check_compute_type(const char* op, DType compute, std::span<const TensorRef> outputs,
                        std::span<const TensorRef> inputs) {
  if (!is_complex(compute)) {
    check(compute == DType::float32 || compute == DType::float64, op, "the type to compute in has no loops", "compute",
          compute);
    check(!any_complex(inputs), op, "complex inputs cannot be computed in a real type", "compute", compute);
    return;
  }
  for (const TensorRef& output : outputs) {
    check(is_complex(output.dtype), op, "a complex result needs a complex output", "compute", compute, "dtype",
          output.dtype);
  }
}

DType compute_type(std::span<const TensorRef> outputs, std::span<const TensorRef> inputs) {
  bool floating = false, wide = false;
  const auto is_wide = [](DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; };
  for (const bool scalars : {false, true}) {
    if (floating) break;
    for (const TensorRef& input : inputs) {
      if ((input.rank == 0) != scalars || !(is_floating(input.dtype) || is_complex(input.dtype))) continue;
      floating = true;
      wide = wide || is_wide(input.dtype);
    }
  }
  if (!floating) wide = is_wide(outputs.front().dtype);
  if (any_complex(inputs)) return wide ? DType::complex128 : DType::complex64;
  return wide ? DType::float64 : DType::float32;
}

}  // namespace portops::detail
