// The operators from a libtorch application: through the dispatcher, with gradients.
#include <cstdio>
#include <tuple>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace {

at::Tensor swish(const at::Tensor& x, double beta) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("mine::swish", "").typed<at::Tensor(const at::Tensor&, double)>();
  return op.call(x, beta);
}

std::tuple<at::Tensor, at::Tensor> to_polar(const at::Tensor& x, const at::Tensor& y) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mine::polar", "")
                             .typed<std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&)>();
  return op.call(x, y);
}

bool report(const char* what, const at::Tensor& value, const at::Tensor& expected) {
  const double difference = (value - expected).abs().max().item<double>();
  std::printf("%s: largest difference %.3g\n", what, difference);
  return difference < 1e-12;
}

}  // namespace

int main() {
  const at::Tensor x = at::linspace(-5, 5, 1000, at::kDouble).requires_grad_();
  const at::Tensor y = swish(x, 1.0);
  y.sum().backward();
  const at::Tensor s = x.detach().sigmoid();
  const auto [radius, angle] = to_polar(s, s);
  const bool results[] = {report("swish", y, at::silu(x)), report("its gradient", x.grad(), s + y * (1 - s)),
                          report("radius", radius, s * std::sqrt(2.0)),
                          report("angle", angle, at::full_like(s, M_PI_4))};
  return results[0] && results[1] && results[2] && results[3] ? 0 : 1;
}
