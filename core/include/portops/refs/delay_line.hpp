#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y[i] = (1-g)*x[i] + g*y[max(0, i - d[i])]` along the last axis; see <portops/ops/delay_line.hpp>.
void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& out,
                double mix = 0.5);

}  // namespace portops
