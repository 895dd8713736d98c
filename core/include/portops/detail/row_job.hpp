#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <portops/detail/delay_lane.hpp>
#include <portops/detail/lanes.hpp>
#include <portops/detail/row_launch.hpp>
#include <portops/detail/tile.hpp>
#include <portops/execution.hpp>
#include <portops/registry.hpp>

/// Operators that run along rows: a row kernel says what happens on one row, forward and backward, for any number type
/// T. Evaluated on `Moving` numbers the two give the tangents and the second derivatives:
///   jvp     = tangent of forward along t
///   second  = tangent of backward along t, which is the Hessian of sum(g * y) times t
namespace portops::detail {

enum class Pass : std::uint8_t { forward, jvp, vjp, second };

/// The lanes of one row; those that a pass does not have, or that the caller does not need, are absent.
template <class T>
struct Rows {
  std::array<Lane<const T>, RowRules::max_inputs> in;
  Lane<const std::int64_t> delays;
  /// Instead of `delays` for a kernel that reads them piece by piece.
  const DelayLane* delay_pieces = nullptr;
  /// Set by such a kernel where a delay is refused.
  std::atomic<bool>* refused = nullptr;
  std::array<Lane<const T>, RowRules::max_results> grad;  // backward
  std::array<Lane<T>, RowRules::max_results> out;         // forward
  std::array<Lane<T>, RowRules::max_inputs> grad_in;      // backward
  std::int64_t row = 0, length = 0, taps = 1;
};

/// The tensors of a call, told apart by their role. Absent ones have rank -1.
struct RowCall {
  const char* op;
  const RowRules* rules;
  Pass pass;
  DType compute;
  std::span<const TensorRef> inputs, tangents, grads, outputs;
  /// Where a kernel that finds a delay out of range during the work says so.
  std::atomic<bool>* refused = nullptr;

  RowCall(const RowRules& rules, const Call& call, Pass pass);

  /// A tensor whose leading axes count the rows and whose last axis is time.
  const TensorRef& shape() const { return pass == Pass::forward || pass == Pass::jvp ? outputs[0] : grads[0]; }
  /// Rows of which something is written: also those of no samples, whose history passes through.
  std::int64_t rows() const;
  /// The (N, K) to which coefficients and delays broadcast.
  LaneSizes full() const;
  LaneSizes sizes_of(std::size_t input) const;
  LaneAddress address(const TensorRef& tensor, std::size_t input) const {
    return {tensor, rules->in[input].axes, shape()};
  }
};

inline bool is_absent(const TensorRef& tensor) { return tensor.rank < 0; }

/// Throws unless shapes, types and devices fit the rules, and outputs may be written. `names` are those of the inputs.
/// Output 0 may be exactly input 0.
void check_row_call(const RowCall& call, std::initializer_list<const char*> names);

/// All lanes of a call, opened row by row.
template <class T>
class RowLanes {
 public:
  explicit RowLanes(const RowCall& call, bool in_pieces = false)
      : m_call(call), m_full(call.full()), m_in_pieces(in_pieces) {
    const bool backward = call.pass == Pass::vjp || call.pass == Pass::second;
    for (std::size_t n = 0; n < static_cast<std::size_t>(call.rules->inputs); ++n) open_input(n, backward);
    for (std::size_t m = 0; m < static_cast<std::size_t>(call.rules->results); ++m) {
      const auto like = static_cast<std::size_t>(call.rules->like[m]);
      if (backward) {
        m_grad[m] = InputLane<T>({call.grads[m], 1, call.shape()}, call.compute);
      } else {
        const LaneAddress to(call.outputs[m], call.rules->in[like].axes, call.shape());
        m_out[m] = OutputLane<T>(to, to.sizes(), call.compute);
      }
    }
  }

  Rows<T> open(std::int64_t row) {
    Rows<T> rows;
    rows.row = row;
    rows.length = m_full.time;
    rows.taps = m_full.taps;
    if (m_in_pieces) {
      rows.delay_pieces = &m_delays;
      rows.refused = m_call.refused;
    } else if (m_delays) {
      rows.delays = m_delays.load(row, m_delay_copy);
    }
    for (std::size_t n = 0; n < m_in.size(); ++n) {
      rows.in[n] = m_in[n].load(row);
      rows.grad_in[n] = m_grad_in[n].open(row);
    }
    for (std::size_t m = 0; m < m_out.size(); ++m) {
      rows.grad[m] = m_grad[m].load(row);
      rows.out[m] = m_out[m].open(row);
    }
    return rows;
  }
  void store(std::int64_t row) {
    for (auto& lane : m_out) lane.store(row);
    for (auto& lane : m_grad_in) lane.store(row);
  }

 private:
  void open_input(std::size_t n, bool backward) {
    const LaneRule& rule = m_call.rules->in[n];
    if (is_absent(m_call.inputs[n])) return;
    const LaneAddress from = m_call.address(m_call.inputs[n], n);
    if (rule.kind == LaneKind::delay) {
      m_delays = DelayLane(from);
      return;
    }
    m_in[n] = InputLane<T>(from, m_call.compute);
    if (!m_call.tangents.empty() && !is_absent(m_call.tangents[n])) {
      m_in[n].move_along(m_call.address(m_call.tangents[n], n));
    }
    if (!backward || is_absent(m_call.outputs[n])) return;
    const bool repeats = rule.kind == LaneKind::coefficient;
    const LaneSizes sizes = repeats ? LaneSizes{m_full.time, rule.axes > 1 ? m_full.taps : 1} : from.sizes();
    m_grad_in[n] = OutputLane<T>(m_call.address(m_call.outputs[n], n), sizes, m_call.compute);
  }

