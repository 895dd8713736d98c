#include <portops/ops/phaser.hpp>

#include <cmath>

#include "effect.hpp"

namespace portops {
namespace detail {
namespace {

/// t[i] = gain_in*x[i] + decay*t[i - D(i)], nothing before the row; y = gain_out*t.
///
/// D in torchaudio's terms: its circular buffer of L places receives decay*t[i] at place (i+1) mod L, and is read at
/// (i + m) mod L before, with m = 1 .. L from the table. The place was written last by sample i + m - 1 - L, so that
/// D = L + 1 - m, from 1 to L; a place that none has reached yet holds 0.
struct PhaserRow {
  static constexpr RowRules rules{1, 1, {LaneRule{LaneKind::signal, 1}}, {0}};
  double gain_in = 0, gain_out = 0, decay = 0;
  std::int64_t buffer = 1;
  Wave wave{};
  WaveTable<std::int32_t> table{};

  static PhaserRow plan(const Call& call) {
    EffectParameters parameters(call);
    PhaserRow row;
    const auto rate = static_cast<double>(parameters.sample_rate());
    row.gain_in = parameters.real("gain_in", 0, 1);
    row.gain_out = parameters.real("gain_out", 0, 1e9);
    const double delay_ms = parameters.real("delay_ms", 0, 5);
    row.decay = parameters.real("decay", 0, 0.99);
    const double speed = parameters.real("mod_speed", 0.1, 2);
    row.buffer = static_cast<std::int64_t>(delay_ms * 0.001 * rate + 0.5);
    portops::check(row.buffer > 0, call.op, "delay_ms must be at least half a sample", "delay_ms", delay_ms,
                   "sample_rate", rate);
    row.wave = {parameters.boolean() ? WaveShape::sine : WaveShape::triangle,
                static_cast<std::int64_t>(rate / speed + 0.5), 0, 1, static_cast<double>(row.buffer)};
    row.wave.shift = static_cast<std::int64_t>(0.25 * static_cast<double>(row.wave.period) + 0.5);
    return row;
  }
  static PhaserRow make(const Call& call) {
    PhaserRow row = plan(call);
    const TensorRef& shape = call.inputs[0];
    if (shape.numel() > 0) row.table = {row.wave, {0}, row_length(shape)};
    return row;
  }
  static void check(const RowCall& call) { check_row_call(call, {"waveform"}); }

  /// Calls write(i, y[i] before the clamp).
  template <class T, class Write>
  void run(const Rows<T>& rows, const Write& write) const {
    const T in = T(gain_in), out = T(gain_out), kept = T(decay);
    Ring<T> decayed(buffer);
    WaveCursor<std::int32_t> place = table.at(0, 0);
    for (std::int64_t i = 0; i < rows.length; ++i, ++place) {
      const T t = rows.in[0][i] * in + decayed[i + *place - 1 - buffer];
      decayed[i] = t * kept;
      write(i, t * out);
    }
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    run(rows, [&](std::int64_t i, const T& y) { rows.out[0][i] = clamp_to_one(y); });
  }

  template <class T>
  void backward(const Rows<T>& rows) const {
    if (!rows.grad_in[0] || rows.length == 0) return;
    std::vector<T> z(static_cast<std::size_t>(rows.length));
    run(rows, [&](std::int64_t i, const T& y) {
      z[static_cast<std::size_t>(i)] = T(gain_out) * clamped_grad(y, T(rows.grad[0][i]));
    });
    WaveCursor<std::int32_t> place = table.at(0, rows.length - 1);
    for (std::int64_t i = rows.length - 1; i >= 0; --i, --place) {
      const T grad = z[static_cast<std::size_t>(i)];
      const std::int64_t source = i + *place - 1 - buffer;
      if (source >= 0) z[static_cast<std::size_t>(source)] += T(decay) * grad;
      rows.grad_in[0][i] = T(gain_in) * grad;
    }
  }
};

Operator phaser_operator() {
  Operator op = row_operator<PhaserRow>(
      "portops::phaser(Tensor waveform, int sample_rate, float gain_in=0.4, float gain_out=0.74, float delay_ms=3.0, "
      "float decay=0.4, float mod_speed=0.5, bool sinusoidal=True) -> Tensor");
  // Without the table: nothing is computed.
  op.check = [](const Call& call) {
    PhaserRow::plan(call);
    PhaserRow::check(RowCall(PhaserRow::rules, call, Pass::forward));
  };
  return op;
}

[[maybe_unused]] const bool registered = (register_operator(phaser_operator()), true);

}  // namespace

void phaser_rows(const Call& call, const RowLaunch& launch) { forward_rows<PhaserRow>(call, launch); }

}  // namespace detail

void phaser(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out, std::int64_t sample_rate,
            const PhaserOptions& options) {
  detail::call_rows(&detail::phaser_rows, "portops::phaser", stream, {out}, {waveform},
                    {sample_rate, options.gain_in, options.gain_out, options.delay_ms, options.decay, options.mod_speed,
                     options.sinusoidal});
}

}  // namespace portops
