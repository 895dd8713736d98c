#include <portops/ops/flanger.hpp>

#include <cmath>
#include <string>

#include "flanger_row.hpp"

namespace portops {
namespace detail {
namespace {

using Plain = FlangerRow<FlangerForm::plain>;
using Stream = FlangerRow<FlangerForm::stream>;

template <class Row>
Operator flanger_operator(const char* schema) {
  Operator op = row_operator<Row>(schema);
  // Without the table: nothing is computed.
  op.check = [](const Call& call) { Row::plan(call).check(RowCall(Row::rules, call, Pass::forward)); };
  return op;
}

[[maybe_unused]] const bool registered =
    (register_operator(flanger_operator<Plain>(
         "portops::flanger(Tensor waveform, int sample_rate, float delay=0.0, float depth=2.0, float regen=0.0, float "
         "width=71.0, float speed=0.5, float phase=25.0, str modulation=\"sinusoidal\", str interpolation=\"linear\") "
         "-> Tensor")),
     register_operator(flanger_operator<Stream>(
         "portops::flanger_stream(Tensor waveform, Tensor history, int position, int sample_rate, float delay=0.0, "
         "float depth=2.0, float regen=0.0, float width=71.0, float speed=0.5, float phase=25.0, str "
         "modulation=\"sinusoidal\", str interpolation=\"linear\") -> (Tensor, Tensor)")),
     true);

}  // namespace

FlangerPlan::FlangerPlan(const char* op, EffectParameters& parameters) {
  const auto rate = static_cast<double>(parameters.sample_rate());
  const double delay = parameters.real("delay", 0, 30) / 1000, depth = parameters.real("depth", 0, 10) / 1000;
  feedback = parameters.real("regen", -95, 95) / 100;
  const double width = parameters.real("width", 0, 100) / 100;
  const double speed = parameters.real("speed", 0.1, 10);
  phase = static_cast<float>(parameters.real("phase", 0, 100) / 100);
  const bool sine = parameters.choice("modulation", "sinusoidal", "triangular");
  quadratic = !parameters.choice("interpolation", "linear", "quadratic");

  through = 1.0 / (1 + width);
  delayed = width / (1 + width) * (1 - std::fabs(feedback));
  buffer = static_cast<std::int64_t>((delay + depth) * rate + 0.5) + 2;
  wave.period = static_cast<std::int64_t>(rate / speed);
  portops::check(wave.period > 0, op, "a period of the modulation must be at least one sample", "speed", speed,
                 "sample_rate", rate);
  wave.shape = sine ? WaveShape::sine : WaveShape::triangle;
  wave.shift = static_cast<std::int64_t>(0.75 * static_cast<double>(wave.period) + 0.5);
  wave.low = std::floor(delay * rate + 0.5);
  wave.high = static_cast<double>(buffer) - 2.0;
}

void FlangerPlan::prepare(const TensorRef& shape, std::int64_t position) {
  std::vector<std::int64_t> starts;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    // In float32, as torchaudio computes it. The first value is the one before the first sample.
    const float begin = static_cast<float>(channel * wave.period) * phase + 0.5F;
    starts.push_back(position % wave.period + wave.period - 1 + static_cast<std::int64_t>(begin));
  }
  table = {wave, starts, row_length(shape) + 1};
}

void flanger_rows(const Call& call, const RowLaunch& launch) { forward_rows<Plain>(call, launch); }
void flanger_stream_rows(const Call& call, const RowLaunch& launch) { forward_rows<Stream>(call, launch); }

}  // namespace detail

void flanger(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, std::int64_t sample_rate,
             const FlangerOptions& options) {
  detail::call_rows(&detail::flanger_rows, "portops::flanger", stream, {out}, {waveform},
                    {sample_rate, options.delay, options.depth, options.regen, options.width, options.speed,
                     options.phase, name(options.modulation), name(options.interpolation)});
}

void flanger_stream(const StreamRef& stream, const TensorRef& waveform, const TensorRef& history, const TensorRef& out,
                    const TensorRef& next_history, std::int64_t position, std::int64_t sample_rate,
                    const FlangerOptions& options) {
  detail::call_rows(&detail::flanger_stream_rows, "portops::flanger_stream", stream, {out, next_history},
                    {waveform, history},
                    {position, sample_rate, options.delay, options.depth, options.regen, options.width, options.speed,
                     options.phase, name(options.modulation), name(options.interpolation)});
}

std::int64_t flanger_history_length(std::int64_t sample_rate, const FlangerOptions& options) {
  const std::initializer_list<Parameter> parameters{sample_rate,
                                                    options.delay,
                                                    options.depth,
                                                    options.regen,
                                                    options.width,
                                                    options.speed,
                                                    options.phase,
                                                    name(options.modulation),
                                                    name(options.interpolation)};
  Call call{"portops::flanger_history_length", {}, {}, {}, {parameters.begin(), parameters.size()}};
  detail::EffectParameters reader(call);
  return detail::FlangerPlan(call.op, reader).buffer;
}

}  // namespace portops
