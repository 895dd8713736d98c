#pragma once
#include <portops/algorithm.hpp>
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y[i] = (1-g)*x[i] + g*y[max(0, i - d[i])]` along the last axis; see <portops/ops/delay_line.hpp>. Half types are
/// computed in float32 and rounded once.
void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& out,
                double mix = 0.5, Algorithm algorithm = Algorithm::automatic);

/// The same with a gain that may differ per sample; it broadcasts against samples.
void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& mix,
                const TensorRef& out);

/// The same for one block of a longer signal: history (.., H) holds the last outputs before it, oldest first, and
/// next_history, of the same shape, receives those for the next block. A delay beyond the history reads its oldest
/// output.
void delay_line_stream(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays,
                       const TensorRef& history, const TensorRef& out, const TensorRef& next_history, double mix = 0.5);

}  // namespace portops
