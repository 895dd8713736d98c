#include <portops/detail/row_job.hpp>

#include <string>

#include <portops/check.hpp>
#include <portops/detail/overlap.hpp>
#include <portops/detail/shapes.hpp>

namespace portops::detail {
namespace {

/// Wide if a tensor that decides is, complex if one is, also without axes.
DType compute_type_of(const RowCall& call) {
  const auto is_wide = [](DType type) { return type == DType::float64 || type == DType::complex128; };
  bool wide = is_wide(call.shape().dtype), complex = is_complex(call.shape().dtype);
  for (std::size_t n = 0; n < call.inputs.size(); ++n) {
    const LaneKind kind = call.rules->in[n].kind;
    if (is_absent(call.inputs[n]) || kind == LaneKind::delay || kind == LaneKind::state) continue;
    wide = wide || (call.inputs[n].rank > 0 && is_wide(call.inputs[n].dtype));
    complex = complex || is_complex(call.inputs[n].dtype);
  }
  if (complex && call.rules->accepts_complex) return wide ? DType::complex128 : DType::complex64;
  return wide ? DType::float64 : DType::float32;
}

bool is_backward(Pass pass) { return pass == Pass::vjp || pass == Pass::second; }

void check_plain(const char* op, const char* name, const TensorRef& tensor) {
  check(tensor.device.type == DeviceType::cpu, op,
        "this build of portops has no kernels for the device; configure with -DPORTOPS_BACKEND=CUDA", "argument", name,
        "device", tensor.device);
  check(tensor.data != nullptr || tensor.numel() == 0, op, "the tensor has no memory", "argument", name, "shape",
        shape(tensor));
}

bool is_readable(const RowCall& call, DType dtype) {
  return is_floating(dtype) || (is_complex(call.compute) && is_complex(dtype));
}

bool is_writable(const RowCall& call, DType dtype) {
  return is_complex(call.compute) ? is_complex(dtype) : is_floating(dtype);
}

void check_type(const RowCall& call, std::size_t n, const char* name) {
  const DType dtype = call.inputs[n].dtype;
  if (call.rules->in[n].kind == LaneKind::delay) {
    check(is_integer(dtype), call.op, "delays must be of an integer type of 8 to 64 bits", "argument", name, "dtype",
          dtype);
  } else {
    check(is_readable(call, dtype), call.op, "the tensor must be of a floating type", "argument", name, "dtype", dtype);
  }
}

/// True if (time, taps) of an operand broadcast to `full`.
bool repeats_to(const LaneSizes& own, const LaneSizes& full, int axes) {
  return (own.time == 1 || own.time == full.time) && (axes < 2 || own.taps == 1 || own.taps == full.taps);
}

void check_shape(const RowCall& call, std::size_t n, const char* name) {
  const LaneRule& rule = call.rules->in[n];
  const TensorRef& tensor = call.inputs[n];
  const TensorRef& rows = call.shape();
  const bool repeats = rule.kind == LaneKind::coefficient || rule.kind == LaneKind::delay;
  check(rule.kind != LaneKind::signal || tensor.rank >= 1, call.op, "the tensor must have a time axis", "argument",
        name, "rank", tensor.rank);
  check(repeats || tensor.rank >= rule.axes, call.op, "the tensor has too few axes", "argument", name, "rank",
        tensor.rank, "least", rule.axes);
  check(rows_broadcast(tensor, rule.axes, rows), call.op,
        "the leading axes must broadcast to those of the first tensor", "argument", name, "shape", shape(tensor),
        "shape of the rows", shape(rows));
  if (!repeats) return;
  const LaneSizes full = call.full();
  check(repeats_to(call.sizes_of(n), full, rule.axes), call.op, "the tensor must broadcast along the row", "argument",
        name, "shape", shape(tensor), "shape of the rows", shape(rows), "time", full.time, "taps", full.taps);
}

using Names = std::initializer_list<const char*>;

/// What torch calls the output: out0 and out1 where there are two results.
const char* output_name(const RowCall& call, std::size_t at) {
  if (call.rules->results == 1 || is_backward(call.pass)) return "out";
  return at == 0 ? "out0" : "out1";
}

/// True if a tensor with `axes` trailing row axes has one row for each of `rows`: broadcast, it would be written twice.
bool has_every_row(const TensorRef& tensor, int axes, const TensorRef& rows) {
  return tensor.rank - axes == rows.rank - 1 && std::equal(rows.sizes, rows.sizes + rows.rank - 1, tensor.sizes);
}

/// Row axes of an output against those that it must have.
void check_written(const RowCall& call, const TensorRef& output, const char* name, int axes,
                   const LaneSizes& expected) {
  check_plain(call.op, name, output);
  check(is_writable(call, output.dtype), call.op,
        is_complex(call.compute) ? "the tensor that is written must be complex, as the result is"
                                 : "the tensor that is written must be of a floating type",
        "argument", name, "dtype", output.dtype);
  const LaneAddress address(output, axes, call.shape());
  check(has_every_row(output, axes, call.shape()) && address.sizes().time == expected.time &&
            address.sizes().taps == expected.taps,
        call.op, "the tensor that is written must have the shape of the result", "argument", name, "shape",
        shape(output), "rows like", shape(call.shape()), "time", expected.time);
  check(!overlaps_itself(output), call.op,
        "elements of out overlap in memory; clone it before writing (expanded tensors cannot be written)", "argument",
        name, "shape", shape(output));
}

/// `names` of what is read; the last stands for all that follow.
void check_apart(const RowCall& call, const TensorRef& output, const char* name, std::span<const TensorRef> read,
                 Names names) {
  for (std::size_t n = 0; n < read.size(); ++n) {
    const TensorRef& input = read[n];
    if (is_absent(input)) continue;
    const bool may_be = &output == call.outputs.data() && call.pass == Pass::forward && n == 0;
    if ((may_be && same_memory(output, input)) || !overlap(output, input)) continue;
    const std::string what = names.begin()[std::min(n, names.size() - 1)];
    raise(call.op, std::string(name) + (may_be ? " partly" : "") + " overlaps " + what + " in memory", "shape",
          shape(output), what + " shape", shape(input));
  }
}

void check_outputs(const RowCall& call, Names names) {
  for (std::size_t at = 0; at < call.outputs.size(); ++at) {
    const TensorRef& output = call.outputs[at];
    if (is_absent(output)) continue;
    const auto input = is_backward(call.pass) ? at : static_cast<std::size_t>(call.rules->like[at]);
    const bool empty_row = is_absent(call.inputs[input]);
    const LaneSizes expected = empty_row ? LaneSizes{0, 1} : call.sizes_of(input);
    const char* name = output_name(call, at);
    check_written(call, output, name, empty_row ? 1 : call.rules->in[input].axes, expected);
    check_apart(call, output, name, call.inputs, names);
    check_apart(call, output, name, call.tangents, {"tangents"});
    check_apart(call, output, name, call.grads, {"grads"});
    for (std::size_t other = 0; other < at; ++other) {
      const TensorRef& before = call.outputs[other];
      check(is_absent(before) || !overlap(output, before), call.op, "two outputs overlap in memory", "argument", name,
            "shape", shape(output), "other", output_name(call, other), "other shape", shape(before));
    }
  }
}

/// Incoming gradients and tangents come from torch, which gives them the shape of what they belong to, a tangent
/// perhaps one for every row; a caller of a derivative's own operator may not.
void check_directions(const RowCall& call) {
  for (std::size_t n = 0; n < call.tangents.size(); ++n) {
    if (is_absent(call.tangents[n]) || is_absent(call.inputs[n])) continue;
    const TensorRef& tangent = call.tangents[n];
    check_plain(call.op, "tangents", tangent);
    check(is_readable(call, tangent.dtype) || call.rules->in[n].kind == LaneKind::delay, call.op,
          "a tangent must be of a floating type", "argument", "tangents", "dtype", tangent.dtype);
    const LaneSizes own = call.address(tangent, n).sizes(), of_input = call.sizes_of(n);
    check(rows_broadcast(tangent, call.rules->in[n].axes, call.shape()) && own.time == of_input.time &&
              own.taps == of_input.taps,
          call.op, "a tangent must have the row of its input", "shape", shape(tangent), "input shape",
          shape(call.inputs[n]));
  }
  for (std::size_t m = 0; m < call.grads.size(); ++m) {
    check_plain(call.op, "grads", call.grads[m]);
    check(is_readable(call, call.grads[m].dtype), call.op, "a gradient must be of a floating type", "argument", "grads",
          "dtype", call.grads[m].dtype);
    const auto like = static_cast<std::size_t>(call.rules->like[m]);
    const LaneSizes sizes = LaneAddress(call.grads[m], 1, call.shape()).sizes();
    const std::int64_t expected = is_absent(call.inputs[like]) ? 0 : call.sizes_of(like).time;
    check(sizes.time == expected && has_every_row(call.grads[m], 1, call.shape()), call.op,
          "a gradient must have the shape of its result", "shape", shape(call.grads[m]), "time", expected);
  }
}

}  // namespace

RowCall::RowCall(const RowRules& rules_of_op, const Call& call, Pass of)
    : op(call.op), rules(&rules_of_op), pass(of), outputs(call.outputs) {
  const auto n = static_cast<std::size_t>(rules->inputs), m = static_cast<std::size_t>(rules->results);
  const std::size_t before = is_backward(pass) ? m : 0;
  grads = call.inputs.first(before);
  inputs = call.inputs.subspan(before, n);
  if (pass == Pass::jvp || pass == Pass::second) tangents = call.inputs.subspan(before + n, n);
  compute = compute_type_of(*this);
}

std::int64_t RowCall::rows() const {
  for (const TensorRef& output : outputs) {
    if (!is_absent(output) && output.numel() > 0) return row_count(shape());
  }
  return 0;
}

LaneSizes RowCall::sizes_of(std::size_t input) const { return address(inputs[input], input).sizes(); }

LaneSizes RowCall::full() const {
  LaneSizes full{sizes_of(0).time, 1};
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const LaneRule& rule = rules->in[n];
    const bool repeats = rule.kind == LaneKind::coefficient || rule.kind == LaneKind::delay;
    if (!repeats || rule.axes < 2 || is_absent(inputs[n])) continue;
    const std::int64_t taps = sizes_of(n).taps;
    if (taps != 1) full.taps = taps;
  }
  return full;
}

void check_row_call(const RowCall& call, Names names) {
  std::size_t n = 0;
  for (const char* name : names) {
    if (!is_absent(call.inputs[n])) {
      check_plain(call.op, name, call.inputs[n]);
      check_type(call, n, name);
      check_shape(call, n, name);
    }
    ++n;
  }
  check_directions(call);
  check_outputs(call, names);
}

}  // namespace portops::detail
