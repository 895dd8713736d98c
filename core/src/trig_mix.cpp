#include <portops/ops/trig_mix.hpp>

namespace portops {

void trig_mix(const StreamRef& stream, const TensorRef& v, const TensorRef& y, double scale) {
  elementwise("portops::trig_mix", stream, detail::TrigMixScalar{scale}, y, v);
}

void trig_mix(const StreamRef& stream, const TensorRef& v, const TensorRef& scale, const TensorRef& y) {
  elementwise("portops::trig_mix", stream, detail::TrigMix{}, y, v, scale);
}

PORTOPS_ELEMENTWISE(detail::TrigMix, "portops::trig_mix(Tensor input, Tensor scale) -> Tensor");
PORTOPS_ELEMENTWISE(detail::TrigMixScalar, "portops::trig_mix.Scalar(Tensor input, Scalar scale) -> Tensor");

}  // namespace portops
