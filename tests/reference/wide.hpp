#pragma once
#include <math.h>

namespace portops::reference {

// Twice the digits of double where the compiler and glibc have them, so that an oracle may be the plain formula: its
// own rounding, also of v/s under a cosine, stays far below what is compared.
#if defined(__GLIBC__) && defined(__SIZEOF_FLOAT128__) && !defined(__clang__)
using Wide = _Float128;
inline Wide sine(Wide x) { return sinf128(x); }
inline Wide cosine(Wide x) { return cosf128(x); }
inline Wide exponential(Wide x) { return expf128(x); }
inline Wide log_one_plus(Wide x) { return log1pf128(x); }
#else
using Wide = long double;
inline Wide sine(Wide x) { return sinl(x); }
inline Wide cosine(Wide x) { return cosl(x); }
inline Wide exponential(Wide x) { return expl(x); }
inline Wide log_one_plus(Wide x) { return log1pl(x); }
#endif

}  // namespace portops::reference
