#include <portops/ops/softplus.hpp>

namespace portops {

void softplus(const StreamRef& stream, const TensorRef& x, const TensorRef& y, double beta, double threshold) {
  elementwise("portops::softplus", stream, detail::Softplus{beta, threshold}, y, x);
}

PORTOPS_ELEMENTWISE(detail::Softplus,
                    "portops::softplus(Tensor input, float beta=1.0, float threshold=20.0) -> Tensor");

}  // namespace portops
