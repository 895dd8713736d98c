// portops_perf::nothing has the arguments of an operator and returns its tensor: what a call through torch costs before
// any operator does a thing.
#include <torch/library.h>

namespace {

void nothing(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { torch::jit::drop(*stack, 1); }

}  // namespace

TORCH_LIBRARY(portops_perf, library) {
  library.def("nothing(Tensor input, float parameter=1.0) -> Tensor");
  library.impl("nothing",
               torch::dispatch(c10::DispatchKey::CPU, torch::CppFunction::makeFromBoxedFunction<&nothing>()));
}
