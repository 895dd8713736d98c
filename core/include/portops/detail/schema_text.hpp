#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace portops::detail {

/// A schema as a template argument, so that it is checked against the functor when the file is compiled.
template <std::size_t Size>
struct SchemaText {
  char text[Size];
  consteval SchemaText(const char (&literal)[Size]) {  // NOLINT(google-explicit-constructor): written as a literal
    std::copy_n(literal, Size, text);
  }
  constexpr std::string_view view() const { return {text, Size - 1}; }
};

}  // namespace portops::detail

#define PORTOPS_DETAIL_UNIQUE(prefix, number) PORTOPS_DETAIL_JOIN(prefix, number)
#define PORTOPS_DETAIL_JOIN(left, right) left##right
