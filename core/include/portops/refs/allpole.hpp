#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y[t] = x[t] - sum_k a[t,k] * y[t-1-k]`: a time-varying all-pole filter; see <portops/ops/allpole.hpp>. `initial`
/// (.., K) holds the outputs before the row, most recent first.
void allpole(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& initial,
             const TensorRef& out);

/// The same with outputs of 0 before the row.
void allpole(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& out);

}  // namespace portops
