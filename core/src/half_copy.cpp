#include <portops/detail/half_copy.hpp>

#include <cstring>
#include <type_traits>

// Functions for a wider processor than the build is for, or, where the build is for one processor, for that one alone:
// g++ would not inline what is compiled for it into a function of another target.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#ifndef __AVX2__
#define PORTOPS_DETAIL_V3 __attribute__((target("arch=x86-64-v3")))
#define PORTOPS_DETAIL_V4 __attribute__((target("arch=x86-64-v4,prefer-vector-width=512")))
#else
#ifdef __F16C__
#define PORTOPS_DETAIL_V3
#endif
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define PORTOPS_DETAIL_V4
#endif
#endif
#endif

namespace portops::detail {
namespace {

constexpr std::int64_t size = 2;

template <class Stored>
inline __attribute__((always_inline)) void widen_loop(float* to, const char* from, std::int64_t begin,
                                                      std::int64_t end) {
#pragma GCC ivdep
  for (std::int64_t i = begin; i < end; ++i) {
    Stored value;
    std::memcpy(&value, from + i * size, sizeof(Stored));
    to[i] = static_cast<float>(value);
  }
}

template <class Stored>
inline __attribute__((always_inline)) void narrow_loop(char* to, const float* from, std::int64_t begin,
                                                       std::int64_t end) {
#pragma GCC ivdep
  for (std::int64_t i = begin; i < end; ++i) {
    const Stored value = Stored::from(from[i]);
    std::memcpy(to + i * size, &value, sizeof(Stored));
  }
}

template <class Stored>
void widen(float* to, const char* from, std::int64_t count) {
  widen_loop<Stored>(to, from, 0, count);
}
template <class Stored>
void narrow(char* to, const float* from, std::int64_t count) {
  narrow_loop<Stored>(to, from, 0, count);
}

// g++ vectorises the shifts of bfloat16, but the conversion of _Float16 only for AVX512-FP16.
#ifdef PORTOPS_DETAIL_V3
template <class Stored>
PORTOPS_DETAIL_V3 void widen_v3(float* to, const char* from, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Stored, Half>) {
    for (; i + 8 <= count; i += 8) {
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * size))));
    }
  }
  widen_loop<Stored>(to, from, i, count);
}
template <class Stored>
PORTOPS_DETAIL_V3 void narrow_v3(char* to, const float* from, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Stored, Half>) {
    for (; i + 8 <= count; i += 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * size),
                       _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    }
  }
  narrow_loop<Stored>(to, from, i, count);
}
#endif

#ifdef PORTOPS_DETAIL_V4
template <class Stored>
PORTOPS_DETAIL_V4 void widen_v4(float* to, const char* from, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Stored, Half>) {
    for (; i + 16 <= count; i += 16) {
      _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i * size))));
    }
  }
  widen_loop<Stored>(to, from, i, count);
}
template <class Stored>
PORTOPS_DETAIL_V4 void narrow_v4(char* to, const float* from, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Stored, Half>) {
    for (; i + 16 <= count; i += 16) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * size),
                          _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    }
  } else {
    // BFloat16::from for 32 elements, whose upper halves one instruction collects: g++ takes more for that.
    const __m512i odd_words = _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29,
                                               27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    for (; i + 32 <= count; i += 32) {
      __m512i rounded[2];
      for (int part = 0; part < 2; ++part) {
        const __m512 x = _mm512_loadu_ps(from + i + 16 * part);
        const __m512i bits = _mm512_castps_si512(x);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
        const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
        rounded[part] =
            _mm512_mask_or_epi32(sum, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits, _mm512_set1_epi32(0x400000));
      }
      _mm512_storeu_si512(to + i * size, _mm512_permutex2var_epi16(rounded[0], odd_words, rounded[1]));
    }
  }
  narrow_loop<Stored>(to, from, i, count);
}
#endif

}  // namespace

template <class Stored>
Widen find_widen() {
#ifdef PORTOPS_DETAIL_V4
  if (__builtin_cpu_supports("x86-64-v4")) return &widen_v4<Stored>;
#endif
#ifdef PORTOPS_DETAIL_V3
  if (__builtin_cpu_supports("x86-64-v3")) return &widen_v3<Stored>;
#endif
  return &widen<Stored>;
}

template <class Stored>
Narrow find_narrow() {
#ifdef PORTOPS_DETAIL_V4
  if (__builtin_cpu_supports("x86-64-v4")) return &narrow_v4<Stored>;
#endif
#ifdef PORTOPS_DETAIL_V3
  if (__builtin_cpu_supports("x86-64-v3")) return &narrow_v3<Stored>;
#endif
  return &narrow<Stored>;
}

template Widen find_widen<Half>();
template Widen find_widen<BFloat16>();
template Narrow find_narrow<Half>();
template Narrow find_narrow<BFloat16>();

}  // namespace portops::detail
