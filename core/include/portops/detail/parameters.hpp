#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <portops/detail/tile.hpp>
#include <portops/registry.hpp>

namespace portops::detail {

/// Converts to whatever type a functor's member has.
struct AnyParameter {
  const Parameter* value;
  template <class T>
    requires std::is_arithmetic_v<T>
  operator T() const {  // NOLINT(google-explicit-constructor): it stands in for a value of that type
    return std::visit(
        [](const auto& held) {
          if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(held)>>) return static_cast<T>(held);
          return T();
        },
        *value);
  }
};

template <class Functor, std::size_t... I>
consteval bool is_buildable(std::index_sequence<I...>) {
  return requires { Functor{Repeat<AnyParameter, I>{}...}; };
}

/// One member per parameter: not fewer, and not more, which would be left at zero.
template <class Functor, std::size_t Count>
consteval bool fits_parameters() {
  return is_buildable<Functor>(std::make_index_sequence<Count>()) &&
         !is_buildable<Functor>(std::make_index_sequence<Count + 1>());
}

template <class Functor, std::size_t... I>
Functor make_functor([[maybe_unused]] std::span<const Parameter> parameters, std::index_sequence<I...>) {
  return Functor{AnyParameter{&parameters[I]}...};
}

template <class Functor, std::size_t... I>
consteval bool is_callable(std::index_sequence<I...>) {
  return std::is_invocable_v<const Functor&, Repeat<float, I>...>;
}

}  // namespace portops::detail
