#include <portops/ops/allpole.hpp>

#include "tap_sweep.hpp"

namespace portops {
namespace detail {
namespace {

/// y[t] = x[t] - sum_k a[t,k] * y[t-1-k]: a recurrence of delays 1 to K; the initial outputs, most recent first, are
/// the history backwards.
struct AllpoleRow {
  static constexpr RowRules rules{
      3, 1, {LaneRule{LaneKind::signal, 1}, LaneRule{LaneKind::parameter, 2}, LaneRule{LaneKind::state, 1}}, {0}, true};

  static AllpoleRow make(const Call&) { return {}; }

  static void check(const RowCall& call) {
    check_row_call(call, {"input", "coefficients", "initial"});
    const LaneSizes sizes = call.sizes_of(1);
    const std::int64_t length = call.sizes_of(0).time;
    portops::check(sizes.time == length, call.op, "coefficients must have the time axis of input", "time", sizes.time,
                   "input time", length);
    if (is_absent(call.inputs[2])) return;
    const std::int64_t initial = call.sizes_of(2).time;
    portops::check(initial == sizes.taps, call.op, "there must be one initial output per coefficient", "initial",
                   initial, "taps", sizes.taps);
  }

  /// Delays of 1 to K at every time.
  struct Delays {
    explicit Delays(std::int64_t taps) : values(static_cast<std::size_t>(taps)) {
      for (std::int64_t k = 0; k < taps; ++k) values[static_cast<std::size_t>(k)] = k + 1;
    }
    Lane<const std::int64_t> lane() const {
      return {values.data(), 1, static_cast<std::int64_t>(values.size()), 0, 1, true};
    }
    std::vector<std::int64_t> values;
  };

  template <class T>
  static Taps<T> taps(const Rows<T>& rows, const Delays& delays) {
    Lane<const T> history = rows.in[2];
    if (history.size > 0) {
      history.data += (history.size - 1) * history.step;
      history.step = -history.step;
    }
    return {rows.in[1], delays.lane(), history, true};
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    run(rows, Delays(rows.in[1].taps), rows.out[0]);
  }

  template <class T>
  void backward(const Rows<T>& rows) const {
    const Delays delays(rows.in[1].taps);
    std::vector<T> of_history(static_cast<std::size_t>(rows.in[2].size), T(0)), own, y;
    if (rows.grad_in[1]) {
      y.resize(static_cast<std::size_t>(rows.length));
      run(rows, delays, Lane<T>{y.data(), rows.length, 1, 1, 0, true});
    }
    T* z = gradient_memory(rows, own);
    const Taps<T> all = taps(rows, delays);
    const std::int64_t count = rows.in[1].taps, inside = std::min(count, rows.length);
    const BackSweep<T> sweep{z, y.data(), of_history, rows.grad_in[1]};
    visit_taps<T>(count, [&](auto fixed) {
      sweep_piece_back(true, all, sweep, inside, rows.length, fixed);
      sweep_piece_back(false, all, sweep, 0, inside, fixed);
    });
    if (!own.empty()) copy_to(own, rows.grad_in[0]);
    std::reverse(of_history.begin(), of_history.end());
    copy_to(of_history, rows.grad_in[2]);
  }

 private:
  /// The first K outputs reach before the row, no others do.
  template <class T>
  static void run(const Rows<T>& rows, const Delays& delays, const Lane<T>& y) {
    const Taps<T> all = taps(rows, delays);
    const std::int64_t count = rows.in[1].taps, inside = std::min(count, rows.length);
    sweep_taps(rows.in[0], all, count, count, y, 0, inside);
    sweep_taps(rows.in[0], all, count, count, y, inside, rows.length);
  }
};

[[maybe_unused]] const bool registered =
    (register_operator(row_operator<AllpoleRow>(
         "portops::allpole(Tensor input, Tensor coefficients, Tensor? initial=None) -> Tensor")),
     true);

}  // namespace

void allpole_rows(const Call& call, const RowLaunch& launch) { forward_rows<AllpoleRow>(call, launch); }

}  // namespace detail

void allpole(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& initial,
             const TensorRef& out) {
  detail::call_rows(&detail::allpole_rows, "portops::allpole", stream, {out}, {input, coefficients, initial});
}

void allpole(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& out) {
  allpole(stream, input, coefficients, detail::absent_ref(), out);
}

}  // namespace portops
