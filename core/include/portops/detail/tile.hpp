#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_Array.hpp>

namespace portops::detail {

/// Every element is computed in a block of this many, also the last ones (on a padded copy): the same vector
/// instructions for all, so that a result depends on its element only. A multiple of every vector length.
inline constexpr int block_size = 64;

/// Memory of the elements that are gathered, computed and scattered together where operands do not lie in memory as the
/// functor reads them. Small enough for the operands of most calls to stay in the first-level cache; half of it costs
/// half types a tenth, since the loop's constants are loaded and its first elements awaited for each tile.
inline constexpr int tile_bytes = 4096;

/// Blocks for which a functor's `needs_care` is asked at once.
inline constexpr std::int64_t care_blocks = 16;

/// Computes `blocks` blocks: contiguous inputs and outputs of the compute type.
using TileFunction = void (*)(const void* functor, const void* const* inputs, void* const* outputs,
                              std::int64_t blocks);

template <class Result>
struct OutputCount : std::integral_constant<int, 1> {};
template <class T, std::size_t N>
struct OutputCount<Kokkos::Array<T, N>> : std::integral_constant<int, static_cast<int>(N)> {};

/// T, once for each index of a pack. A struct, since the CUDA compiler loses the pack where an alias ignores it.
template <class T, std::size_t>
struct Repeated {
  using type = T;
};
template <class T, std::size_t I>
using Repeat = typename Repeated<T, I>::type;

template <class Functor, class T, std::size_t... I>
auto call_result(std::index_sequence<I...>)
    -> decltype(std::declval<const Functor&>()(std::declval<Repeat<T, I>>()...));

/// What a functor of `Inputs` arguments returns for elements of type T.
template <class Functor, class T, int Inputs>
using CallResult = decltype(call_result<Functor, T>(std::make_index_sequence<Inputs>()));

/// On every function that is compiled per functor: two libraries may each have a functor of the same name, and the
/// dynamic linker would otherwise take one library's loop for both.
#define PORTOPS_DETAIL_LOCAL __attribute__((visibility("hidden")))

/// A functor whose fast formula does not hold for every argument says so by `needs_care(x...)` and computes the
/// others by `careful(x...)`, element by element.
template <class Functor, class T, std::size_t... I>
constexpr bool has_care(std::index_sequence<I...>) {
  return requires(const Functor& functor, Repeat<T, I>... x) {
    functor.needs_care(x...);
    functor.careful(x...);
  };
}

template <class T, int Inputs, int Outputs>
struct Pointers {
  std::array<const T*, Inputs> in;
  std::array<T*, Outputs> out;
};

template <class T, int Inputs, int Outputs, class Result>
inline __attribute__((always_inline)) void put(const Pointers<T, Inputs, Outputs>& p, std::int64_t at,
                                               const Result& result) {
  if constexpr (std::is_same_v<Result, T>) {
    p.out[0][at] = result;
  } else {
    for (int k = 0; k < Outputs; ++k) p.out[static_cast<std::size_t>(k)][at] = result[static_cast<std::size_t>(k)];
  }
}

template <class Functor, class T, int Inputs, int Outputs, std::size_t... I>
inline __attribute__((always_inline)) void block_loop(const Functor& functor, const Pointers<T, Inputs, Outputs> p,
                                                      std::int64_t blocks, std::index_sequence<I...>) {
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = block * block_size;
#pragma GCC ivdep
    for (std::int64_t i = begin; i < begin + block_size; ++i) put(p, i, functor(p.in[I][i]...));
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define PORTOPS_DETAIL_SELECT_ISA 1
#endif

// The one function that is compiled for several vector widths where the build is not for one machine only. Whole files
// compiled with different -march would break the one-definition rule for what they include.
template <class Functor, class T, int Inputs, int Outputs>
__attribute__((noinline)) PORTOPS_DETAIL_LOCAL void compute_blocks(const Functor& functor,
                                                                   const Pointers<T, Inputs, Outputs>& p,
                                                                   std::int64_t blocks) {
  block_loop(functor, p, blocks, std::make_index_sequence<Inputs>());
}

#ifdef PORTOPS_DETAIL_SELECT_ISA
template <class Functor, class T, int Inputs, int Outputs>
__attribute__((noinline, target("arch=x86-64-v3"))) PORTOPS_DETAIL_LOCAL void compute_blocks_v3(
    const Functor& functor, const Pointers<T, Inputs, Outputs>& p, std::int64_t blocks) {
  block_loop(functor, p, blocks, std::make_index_sequence<Inputs>());
}

template <class Functor, class T, int Inputs, int Outputs>
__attribute__((noinline, target("arch=x86-64-v4,prefer-vector-width=512"))) PORTOPS_DETAIL_LOCAL void compute_blocks_v4(
    const Functor& functor, const Pointers<T, Inputs, Outputs>& p, std::int64_t blocks) {
  block_loop(functor, p, blocks, std::make_index_sequence<Inputs>());
}
#endif

template <class Functor, class T, int Inputs, int Outputs>
auto select_compute_blocks() {
#ifdef PORTOPS_DETAIL_SELECT_ISA
  if (__builtin_cpu_supports("x86-64-v4")) return &compute_blocks_v4<Functor, T, Inputs, Outputs>;
  if (__builtin_cpu_supports("x86-64-v3")) return &compute_blocks_v3<Functor, T, Inputs, Outputs>;
#endif
  return &compute_blocks<Functor, T, Inputs, Outputs>;
}

template <class T, int Inputs, int Outputs>
Pointers<T, Inputs, Outputs> shifted(Pointers<T, Inputs, Outputs> p, std::int64_t elements) {
  for (auto& in : p.in) in += elements;
  for (auto& out : p.out) out += elements;
  return p;
}

/// Computes one block into memory of its own, since an output may be an input, then corrects the elements that need
/// care and stores all.
template <class Functor, class T, int Inputs, int Outputs, std::size_t... I>
PORTOPS_DETAIL_LOCAL void careful_block(
    const Functor& functor, const Pointers<T, Inputs, Outputs>& p, std::int64_t begin,
    void (*compute)(const Functor&, const Pointers<T, Inputs, Outputs>&, std::int64_t), std::index_sequence<I...>) {
  T results[Outputs][block_size];
  Pointers<T, Inputs, Outputs> at = shifted(p, begin);
  for (std::size_t k = 0; k < Outputs; ++k) at.out[k] = results[k];
  compute(functor, at, 1);
  for (std::int64_t i = 0; i < block_size; ++i) {
    if (functor.needs_care(at.in[I][i]...)) put(at, i, functor.careful(at.in[I][i]...));
  }
  for (std::size_t k = 0; k < Outputs; ++k) {
    for (std::int64_t i = 0; i < block_size; ++i) p.out[k][begin + i] = results[k][i];
  }
}

template <class Functor, class T, int Inputs, int Outputs, std::size_t... I>
PORTOPS_DETAIL_LOCAL void run_blocks(const Functor& functor, const Pointers<T, Inputs, Outputs>& p, std::int64_t blocks,
                                     std::index_sequence<I...> inputs) {
  const auto compute = select_compute_blocks<Functor, T, Inputs, Outputs>();
  if constexpr (!has_care<Functor, T>(std::make_index_sequence<Inputs>())) {
    compute(functor, p, blocks);
  } else {
    // Asked for several blocks at a time: a call per block would load the constants of the formula for each.
    for (std::int64_t block = 0; block < blocks; block += care_blocks) {
      const std::int64_t count = std::min(care_blocks, blocks - block), begin = block * block_size;
      int care = 0;
      for (std::int64_t i = begin; i < begin + count * block_size; ++i) {
        care |= functor.needs_care(p.in[I][i]...) ? 1 : 0;
      }
      if (care == 0) {
        compute(functor, shifted(p, begin), count);
      } else {
        for (std::int64_t k = 0; k < count; ++k) careful_block(functor, p, begin + k * block_size, compute, inputs);
      }
    }
  }
}

/// run_blocks for whichever functor is chosen.
template <class T, int Inputs, int Outputs>
struct RunBlocks {
  Pointers<T, Inputs, Outputs> pointers;
  std::int64_t blocks;
  template <class Functor>
  void operator()(const Functor& functor) const {
    run_blocks(functor, pointers, blocks, std::make_index_sequence<Inputs>());
  }
};

/// The type-erased loop of one functor for one compute type. A functor whose formula depends on its parameters, not on
/// the element, may offer `choose(run)`, which calls `run` with the functor for this call: the loop then has no branch.
template <class Functor, class T, int Inputs>
PORTOPS_DETAIL_LOCAL void tile_function(const void* functor, const void* const* inputs, void* const* outputs,
                                        std::int64_t blocks) {
  constexpr int count = OutputCount<CallResult<Functor, T, Inputs>>::value;
  Pointers<T, Inputs, count> p;
  for (std::size_t k = 0; k < Inputs; ++k) p.in[k] = static_cast<const T*>(inputs[k]);
  for (std::size_t k = 0; k < count; ++k) p.out[k] = static_cast<T*>(outputs[k]);
  const RunBlocks<T, Inputs, count> run{p, blocks};
  const auto& typed = *static_cast<const Functor*>(functor);
  if constexpr (requires { typed.choose(run); }) {
    typed.choose(run);
  } else {
    run(typed);
  }
}

}  // namespace portops::detail
