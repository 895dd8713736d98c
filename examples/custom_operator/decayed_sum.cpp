#include <portops/rowwise.hpp>

namespace {
/// y[i] = decay*y[i-1] + x[i] along the last axis, and y[0] = x[0].
struct DecayedSum {
  double decay;

  template <class T>
  void operator()(portops::Row<const T> x, portops::Row<T> y) const {
    T sum(0);
    for (std::int64_t i = 0; i < x.size(); ++i) y[i] = sum = T(decay) * sum + x[i];
  }

  /// Gradient of the result, input, result; then what is written: the gradient of the input.
  template <class T>
  void backward(portops::Row<const T> grad_y, portops::Row<const T>, portops::Row<const T>,
                portops::Row<T> grad_x) const {
    T sum(0);
    for (std::int64_t i = grad_y.size(); i-- > 0;) grad_x[i] = sum = T(decay) * sum + grad_y[i];
  }
};
}  // namespace
PORTOPS_ROWWISE(DecayedSum, "mine::decayed_sum(Tensor input, float decay=0.9) -> Tensor");
