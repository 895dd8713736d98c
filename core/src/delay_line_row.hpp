#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <portops/recurrence.hpp>

#include "tap_sweep.hpp"

namespace portops::detail {

inline constexpr RecurrenceLabels delay_line_labels{"portops::delay_line::serial", "portops::delay_line::blocks",
                                                    "portops::delay_line::jumping"};

enum class DelayLineForm : std::uint8_t { plain, mix_tensor, stream };

/// y[i] = (1-g)*x[i] + g*y[i - d[i]] along one row, for any number type. A sample that points to itself is x[i].
template <DelayLineForm Form>
struct DelayLineRow {
  static constexpr bool has_mix = Form == DelayLineForm::mix_tensor, has_history = Form == DelayLineForm::stream;
  static constexpr LaneRule extra{has_mix ? LaneKind::coefficient : LaneKind::state, 1};
  static constexpr RowRules rules{has_mix || has_history ? 3 : 2,
                                  has_history ? 2 : 1,
                                  {LaneRule{LaneKind::signal, 1}, LaneRule{LaneKind::delay, 1}, extra},
                                  {0, 2},
                                  true};
  static constexpr bool delays_in_pieces = true;
  static constexpr std::int64_t least_delay = 0;
  double mix = 0.5;

  static DelayLineRow make(const Call& call) { return {has_mix ? 0.0 : std::get<double>(call.parameters[0])}; }

  static void check(const RowCall& call) {
    if constexpr (has_mix || has_history) {
      check_row_call(call, {"samples", "delays", has_mix ? "mix" : "history"});
    } else {
      check_row_call(call, {"samples", "delays"});
    }
  }
  static void check_values(const RowCall& call) { check_delays(call.op, call.inputs[1], least_delay); }

  template <class T>
  void forward(const Rows<T>& rows) const {
    forward_recurrence(*this, rows);
  }

  template <class T>
  void sweep_piece(const Rows<T>& rows, const Lane<const std::int64_t>& delays, std::int64_t, const Lane<T>& y,
                   std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const T x = rows.in[0][i];
      const std::int64_t j = source(rows, i, delays[i - begin]);
      y[i] = j == i ? x : multiply_add(gain(rows, i), output_at(y, rows.in[2], j), keep(rows, i) * x);
    }
  }

  template <class T>
  void finish(const Rows<T>& rows) const {
    if constexpr (has_history) keep_history(rows.out[0], rows.length, rows.in[2], rows.out[1]);
  }

  template <class T>
  Link<T> link(const Rows<T>& rows, std::int64_t i) const {
    const T x = rows.in[0][i];
    const std::int64_t j = source(rows, i, rows.delays[i]);
    if (j == i) return {x, T(0), -1};
    if (j < 0) return {multiply_add(gain(rows, i), output_at(&x, rows.in[2], j), keep(rows, i) * x), T(0), -1};
    return {keep(rows, i) * x, gain(rows, i), j};
  }

  template <class T>
  void take_numbers(const Rows<T>& rows, RowTraits& traits) const {
    traits.largest_coefficient = traits.largest_input = 0;
    for (std::int64_t i = 0; i < rows.length; ++i) {
      traits.take_coefficient(gain(rows, i));
      traits.take_input(rows.in[0][i]);
    }
    traits.take_input(keep(rows, 0));
    for (std::int64_t h = 0; h < rows.in[2].size; ++h) traits.take_input(rows.in[2][h]);
  }

  /// The reverse sweep: z[i] is the gradient of y[i] with everything that y[i] flows into. Where the gradient of the
  /// samples lies dense, it holds z: nothing reads z[i] after its own turn.
  template <class T>
  void backward(const Rows<T>& rows) const {
    std::vector<T> of_history(static_cast<std::size_t>(rows.in[2].size), T(0)), own, y;
    T* z = gradient_memory(rows, own);
    if constexpr (has_history) add_history_grad(z, rows.length, rows.grad[1], of_history);
    const bool needs_mix = has_mix && rows.grad_in[2];
    if (needs_mix) {
      y.resize(static_cast<std::size_t>(rows.length));
      sweep_row(*this, rows, Lane<T>{y.data(), rows.length, 1, 1, 0, true});
    }
    const auto back = [&](const Lane<const std::int64_t>& delays, std::int64_t begin, std::int64_t end) {
      needs_mix ? sweep_back<true>(rows, delays, z, y.data(), of_history, begin, end)
                : sweep_back<false>(rows, delays, z, y.data(), of_history, begin, end);
    };
    if (rows.delay_pieces == nullptr) {
      back(rows.delays, 0, rows.length);
    } else {
      for_each_piece_back(rows, back);
    }
    if (!own.empty()) copy_to(own, rows.grad_in[0]);
    if constexpr (has_history) copy_to(of_history, rows.grad_in[2]);
  }

 private:
  template <class T>
  T gain(const Rows<T>& rows, [[maybe_unused]] std::int64_t i) const {
    if constexpr (has_mix) return rows.in[2][i];
    return convert_number<T>(mix);
  }

  /// The output that sample i reads: i itself, an earlier one, or, below 0, one of the history that exists.
  template <class T>
  static std::int64_t source(const Rows<T>& rows, std::int64_t i, std::int64_t delay) {
    const std::int64_t oldest = has_history ? -rows.in[2].size : 0;
    return std::max(oldest, i - delay);
  }

  template <bool WithMix, class T>
  void sweep_back(const Rows<T>& rows, const Lane<const std::int64_t>& delays, T* z, const T* y,
                  std::vector<T>& of_history, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = end - 1; i >= begin; --i) {
      const T gradient = z[i];
      const std::int64_t j = source(rows, i, delays[i - begin]);
      const bool self = j == i;
      if constexpr (WithMix) {
        const T slope = self ? T(0) : output_at(y, rows.in[2], j) - rows.in[0][i];
        rows.grad_in[2][i] = gradient * conjugate(slope);
      }
      if (self) continue;
      z[i] = conjugate(keep(rows, i)) * gradient;
      (j >= 0 ? z[j] : of_history[static_cast<std::size_t>(rows.in[2].size + j)]) +=
          conjugate(gain(rows, i)) * gradient;
    }
  }

  template <class T>
  T keep(const Rows<T>& rows, std::int64_t i) const {
    return has_mix ? T(1) - gain(rows, i) : convert_number<T>(1.0 - mix);
  }
};

}  // namespace portops::detail
