#include <portops/schema.hpp>

#include <gtest/gtest.h>

namespace portops::test {
namespace {

TEST(Schema, IsTakenApart) {
  constexpr auto schema = parse_schema(
      "mine::op.over(Tensor x, Tensor? w, float a=1.0, int n = 3, bool flag=True, Scalar s=2, str mode=\"a\") -> "
      "(Tensor, Tensor left)");
  static_assert(schema.has_value());
  EXPECT_EQ(schema->space, "mine");
  EXPECT_EQ(schema->name, "op");
  EXPECT_EQ(schema->overload, "over");
  EXPECT_EQ(schema->tensors, 2);
  EXPECT_EQ(schema->parameters, 5);
  EXPECT_EQ(schema->results, 2);
  const std::pair<ArgumentType, const char*> expected[] = {
      {ArgumentType::tensor, "x"},  {ArgumentType::optional_tensor, "w"}, {ArgumentType::real, "a"},
      {ArgumentType::integer, "n"}, {ArgumentType::boolean, "flag"},      {ArgumentType::scalar, "s"},
      {ArgumentType::text, "mode"}};
  ASSERT_EQ(schema->argument_count, 7);
  for (std::size_t at = 0; at < 7; ++at) {
    EXPECT_EQ(schema->arguments[at].type, expected[at].first) << at;
    EXPECT_EQ(schema->arguments[at].name, expected[at].second) << at;
  }
}

TEST(Schema, NeedsNoOverload) {
  const auto schema = parse_schema("mine::op(Tensor x) -> Tensor");
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(schema->overload, "");
  EXPECT_EQ(schema->results, 1);
}

class BadSchema : public testing::TestWithParam<const char*> {};

TEST_P(BadSchema, IsRefused) { EXPECT_FALSE(parse_schema(GetParam()).has_value()); }

INSTANTIATE_TEST_SUITE_P(All, BadSchema,
                         testing::Values("", "op", "op(Tensor x) -> Tensor", "mine::op(Tensor x)",
                                         "mine::op(Tensor x) -> int", "mine::op(Tensor x) -> ()",
                                         "mine::op() -> Tensor", "mine::op(float a) -> Tensor",
                                         "mine::op(Tensor) -> Tensor", "mine::op(Tensor 2x) -> Tensor",
                                         "mine::op(double a, Tensor x) -> Tensor", "::op(Tensor x) -> Tensor",
                                         "mine::(Tensor x) -> Tensor", "mine::op.(Tensor x) -> Tensor",
                                         "mine::op.a.b(Tensor x) -> Tensor", "mine::1op(Tensor x) -> Tensor",
                                         "mine::op(Tensor x, ) -> Tensor", "mine::op(Tensor x,, Tensor y) -> Tensor",
                                         "mine::op(Tensor x y) -> Tensor", "mine::op(Tensor x) -> (Tensor, int)"));

}  // namespace
}  // namespace portops::test
