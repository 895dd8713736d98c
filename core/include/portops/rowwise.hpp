#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <portops/check.hpp>
#include <portops/detail/element_copy.hpp>
#include <portops/detail/parameters.hpp>
#include <portops/detail/rows.hpp>
#include <portops/detail/schema_text.hpp>
#include <portops/execution.hpp>
#include <portops/registry.hpp>

namespace portops {

/// One row of a tensor: its last axis.
template <class T>
class Row {
 public:
  KOKKOS_FUNCTION Row(T* data, std::int64_t stride, std::int64_t size) : m_data(data), m_stride(stride), m_size(size) {}
  KOKKOS_FUNCTION T& operator[](std::int64_t i) const { return m_data[i * m_stride]; }
  KOKKOS_FUNCTION std::int64_t size() const { return m_size; }

 private:
  T* m_data;
  std::int64_t m_stride, m_size;
};

namespace detail {

/// Elements up to which a row-wise call stays in the calling thread.
inline constexpr std::int64_t rowwise_grain = 16384;

/// One operand of a row-wise call: its row where it lies, or, where its type is not the compute type, a converted copy.
template <class T>
class RowAccess {
 public:
  RowAccess(const TensorRef& tensor, const TensorRef& shape, DType compute)
      : m_tensor(tensor), m_shape(shape), m_compute(compute), m_direct(tensor.dtype == compute) {
    if (!m_direct) m_copy.resize(static_cast<std::size_t>(row_length(tensor)));
  }

  void load(std::int64_t row) {
    if (m_direct) return;
    find_gather(m_compute, m_tensor.dtype)(m_copy.data(), address(row), byte_stride(), row_length(m_tensor));
  }
  void store(std::int64_t row) const {
    if (m_direct) return;
    find_scatter(m_compute, m_tensor.dtype)(address(row), m_copy.data(), byte_stride(), row_length(m_tensor));
  }
  template <class Element>
  Row<Element> row(std::int64_t index) {
    if (!m_direct) return {m_copy.data(), 1, row_length(m_tensor)};
    return {reinterpret_cast<T*>(address(index)), row_stride(m_tensor), row_length(m_tensor)};
  }

 private:
  char* address(std::int64_t row) const {
    return static_cast<char*>(m_tensor.data) + row_offset(m_tensor, m_shape, row) * size_of(m_tensor.dtype);
  }
  std::int64_t byte_stride() const { return row_stride(m_tensor) * size_of(m_tensor.dtype); }

