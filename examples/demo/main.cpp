// demo INPUT.wav OUTPUT.wav: a recording through a delay line whose delay a slow oscillator sweeps (a flanger with
// feedback). The audio buffers belong to this program; libtorch and the operator only look at them.

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <portops/refs.hpp>
#include <portops/torch/adapt.hpp>

#include "audio_file.hpp"

namespace {

constexpr double mix = 0.5;
constexpr double mean_delay = 0.003;     // seconds
constexpr double swing = 0.002;          // seconds
constexpr double sweep_frequency = 0.5;  // hertz

// Channels on the first axis and time on the last, as the operator wants it: a strided view of the interleaved buffer.
at::Tensor tensor_on(demo::AudioFile& audio) {
  return at::from_blob(audio.samples.data(), {audio.frames, audio.channels}, at::kFloat).t();
}

at::Tensor swept_delays(const demo::AudioFile& audio) {
  const at::Tensor time = at::arange(audio.frames, at::kDouble) / audio.sample_rate;
  const at::Tensor delay = mean_delay + swing * at::sin(2 * std::numbers::pi * sweep_frequency * time);
  return (audio.sample_rate * delay).round().to(at::kInt);
}

// The median in seconds. The first call, which starts Kokkos, is not counted.
template <class Function>
double time_calls(Function call) {
  std::array<double, 15> seconds{};
  call();
  for (double& one : seconds) {
    const auto start = std::chrono::steady_clock::now();
    call();
    one = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

void print_addresses(const char* name, const std::vector<float>& buffer, const at::Tensor& tensor,
                     const portops::TensorRef& ref) {
  const bool same = buffer.data() == tensor.data_ptr() && buffer.data() == ref.data;
  std::printf("%-7s buffer %p  tensor %p  TensorRef %p  %s\n", name, static_cast<const void*>(buffer.data()),
              tensor.data_ptr(), ref.data, same ? "equal: no copy" : "DIFFERENT: copied");
  if (!same) throw std::runtime_error("the samples were copied on their way to the operator");
}

void sweep(const std::string& input_path, const std::string& output_path) {
  demo::AudioFile input = demo::read_wav(input_path);
  demo::AudioFile output = input;
  const at::Tensor samples = tensor_on(input);
  const at::Tensor result = tensor_on(output);
  const at::Tensor delays = swept_delays(input).expand_as(samples);
  const portops::TensorRef samples_ref = portops::tensor_ref(samples);
  const portops::TensorRef delays_ref = portops::tensor_ref(delays);
  const portops::TensorRef result_ref = portops::tensor_ref(result);
  const portops::StreamRef stream = portops::stream_ref(samples);

  const double seconds = time_calls([&] { portops::delay_line(stream, samples_ref, delays_ref, result_ref, mix); });
  demo::write_wav(output_path, output);

  const double duration = static_cast<double>(input.frames) / input.sample_rate;
  std::printf("length  %.2f s: %lld frames, %d channel(s), %d Hz\n", duration, static_cast<long long>(input.frames),
              input.channels, input.sample_rate);
  print_addresses("input", input.samples, samples, samples_ref);
  print_addresses("output", output.samples, result, result_ref);
  std::printf("delay   %.1f to %.1f ms, swept at %.1f Hz; mix %.1f\n", 1e3 * (mean_delay - swing),
              1e3 * (mean_delay + swing), sweep_frequency, mix);
  std::printf("time    %.3f ms (median of 15): %.0f times faster than real time\n", 1e3 * seconds, duration / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: demo INPUT.wav OUTPUT.wav\n");
    return 2;
  }
  try {
    sweep(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "demo: %s\n", error.what());
    return 1;
  }
  return 0;
}
