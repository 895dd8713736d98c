#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `sum_k a[k]*y[i-k] = sum_k b[k]*x[i-k]` along the last axis, clamped to [-1, 1] where `clamp` says so; see
/// <portops/ops/lfilter.hpp>. Half types are read and written, each rounded once.
void lfilter(const StreamRef& stream, const TensorRef& waveform, const TensorRef& a_coeffs, const TensorRef& b_coeffs,
             const TensorRef& out, bool clamp = true);

}  // namespace portops
