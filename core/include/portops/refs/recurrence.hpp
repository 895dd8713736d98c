#pragma once
#include <portops/algorithm.hpp>
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y[i] = x[i] + sum_k a[i,k] * y[i - d[i,k]]` along the last axis, with the outputs before the row in `history`; see
/// <portops/ops/recurrence.hpp>. Half types are computed in float32 and rounded once.
void recurrence(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& delays,
                const TensorRef& history, const TensorRef& out, const TensorRef& next_history,
                Algorithm algorithm = Algorithm::automatic);

/// The same with nothing before the row: outputs there are 0.
void recurrence(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& delays,
                const TensorRef& out, Algorithm algorithm = Algorithm::automatic);

}  // namespace portops
