// The extension of the question that the demo answers, and the loop that times portops from C++ in the same process.

#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdint>

#include <portops/refs.hpp>
#include <portops/torch/adapt.hpp>

namespace {

// As slow as Python on purpose: every [] makes a tensor, every arithmetic operator passes the dispatcher.
void naive_delay_line(at::Tensor& samples, const at::Tensor& delays, double mix) {
  for (std::int64_t i = 0; i < samples.size(0); ++i) {
    const std::int64_t source = std::max<std::int64_t>(0, i - delays[i].item<std::int64_t>());
    samples[i] = (1 - mix) * samples[i] + mix * samples[source];
  }
}

// What a C++ program pays per call, views included; the one crossing from Python is spread over all calls.
void repeat_delay_line(at::Tensor& samples, const at::Tensor& delays, double mix, std::int64_t calls) {
  for (std::int64_t call = 0; call < calls; ++call) {
    const portops::TensorRef samples_ref = portops::tensor_ref(samples);
    portops::delay_line(portops::stream_ref(samples), samples_ref, portops::tensor_ref(delays), samples_ref, mix);
  }
}

}  // namespace

TORCH_LIBRARY(portops_demo, library) {
  library.def("naive_delay_line_(Tensor(a!) samples, Tensor delays, float mix) -> ()", &naive_delay_line);
  library.def("repeat_delay_line_(Tensor(a!) samples, Tensor delays, float mix, int calls) -> ()", &repeat_delay_line);
}
