#include "support/ulp.hpp"

#include <gtest/gtest.h>

#include "support/compare.hpp"

namespace portops::test {
namespace {

template <class T>
class Ulp : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Ulp, Floats);

TYPED_TEST(Ulp, IsTheDistanceToTheNextNumber) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const T value : {T(1), T(1.75), T(-3), T(1e-30), Limits::min(), Limits::denorm_min(), T(0)}) {
    const T next = std::nextafter(value, Limits::infinity());
    EXPECT_EQ(ulp_distance(next, static_cast<long double>(value)), 1) << value;
    EXPECT_EQ(ulp_distance(value, static_cast<long double>(value)), 0) << value;
  }
  EXPECT_EQ(ulp<T>(1), static_cast<long double>(Limits::epsilon()));
  EXPECT_EQ(ulp<T>(0), static_cast<long double>(Limits::denorm_min()));
}

TYPED_TEST(Ulp, MeasuresFractionsAgainstAWiderValue) {
  EXPECT_EQ(ulp_distance(TypeParam(1), 1 + ulp<TypeParam>(1) / 4), 0.25L);
}

TYPED_TEST(Ulp, TellsNanAndInfinityApart) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr long double infinity = std::numeric_limits<long double>::infinity(), nan = std::nanl("");
  EXPECT_EQ(ulp_distance(Limits::quiet_NaN(), nan), 0);
  EXPECT_EQ(ulp_distance(Limits::quiet_NaN(), 1.0L), infinity);
  EXPECT_EQ(ulp_distance(TypeParam(1), nan), infinity);
  EXPECT_EQ(ulp_distance(Limits::infinity(), infinity), 0);
  EXPECT_EQ(ulp_distance(-Limits::infinity(), infinity), infinity);
  EXPECT_EQ(ulp_distance(Limits::max(), infinity), infinity);
  EXPECT_EQ(ulp_distance(Limits::infinity(), static_cast<long double>(Limits::max())), 1);
}

TEST(Near, FailsWithBothValuesBeyondTheTolerance) {
  const float one = 1.0F;
  EXPECT_TRUE(near(one, 1.0L + 4 * ulp<float>(1), "x"));
  const auto result = near(one, 1.0L + 4.5L * ulp<float>(1), "x=7");
  ASSERT_FALSE(result);
  for (const char* part : {"x=7", "actual 1", "expected 1.0000005", "4.5 ulp"}) {
    EXPECT_NE(std::string(result.message()).find(part), std::string::npos) << result.message();
  }
}

TEST(AllOf, NamesTheFirstIndexThatFails) {
  const auto result = all_of(10, [](std::size_t i) {
    return i % 4 == 3 ? testing::AssertionFailure() << "odd one" : testing::AssertionSuccess();
  });
  ASSERT_FALSE(result);
  EXPECT_STREQ(result.message(), "2 of 10 fail, the first at [3] odd one");
}

TEST(ThrowsWith, NeedsTypeAndText) {
  const auto raise = [] { throw std::invalid_argument("op: rule"); };
  EXPECT_TRUE(throws_with<std::invalid_argument>(raise, {"op", "rule"}));
  EXPECT_FALSE(throws_with<std::invalid_argument>(raise, {"op", "value"}));
  EXPECT_FALSE(throws_with<std::invalid_argument>([] {}, {}));
}

}  // namespace
}  // namespace portops::test
