#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <portops/registry.hpp>

#include "reference/softplus.hpp"
#include "support/compare.hpp"

namespace portops::test {
namespace {

using Softplus = at::Tensor(const at::Tensor&, double, double);
using SoftplusInPlace = void(at::Tensor&, double, double);
using SoftplusOut = void(const at::Tensor&, double, double, at::Tensor&);

template <class Signature>
auto find(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

testing::AssertionResult is_softplus(const at::Tensor& y, const at::Tensor& x) {
  return all_of(static_cast<std::size_t>(x.numel()), [&](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    const double input = x.flatten()[at].item<double>();
    return near(y.flatten()[at].item<float>(), reference::softplus(input, 1, 20), "x=" + exact(input));
  });
}

TEST(Dispatch, ReachesAllFormsFromCpp) {
  const at::Tensor x = at::arange(-6, 6, 0.25, at::kFloat).reshape({6, 8}).t();
  const at::Tensor before = x.clone();
  const at::Tensor y = find<Softplus>("portops::softplus").call(x, 1, 20);
  EXPECT_TRUE(is_softplus(y, x));
  EXPECT_EQ(y.strides(), x.strides());
  EXPECT_NE(y.data_ptr(), x.data_ptr());
  EXPECT_TRUE(x.equal(before));

  at::Tensor out = at::zeros({8, 12}).slice(1, 0, 12, 2);
  const void* address = out.data_ptr();
  find<SoftplusOut>("portops::softplus", "out").call(x, 1, 20, out);
  EXPECT_EQ(out.data_ptr(), address);
  EXPECT_TRUE(out.equal(y));

  at::Tensor written = x.clone();
  address = written.data_ptr();
  find<SoftplusInPlace>("portops::softplus_").call(written, 1, 20);
  EXPECT_EQ(written.data_ptr(), address);
  EXPECT_TRUE(written.equal(y));
}

TEST(Dispatch, RaisesTheVersionOfWhatIsWrittenAndOfNothingElse) {
  at::Tensor x = at::ones({5}), out = at::zeros({5});
  const auto of_x = x._version(), of_out = out._version();
  find<Softplus>("portops::softplus").call(x, 1, 20);
  find<SoftplusOut>("portops::softplus", "out").call(x, 1, 20, out);
  EXPECT_EQ(x._version(), of_x);
  EXPECT_EQ(out._version(), of_out + 1);
  find<SoftplusInPlace>("portops::softplus_").call(x, 1, 20);
  EXPECT_EQ(x._version(), of_x + 1);
}

TEST(Dispatch, RefusesAnUndefinedTensor) {
  EXPECT_ANY_THROW(find<Softplus>("portops::softplus").call(at::Tensor(), 1, 20));
  at::Tensor undefined;
  EXPECT_ANY_THROW(find<SoftplusOut>("portops::softplus", "out").call(at::ones({3}), 1, 20, undefined));
  EXPECT_ANY_THROW(find<SoftplusInPlace>("portops::softplus_").call(undefined, 1, 20));
}

TEST(Dispatch, NamesTheOperatorInItsErrors) {
  at::Tensor expanded = at::zeros({1}).expand({10});
  EXPECT_TRUE(throws_with<std::exception>(
      [&] { find<SoftplusOut>("portops::softplus", "out").call(at::ones({10}), 1, 20, expanded); },
      {"portops::softplus: ", "overlap", "(10)"}));
  EXPECT_EQ(expanded.sum().item<float>(), 0);
}

void write_seven(const Call& call) {
  const TensorRef& out = call.outputs.front();
  for (std::int64_t i = 0; i < out.numel(); ++i) static_cast<float*>(out.data)[i] = 7;
}

// A library that is loaded after the bridge is offered to torch as well.
TEST(Dispatch, OffersOperatorsThatAreRegisteredLate) {
  register_operator("dispatch_test::seven(Tensor input) -> Tensor", ResultRule::elementwise, &write_seven);
  const at::Tensor y = find<at::Tensor(const at::Tensor&)>("dispatch_test::seven").call(at::ones({2, 3}));
  EXPECT_EQ(y.sum().item<float>(), 42);
}

TEST(Dispatch, RaisesANameThatTwoLibrariesClaim) {
  register_operator("dispatch_test::claimed(Tensor input) -> Tensor", ResultRule::elementwise, &write_seven);
  register_operator("dispatch_test::claimed(Tensor input) -> Tensor", ResultRule::elementwise, &write_seven);
  EXPECT_TRUE(throws_with<std::exception>(
      [] { find<at::Tensor(const at::Tensor&)>("dispatch_test::claimed").call(at::ones({2})); },
      {"dispatch_test::claimed", "two operators"}));
}

}  // namespace
}  // namespace portops::test
