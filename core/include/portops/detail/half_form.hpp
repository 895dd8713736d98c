#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include <portops/detail/tile.hpp>
#include <portops/detail/vector_math.hpp>
#include <portops/tensor_ref.hpp>

/// A functor may offer `half_form(x...)`: its formula in float32 to about 2^-21, shorter than that for float32 itself,
/// for calls in which every tensor is of a half type. Results keep 11 bits at most, so that the rounding to them hides
/// the difference. `has_half_form()` says whether it holds for the functor's parameters.
namespace portops::detail {

template <class Functor, std::size_t... I>
consteval bool offers_half_form(std::index_sequence<I...>) {
  return requires(const Functor& functor, Repeat<float, I>... x) {
    functor.half_form(x...);
    functor.has_half_form();
  };
}

inline bool all_half(std::span<const TensorRef> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const TensorRef& tensor) {
    return tensor.dtype == DType::float16 || tensor.dtype == DType::bfloat16;
  });
}

template <class Functor>
struct HalfForm {
  static constexpr bool only_float32 = true;
  Functor functor;

  template <std::same_as<float>... T>
  KOKKOS_FUNCTION float operator()(T... x) const {
    return functor.half_form(x...);
  }
  template <std::same_as<float>... T>
    requires requires(const Functor& own, T... x) { own.needs_care(x...); }
  KOKKOS_FUNCTION bool needs_care(T... x) const {
    return functor.needs_care(x...);
  }
  template <std::same_as<float>... T>
    requires requires(const Functor& own, T... x) { own.careful(x...); }
  KOKKOS_FUNCTION float careful(T... x) const {
    return functor.careful(x...);
  }
};

struct ForHalf : Constants<float> {
  static constexpr int exp_last = 3, log1p_last = 6;
  /// 2^-23.
  static constexpr float exp(int at) {
    constexpr float values[] = {0x1.fffdfcp-2f, 0x1.5557aep-3f, 0x1.572a06p-5f, 0x1.106278p-7f};
    return values[at];
  }
  /// 2^-22.
  static constexpr float log1p(int at) {
    constexpr float values[] = {-0x1.fffb3ap-2f, 0x1.54d42cp-2f, -0x1.f683d6p-3f, 0x1.6d82bep-3f,
                                -0x1.be8ebcp-4f, 0x1.7087bap-5f, -0x1.1fab1cp-7f};
    return values[at];
  }
};

/// exp(r) for |r| <= log(2)/2.
PORTOPS_DETAIL_INLINE float exp_reduced_for_half(float r) {
  return std::fma(r * r, polynomial<&ForHalf::exp, ForHalf::exp_last>(r), r) + 1.0F;
}

/// exp(x) for |x| <= 87.
PORTOPS_DETAIL_INLINE float exp_for_half(float x) {
  using C = ForHalf;
  const float rounded = std::fma(x, C::log2_e, C::rounder);
  const float mantissa = exp_reduced_for_half(std::fma(-(rounded - C::rounder), C::log_2_high, x));
  return std::bit_cast<float>(std::bit_cast<C::Bits>(mantissa) + (std::bit_cast<C::Bits>(rounded) << C::mantissa_bits));
}

/// As exp_nonpositive(x, 0).
PORTOPS_DETAIL_INLINE Scaled<float> exp_nonpositive_for_half(float x) {
  using C = ForHalf;
  constexpr int raise = 120;
  constexpr float rounder = C::rounder + static_cast<float>(C::bias + raise);
  const float rounded = std::fma(x, C::log2_e, rounder);
  const float mantissa = exp_reduced_for_half(std::fma(-(rounded - rounder), C::log_2_high, x));
  const float raised = mantissa * std::bit_cast<float>(std::bit_cast<C::Bits>(rounded) << C::mantissa_bits);
  return {x < C::exp_lowest ? 0.0F : raised, 0x1p-120F};
}

/// log(1 + x) for 0 <= x <= 1.
PORTOPS_DETAIL_INLINE float log1p_for_half(float x) {
  const float normal = x < 0x1p-60F ? 0.0F : x;  // as in log1p_unit
  return std::fma(normal * normal, polynomial<&ForHalf::log1p, ForHalf::log1p_last>(normal), x);
}

}  // namespace portops::detail
