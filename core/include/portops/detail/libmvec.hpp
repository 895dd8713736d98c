#pragma once
#include <math.h>

#include <cmath>

/// glibc ships vector forms of the functions of <math.h> in libmvec, but declares them only under -ffast-math, which
/// changes what NaN and Inf mean. These declarations let GCC use them in a functor's loop without it.
/// Accuracy of the vector forms: 4 ulp (glibc manual, Errors in Math Functions).
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define PORTOPS_DETAIL_VECTOR(name) \
  __attribute__((simd("notinbranch"))) double name(double) noexcept; \
  __attribute__((simd("notinbranch"))) float name##f(float) noexcept;
#define PORTOPS_DETAIL_VECTOR2(name) \
  __attribute__((simd("notinbranch"))) double name(double, double) noexcept; \
  __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;
extern "C" {
PORTOPS_DETAIL_VECTOR(sin)
PORTOPS_DETAIL_VECTOR(cos)
PORTOPS_DETAIL_VECTOR(exp)
PORTOPS_DETAIL_VECTOR(log)
PORTOPS_DETAIL_VECTOR2(pow)
#if __GLIBC_PREREQ(2, 35)
PORTOPS_DETAIL_VECTOR(tan)
PORTOPS_DETAIL_VECTOR(asin)
PORTOPS_DETAIL_VECTOR(acos)
PORTOPS_DETAIL_VECTOR(atan)
PORTOPS_DETAIL_VECTOR(sinh)
PORTOPS_DETAIL_VECTOR(cosh)
PORTOPS_DETAIL_VECTOR(tanh)
PORTOPS_DETAIL_VECTOR(asinh)
PORTOPS_DETAIL_VECTOR(acosh)
PORTOPS_DETAIL_VECTOR(atanh)
PORTOPS_DETAIL_VECTOR(expm1)
PORTOPS_DETAIL_VECTOR(log1p)
PORTOPS_DETAIL_VECTOR(exp2)
PORTOPS_DETAIL_VECTOR(log2)
PORTOPS_DETAIL_VECTOR(log10)
PORTOPS_DETAIL_VECTOR(cbrt)
PORTOPS_DETAIL_VECTOR(erf)
PORTOPS_DETAIL_VECTOR(erfc)
PORTOPS_DETAIL_VECTOR2(atan2)
PORTOPS_DETAIL_VECTOR2(hypot)
#endif
}
#undef PORTOPS_DETAIL_VECTOR
#undef PORTOPS_DETAIL_VECTOR2
#endif
