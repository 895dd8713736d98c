#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// A soft clipper with a filter against its offset; see <portops/ops/overdrive.hpp>. Half types are computed in float32
/// and rounded once.
void overdrive(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, double gain = 20,
               double colour = 20);

}  // namespace portops
