#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include <Kokkos_Array.hpp>

#include <portops/detail/tile.hpp>
#include <portops/dual.hpp>

/// The functors of an elementwise operator's derivatives, each again an elementwise functor: one pass over memory.
/// M results y_m, N inputs x_n, incoming gradients g_m, tangents t_n. The derivative of a complex operator is that of a
/// holomorphic function; gradients are as torch has them, g * conj(dy/dx).
namespace portops::detail {

template <class Functor, class T, std::size_t... I>
consteval bool has_derivative(std::index_sequence<I...>) {
  return requires(const Functor& functor, Repeat<T, I>... x) { functor.derivative(x...); };
}

/// A functor that has `needs_care` may also have a `fast_derivative(x...)` for the elements that need none, and a
/// `careful_derivative(x...)` for the others, who get `derivative(x...)` without it.
template <class Functor, class T, std::size_t... I>
consteval bool has_fast_derivative(std::index_sequence<I...>) {
  // It may exist for one type only; a conversion must not stand in for the other.
  return requires(const Functor& functor, Repeat<T, I>... x) {
    requires std::is_same_v<std::remove_cvref_t<decltype(functor.fast_derivative(x...)[0])>, T>;
  };
}

template <class Functor, PlainElement T, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION auto evaluate(const Functor& functor, T first, Rest... rest) {
  return functor(first, rest...);
}

/// The functor on duals: through its own `derivative(x...)`, which returns dy/dx_n for all n, where it has one.
template <class Functor, class T, int K, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION auto evaluate(const Functor& functor, const Dual<T, K>& first, const Rest&... rest) {
  if constexpr (has_derivative<Functor, T>(std::make_index_sequence<1 + sizeof...(Rest)>())) {
    const Dual<T, K> inputs[] = {first, rest...};
    const auto slopes = functor.derivative(first.value, rest.value...);
    Dual<T, K> result(evaluate(functor, first.value, rest.value...));
    for (std::size_t n = 0; n < 1 + sizeof...(rest); ++n) {
      for (int k = 0; k < K; ++k) result.tangent[k] += along(slopes[n], inputs[n].tangent[k]);
    }
    return result;
  } else {
    return functor(first, rest...);
  }
}

/// Result m of a functor that returns one value or several.
template <class Result>
KOKKOS_FORCEINLINE_FUNCTION const auto& result_at(const Result& result, [[maybe_unused]] std::size_t m) {
  if constexpr (requires { result[m]; }) {
    return result[m];
  } else {
    return result;
  }
}

/// (x_1 .. x_N, t_1 .. t_N) -> sum_n t_n * dy_m/dx_n, for all m.
template <class Functor, std::size_t N, std::size_t M>
struct Jvp {
  static constexpr bool accepts_complex = detail::accepts_complex<Functor>;
  Functor functor;

  template <class T, class... Rest>
  KOKKOS_FUNCTION auto operator()(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return call(in, std::make_index_sequence<N>());
  }

 private:
  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<T, M> call(const T* in, std::index_sequence<I...>) const {
    Dual<T> x[N];
    for (std::size_t n = 0; n < N; ++n) {
      x[n].value = in[n];
      x[n].tangent[0] = in[N + n];
    }
    const auto y = evaluate(functor, x[I]...);
    Kokkos::Array<T, M> out;
    for (std::size_t m = 0; m < M; ++m) out[m] = result_at(y, m).tangent[0];
    return out;
  }
};

/// (g_1 .. g_M, x_1 .. x_N) -> sum_m g_m * conj(dy_m/dx_n), for all n, or for n == Only alone.
template <class Functor, std::size_t N, std::size_t M, int Only = -1>
struct Vjp {
  static constexpr int directions = Only < 0 ? static_cast<int>(N) : 1;
  static constexpr bool accepts_complex = detail::accepts_complex<Functor>;
  Functor functor;

  template <class T, class... Rest>
  KOKKOS_FUNCTION auto operator()(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return call(in, std::make_index_sequence<N>());
  }

  template <class T, class... Rest>
    requires(has_fast_derivative<Functor, T>(std::make_index_sequence<N>()))
  KOKKOS_FUNCTION bool needs_care(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return care(in, std::make_index_sequence<N>());
  }

