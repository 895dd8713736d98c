#pragma once
#include <portops/stream_ref.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {

/// `y = beta*x < threshold ? log(1 + exp(beta*x)) / beta : x`; see <portops/ops/softplus.hpp>. Any real dtype.
void softplus(const StreamRef& stream, const TensorRef& x, const TensorRef& y, double beta = 1.0,
              double threshold = 20.0);

}  // namespace portops
