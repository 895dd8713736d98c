#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y = exp(a * sin(x))`; see <portops/ops/exp_sin.hpp>. Any real dtype.
void exp_sin(const StreamRef& stream, const TensorRef& x, const TensorRef& y, double amplitude = 2.0);
void exp_sin(const StreamRef& stream, const TensorRef& x, const TensorRef& amplitude, const TensorRef& y);

}  // namespace portops