  template <class T, class... Rest>
    requires(has_fast_derivative<Functor, T>(std::make_index_sequence<N>()))
  KOKKOS_FUNCTION auto careful(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return careful_call(in, std::make_index_sequence<N>());
  }

  template <class Run>
    requires requires(const Functor& chooser, const Run& run) { chooser.choose(run); }
  void choose(const Run& run) const {
    functor.choose([&](const auto& chosen) { run(Vjp<std::remove_cvref_t<decltype(chosen)>, N, M, Only>{chosen}); });
  }

 private:
  template <class T, std::size_t... I>
  KOKKOS_FUNCTION Kokkos::Array<T, directions> careful_call(const T* in, std::index_sequence<I...>) const {
    if constexpr (requires { functor.careful_derivative(in[M + I]...); }) {
      return times(in[0], functor.careful_derivative(in[M + I]...));
    } else {
      return times(in[0], functor.derivative(in[M + I]...));
    }
  }

  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION bool care(const T* in, std::index_sequence<I...>) const {
    return functor.needs_care(in[M + I]...);
  }

  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<T, directions> call(const T* in, std::index_sequence<I...> all) const {
    if constexpr (has_fast_derivative<Functor, T>(all)) {
      return times(in[0], functor.fast_derivative(in[M + I]...));
    } else if constexpr (has_derivative<Functor, T>(all)) {
      return times(in[0], functor.derivative(in[M + I]...));
    } else {
      return through_duals(in, all);
    }
  }

  /// Each slope on its own: an infinite one must not reach the gradient of another input.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static Kokkos::Array<T, directions> times(T grad, const Kokkos::Array<T, N>& slopes) {
    Kokkos::Array<T, directions> out;
    for (int k = 0; k < directions; ++k) {
      out[static_cast<std::size_t>(k)] = grad * conjugate(slopes[static_cast<std::size_t>(Only < 0 ? k : Only)]);
    }
    return out;
  }

  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<T, directions> through_duals(const T* in, std::index_sequence<I...>) const {
    Dual<T, directions> x[N];
    for (int n = 0; n < static_cast<int>(N); ++n) {
      x[n].value = in[M + static_cast<std::size_t>(n)];
      for (int k = 0; k < directions; ++k) x[n].tangent[k] = (Only < 0 ? k == n : Only == n) ? T(1) : T(0);
    }
    const auto y = functor(x[I]...);
    Kokkos::Array<T, directions> out;
    for (int k = 0; k < directions; ++k) {
      T total = in[0] * conjugate(result_at(y, 0).tangent[k]);
      for (std::size_t m = 1; m < M; ++m) total += in[m] * conjugate(result_at(y, m).tangent[k]);
      out[static_cast<std::size_t>(k)] = total;
    }
    return out;
  }
};

/// (g_1 .. g_M, x_1 .. x_N, t_1 .. t_N) -> sum_m g_m * conj(sum_i t_i * d2y_m/dx_i dx_n), for all n.
template <class Functor, std::size_t N, std::size_t M>
struct SecondDerivative {
  static constexpr int directions = static_cast<int>(N);
  static constexpr bool accepts_complex = detail::accepts_complex<Functor>;
  Functor functor;

  template <class T, class... Rest>
  KOKKOS_FUNCTION auto operator()(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return call(in, std::make_index_sequence<N>());
  }

 private:
  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<T, N> call(const T* in, std::index_sequence<I...>) const {
    Dual<Dual<T, directions>> x[N];
    for (int n = 0; n < directions; ++n) {
      x[n].value = Dual<T, directions>(in[M + static_cast<std::size_t>(n)]);
      for (int k = 0; k < directions; ++k) x[n].value.tangent[k] = k == n ? T(1) : T(0);
      x[n].tangent[0] = Dual<T, directions>(in[M + N + static_cast<std::size_t>(n)]);
    }
    const auto y = evaluate(functor, x[I]...);
    Kokkos::Array<T, N> out;
    for (std::size_t n = 0; n < N; ++n) {
      T total(0);
      for (std::size_t m = 0; m < M; ++m) total += in[m] * conjugate(result_at(y, m).tangent[0].tangent[n]);
      out[n] = total;
    }
    return out;
  }
};

}  // namespace portops::detail
