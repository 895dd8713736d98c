#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "effect.hpp"

namespace portops::detail {

enum class FlangerForm : std::uint8_t { plain, stream };

/// What the parameters of a flanger come to, with torchaudio's names in brackets.
struct FlangerPlan {
  FlangerPlan(const char* op, EffectParameters& parameters);
  /// Fills the table for a tensor of that shape (.., channel, time), whose first sample is sample `position`.
  void prepare(const TensorRef& shape, std::int64_t position);

  Wave wave;                // of the delay (lfo)
  std::int64_t buffer = 2;  // places of the circular buffer (delay_buf_length)
  std::int64_t channels = 1;
  double feedback = 0, through = 1, delayed = 0;  // (feedback_gain, in_gain, delay_gain)
  float phase = 0;                                // from channel to channel, as part of a period (channel_phase)
  bool quadratic = false;
  WaveTable<float> table{};
};

/// Where a delay reads: `whole` samples back and the one or two before that, `part` of the way.
template <class T>
struct FlangerTap {
  explicit FlangerTap(float delay)
      : whole(static_cast<std::int32_t>(delay)), part(T(delay - static_cast<float>(whole))) {}
  std::int32_t whole;
  T part;
};

/// s[i] = x[i] + feedback*v[i-1], v[i] = s at i - d(i), y = through*x + delayed*v. s is what torchaudio writes into its
/// circular buffer, v what it reads; d comes from the table, and lies between samples.
///
/// A delay is at most buffer - 2, so that the sample before it is in the buffer still. The third of a quadratic may be
/// one too far: its place then holds the newest, s[i], and that is what torchaudio reads.
template <FlangerForm Form>
struct FlangerRow {
  static constexpr bool has_history = Form == FlangerForm::stream;
  static constexpr RowRules rules{
      has_history ? 2 : 1, has_history ? 2 : 1, {LaneRule{LaneKind::signal, 1}, LaneRule{LaneKind::state, 1}}, {0, 1}};
  FlangerPlan plan_of_call;
  std::int64_t position = 0;

  static FlangerRow plan(const Call& call) {
    EffectParameters parameters(call);
    const std::int64_t position =
        has_history ? parameters.integer("position", 0, std::numeric_limits<std::int64_t>::max()) : 0;
    FlangerRow row{FlangerPlan(call.op, parameters), position};
    // The first tensor of a derivative is a gradient, of the same shape.
    const TensorRef& shape = call.inputs[0];
    portops::check(shape.rank >= 2, call.op, "waveform must have a channel and a time axis", "rank", shape.rank);
    row.plan_of_call.channels = shape.sizes[shape.rank - 2];
    portops::check(row.plan_of_call.channels <= 4, call.op, "waveform must have at most 4 channels", "channels",
                   row.plan_of_call.channels);
    return row;
  }
  static FlangerRow make(const Call& call) {
    FlangerRow row = plan(call);
    row.plan_of_call.prepare(call.inputs[0], row.position);
    return row;
  }

  void check(const RowCall& call) const {
    if constexpr (has_history) {
      check_row_call(call, {"waveform", "history"});
      const std::int64_t length = call.sizes_of(1).time;
      portops::check(length >= plan_of_call.buffer, call.op,
                     "history must be at least int((delay / 1000 + depth / 1000) * sample_rate + 0.5) + 2 long",
                     "history", length, "least", plan_of_call.buffer);
    } else {
      check_row_call(call, {"waveform"});
    }
  }

  template <class T>
  void forward(const Rows<T>& rows) const {
    Ring<T> s(places(rows));
    run(rows, s, [&](std::int64_t i, const T& y) { rows.out[0][i] = clamp_to_one(y); });
    if constexpr (has_history) {
      const Lane<T>& next = rows.out[1];
      for (std::int64_t h = 0; h < next.size; ++h) next[h] = s[rows.length - next.size + h];
    }
  }

