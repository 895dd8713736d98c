#include "axpy.hpp"

PORTOPS_ELEMENTWISE(Axpy, "mine::axpy(Tensor x, Tensor y, float a=1.0) -> Tensor");
