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
                                  {0, 3}};

  static RecurrenceRow make(const Call&) { return {}; }
  static void check(const RowCall& call) { check_row_call(call, {"input", "coefficients", "delays", "history"}); }
  static void check_values(const RowCall& call) { check_delays(call.op, call.inputs[2], 1); }

  template <class T>
  static Taps<T> taps(const Rows<T>& rows) {
    return {rows.in[1], rows.delays, rows.in[3], T(1)};
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    const Taps<T> all = taps(rows);
    visit_taps<T>(rows.taps, [&](auto count) {
      for (std::int64_t i = 0; i < rows.length; ++i) {
        rows.out[0][i] = tap_sample(T(rows.in[0][i]), all, rows.out[0], i, count);
      }
    });
    finish(rows);
  }

  template <class T, class Outputs>
  T sample(const Rows<T>& rows, const Outputs& y, std::int64_t i) const {
    return tap_sample(T(rows.in[0][i]), taps(rows), y, i, rows.taps);
  }

  template <class T>
  Link<T> link(const Rows<T>& rows, std::int64_t i) const {
    const std::int64_t j = i - rows.delays(i, 0);
    if (j >= 0) return {rows.in[0][i], rows.in[1](i, 0), j};
    return {sample(rows, rows.out[0], i), T(0), -1};
  }

  template <class T>
  void finish(const Rows<T>& rows) const {
    keep_history(rows.out[0], rows.length, rows.in[3], rows.out[1]);
  }

  template <class T>
  RowTraits traits(const Rows<T>& rows) const {
    RowTraits traits{rows.length, 0, 0};
    for (std::int64_t i = 0; i < rows.length; ++i) {
      for (std::int64_t k = 0; k < rows.taps; ++k) {
        traits.least_delay = std::min(traits.least_delay, rows.delays(i, k));
        traits.take_coefficient(rows.in[1](i, k));
      }
      traits.take_input(rows.in[0][i]);
    }
    for (std::int64_t h = 0; h < rows.in[3].size; ++h) traits.take_input(rows.in[3][h]);
    if (rows.taps != 1) traits.largest_coefficient = HUGE_VAL;
    return traits;
  }

  template <class T>
  void backward(const Rows<T>& rows) const {
    const Taps<T> all = taps(rows);
    std::vector<T> z = copy_of(rows.grad[0]), of_history(static_cast<std::size_t>(rows.in[3].size), T(0)), y;
    add_history_grad(z, rows.length, rows.grad[1], of_history);
    if (rows.grad_in[1]) {
      y.resize(z.size());
      for (std::int64_t i = 0; i < rows.length; ++i) {
        y[static_cast<std::size_t>(i)] = sample(rows, y.data(), i);
      }
    }
    sweep_taps_back(all, rows.taps, y.data(), z, of_history, rows.grad_in[1]);
    copy_to(z, rows.grad_in[0]);
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
  const RowCall rows(RecurrenceRow::rules, call, Pass::forward);
  const RecurrenceRow kernel;
  kernel.check(rows);
  kernel.check_values(rows);
  const auto wish = call.parameters.empty() ? Algorithm::automatic
                                            : static_cast<Algorithm>(std::get<std::int64_t>(call.parameters[0]));
  launch_recurrence(kernel, rows, wish, call.stream, labels, launch);
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
