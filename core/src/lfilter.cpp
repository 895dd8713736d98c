#include <portops/ops/lfilter.hpp>

#include <optional>

#include <portops/check.hpp>

#include "filter_sweep.hpp"

namespace portops {
namespace detail {
namespace {

template <class S>
S clamped(const S& x) {
  return x < S(-1) ? S(-1) : x > S(1) ? S(1) : x;
}

/// y = clamp(filter(x)) along one row, with the coefficients of its filter.
struct LfilterRow {
  static constexpr RowRules rules{
      3,   1,     {LaneRule{LaneKind::signal, 1}, LaneRule{LaneKind::parameter, 1}, LaneRule{LaneKind::parameter, 1}},
      {0}, false, 1};
  /// Rows that fill a vector of float64.
  static constexpr int rows_at_once = 8;
  bool clamp = true;

  static LfilterRow make(const Call& call) { return {std::get<bool>(call.parameters[0])}; }

  static void check(const RowCall& call) {
    check_row_call(call, {"waveform", "a_coeffs", "b_coeffs"});
    const std::int64_t a = call.sizes_of(1).time, b = call.sizes_of(2).time;
    portops::check(a == b, call.op, "a_coeffs and b_coeffs must have the same number of coefficients", "a_coeffs", a,
                   "b_coeffs", b);
    portops::check(a >= 1, call.op, "a filter needs at least one coefficient", "a_coeffs", a);
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    forward_many<1>(&rows);
  }

  /// R rows of one call.
  template <int R, class T>
  void forward_many(const Rows<T>* rows) const {
    Filter<Wide<T>> filters[R];
    FilterRow<const T, T> jobs[R];
    for (int r = 0; r < R; ++r) {
      filters[r] = filter_of(rows[r]);
      jobs[r] = {rows[r].in[0], rows[r].out[0], &filters[r]};
    }
    clamp ? filter_rows<R>(jobs, [](const auto& y, std::int64_t) { return clamped(y); })
          : filter_rows<R>(jobs, [](const auto& y, std::int64_t) { return y; });
  }

  /// The gradient of the input is the incoming one through the same filter, backwards in time. With z, the incoming one
  /// through the poles alone, that of b[k] is sum_i z[i]*x[i-k], and that of a[k] is -sum_i z[i]*y[i-k].
  template <class T>
  void backward(const Rows<T>& rows) const {
    using S = Wide<T>;
    const Filter<S> filter = filter_of(rows);
    std::vector<S> masked, y;
    if (clamp) masked = masked_grad(rows, filter);
    const auto back = [&](const auto& to, const Filter<S>& by) {
      clamp ? run(reversed(lane_of<const S>(masked)), reversed(to), by) : run(reversed(rows.grad[0]), reversed(to), by);
    };
    if (rows.grad_in[0]) back(rows.grad_in[0], filter);
    if (!rows.grad_in[1] && !rows.grad_in[2]) return;

    y.resize(static_cast<std::size_t>(rows.length));
    run(rows.in[0], lane_of<S>(y), filter);
    Filter<S> poles = filter;
    std::fill(poles.b.begin(), poles.b.end(), S(0));
    poles.b[0] = S(1);
    std::vector<S> z(y.size());
    back(lane_of<S>(z), poles);
    coefficient_grads(rows, filter, z, y);
  }

 private:
  /// The gradient of what the filter gives: 0 where it was clamped.
  template <class T, class S>
  static std::vector<S> masked_grad(const Rows<T>& rows, const Filter<S>& filter) {
    std::vector<S> masked(static_cast<std::size_t>(rows.length));
    const FilterRow<const T, S> job{rows.in[0], lane_of<S>(masked), &filter};
    filter_rows<1>(&job,
                   [&](const S& y, std::int64_t i) { return y >= S(-1) && y <= S(1) ? widen(rows.grad[0][i]) : S(0); });
    return masked;
  }

  template <class Element, class S>
  static Lane<Element> lane_of(std::vector<S>& values) {
    return {values.data(), static_cast<std::int64_t>(values.size()), 1, 1, 0, true};
  }

  template <class X, class Y, class S>
  static void run(const Lane<X>& x, const Lane<Y>& y, const Filter<S>& filter) {
    const FilterRow<X, Y> job{x, y, &filter};
    filter_rows<1>(&job, [](const S& value, std::int64_t) { return value; });
  }

  template <class T>
  static Filter<Wide<T>> filter_of(const Rows<T>& rows) {
    Filter<Wide<T>> filter;
    const Wide<T> first = widen(rows.in[1][0]);
    for (std::int64_t k = 0; k < rows.in[1].size; ++k) {
      filter.a.push_back(widen(rows.in[1][k]) / first);
      filter.b.push_back(widen(rows.in[2][k]) / first);
    }
    return filter;
  }

  /// sum_i z[i] * x[i-k]
  template <class S, class X>
  static S correlate(const std::vector<S>& z, const X& x, std::int64_t k) {
    S sum(0);
    for (auto i = k; i < static_cast<std::int64_t>(z.size()); ++i) {
      sum += z[static_cast<std::size_t>(i)] * widen(x[i - k]);
    }
    return sum;
  }

  /// Of the coefficients as they came: those of the filter are divided by a[0].
  template <class T, class S>
  static void coefficient_grads(const Rows<T>& rows, const Filter<S>& filter, const std::vector<S>& z,
                                const std::vector<S>& y) {
    const S first = widen(rows.in[1][0]);
    S of_first(0);
    for (std::int64_t k = 0; k <= filter.order(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const S of_b = correlate(z, rows.in[0], k);
      if (rows.grad_in[2]) rows.grad_in[2][k] = narrow<T>(of_b / first);
      of_first -= of_b * filter.b[at];
      if (k == 0 || !rows.grad_in[1]) continue;
      const S of_a = -correlate(z, y.data(), k);
      rows.grad_in[1][k] = narrow<T>(of_a / first);
      of_first -= of_a * filter.a[at];
    }
    if (rows.grad_in[1]) rows.grad_in[1][0] = narrow<T>(of_first / first);
  }
};

[[maybe_unused]] const bool registered =
    (register_operator(row_operator<LfilterRow>("portops::lfilter(Tensor waveform, Tensor a_coeffs, Tensor b_coeffs, "
                                                "bool clamp=True, bool batching=True) -> Tensor")),
     true);

}  // namespace

void lfilter_rows(const Call& call, const RowLaunch& launch) { forward_rows<LfilterRow>(call, launch); }

}  // namespace detail

void lfilter(const StreamRef& stream, const TensorRef& waveform, const TensorRef& a_coeffs, const TensorRef& b_coeffs,
             const TensorRef& out, bool clamp) {
  detail::call_rows(&detail::lfilter_rows, "portops::lfilter", stream, {out}, {waveform, a_coeffs, b_coeffs}, {clamp});
}

}  // namespace portops
