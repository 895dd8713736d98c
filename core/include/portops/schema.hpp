#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portops {

/// What an argument of an operator may be in a schema.
enum class ArgumentType : std::uint8_t { tensor, optional_tensor, real, integer, boolean, scalar, text };

struct Argument {
  ArgumentType type = ArgumentType::tensor;
  std::string_view name;
};

/// A schema in torch's notation, taken apart: "mine::swish.overload(Tensor input, float beta=1.0) -> Tensor".
/// The views point into the text.
struct Schema {
  static constexpr int max_arguments = 24;
  std::string_view space, name, overload;
  std::array<Argument, max_arguments> arguments{};
  int argument_count = 0;
  int tensors = 0;  // optional ones included
  int parameters = 0;
  int results = 0;
};

namespace detail {

constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

constexpr bool is_identifier(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

/// Takes the text before `delimiter` off the front of `text`; nothing where there is no delimiter.
constexpr std::optional<std::string_view> take_until(std::string_view& text, std::string_view delimiter) {
  const std::size_t end = text.find(delimiter);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + delimiter.size());
  return trim(taken);
}

constexpr std::optional<ArgumentType> argument_type(std::string_view text) {
  if (text == "Tensor") return ArgumentType::tensor;
  if (text == "Tensor?") return ArgumentType::optional_tensor;
  if (text == "float") return ArgumentType::real;
  if (text == "int") return ArgumentType::integer;
  if (text == "bool") return ArgumentType::boolean;
  if (text == "Scalar") return ArgumentType::scalar;
  if (text == "str") return ArgumentType::text;
  return std::nullopt;
}

constexpr bool parse_argument(std::string_view text, Schema& schema) {
  text = trim(text.substr(0, text.find('=')));
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || schema.argument_count == Schema::max_arguments) return false;
  const auto type = argument_type(text.substr(0, space));
  const std::string_view name = trim(text.substr(space));
  if (!type || !is_identifier(name)) return false;
  schema.arguments[static_cast<std::size_t>(schema.argument_count++)] = {*type, name};
  const bool tensor = *type == ArgumentType::tensor || *type == ArgumentType::optional_tensor;
  ++(tensor ? schema.tensors : schema.parameters);
  return true;
}

/// "Tensor" or "(Tensor, Tensor)"; 0 where it is neither.
constexpr int count_results(std::string_view text) {
  text = trim(text);
  if (text == "Tensor") return 1;
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return 0;
  text = text.substr(1, text.size() - 2);
  int results = 0;
  for (bool last = false; !last;) {
    const auto head = take_until(text, ",");
    last = !head;
    const std::string_view result = last ? trim(text) : *head;
    if (result.substr(0, result.find(' ')) != "Tensor") return 0;
    ++results;
  }
  return results;
}

}  // namespace detail

/// True if every argument is a tensor or a number.
constexpr bool is_plain(const Schema& schema) {
  for (int at = 0; at < schema.argument_count; ++at) {
    const ArgumentType type = schema.arguments[static_cast<std::size_t>(at)].type;
    if (type == ArgumentType::optional_tensor || type == ArgumentType::text) return false;
  }
  return true;
}

/// Nothing where the text is not a schema that portops knows: positional arguments of the types above, Tensor results.
constexpr std::optional<Schema> parse_schema(std::string_view text) {
  Schema schema;
  const auto space = detail::take_until(text, "::");
  const auto name = detail::take_until(text, "(");
  const auto arguments = detail::take_until(text, ") ->");
  if (!space || !name || !arguments) return std::nullopt;
  schema.space = *space;
  schema.name = name->substr(0, name->find('.'));
  if (schema.name.size() < name->size()) {
    schema.overload = name->substr(schema.name.size() + 1);
    if (!detail::is_identifier(schema.overload)) return std::nullopt;
  }
  if (!detail::is_identifier(schema.space) || !detail::is_identifier(schema.name)) return std::nullopt;
  std::string_view rest = *arguments;
  for (bool last = rest.empty(); !last;) {
    const auto argument = detail::take_until(rest, ",");
    last = !argument;
    if (!detail::parse_argument(last ? rest : *argument, schema)) return std::nullopt;
  }
  schema.results = detail::count_results(text);
  if (schema.results == 0 || schema.tensors == 0) return std::nullopt;
  return schema;
}

}  // namespace portops
