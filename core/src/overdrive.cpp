#include <portops/ops/overdrive.hpp>

#include <cmath>
#include <type_traits>

#include "effect.hpp"

namespace portops {
namespace detail {
namespace {

/// t = gain*x + colour, clipped softly; h[i] = t[i] - t[i-1] + 0.995*h[i-1] takes the offset out; y = x/2 + 3/4*h.
struct OverdriveRow {
  static constexpr RowRules rules{1, 1, {LaneRule{LaneKind::signal, 1}}, {0}};
  static constexpr double leak = 0.995;
  double gain, colour;

  static OverdriveRow make(const Call& call) {
    EffectParameters parameters(call);
    const double decibel = parameters.real("gain", 0, 100);
    return {std::exp(decibel * std::log(10.0) / 20.0), parameters.real("colour", 0, 100) / 200};
  }
  static void check(const RowCall& call) { check_row_call(call, {"waveform"}); }

  template <class T>
  T driven(const T& x) const {
    return x * T(gain) + T(colour);
  }
  template <class T>
  static T clipped(const T& t) {
    const T cubic = t - t * t * t * T(1.0 / 3);
    // Loud samples are clipped at random: a branch would be guessed wrong.
    return select(t < T(-1), T(-2.0 / 3.0), select(t > T(1), T(2.0 / 3.0), cubic));
  }
  /// In double, and rounded once, as torchaudio's C++ loop does: a float would lose what accumulates over 200 samples.
  template <class T>
  static T without_offset(const T& rise, const T& last) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<double>(rise) + leak * static_cast<double>(last));
    } else {
      return rise + T(leak) * last;
    }
  }
  template <class T>
  static T mixed(const T& x, const T& h) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<double>(x) * 0.5 + static_cast<double>(h) * 0.75);
    } else {
      return x * T(0.5) + h * T(0.75);
    }
  }

  /// Calls write(i, y[i] before the clamp).
  template <class T, class Write>
  void run(const Rows<T>& rows, const Write& write) const {
    T last_in = T(0), last_out = T(0);
    for (std::int64_t i = 0; i < rows.length; ++i) {
      const T x = rows.in[0][i], t = clipped(driven(x));
      last_out = without_offset(t - last_in, last_out);
      last_in = t;
      write(i, mixed(x, last_out));
    }
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    run(rows, [&](std::int64_t i, const T& y) { rows.out[0][i] = clamp_to_one(y); });
  }

  template <class T>
  void backward(const Rows<T>& rows) const {
    if (!rows.grad_in[0]) return;
    const Lane<T>& result = rows.grad_in[0];
    run(rows, [&](std::int64_t i, const T& y) { result[i] = clamped_grad(y, T(rows.grad[0][i])); });
    T later = T(0);
    for (std::int64_t i = rows.length - 1; i >= 0; --i) {
      const T grad = result[i], t = driven(T(rows.in[0][i]));
      const T of_h = T(0.75) * grad + T(leak) * later;
      const T slope = select(t < T(-1) || t > T(1), T(0), T(1) - t * t);
      result[i] = T(0.5) * grad + T(gain) * slope * (of_h - later);
      later = of_h;
    }
  }
};

[[maybe_unused]] const bool registered =
    (register_operator(
         row_operator<OverdriveRow>("portops::overdrive(Tensor waveform, float gain=20, float colour=20) -> Tensor")),
     true);

}  // namespace

void overdrive_rows(const Call& call, const RowLaunch& launch) { forward_rows<OverdriveRow>(call, launch); }

}  // namespace detail

void overdrive(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, double gain, double colour) {
  detail::call_rows(&detail::overdrive_rows, "portops::overdrive", stream, {out}, {waveform}, {gain, colour});
}

}  // namespace portops
