#include <atomic>

#include <portops/detail/visit_integer.hpp>
#include <portops/ops/delay_line.hpp>

#include "delay_line_row.hpp"

/// delay_line with one gain on rows of the type of the computation: delays are read as they are stored.
namespace portops::detail {
namespace {

template <class T>
struct Strided {
  T* data;
  std::int64_t stride;
  T& operator[](std::int64_t i) const { return data[i * stride]; }
};

/// The same with neighbours in memory, which the compiler then knows.
template <class T>
struct Dense {
  T* data;
  T& operator[](std::int64_t i) const { return data[i]; }
};

/// The sample that a delay points to: i - delay, at least 0; never wraps for any integer type. Signed arithmetic
/// wherever it holds the delay: it compiles to one subtraction and one maximum, where an unsigned comparison takes
/// twice the time of the whole sweep. A negative delay, which is refused after the sweep, reads within the row.
template <bool Unchecked, class Delay>
std::int64_t delayed_index(std::int64_t i, Delay delay) {
  if constexpr (std::is_same_v<Delay, std::uint64_t>) {
    return i - static_cast<std::int64_t>(std::min(delay, static_cast<std::uint64_t>(i)));
  } else if constexpr (Unchecked && std::is_signed_v<Delay>) {
    return std::max<std::int64_t>(0, i - static_cast<std::int64_t>(std::max<Delay>(delay, 0)));
  } else {
    return std::max<std::int64_t>(0, i - static_cast<std::int64_t>(delay));
  }
}

/// Reads x[i] before it writes y[i] and only earlier y, so y may be x. True if a delay is negative; asked only where
/// the delays are unchecked.
template <bool Unchecked, class T, class Delay, class Samples, class Delays, class Out>
bool sweep(Samples x, Delays delays, Out y, std::int64_t length, double mix) {
  const T keep = static_cast<T>(1.0 - mix), feedback = static_cast<T>(mix);
  Delay signs = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const Delay delay = delays[i];
    if constexpr (Unchecked) signs = static_cast<Delay>(signs | delay);
    const std::int64_t source = delayed_index<Unchecked>(i, delay);
    const T sample = x[i];
    y[i] = source == i ? sample : multiply_add(feedback, y[source], keep * sample);
  }
  return std::is_signed_v<Delay> && signs < 0;
}

struct SweepJob {
  const RowCall& call;
  double mix;
  /// Outputs are fresh memory: a negative delay may be found while they are written.
  bool unchecked;
  std::atomic<bool>& negative;

  void operator()(std::int64_t begin, std::int64_t end) const {
    visit_integer(call.inputs[1].dtype, [&](auto zero) {
      using Delay = decltype(zero);
      const bool wide = call.compute == DType::float64;
      if (unchecked) {
        if (wide ? rows<true, double, Delay>(begin, end) : rows<true, float, Delay>(begin, end)) negative = true;
      } else {
        wide ? rows<false, double, Delay>(begin, end) : rows<false, float, Delay>(begin, end);
      }
    });
  }

 private:
  template <bool Unchecked, class T, class Delay>
  bool rows(std::int64_t begin, std::int64_t end) const {
    const LaneAddress of_x = call.address(call.inputs[0], 0), of_d = call.address(call.inputs[1], 1);
    const LaneAddress of_y = call.address(call.outputs[0], 0);
    const std::int64_t length = of_x.sizes().time;
    const bool dense = of_x.step(0) == 1 && of_d.step(0) == 1 && of_y.step(0) == 1;
    bool found = false;
    for (std::int64_t row = begin; row < end; ++row) {
      const auto* x = reinterpret_cast<const T*>(of_x.row(row));
      const auto* d = reinterpret_cast<const Delay*>(of_d.row(row));
      auto* y = reinterpret_cast<T*>(of_y.row(row));
      found |=
          dense ? sweep<Unchecked, T, Delay>(Dense<const T>{x}, Dense<const Delay>{d}, Dense<T>{y}, length, mix)
                : sweep<Unchecked, T, Delay>(Strided<const T>{x, of_x.step(0)}, Strided<const Delay>{d, of_d.step(0)},
                                             Strided<T>{y, of_y.step(0)}, length, mix);
    }
    return found;
  }
};

}  // namespace

void delay_line_rows(const Call& call, const RowLaunch& launch) {
  using Kernel = DelayLineRow<DelayLineForm::plain>;
  const RowCall rows(Kernel::rules, call, Pass::forward);
  const Kernel kernel = Kernel::make(call);
  const auto wish =
      call.parameters.size() > 1 ? static_cast<Algorithm>(std::get<std::int64_t>(call.parameters[1])) : Algorithm();
  kernel.check(rows);
  const LaneAddress x = rows.address(rows.inputs[0], 0), d = rows.address(rows.inputs[1], 1);
  const LaneAddress y = rows.address(rows.outputs[0], 0);
  const bool plain_memory =
      x.dtype() == rows.compute && y.dtype() == rows.compute && x.aligned() && d.aligned() && y.aligned();
  if (is_complex(rows.compute) || !plain_memory || wants_long_rows(wish, rows, thread_count(call.stream))) {
    return launch_recurrence(kernel, call, wish, delay_line_labels, launch);
  }

  if (!call.fresh) kernel.check_values(rows);
  std::atomic<bool> negative{false};
  const SweepJob job{rows, kernel.mix, call.fresh, negative};
  launch(delay_line_labels.serial, rows.rows(), std::max<std::int64_t>(1, row_length(rows.shape())), job);
  if (negative) check_delays(call.op, rows.inputs[1], 0);
}

}  // namespace portops::detail
