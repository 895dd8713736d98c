#include "arguments.hpp"

#include <ATen/native/TypeProperties.h>

#include <portops/check.hpp>
#include <portops/torch/adapt.hpp>

namespace portops::detail {
namespace {

std::size_t stack_size(const Operator& op, Form form) {
  const int outputs = form == Form::out ? op.schema.results : 0;
  return static_cast<std::size_t>(op.schema.argument_count + outputs);
}

Parameter read_scalar(const Operator& op, const Argument& argument, const at::Scalar& value) {
  check(!value.isComplex(), op.name, "complex numbers are not supported", "argument", argument.name);
  if (value.isBoolean()) return value.toBool();
  if (value.isIntegral(false)) return value.toLong();
  return value.toDouble();
}

}  // namespace

Parameter read_parameter(const Operator& op, const Argument& argument, const c10::IValue& value) {
  switch (argument.type) {
    case ArgumentType::real: return value.toDouble();
    case ArgumentType::integer: return value.toInt();
    case ArgumentType::boolean: return value.toBool();
    case ArgumentType::text: return value.toStringRef();
    default: return read_scalar(op, argument, value.toScalar());
  }
}

Arguments read_arguments(const Operator& op, Form form, const torch::jit::Stack& stack) {
  Arguments arguments;
  const std::size_t size = stack_size(op, form);
  const c10::IValue* values = &stack[stack.size() - size];
  for (std::size_t at = 0; at < static_cast<std::size_t>(op.schema.argument_count); ++at) {
    const Argument& argument = op.schema.arguments[at];
    if (argument.type == ArgumentType::tensor) {
      arguments.tensors.push_back(values[at].toTensor());
    } else if (argument.type == ArgumentType::optional_tensor) {
      arguments.tensors.push_back(values[at].isNone() ? at::Tensor() : values[at].toTensor());
    } else {
      arguments.parameters.push_back(read_parameter(op, argument, values[at]));
    }
  }
  for (auto at = static_cast<std::size_t>(op.schema.argument_count); at < size; ++at) {
    arguments.outputs.push_back(values[at].toTensor());
  }
  return arguments;
}

void drop_arguments(const Operator& op, Form form, torch::jit::Stack& stack) {
  torch::jit::drop(stack, stack_size(op, form));
}

void check_callable(const Operator& op) { check(op.conflict.empty(), op.name, op.conflict); }

namespace {

bool decides_type(const Operator& op, std::size_t at) {
  if (op.rule != ResultRule::rows) return true;
  const LaneKind kind = op.rows.in[at].kind;
  return kind != LaneKind::delay && kind != LaneKind::state;
}

}  // namespace

at::ScalarType result_type_at(const Operator& op, at::ArrayRef<at::Tensor> tensors, at::ScalarType type,
                              std::size_t at) {
  if (op.rule != ResultRule::rows) return type;
  const auto like = static_cast<std::size_t>(op.rows.like[at]);
  const bool keeps = op.rows.in[like].kind == LaneKind::state && like < tensors.size() && tensors[like].defined();
  return keeps ? tensors[like].scalar_type() : type;
}

bool split_filters(const Operator& op, const c10::OperatorHandle& handle, torch::jit::Stack& stack) {
  if (op.rule != ResultRule::rows || op.rows.batching_parameter < 0) return false;
  const std::size_t first = stack.size() - handle.schema().arguments().size();
  int parameter = 0;
  for (std::size_t at = 0; at < static_cast<std::size_t>(op.schema.argument_count); ++at) {
    if (op.schema.arguments[at].type == ArgumentType::tensor || parameter++ != op.rows.batching_parameter) continue;
    const at::Tensor& coefficients = stack[first + 1].toTensor();
    if (stack[first + at].toBool() || coefficients.dim() < 2) return false;
    at::Tensor waveform = stack[first].toTensor();
    check(waveform.dim() >= 1, op.name, "the tensor must have a time axis", "argument", argument_name(op, 0), "rank",
          waveform.dim());
    auto sizes = waveform.sym_sizes().vec();
    sizes.insert(sizes.end() - 1, coefficients.sym_size(-2));
    stack[first] = waveform.unsqueeze(-2).expand_symint(sizes);
    stack[first + at] = true;
    return true;
  }
  return false;
}

at::ScalarType result_type(const Operator& op, at::ArrayRef<at::Tensor> tensors) {
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    if (!tensors[at].defined()) continue;
    const DType dtype = dtype_of(tensors[at].scalar_type(), op.name, argument_name(op, at));
    check(!is_complex(dtype) || op.rule != ResultRule::elementwise || op.accepts_complex, op.name,
          "complex tensors are not supported", "argument", argument_name(op, at), "dtype", dtype);
  }
  at::ScalarType type = tensors.front().scalar_type();
  if (op.rule == ResultRule::like_first) return type;
  std::size_t count = tensors.size();
  while (count > 1 && !decides_type(op, count - 1)) --count;
  if (count > 1) {
    at::native::ResultTypeState state = {};
    for (std::size_t at = 0; at < count; ++at) {
      if (decides_type(op, at)) state = at::native::update_result_type_state(tensors[at], state);
    }
    type = at::native::result_type(state);
  }
  if (op.rule == ResultRule::rows) return type;
  if (c10::isIntegralType(type, /*includeBool=*/true)) type = c10::get_default_dtype_as_scalartype();
  dtype_of(type, op.name, "result");  // a half type beside a complex number promotes to one that is not supported
  return type;
}

void check_cast(const Operator& op, at::ScalarType from, at::ScalarType to) {
  check(c10::canCast(from, to), op.name, "the result cannot be cast to the dtype of the tensor that is written",
        "result dtype", at::toString(from), "dtype", at::toString(to));
}

std::string_view argument_name(const Operator& op, std::size_t index) {
  for (const Argument& argument : op.schema.arguments) {
    const bool tensor = argument.type == ArgumentType::tensor || argument.type == ArgumentType::optional_tensor;
    if (tensor && index-- == 0) return argument.name;
  }
  return "tensor";
}

}  // namespace portops::detail
