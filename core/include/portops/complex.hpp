#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Complex.hpp>

/// Elements may be complex (torch's complex64 and complex128 are Kokkos::complex<float> and <double> in a functor)
/// where the functor says `static constexpr bool accepts_complex = true;`.
namespace portops {

template <class T, int K = 1>
struct Dual;

namespace detail {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<Kokkos::complex<R>> {
  using type = R;
};
template <class T, int K>
struct RealOf<Dual<T, K>> : RealOf<T> {};

}  // namespace detail

/// float or double: what T, an element or a dual number, is made of. `Real<T>(a) * x` multiplies a complex x by a real
/// number, which takes half the products of `T(a) * x` and makes no NaN of an infinite part.
template <class T>
using Real = typename detail::RealOf<T>::type;

namespace detail {

template <class T>
inline constexpr bool is_complex_element = false;
template <class R>
inline constexpr bool is_complex_element<Kokkos::complex<R>> = true;

/// Complex, or dual over complex numbers: these have no order.
template <class T>
inline constexpr bool is_over_complex = is_complex_element<T>;
template <class T, int K>
inline constexpr bool is_over_complex<Dual<T, K>> = is_over_complex<T>;

/// float, double or one of the complex types, as opposed to a dual number.
template <class T>
concept PlainElement = std::is_floating_point_v<T> || is_complex_element<T>;

/// A functor must say that it is meant for complex numbers: whether the body of a template compiles for them cannot be
/// asked.
template <class Functor>
inline constexpr bool accepts_complex = requires { requires Functor::accepts_complex; };

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate(T x) {
  if constexpr (is_complex_element<T>) {
    return T(x.real(), -x.imag());
  } else {
    return x;
  }
}

template <class T, int K>
KOKKOS_FORCEINLINE_FUNCTION Dual<T, K> conjugate(Dual<T, K> x) {
  x.value = conjugate(x.value);
  for (int k = 0; k < K; ++k) x.tangent[k] = conjugate(x.tangent[k]);
  return x;
}

}  // namespace detail

/// `condition ? yes : no`, both computed. A functor that branches by `?:` around a division or a call may keep the
/// compiler from vectorising its loop; this never does.
template <class T>
  requires std::is_floating_point_v<T>
KOKKOS_FORCEINLINE_FUNCTION T select(bool condition, T yes, T no) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits(0) - static_cast<Bits>(condition);
  return std::bit_cast<T>((std::bit_cast<Bits>(yes) & mask) | (std::bit_cast<Bits>(no) & ~mask));
}

template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> select(bool condition, Kokkos::complex<R> yes, Kokkos::complex<R> no) {
  return {select(condition, yes.real(), no.real()), select(condition, yes.imag(), no.imag())};
}

}  // namespace portops
