#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y = (sin(v)*s + cos(v/s))^2`; see <portops/ops/trig_mix.hpp>. Any real dtype.
void trig_mix(const StreamRef& stream, const TensorRef& v, const TensorRef& y, double scale);
void trig_mix(const StreamRef& stream, const TensorRef& v, const TensorRef& scale, const TensorRef& y);

}  // namespace portops