  /// The reverse sweep. `of_s[origin + i]` is the gradient of s[i] with all that s[i] flows into; i may be negative.
  template <class T>
  void backward(const Rows<T>& rows) const {
    const std::int64_t length = rows.length, origin = places(rows);
    std::vector<T> of_y(static_cast<std::size_t>(length)), of_s(static_cast<std::size_t>(origin + length), T(0));
    Ring<T> s(origin);
    run(rows, s,
        [&](std::int64_t i, const T& y) { of_y[static_cast<std::size_t>(i)] = clamped_grad(y, T(rows.grad[0][i])); });
    if constexpr (has_history) {
      const std::int64_t kept = rows.grad[1].size;
      for (std::int64_t h = 0; h < kept; ++h)
        of_s[static_cast<std::size_t>(origin + length - kept + h)] = rows.grad[1][h];
    }
    plan_of_call.quadratic ? sweep_back<true>(rows, of_y, of_s.data() + origin)
                           : sweep_back<false>(rows, of_y, of_s.data() + origin);
    if (has_history && rows.grad_in[1]) {
      const Lane<T>& result = rows.grad_in[1];
      for (std::int64_t h = 0; h < result.size; ++h)
        result[h] = of_s[static_cast<std::size_t>(origin - result.size + h)];
    }
  }

 private:
  template <class T>
  std::int64_t places(const Rows<T>& rows) const {
    return std::max(plan_of_call.buffer, rows.in[1].size);
  }
  /// Of the third sample of a quadratic.
  std::int64_t wrapped(std::int64_t delay) const { return delay == plan_of_call.buffer ? 0 : delay; }

  WaveCursor<float> delays(std::int64_t row, std::int64_t i) const {
    return plan_of_call.table.at(static_cast<std::size_t>(row % plan_of_call.channels), i + 1);
  }

  template <bool Quadratic, class T>
  T read(const Ring<T>& s, std::int64_t i, float delay) const {
    const FlangerTap<T> tap(delay);
    const std::int64_t from = i - tap.whole;
    const T first = s[from], rise = s[from - 1] - first;
    if constexpr (Quadratic) {
      const T far = s[i - wrapped(tap.whole + 2)] - first;
      const T a = far * T(0.5) - rise, b = rise * T(2) - far * T(0.5);
      return first + (a * tap.part + b) * tap.part;
    } else {
      return first + rise * tap.part;
    }
  }

  /// The reverse of read: adds grad to those of what it read.
  template <bool Quadratic, class T>
  void spread(T* of_s, std::int64_t i, float delay, const T& grad) const {
    const FlangerTap<T> tap(delay);
    const std::int64_t from = i - tap.whole;
    if constexpr (Quadratic) {
      const T near = grad * tap.part * (T(2) - tap.part), far = grad * tap.part * (tap.part - T(1)) * T(0.5);
      of_s[from] += grad - near - far;
      of_s[from - 1] += near;
      of_s[i - wrapped(tap.whole + 2)] += far;
    } else {
      of_s[from] += grad - grad * tap.part;
      of_s[from - 1] += grad * tap.part;
    }
  }

  /// Calls write(i, y[i] before the clamp), and leaves the last of s behind.
  template <class T, class Write>
  void run(const Rows<T>& rows, Ring<T>& s, const Write& write) const {
    const Lane<const T>& history = rows.in[1];
    for (std::int64_t h = 0; h < history.size; ++h) s[h - history.size] = history[h];
    plan_of_call.quadratic ? sweep<true>(rows, s, write) : sweep<false>(rows, s, write);
  }

  template <bool Quadratic, class T, class Write>
  void sweep(const Rows<T>& rows, Ring<T>& s, const Write& write) const {
    const T back = T(plan_of_call.feedback), in = T(plan_of_call.through), wet = T(plan_of_call.delayed);
    WaveCursor<float> delay = delays(rows.row, -1);
    T last = read<Quadratic>(s, -1, *delay);
    for (std::int64_t i = 0; i < rows.length; ++i) {
      const T x = rows.in[0][i];
      s[i] = x + last * back;
      last = read<Quadratic>(s, i, *++delay);
      write(i, x * in + last * wet);
    }
  }

  template <bool Quadratic, class T>
  void sweep_back(const Rows<T>& rows, const std::vector<T>& of_y, T* of_s) const {
    const T back = T(plan_of_call.feedback), in = T(plan_of_call.through), wet = T(plan_of_call.delayed);
    WaveCursor<float> delay = delays(rows.row, rows.length - 1);
    T later = T(0);
    for (std::int64_t i = rows.length - 1; i >= 0; --i, --delay) {
      const T grad = of_y[static_cast<std::size_t>(i)];
      spread<Quadratic>(of_s, i, *delay, wet * grad + later);
      if (rows.grad_in[0]) rows.grad_in[0][i] = in * grad + of_s[i];
      later = back * of_s[i];
    }
    spread<Quadratic>(of_s, -1, *delay, later);
  }
};

}  // namespace portops::detail
