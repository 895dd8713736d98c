#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include <portops/recurrence.hpp>

/// The difference equation of a filter with constant coefficients, several rows side by side.
namespace portops::detail {

/// A filter keeps its past in float64 also where samples are float32: a pole near the unit circle multiplies rounding.
inline double widen(double x) { return x; }
template <class T>
Moving<double> widen(const Moving<T>& x) {
  Moving<double> wide(static_cast<double>(x.value));
  wide.tangent[0] = static_cast<double>(x.tangent[0]);
  return wide;
}
template <class T>
using Wide = decltype(widen(T()));

template <class T>
T narrow(double x) {
  return static_cast<T>(x);
}
template <class T>
T narrow(const Moving<double>& x) {
  T result(static_cast<typename ValueOf<T>::type>(x.value));
  result.tangent[0] = static_cast<typename ValueOf<T>::type>(x.tangent[0]);
  return result;
}

/// Coefficients divided by a[0], most recent first.
template <class S>
struct Filter {
  std::vector<S> a, b;
  std::int64_t order() const { return static_cast<std::int64_t>(a.size()) - 1; }
};

/// One row to filter; `x` and `y` may run backwards, and may be the same memory.
template <class X, class Y>
struct FilterRow {
  Lane<X> x;
  Lane<Y> y;
  const Filter<Wide<Y>>* filter;
};

template <class T>
Lane<T> reversed(Lane<T> lane) {
  if (lane.size > 0) lane.data += (lane.size - 1) * lane.step;
  lane.step = -lane.step;
  return lane;
}

/// Samples that are filtered together: `order` of the past before them.
inline constexpr std::int64_t filter_block = 128;

/// y[i] = sum_k b[k]*x[i-k] - sum_k a[k]*y[i-k] for R rows at a time; time runs down, rows lie side by side so that
/// they fill a vector. Only one operation of a sample waits for the sample before.
template <class S, int R, class Order>
void filter_samples(const S* a, const S* b, const S* x, S* y, std::int64_t count, Order order) {
  for (std::int64_t i = 0; i < count; ++i) {
    S sum[R];
    for (int r = 0; r < R; ++r) sum[r] = b[r] * x[i * R + r];
    for (std::int64_t k = 1; k <= order; ++k) {
      for (int r = 0; r < R; ++r) sum[r] = multiply_add(b[k * R + r], x[(i - k) * R + r], sum[r]);
    }
    for (std::int64_t k = order; k >= 1; --k) {
      for (int r = 0; r < R; ++r) sum[r] = multiply_add(-a[k * R + r], y[(i - k) * R + r], sum[r]);
    }
    for (int r = 0; r < R; ++r) y[i * R + r] = sum[r];
  }
}

template <class S, int R>
void filter_any_order(const S* a, const S* b, const S* x, S* y, std::int64_t count, std::int64_t order) {
  switch (order) {
    case 1: return filter_samples<S, R>(a, b, x, y, count, std::integral_constant<int, 1>());
    case 2: return filter_samples<S, R>(a, b, x, y, count, std::integral_constant<int, 2>());
    case 3: return filter_samples<S, R>(a, b, x, y, count, std::integral_constant<int, 3>());
    case 4: return filter_samples<S, R>(a, b, x, y, count, std::integral_constant<int, 4>());
    default: return filter_samples<S, R>(a, b, x, y, count, order);
  }
}

/// Filters R rows of one length and order. `finish(y, i)` makes the output of what the filter gives at time i.
template <int R, class X, class Y, class Finish>
void filter_rows(const FilterRow<X, Y>* rows, const Finish& finish) {
  using S = Wide<Y>;
  const std::int64_t order = rows[0].filter->order(), length = rows[0].x.size;
  const auto size = static_cast<std::size_t>((filter_block + order) * R);
  std::vector<S> x(size, S(0)), y(size, S(0)), a, b;
  for (std::int64_t k = 0; k <= order; ++k) {
    for (int r = 0; r < R; ++r) a.push_back(rows[r].filter->a[static_cast<std::size_t>(k)]);
    for (int r = 0; r < R; ++r) b.push_back(rows[r].filter->b[static_cast<std::size_t>(k)]);
  }
  S *const new_x = x.data() + order * R, *const new_y = y.data() + order * R;
  for (std::int64_t begin = 0; begin < length; begin += filter_block) {
    const std::int64_t count = std::min(filter_block, length - begin);
    for (int r = 0; r < R; ++r) {
      for (std::int64_t i = 0; i < count; ++i) new_x[i * R + r] = widen(rows[r].x[begin + i]);
    }
    filter_any_order<S, R>(a.data(), b.data(), new_x, new_y, count, order);
    for (int r = 0; r < R; ++r) {
      for (std::int64_t i = 0; i < count; ++i) rows[r].y[begin + i] = narrow<Y>(finish(new_y[i * R + r], begin + i));
    }
    std::copy(new_x + (count - order) * R, new_x + count * R, x.begin());
    std::copy(new_y + (count - order) * R, new_y + count * R, y.begin());
  }
}

}  // namespace portops::detail
