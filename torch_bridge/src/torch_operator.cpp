#include "torch_operator.hpp"

#include <ATen/core/List.h>

#include "arguments.hpp"

namespace portops::detail {
namespace {

int stack_size(const Operator& op, Derivative kind) {
  return list_count(kind) + op.schema.parameters + (kind == Derivative::vjp ? 1 : 0);
}

c10::IValue to_ivalue(const Parameter& parameter, ArgumentType type) {
  const auto value = std::visit([](const auto& held) { return c10::IValue(held); }, parameter);
  return type == ArgumentType::real && value.isInt() ? c10::IValue(static_cast<double>(value.toInt())) : value;
}

Tensors call(const Operator& op, Derivative kind, std::initializer_list<const Tensors*> lists,
             const Parameters& parameters, const std::vector<bool>* needed) {
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow((op.name + suffix(kind)).c_str(),
                                                                     std::string(op.schema.overload).c_str());
  torch::jit::Stack stack;
  for (const Tensors* list : lists) {
    Tensors present = *list;
    while (!present.empty() && !present.back().defined()) present.pop_back();
    stack.emplace_back(std::move(present));
  }
  std::size_t next = 0;
  for (int at = 0; at < op.schema.argument_count; ++at) {
    const Argument& argument = op.schema.arguments[static_cast<std::size_t>(at)];
    if (argument.type == ArgumentType::tensor || argument.type == ArgumentType::optional_tensor) continue;
    stack.push_back(to_ivalue(parameters[next++], argument.type));
  }
  if (needed != nullptr) {
    c10::List<bool> flags;
    for (const bool flag : *needed) flags.push_back(flag);
    stack.emplace_back(std::move(flags));
  }
  handle.callBoxed(stack);
  return stack.back().toTensorVector();
}

}  // namespace

const char* suffix(Derivative kind) {
  constexpr const char* suffixes[] = {"_vjp", "_jvp", "_second", "_backward"};
  return suffixes[static_cast<int>(kind)];
}

int optional_count(const Operator& op) {
  int count = 0;
  for (const Argument& argument : op.schema.arguments) count += argument.type == ArgumentType::optional_tensor ? 1 : 0;
  return count;
}

bool has_gradient(const Operator& op, const Tensors& inputs, std::size_t n) {
  if (op.rule != ResultRule::rows) return true;
  return n < inputs.size() && inputs[n].defined() && op.rows.in[n].kind != LaneKind::delay;
}

int list_count(Derivative kind) { return kind == Derivative::second || kind == Derivative::backward ? 3 : 2; }

std::string derivative_schema(const Operator& op, Derivative kind) {
  constexpr const char* lists[] = {"Tensor[] grads, Tensor[] inputs", "Tensor[] inputs, Tensor[] tangents",
                                   "Tensor[] grads, Tensor[] inputs, Tensor[] tangents",
                                   "Tensor[] grads, Tensor[] inputs, Tensor[] results"};
  std::string text = op.name + suffix(kind);
  if (!op.schema.overload.empty()) text += "." + std::string(op.schema.overload);
  text += std::string("(") + lists[static_cast<int>(kind)];
  for (int at = 0; at < op.schema.argument_count; ++at) {
    const Argument& argument = op.schema.arguments[static_cast<std::size_t>(at)];
    constexpr const char* types[] = {"", "", "float ", "int ", "bool ", "Scalar ", "str "};
    const std::string type = types[static_cast<int>(argument.type)];
    if (!type.empty()) text += ", " + type + std::string(argument.name);
  }
  return text + (kind == Derivative::vjp ? ", bool[] needed) -> Tensor[]" : ") -> Tensor[]");
}

Tensors call_vjp(const Operator& op, const Tensors& grads, const Tensors& inputs, const Parameters& parameters,
                 const std::vector<bool>& needed) {
  return call(op, Derivative::vjp, {&grads, &inputs}, parameters, &needed);
}

Tensors call_jvp(const Operator& op, const Tensors& inputs, const Tensors& tangents, const Parameters& parameters) {
  return call(op, Derivative::jvp, {&inputs, &tangents}, parameters, nullptr);
}

Tensors call_second(const Operator& op, const Tensors& grads, const Tensors& inputs, const Tensors& tangents,
                    const Parameters& parameters) {
  const Tensors results = call(op, Derivative::second, {&grads, &inputs, &tangents}, parameters, nullptr);
  Tensors all(inputs.size());
  std::size_t next = 0;
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    if (has_gradient(op, inputs, n)) all[n] = results[next++];
  }
  return all;
}

Tensors call_backward(const Operator& op, const Tensors& grads, const Tensors& inputs, const Tensors& results,
                      const Parameters& parameters) {
  return call(op, Derivative::backward, {&grads, &inputs, &results}, parameters, nullptr);
}

Tensors DerivativeArguments::all() const {
  Tensors tensors;
  for (const Tensors& list : lists) tensors.insert(tensors.end(), list.begin(), list.end());
  return tensors;
}

DerivativeArguments read_derivative_arguments(const Operator& op, Derivative kind, const torch::jit::Stack& stack) {
  DerivativeArguments arguments;
  const c10::IValue* values = &stack[stack.size() - static_cast<std::size_t>(stack_size(op, kind))];
  for (int list = 0; list < list_count(kind); ++list) arguments.lists.push_back((values++)->toTensorVector());
  for (int at = 0; at < op.schema.argument_count; ++at) {
    const Argument& argument = op.schema.arguments[static_cast<std::size_t>(at)];
    if (argument.type == ArgumentType::tensor || argument.type == ArgumentType::optional_tensor) continue;
    arguments.parameters.push_back(read_parameter(op, argument, *values++));
  }
  if (kind == Derivative::vjp) {
    for (const bool value : values->toBoolList()) arguments.needed.push_back(value);
  }
  return arguments;
}

void drop_derivative_arguments(const Operator& op, Derivative kind, torch::jit::Stack& stack) {
  torch::jit::drop(stack, static_cast<std::size_t>(stack_size(op, kind)));
}

}  // namespace portops::detail
