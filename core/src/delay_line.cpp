#include <portops/ops/delay_line.hpp>

#include "delay_line_row.hpp"

namespace portops {
namespace detail {
namespace {

using Plain = DelayLineRow<DelayLineForm::plain>;
using WithMix = DelayLineRow<DelayLineForm::mix_tensor>;
using Stream = DelayLineRow<DelayLineForm::stream>;

Operator delay_line_operator() {
  Operator op = row_operator<Plain>("portops::delay_line(Tensor samples, Tensor delays, float mix=0.5) -> Tensor");
  op.forward = [](const Call& call) { delay_line_rows(call, HostRows{call}); };
  op.in_place = true;
  return op;
}

Operator delay_line_tensor_operator() {
  Operator op =
      row_operator<WithMix>("portops::delay_line.Tensor(Tensor samples, Tensor delays, Tensor mix) -> Tensor");
  op.forward = [](const Call& call) { delay_line_mix_rows(call, HostRows{call}); };
  op.in_place = true;
  return op;
}

Operator delay_line_stream_operator() {
  Operator op = row_operator<Stream>(
      "portops::delay_line_stream(Tensor samples, Tensor delays, Tensor history, float mix=0.5) -> (Tensor, Tensor)");
  op.forward = [](const Call& call) { delay_line_stream_rows(call, HostRows{call}); };
  return op;
}

[[maybe_unused]] const bool registered =
    (register_operator(delay_line_operator()), register_operator(delay_line_tensor_operator()),
     register_operator(delay_line_stream_operator()), true);

}  // namespace

void delay_line_mix_rows(const Call& call, const RowLaunch& launch) {
  launch_recurrence(WithMix::make(call), call, Algorithm::automatic, delay_line_labels, launch);
}

void delay_line_stream_rows(const Call& call, const RowLaunch& launch) {
  constexpr RecurrenceLabels labels{"portops::delay_line_stream::serial", "portops::delay_line_stream::blocks",
                                    "portops::delay_line_stream::jumping"};
  launch_recurrence(Stream::make(call), call, Algorithm::automatic, labels, launch);
}

}  // namespace detail

void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& out,
                double mix, Algorithm algorithm) {
  detail::call_rows(&detail::delay_line_rows, "portops::delay_line", stream, {out}, {samples, delays},
                    {mix, static_cast<std::int64_t>(algorithm)});
}

void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& mix,
                const TensorRef& out) {
  detail::call_rows(&detail::delay_line_mix_rows, "portops::delay_line", stream, {out}, {samples, delays, mix});
}

void delay_line_stream(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays,
                       const TensorRef& history, const TensorRef& out, const TensorRef& next_history, double mix) {
  detail::call_rows(&detail::delay_line_stream_rows, "portops::delay_line_stream", stream, {out, next_history},
                    {samples, delays, history}, {mix});
}

}  // namespace portops
