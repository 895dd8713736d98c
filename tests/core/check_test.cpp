#include <portops/check.hpp>

#include <gtest/gtest.h>

namespace portops::test {
namespace {

template <class... Values>
std::string text_of(const Values&... values) {
  try {
    check(false, "mine::op", "the rule", values...);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Check, NamesOperatorRuleAndValues) {
  const std::int64_t sizes[] = {2, 0, 5};
  EXPECT_EQ(text_of(), "mine::op: the rule");
  EXPECT_EQ(text_of("rank", 9), "mine::op: the rule (got rank=9)");
  EXPECT_EQ(text_of("dtype", DType::bfloat16, "device", Device{DeviceType::cuda, 1}),
            "mine::op: the rule (got dtype=bfloat16, device=cuda)");
  EXPECT_EQ(text_of("shape", detail::Shape{sizes, 3}, "other", detail::Shape{sizes, 0}),
            "mine::op: the rule (got shape=(2, 0, 5), other=())");
}

TEST(Check, ThrowsOnlyWhereTheFactDoesNotHold) {
  EXPECT_NO_THROW(check(true, "mine::op", "the rule", "value", 1));
  EXPECT_THROW(check(false, "mine::op", "the rule", "value", 1), Error);
}

}  // namespace
}  // namespace portops::test