  TensorRef m_tensor, m_shape;
  DType m_compute;
  bool m_direct;
  std::vector<T> m_copy;
};

/// Throws unless the leading axes of all operands broadcast to those of the first output, the outputs are floating, do
/// not overlap themselves and nothing overlaps an output.
void check_rowwise(const char* op, std::span<const TensorRef> outputs, std::span<const TensorRef> inputs);

/// The same for a forward call, whose results have the shape of the first input.
void check_rowwise_call(const Call& call);

/// Runs `body(row_of_each_operand...)` for every row: inputs first, then outputs.
template <class T, class Body, std::size_t... In, std::size_t... Out>
PORTOPS_DETAIL_LOCAL void for_each_row(const Call& call, const Body& body, std::index_sequence<In...>,
                                       std::index_sequence<Out...>) {
  const TensorRef& shape = call.outputs.front();
  const auto rows = [&](std::int64_t begin, std::int64_t end) {
    std::array<RowAccess<T>, sizeof...(In)> inputs{RowAccess<T>(call.inputs[In], shape, call.compute)...};
    std::array<RowAccess<T>, sizeof...(Out)> outputs{RowAccess<T>(call.outputs[Out], shape, call.compute)...};
    for (std::int64_t row = begin; row < end; ++row) {
      for (auto& input : inputs) input.load(row);
      body(inputs[In].template row<const T>(row)..., outputs[Out].template row<T>(row)...);
      for (const auto& output : outputs) output.store(row);
    }
  };
  const std::int64_t count = row_count(shape), length = std::max<std::int64_t>(1, row_length(shape));
  run_on_host(call.stream, call.op, count, 1, rowwise_grain / length, rows);
}

template <class Functor, std::size_t Inputs, std::size_t Outputs, class Body>
PORTOPS_DETAIL_LOCAL void run_rowwise(const Call& call, const Body& body) {
  constexpr auto in = std::make_index_sequence<Inputs>();
  constexpr auto out = std::make_index_sequence<Outputs>();
  call.compute == DType::float64 ? for_each_row<double>(call, body, in, out) : for_each_row<float>(call, body, in, out);
}

/// N inputs and M results of the operator.
template <class Functor, std::size_t N, std::size_t M, std::size_t Parameters>
PORTOPS_DETAIL_LOCAL void call_rowwise(const Call& call) {
  check_rowwise_call(call);
  const auto functor = make_functor<Functor>(call.parameters, std::make_index_sequence<Parameters>());
  run_rowwise<Functor, N, M>(call, [&](auto... rows) { functor(rows...); });
}

/// Inputs: gradients of the M results, the N inputs, the M results. Outputs: gradients of the N inputs.
template <class Functor, std::size_t N, std::size_t M, std::size_t Parameters>
PORTOPS_DETAIL_LOCAL void call_rowwise_backward(const Call& call) {
  check_rowwise(call.op, call.outputs, call.inputs);
  const auto functor = make_functor<Functor>(call.parameters, std::make_index_sequence<Parameters>());
  run_rowwise<Functor, 2 * M + N, N>(call, [&](auto... rows) { functor.backward(rows...); });
}

template <class Functor, std::size_t... In, std::size_t... Out>
consteval bool takes_rows(std::index_sequence<In...>, std::index_sequence<Out...>) {
  return std::is_invocable_v<const Functor&, Repeat<Row<const float>, In>..., Repeat<Row<float>, Out>...>;
}

template <class Functor, std::size_t... In, std::size_t... Out>
consteval bool has_backward(std::index_sequence<In...>, std::index_sequence<Out...>) {
  return requires(const Functor& functor, Repeat<Row<const float>, In>... in, Repeat<Row<float>, Out>... out) {
    functor.backward(in..., out...);
  };
}

template <class Functor, SchemaText Text>
bool register_rowwise() {
  constexpr auto schema = parse_schema(Text.view());
  static_assert(schema.has_value(), "PORTOPS_ROWWISE: not a schema of the form space::name(Tensor x) -> Tensor");
  constexpr auto n = static_cast<std::size_t>(schema->tensors), m = static_cast<std::size_t>(schema->results);
  constexpr auto parameters = static_cast<std::size_t>(schema->parameters);
  static_assert(takes_rows<Functor>(std::make_index_sequence<n>(), std::make_index_sequence<m>()),
                "PORTOPS_ROWWISE: the functor does not take one row per tensor of the schema, then one per result");
  static_assert(is_plain(*schema), "PORTOPS_ROWWISE: Tensor? and str are not supported here");
  static_assert(fits_parameters<Functor, parameters>(),
                "PORTOPS_ROWWISE: the functor does not have one member per parameter of the schema");
  Kernel backward = nullptr;
  if constexpr (has_backward<Functor>(std::make_index_sequence<2 * m + n>(), std::make_index_sequence<n>())) {
    backward = &call_rowwise_backward<Functor, n, m, parameters>;
  }
  Operator op;
  op.schema_text = Text.text;
  op.rule = ResultRule::like_first;
  op.in_place = false;
  op.forward = &call_rowwise<Functor, n, m, parameters>;
  op.check = &check_rowwise_call;
  op.backward = backward;
  register_operator(std::move(op));
  return true;
}

}  // namespace detail
}  // namespace portops

/// Declares a row-wise operator, at namespace scope: a serial kernel for one row, run in parallel over all others. The
/// functor is called with one `Row<const T>` per tensor of the schema and one `Row<T>` per result; its members are the
/// schema's parameters. Shapes: results are like the first tensor; the leading axes of the others broadcast to its own.
/// Where it has `backward(grad_of_result.., input.., result.., grad_of_input..)`, the operator is differentiable.
///
///     PORTOPS_ROWWISE(DecayedSum, "mine::decayed_sum(Tensor input, float decay=0.9) -> Tensor");
#define PORTOPS_ROWWISE(Functor, schema) \
  [[maybe_unused]] static const bool PORTOPS_DETAIL_UNIQUE(portops_registered_, __COUNTER__) = \
      ::portops::detail::register_rowwise<Functor, schema>()
