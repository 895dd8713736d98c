#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include <Kokkos_Array.hpp>

#include <portops/detail/tile.hpp>
#include <portops/dual.hpp>

/// The functors of an elementwise operator's derivatives, each again an elementwise functor: one pass over memory.
/// M results y_m, N inputs x_n, incoming gradients g_m, tangents t_n.
namespace portops::detail {

template <class Functor, class T, std::size_t... I>
consteval bool has_derivative(std::index_sequence<I...>) {
  return requires(const Functor& functor, Repeat<T, I>... x) { functor.derivative(x...); };
}

template <class Functor, class T, class... Rest>
  requires std::is_arithmetic_v<T>
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
      for (int k = 0; k < K; ++k) result.tangent[k] += slopes[n] * inputs[n].tangent[k];
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

/// (g_1 .. g_M, x_1 .. x_N) -> sum_m g_m * dy_m/dx_n, for all n, or for n == Only alone.
template <class Functor, std::size_t N, std::size_t M, int Only = -1>
struct Vjp {
  static constexpr int directions = Only < 0 ? static_cast<int>(N) : 1;
  Functor functor;

  template <class T, class... Rest>
  KOKKOS_FUNCTION auto operator()(T first, Rest... rest) const {
    const T in[] = {first, rest...};
    return call(in, std::make_index_sequence<N>());
  }

 private:
  template <class T, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<T, directions> call(const T* in, std::index_sequence<I...>) const {
    Dual<T, directions> x[N];
    for (int n = 0; n < static_cast<int>(N); ++n) {
      x[n].value = in[M + static_cast<std::size_t>(n)];
      for (int k = 0; k < directions; ++k) x[n].tangent[k] = (Only < 0 ? k == n : Only == n) ? T(1) : T(0);
    }
    const auto y = evaluate(functor, x[I]...);
    Kokkos::Array<T, directions> out;
    for (int k = 0; k < directions; ++k) {
      T total(0);
      for (std::size_t m = 0; m < M; ++m) {
        const T term = in[m] * result_at(y, m).tangent[k];
        total = m == 0 ? term : total + term;
      }
      out[static_cast<std::size_t>(k)] = total;
    }
    return out;
  }
};

/// (g_1 .. g_M, x_1 .. x_N, t_1 .. t_N) -> sum_m g_m sum_i t_i * d2y_m/dx_i dx_n, for all n.
template <class Functor, std::size_t N, std::size_t M>
struct SecondDerivative {
  static constexpr int directions = static_cast<int>(N);
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
      for (std::size_t m = 0; m < M; ++m) total += in[m] * result_at(y, m).tangent[0].tangent[n];
      out[n] = total;
    }
    return out;
  }
};

}  // namespace portops::detail
