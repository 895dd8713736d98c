#include <portops/registry.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <portops/elementwise.hpp>

#include "support/compare.hpp"

namespace portops::test {
namespace {

struct Twice {
  double factor;
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return static_cast<T>(factor) * x;
  }
};
PORTOPS_ELEMENTWISE(Twice, "registry_test::twice(Tensor input, float factor=2.0) -> Tensor");

void ignore(const Call&) {}

const Operator* find(const std::string& name, const std::string& overload = "") {
  const auto all = registered_operators();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Operator* op) { return op->name == name && op->schema.overload == overload; });
  return found == all.end() ? nullptr : *found;
}

TEST(Registry, HoldsTheOperatorsOfTheLibrary) {
  for (const char* name : {"softplus", "trig_mix", "exp_sin", "delay_line"}) {
    EXPECT_NE(find("portops::" + std::string(name)), nullptr) << name;
  }
  EXPECT_NE(find("portops::trig_mix", "Scalar"), nullptr);
  EXPECT_NE(find("portops::exp_sin", "Tensor"), nullptr);
}

TEST(Registry, CallsADeclaredOperator) {
  const Operator* op = find("registry_test::twice");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->rule, ResultRule::elementwise);
  float x[] = {1, 2, 3}, y[3];
  const std::int64_t size = 3;
  const TensorRef input{x, DType::float32, {}, 1, &size, nullptr}, output{y, DType::float32, {}, 1, &size, nullptr};
  for (const Parameter& factor : {Parameter(2.0), Parameter(std::int64_t(2))}) {
    op->forward({op->name.c_str(), {}, {&output, 1}, {&input, 1}, {&factor, 1}, DType::float32});
    EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{2, 4, 6}));
  }
}

TEST(Registry, MarksANameThatTwoOperatorsClaim) {
  register_operator("registry_test::claimed(Tensor x) -> Tensor", ResultRule::elementwise, &ignore);
  register_operator("registry_test::claimed.other(Tensor x) -> Tensor", ResultRule::elementwise, &ignore);
  const Operator* op = find("registry_test::claimed");
  EXPECT_EQ(op->conflict, "");
  register_operator("registry_test::claimed(Tensor y) -> Tensor", ResultRule::like_first, &ignore);
  EXPECT_EQ(find("registry_test::claimed"), op);
  EXPECT_NE(op->conflict, "");
  EXPECT_EQ(find("registry_test::claimed", "other")->conflict, "");
}

TEST(Registry, ShowsAVisitorEveryOperatorOnceAlsoLateOnes) {
  std::vector<std::string> seen;
  visit_operators([&](const Operator& op) { seen.push_back(op.name + "." + std::string(op.schema.overload)); });
  EXPECT_EQ(seen.size(), registered_operators().size());
  register_operator("registry_test::late(Tensor x) -> Tensor", ResultRule::elementwise, &ignore);
  EXPECT_EQ(seen.back(), "registry_test::late.");
  visit_operators({});
  const std::size_t count = seen.size();
  register_operator("registry_test::unseen(Tensor x) -> Tensor", ResultRule::elementwise, &ignore);
  EXPECT_EQ(seen.size(), count);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Registry, RefusesWhatIsNoSchema) {
  EXPECT_TRUE(throws_with<Error>([] { register_operator("mine::op(x)", ResultRule::elementwise, &ignore); },
                                 {"mine::op(x)", "not a schema"}));
}

}  // namespace
}  // namespace portops::test
