#pragma once
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <portops/tensor_ref.hpp>

namespace portops {

/// What every operator throws for bad input: the text names the operator, the rule and the values that came.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// Sizes of a tensor, printed as (2, 3).
struct Shape {
  const std::int64_t* sizes;
  int rank;
};
inline Shape shape(const TensorRef& tensor) { return {tensor.sizes, tensor.rank}; }

inline std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
  stream << '(';
  for (int dim = 0; dim < shape.rank; ++dim) stream << (dim == 0 ? "" : ", ") << shape.sizes[dim];
  return stream << ')';
}

inline void print_values(std::ostream&) {}

template <class Value, class... Rest>
void print_values(std::ostream& stream, std::string_view name, const Value& value, const Rest&... rest) {
  stream << name << '=';
  if constexpr (requires { portops::name(value); }) {
    stream << portops::name(value);
  } else {
    stream << value;
  }
  if constexpr (sizeof...(rest) > 0) stream << ", ";
  print_values(stream, rest...);
}

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void raise(std::string_view op, std::string_view rule,
                                                  const Values&... names_and_values) {
  std::ostringstream text;
  text << op << ": " << rule;
  if constexpr (sizeof...(names_and_values) > 0) {
    text << " (got ";
    print_values(text, names_and_values...);
    text << ')';
  }
  throw Error(text.str());
}

}  // namespace detail

/// Throws `Error("<op>: <rule> (got <name>=<value>, ...)")` unless `fact` holds. One fact per check, values always.
///
///     check(x.rank <= 8, "portops::softplus", "rank must be at most 8", "rank", x.rank);
template <class... Values>
inline void check(bool fact, std::string_view op, std::string_view rule, const Values&... names_and_values) {
  if (!fact) [[unlikely]]
    detail::raise(op, rule, names_and_values...);
}

}  // namespace portops
