#pragma once
#include <portops/elementwise.hpp>

/// a*x + y. In a header, so that C++ code can use the functor itself.
struct Axpy {
  static constexpr bool accepts_complex = true;
  double a;

  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return portops::Real<T>(a) * x + y;
  }
};
