#include <portops/ops/exp_sin.hpp>

namespace portops {

void exp_sin(const StreamRef& stream, const TensorRef& x, const TensorRef& y, double amplitude) {
  elementwise("portops::exp_sin", stream, detail::ExpSinScalar{amplitude}, y, x);
}

void exp_sin(const StreamRef& stream, const TensorRef& x, const TensorRef& amplitude, const TensorRef& y) {
  elementwise("portops::exp_sin", stream, detail::ExpSin{}, y, x, amplitude);
}

PORTOPS_ELEMENTWISE(detail::ExpSinScalar, "portops::exp_sin(Tensor input, Scalar amplitude=2.0) -> Tensor");
PORTOPS_ELEMENTWISE(detail::ExpSin, "portops::exp_sin.Tensor(Tensor input, Tensor amplitude) -> Tensor");

}  // namespace portops
