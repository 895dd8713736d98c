#include <portops/ops/recurrence.hpp>

#include <limits>

#include "tap_sweep.hpp"

namespace portops {
namespace detail {
namespace {

/// y[i] = x[i] + sum_k a[i,k] * y[i - d[i,k]]; before the row comes the history, and nothing without one.
struct RecurrenceRow {
  static constexpr RowRules rules{4,
                                  2,
                                  {LaneRule{LaneKind::signal, 1}, LaneRule{LaneKind::coefficient, 2},
                                   LaneRule{LaneKind::delay, 2}, LaneRule{LaneKind::state, 1}},
                                  {0, 3},
                                  true};

  static constexpr bool delays_in_pieces = true;
  static constexpr std::int64_t least_delay = 1;

  static RecurrenceRow make(const Call&) { return {}; }
  static void check(const RowCall& call) { check_row_call(call, {"input", "coefficients", "delays", "history"}); }
  static void check_values(const RowCall& call) { check_delays(call.op, call.inputs[2], least_delay); }

  template <class T>
  static Taps<T> taps(const Rows<T>& rows, const Lane<const std::int64_t>& delays) {
    return {rows.in[1], delays, rows.in[3], false};
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    forward_recurrence(*this, rows);
  }

  template <class T>
  void sweep_piece(const Rows<T>& rows, const Lane<const std::int64_t>& delays, std::int64_t most, const Lane<T>& y,
                   std::int64_t begin, std::int64_t end) const {
    sweep_taps(rows.in[0], taps(rows, delays), rows.taps, most, y, begin, end);
  }

  template <class T>
  void finish(const Rows<T>& rows) const {
    keep_history(rows.out[0], rows.length, rows.in[3], rows.out[1]);
  }

  template <class T>
  Link<T> link(const Rows<T>& rows, std::int64_t i) const {
    const std::int64_t j = i - rows.delays(i, 0);
    if (j >= 0) return {rows.in[0][i], rows.in[1](i, 0), j};
    return {tap_sample(T(rows.in[0][i]), taps(rows, rows.delays), rows.out[0], i, i, 1), T(0), -1};
  }

  template <class T>
  void take_numbers(const Rows<T>& rows, RowTraits& traits) const {
    if (rows.taps != 1) return;
    traits.largest_coefficient = traits.largest_input = 0;
    for (std::int64_t i = 0; i < rows.length; ++i) {
      traits.take_coefficient(rows.in[1](i, 0));
      traits.take_input(rows.in[0][i]);
    }
    for (std::int64_t h = 0; h < rows.in[3].size; ++h) traits.take_input(rows.in[3][h]);
  }

  template <class T>
  void backward(const Rows<T>& rows) const {
    std::vector<T> of_history(static_cast<std::size_t>(rows.in[3].size), T(0)), own, y;
    T* z = gradient_memory(rows, own);
    add_history_grad(z, rows.length, rows.grad[1], of_history);
    if (rows.grad_in[1]) {
      y.resize(static_cast<std::size_t>(rows.length));
      sweep_row(*this, rows, Lane<T>{y.data(), rows.length, 1, 1, 0, true});
    }
    sweep_row_back(rows, rows.taps, taps(rows, rows.delays), {z, y.data(), of_history, rows.grad_in[1]});
    if (!own.empty()) copy_to(own, rows.grad_in[0]);
    copy_to(of_history, rows.grad_in[3]);
  }
};

[[maybe_unused]] const bool registered =
    (register_operator([] {
       Operator op = row_operator<RecurrenceRow>(
           "portops::recurrence(Tensor input, Tensor coefficients, Tensor delays, Tensor? history=None) -> (Tensor, "
           "Tensor)");
       op.forward = [](const Call& call) { recurrence_rows(call, HostRows{call}); };
       return op;
     }()),
     true);

}  // namespace

void recurrence_rows(const Call& call, const RowLaunch& launch) {
  constexpr RecurrenceLabels labels{"portops::recurrence::serial", "portops::recurrence::blocks",
                                    "portops::recurrence::jumping"};
  const auto wish = call.parameters.empty() ? Algorithm::automatic
                                            : static_cast<Algorithm>(std::get<std::int64_t>(call.parameters[0]));
  launch_recurrence(RecurrenceRow(), call, wish, labels, launch);
}

}  // namespace detail

void recurrence(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& delays,
                const TensorRef& history, const TensorRef& out, const TensorRef& next_history, Algorithm algorithm) {
  detail::call_rows(&detail::recurrence_rows, "portops::recurrence", stream, {out, next_history},
                    {input, coefficients, delays, history}, {static_cast<std::int64_t>(algorithm)});
}

void recurrence(const StreamRef& stream, const TensorRef& input, const TensorRef& coefficients, const TensorRef& delays,
                const TensorRef& out, Algorithm algorithm) {
  std::vector<std::int64_t> sizes(out.sizes, out.sizes + out.rank);
  if (!sizes.empty()) sizes.back() = 0;
  const TensorRef empty{nullptr, out.dtype, out.device, out.rank, sizes.data()};
  recurrence(stream, input, coefficients, delays, detail::absent_ref(), out, empty, algorithm);
}

}  // namespace portops
