#include <algorithm>

#include <portops/rowwise.hpp>

namespace {

/// y[i] = sum_k taps[k] * x[i - k]: two inputs whose rows differ in length.
struct Fir {
  template <class T>
  void operator()(portops::Row<const T> x, portops::Row<const T> taps, portops::Row<T> y) const {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      T sum(0);
      for (std::int64_t k = 0; k < std::min(i + 1, taps.size()); ++k) sum += taps[k] * x[i - k];
      y[i] = sum;
    }
  }

  template <class T>
  void backward(portops::Row<const T> grad_y, portops::Row<const T> x, portops::Row<const T> taps,
                portops::Row<const T>, portops::Row<T> grad_x, portops::Row<T> grad_taps) const {
    for (std::int64_t i = 0; i < grad_x.size(); ++i) grad_x[i] = T(0);
    for (std::int64_t k = 0; k < grad_taps.size(); ++k) grad_taps[k] = T(0);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      for (std::int64_t k = 0; k < std::min(i + 1, taps.size()); ++k) {
        grad_x[i - k] += taps[k] * grad_y[i];
        grad_taps[k] += x[i - k] * grad_y[i];
      }
    }
  }
};

/// Two results and no backward.
struct Extremes {
  template <class T>
  void operator()(portops::Row<const T> x, portops::Row<T> least, portops::Row<T> most) const {
    T low = x.size() > 0 ? x[0] : T(0), high = low;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      least[i] = low = std::min(low, x[i]);
      most[i] = high = std::max(high, x[i]);
    }
  }
};

}  // namespace

PORTOPS_ROWWISE(Fir, "mine::fir(Tensor samples, Tensor taps) -> Tensor");
PORTOPS_ROWWISE(Extremes, "mine::extremes(Tensor input) -> (Tensor, Tensor)");
