#pragma once
#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <portops/check.hpp>
#include <portops/complex.hpp>
#include <portops/detail/derivatives.hpp>
#include <portops/detail/device_job.hpp>
#include <portops/detail/elementwise_check.hpp>
#include <portops/detail/half_form.hpp>
#include <portops/detail/host_job.hpp>
#include <portops/detail/libmvec.hpp>
#include <portops/detail/parameters.hpp>
#include <portops/detail/schema_text.hpp>
#include <portops/execution.hpp>
#include <portops/registry.hpp>
#include <portops/view.hpp>

namespace portops {
namespace detail {

/// Elements up to which a call stays in the calling thread: waking the others costs as much as computing about this
/// many.
inline constexpr std::int64_t elementwise_grain = 16384;

/// The loop for a compute type that check_compute_type let pass. Complex loops are compiled only where the functor
/// asks.
template <class Functor, int Inputs>
TileFunction find_loop(DType compute) {
  if constexpr (requires { Functor::only_float32; }) {
    return &tile_function<Functor, float, Inputs>;
  } else {
    if constexpr (accepts_complex<Functor>) {
      if (compute == DType::complex64) return &tile_function<Functor, Kokkos::complex<float>, Inputs>;
      if (compute == DType::complex128) return &tile_function<Functor, Kokkos::complex<double>, Inputs>;
    }
    return compute == DType::float64 ? &tile_function<Functor, double, Inputs> : &tile_function<Functor, float, Inputs>;
  }
}

template <class Functor, int Inputs>
HostJob make_job(const Functor& functor, DType compute, const Iteration& iteration) {
  HostJob job;
  job.compute = compute;
  job.run = find_loop<Functor, Inputs>(compute);
  job.functor = &functor;
  job.inputs = Inputs;
  job.outputs = iteration.operands - Inputs;
  job.iteration = iteration;
  return job;
}

/// One launch on the caller's instance, of a host space or of CUDA.
template <class Exec, class Functor, int Inputs>
void launch(const Exec& exec, const char* label, const Functor& functor, const Iteration& iteration, DType compute,
            std::integral_constant<int, Inputs>) {
  if constexpr (device_of<Exec> == DeviceType::cpu) {
    launch_ranges(exec, label, iteration.numel, block_size, make_job<Functor, Inputs>(functor, compute, iteration));
  } else {
    launch_device<Inputs>(exec, label, functor, iteration, compute);
  }
}

/// Operands in the order outputs, inputs.
template <std::size_t Outputs, std::size_t Inputs>
struct Operands {
  std::array<TensorRef, Outputs + Inputs> all;
  std::span<const TensorRef> outputs() const { return {all.data(), Outputs}; }
  std::span<const TensorRef> inputs() const { return {all.data() + Outputs, Inputs}; }
};

template <class Functor, std::size_t Inputs>
inline constexpr int output_count = OutputCount<CallResult<Functor, float, static_cast<int>(Inputs)>>::value;

/// One elementwise call on TensorRefs: checks, then one launch.
template <class Functor, std::size_t Outputs, std::size_t Inputs>
void elementwise_refs(const char* op, const StreamRef& stream, const Functor& functor,
                      const Operands<Outputs, Inputs>& operands, DType compute) {
  static_assert(Outputs == output_count<Functor, Inputs>, "the functor returns another number of results");
  check_elementwise(op, operands.outputs(), operands.inputs(), accepts_complex<Functor>);
  check_compute_type(op, compute, operands.outputs(), operands.inputs());
  const TensorRef& first = operands.all.front();
  const Iteration iteration = make_iteration({first.sizes, static_cast<std::size_t>(first.rank)}, operands.all);
#ifdef KOKKOS_ENABLE_CUDA
  if (first.device.type == DeviceType::cuda) {
    ensure_initialized();
    return launch(Kokkos::Cuda(static_cast<cudaStream_t>(stream.native)), op, functor, iteration, compute,
                  std::integral_constant<int, Inputs>());
  }
#endif
  if constexpr (offers_half_form<Functor>(std::make_index_sequence<Inputs>())) {
    if (compute == DType::float32 && functor.has_half_form() && all_half(operands.all)) {
      const HalfForm<Functor> half{functor};
      const HostJob job = make_job<HalfForm<Functor>, static_cast<int>(Inputs)>(half, compute, iteration);
      return run_on_host(stream, op, iteration.numel, block_size, elementwise_grain, job);
    }
  }
  const HostJob job = make_job<Functor, static_cast<int>(Inputs)>(functor, compute, iteration);
  run_on_host(stream, op, iteration.numel, block_size, elementwise_grain, job);
}

}  // namespace detail

/// Applies a functor of one's own to every element: `output[i] = functor(inputs[i]...)`.
///
/// Shapes: the inputs broadcast to the output's shape; any layout, rank up to 8.
/// dtypes: float and double are read and written; integers are read. Computed in double if an input is, else in float.
/// Complex numbers (Kokkos::complex) where the functor has `static constexpr bool accepts_complex = true;`: computed in
/// complex if an input is.
/// Aliasing: the output may be exactly an input, and must not overlap one otherwise.
/// Synchronisation: asynchronous on `exec`, which must not be used up before (a host space has finished on return).
/// Empty input: nothing is launched. Errors: Error for shapes that do not broadcast and for memory that overlaps.
///
///     portops::elementwise(exec, Swish{1.0}, y, x);
template <class Exec, class Functor, OutputView Output, ElementView... Inputs>
void elementwise(const char* label, const Exec& exec, const Functor& functor, const Output& output,
                 const Inputs&... inputs) {
  const ViewRef<Output> output_ref(output);
  const auto call = [&](const auto&... refs) {
    const detail::Operands<1, sizeof...(Inputs)> operands{{output_ref, refs...}};
    detail::check_elementwise(label, operands.outputs(), operands.inputs(), detail::accepts_complex<Functor>);
    const TensorRef& first = operands.all.front();
    const auto iteration = detail::make_iteration({first.sizes, static_cast<std::size_t>(first.rank)}, operands.all);
    const DType compute = detail::compute_type(operands.outputs(), operands.inputs());
    detail::launch(exec, label, functor, iteration, compute, std::integral_constant<int, sizeof...(Inputs)>());
  };
  call(static_cast<const TensorRef&>(ViewRef<Inputs>(inputs))...);
}

template <class Exec, class Functor, OutputView Output, ElementView... Inputs>
  requires Kokkos::is_execution_space_v<Exec>
void elementwise(const Exec& exec, const Functor& functor, const Output& output, const Inputs&... inputs) {
  elementwise("portops::elementwise", exec, functor, output, inputs...);
}

/// The same on TensorRefs: any dtype of contract (half types are computed in float and rounded once), rank up to 64.
template <class Functor, class... Inputs>
  requires(std::is_convertible_v<Inputs, TensorRef> && ...)
void elementwise(const char* label, const StreamRef& stream, const Functor& functor, const TensorRef& output,
                 const Inputs&... inputs) {
  const detail::Operands<1, sizeof...(Inputs)> operands{{output, inputs...}};
  detail::elementwise_refs(label, stream, functor, operands,
                           detail::compute_type(operands.outputs(), operands.inputs()));
}

namespace detail {

/// The registry's entry point of an elementwise operator, or of one of its derivatives: builds the functor from the
/// parameters and wraps it.
template <class Functor, class Wrapped, std::size_t Inputs, std::size_t Parameters>
PORTOPS_DETAIL_LOCAL void call_elementwise(const Call& call) {
  constexpr std::size_t outputs = output_count<Wrapped, Inputs>;
  Operands<outputs, Inputs> operands;
  for (std::size_t at = 0; at < outputs; ++at) operands.all[at] = call.outputs[at];
  for (std::size_t at = 0; at < Inputs; ++at) operands.all[outputs + at] = call.inputs[at];
  const Wrapped functor{make_functor<Functor>(call.parameters, std::make_index_sequence<Parameters>())};
  elementwise_refs(call.op, call.stream, functor, operands, call.compute);
}

template <class Functor, std::size_t N, std::size_t M, std::size_t Parameters, std::size_t Only>
Kernel vjp_of() {
  return &call_elementwise<Functor, Vjp<Functor, N, M, static_cast<int>(Only)>, M + N, Parameters>;
}

template <class Functor, std::size_t N, std::size_t M, std::size_t Parameters, std::size_t... I>
Derivatives make_derivatives(std::index_sequence<I...>) {
  return {&call_elementwise<Functor, Jvp<Functor, N, M>, 2 * N, Parameters>,
          &call_elementwise<Functor, Vjp<Functor, N, M>, M + N, Parameters>,
          {vjp_of<Functor, N, M, Parameters, I>()...},
          &call_elementwise<Functor, SecondDerivative<Functor, N, M>, M + 2 * N, Parameters>};
}

template <class Functor, SchemaText Text>
bool register_elementwise() {
  constexpr auto schema = parse_schema(Text.view());
  static_assert(schema.has_value(), "PORTOPS_ELEMENTWISE: not a schema of the form space::name(Tensor x) -> Tensor");
  constexpr auto inputs = static_cast<std::size_t>(schema->tensors);
  constexpr auto parameters = static_cast<std::size_t>(schema->parameters);
  static_assert(inputs <= 8, "PORTOPS_ELEMENTWISE: an elementwise operator takes at most 8 tensors");
  static_assert(is_callable<Functor>(std::make_index_sequence<inputs>()),
                "PORTOPS_ELEMENTWISE: the functor does not take as many elements as the schema has tensors");
  static_assert(is_plain(*schema), "PORTOPS_ELEMENTWISE: Tensor? and str are not supported here");
  static_assert(fits_parameters<Functor, parameters>(),
                "PORTOPS_ELEMENTWISE: the functor does not have one member per parameter of the schema");
  static_assert(output_count<Functor, inputs> == schema->results && schema->results <= 4,
                "PORTOPS_ELEMENTWISE: the functor does not return as many values as the schema has results (up to 4)");
  constexpr auto results = static_cast<std::size_t>(schema->results);
  static_assert(results == 1 || !has_derivative<Functor, float>(std::make_index_sequence<inputs>()),
                "PORTOPS_ELEMENTWISE: a functor with a derivative of its own returns one value");
  Operator op;
  op.schema_text = Text.text;
  op.forward = &call_elementwise<Functor, Functor, inputs, parameters>;
  op.check = [](const Call& call) { check_elementwise(call.op, call.outputs, call.inputs, accepts_complex<Functor>); };
  op.accepts_complex = accepts_complex<Functor>;
  op.derivatives = make_derivatives<Functor, inputs, results, parameters>(std::make_index_sequence<inputs>());
  register_operator(std::move(op));
  return true;
}

}  // namespace detail
}  // namespace portops

/// Declares an elementwise operator, at namespace scope: the functor's members are the schema's parameters, its call
/// operator takes one element per tensor. Everything else (all layouts and dtypes, in-place and out forms, Meta,
/// gradients, registration) follows from it.
///
///     PORTOPS_ELEMENTWISE(Swish, "mine::swish(Tensor input, float beta=1.0) -> Tensor");
#define PORTOPS_ELEMENTWISE(Functor, schema) \
  [[maybe_unused]] static const bool PORTOPS_DETAIL_UNIQUE(portops_registered_, __COUNTER__) = \
      ::portops::detail::register_elementwise<Functor, schema>()
