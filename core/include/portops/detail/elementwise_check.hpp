#pragma once
#include <span>

#include <portops/tensor_ref.hpp>

namespace portops::detail {

/// Throws unless: every operand is on one device that this build has; the outputs have one shape, floating dtypes and
/// no overlapping elements; the inputs broadcast to that shape; no output partly overlaps another operand (exactly the
/// same memory as an input is fine); nothing is complex, or, with `complex`, the outputs are where an input is.
void check_elementwise(const char* op, std::span<const TensorRef> outputs, std::span<const TensorRef> inputs,
                       bool complex = false);

/// Throws unless there are loops for `compute`, to which the inputs and from which the outputs convert. To be called
/// after check_elementwise.
void check_compute_type(const char* op, DType compute, std::span<const TensorRef> outputs,
                        std::span<const TensorRef> inputs);

/// The type in which an elementwise call computes: float64 if an input with dimensions is (or any floating input,
/// where only inputs without dimensions are floating), else float32. With no floating input, as the output. Complex of
/// that width if any input is complex.
DType compute_type(std::span<const TensorRef> outputs, std::span<const TensorRef> inputs);

}  // namespace portops::detail
