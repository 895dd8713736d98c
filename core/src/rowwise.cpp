#include <portops/rowwise.hpp>

#include <portops/detail/overlap.hpp>
#include <portops/detail/shapes.hpp>

namespace portops::detail {
namespace {

void check_operand(const char* op, const char* role, const TensorRef& tensor) {
  check(tensor.device.type == DeviceType::cpu, op,
        "this build of portops has no kernels for the device; configure with -DPORTOPS_BACKEND=CUDA", "argument", role,
        "device", tensor.device);
  check(tensor.data != nullptr || tensor.numel() == 0, op, "the tensor has no memory", "argument", role);
  check(!is_complex(tensor.dtype), op, "complex tensors are not supported", "argument", role, "dtype", tensor.dtype);
  check(tensor.rank >= 1, op, "a tensor needs a last axis, which is the row", "argument", role, "rank", tensor.rank);
}

}  // namespace

void check_rowwise(const char* op, std::span<const TensorRef> outputs, std::span<const TensorRef> inputs) {
  const TensorRef& shape = outputs.front();
  for (const TensorRef& output : outputs) {
    check_operand(op, "out", output);
    check(is_floating(output.dtype), op, "the output must be of a floating type", "dtype", output.dtype);
    check(rows_broadcast(output, shape) && row_count(output) == row_count(shape), op,
          "the outputs must have the same leading axes", "shape", detail::shape(output), "first shape",
          detail::shape(shape));
    check(!overlaps_itself(output), op,
          "elements of the output overlap in memory; clone it before writing (expanded tensors cannot be written)",
          "shape", detail::shape(output));
  }
  for (const TensorRef& input : inputs) {
    check_operand(op, "input", input);
    check(rows_broadcast(input, shape), op, "the leading axes do not broadcast to those of the output", "input shape",
          detail::shape(input), "output shape", detail::shape(shape));
    for (const TensorRef& output : outputs) {
      check(!overlap(input, output), op, "the output overlaps an input", "input shape", detail::shape(input),
            "output shape", detail::shape(output));
    }
  }
}

void check_rowwise_call(const Call& call) {
  for (const TensorRef& output : call.outputs) {
    check(same_shape(output, call.inputs.front()), call.op, "a result must have the shape of the first tensor", "shape",
          shape(output), "shape of the first tensor", shape(call.inputs.front()));
  }
  check_rowwise(call.op, call.outputs, call.inputs);
}

}  // namespace portops::detail