  const RowCall& m_call;
  LaneSizes m_full;
  bool m_in_pieces;
  DelayLane m_delays;
  DelayBuffer m_delay_copy;
  std::array<InputLane<T>, RowRules::max_inputs> m_in;
  std::array<InputLane<T>, RowRules::max_results> m_grad;
  std::array<OutputLane<T>, RowRules::max_results> m_out;
  std::array<OutputLane<T>, RowRules::max_inputs> m_grad_in;
};

/// Calls `visit` with a zero of the type in which a row kernel computes.
template <class RowKernel, class Visit>
void visit_row_type(DType compute, const Visit& visit) {
  if constexpr (RowKernel::rules.accepts_complex) {
    if (compute == DType::complex64) return visit(Kokkos::complex<float>());
    if (compute == DType::complex128) return visit(Kokkos::complex<double>());
  }
  compute == DType::float64 ? visit(double()) : visit(float());
}

/// Runs a row kernel over a range of rows. `check` says whether tensors fit; `check_values`, where a kernel has it, is
/// asked before anything is written.
template <class RowKernel>
struct RowJob {
  const RowKernel& kernel;
  const RowCall& call;

  void operator()(std::int64_t begin, std::int64_t end) const {
    const bool moving = call.pass == Pass::jvp || call.pass == Pass::second;
    visit_row_type<RowKernel>(call.compute, [&](auto zero) {
      using T = decltype(zero);
      moving ? run<Moving<T>>(begin, end) : run<T>(begin, end);
    });
  }

 private:
  template <class T>
  PORTOPS_DETAIL_LOCAL void run(std::int64_t begin, std::int64_t end) const {
    if constexpr (requires { RowKernel::rows_at_once; } && !ValueOf<T>::moving) {
      if (call.pass == Pass::forward) begin = run_together<T>(begin, end);
    }
    if (begin == end) return;
    constexpr bool in_pieces = requires { RowKernel::delays_in_pieces; } && !ValueOf<T>::moving;
    RowLanes<T> lanes(call, in_pieces);
    for (std::int64_t row = begin; row < end; ++row) {
      const Rows<T> rows = lanes.open(row);
      if (call.pass == Pass::forward || call.pass == Pass::jvp) {
        kernel.forward(rows);
      } else {
        kernel.backward(rows);
      }
      lanes.store(row);
    }
  }

  /// Whole groups of rows for a kernel that takes several at a time; where the rest begins.
  template <class T>
  PORTOPS_DETAIL_LOCAL std::int64_t run_together(std::int64_t begin, std::int64_t end) const {
    constexpr int group = RowKernel::rows_at_once;
    if (end - begin < group) return begin;
    std::vector<RowLanes<T>> lanes(group, RowLanes<T>(call));
    std::array<Rows<T>, group> rows;
    for (; end - begin >= group; begin += group) {
      for (std::size_t r = 0; r < group; ++r) rows[r] = lanes[r].open(begin + static_cast<std::int64_t>(r));
      kernel.template forward_many<group>(rows.data());
      for (std::size_t r = 0; r < group; ++r) lanes[r].store(begin + static_cast<std::int64_t>(r));
    }
    return begin;
  }
};

/// Checks the call of a row kernel and hands its rows to `launch`.
template <class RowKernel>
PORTOPS_DETAIL_LOCAL void launch_row_kernel(const RowKernel& kernel, const RowCall& call, const RowLaunch& launch) {
  kernel.check(call);
  if constexpr (requires { kernel.check_values(call); }) kernel.check_values(call);
  launch(call.op, call.rows(), std::max<std::int64_t>(1, row_length(call.shape())), RowJob<RowKernel>{kernel, call});
}

/// The registry's entry point of a row kernel.
template <class RowKernel, Pass Of>
PORTOPS_DETAIL_LOCAL void call_row_kernel(const Call& call) {
  const RowCall rows(RowKernel::rules, call, Of);
  launch_row_kernel(RowKernel::make(call), rows, HostRows{call});
}

/// The same for a call from C++, on the rows of whoever calls.
template <class RowKernel>
PORTOPS_DETAIL_LOCAL void forward_rows(const Call& call, const RowLaunch& launch) {
  launch_row_kernel(RowKernel::make(call), RowCall(RowKernel::rules, call, Pass::forward), launch);
}

template <class RowKernel>
Operator row_operator(const char* schema) {
  Operator op;
  op.schema_text = schema;
  op.rule = ResultRule::rows;
  op.in_place = false;
  op.rows = RowKernel::rules;
  op.accepts_complex = RowKernel::rules.accepts_complex;
  op.forward = &call_row_kernel<RowKernel, Pass::forward>;
  op.check = [](const Call& call) { RowKernel::make(call).check(RowCall(RowKernel::rules, call, Pass::forward)); };
  op.derivatives = {&call_row_kernel<RowKernel, Pass::jvp>,
                    &call_row_kernel<RowKernel, Pass::vjp>,
                    {},
                    &call_row_kernel<RowKernel, Pass::second>};
  return op;
}

}  // namespace portops::detail
