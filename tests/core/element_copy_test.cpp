#include <portops/detail/element_copy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

double gathered(DType compute, const Tensor& from, std::int64_t i) {
  float narrow = 0;
  double wide = 0;
  void* to = compute == DType::float64 ? static_cast<void*>(&wide) : &narrow;
  const auto dtype = from.ref().dtype;
  detail::find_gather(compute, dtype)(to, static_cast<const char*>(from.ref().data) + i * size_of(dtype), 1, 1);
  return compute == DType::float64 ? wide : static_cast<double>(narrow);
}

TEST(ElementCopy, ReadsEveryHalf) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    Tensor all(dtype, contiguous({65536}));
    for (std::int64_t i = 0; i < 65536; ++i) {
      all.write(i, static_cast<std::uint16_t>(i));
      const double expected = decode16(dtype, static_cast<std::uint16_t>(i));
      for (const DType compute : {DType::float32, DType::float64}) {
        const double actual = gathered(compute, all, i);
        ASSERT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected))) << name(dtype) << " " << i;
        ASSERT_EQ(std::signbit(actual), (i & 0x8000) != 0) << name(dtype) << " " << i;
      }
    }
  }
}

/// Numbers at and beside the middle between two neighbours of the target type, by distances down to one ulp of double.
std::vector<double> hard_to_round(DType to) {
  std::vector<double> values = special_values<double>();
  for (const double base : uniform_values<double>(3000, -100, 100)) {
    const double value = round_to(to, base);
    const int step = std::max(std::ilogb(value), -14) - (format_of(to).digits - 1);
    const double middle = value + std::ldexp(0.5, step);
    for (const int below : {1, 12, 25, 40}) {
      values.push_back(middle + std::ldexp(1.0, step - below));
      values.push_back(middle - std::ldexp(1.0, step - below));
    }
    values.push_back(middle);
  }
  return values;
}

// A double that becomes a half by way of float32 is rounded twice, and wrong beside the middle of two halves.
TEST(ElementCopy, RoundsOnceToNearestEven) {
  for (const DType compute : {DType::float32, DType::float64}) {
    for (const DType to : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      Tensor out(to, contiguous({1}));
      for (const double wide : hard_to_round(to)) {
        const auto narrow = static_cast<float>(wide);
        const double value = compute == DType::float64 ? wide : static_cast<double>(narrow);
        const void* from = compute == DType::float64 ? static_cast<const void*>(&wide) : &narrow;
        detail::find_scatter(compute, to)(static_cast<char*>(out.ref().data), from, 2, 1);
        const double actual = out.get(0), expected = round_to(to, value);
        ASSERT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
            << name(compute) << " " << value << " to " << name(to) << ": " << actual << ", expected " << expected;
        ASSERT_TRUE(std::isnan(value) || std::signbit(actual) == std::signbit(value)) << value;
      }
    }
  }
}

TEST(ElementCopy, ReadsTheEndsOfEveryInteger) {
  const auto check_ends = [](auto zero, DType dtype) {
    using T = decltype(zero);
    Tensor tensor(dtype, contiguous({2}));
    tensor.write(0, std::numeric_limits<T>::min());
    tensor.write(1, std::numeric_limits<T>::max());
    for (std::int64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(gathered(DType::float64, tensor, i), static_cast<double>(tensor.read<T>(i)));
      EXPECT_EQ(gathered(DType::float32, tensor, i), static_cast<double>(static_cast<float>(tensor.read<T>(i))));
    }
  };
  check_ends(std::int8_t(), DType::int8);
  check_ends(std::int16_t(), DType::int16);
  check_ends(std::int32_t(), DType::int32);
  check_ends(std::int64_t(), DType::int64);
  check_ends(std::uint8_t(), DType::uint8);
  check_ends(std::uint16_t(), DType::uint16);
  check_ends(std::uint32_t(), DType::uint32);
  check_ends(std::uint64_t(), DType::uint64);
}

/// Many at once are what they are one by one, to the bit, whatever lies between them.
TEST(ElementCopy, ConvertsHalvesTogetherAsOneByOne) {
  const auto floats = uniform_values<float>(65536, -70000, 70000);
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const auto gather = detail::find_gather(DType::float32, dtype);
    const auto scatter = detail::find_scatter(DType::float32, dtype);
    for (const std::int64_t count : {1, 7, 8, 15, 16, 31, 33, 127, 300, 65536}) {
      for (const std::int64_t gap : {1, 3}) {
        std::vector<std::uint16_t> halves(static_cast<std::size_t>(count * gap)), written(halves.size());
        for (std::size_t i = 0; i < halves.size(); ++i)
          halves[i] = static_cast<std::uint16_t>(i * 65536 / halves.size());
        std::vector<float> all(static_cast<std::size_t>(count)), inputs = floats;
        gather(all.data(), reinterpret_cast<const char*>(halves.data()), 2 * gap, count);
        for (const auto& special : {special_values<float>(), values_of_all_magnitudes<float>(100)}) {
          std::copy(special.begin(), special.end(), inputs.begin() + (special.size() > 50 ? 40 : 0));
        }
        scatter(reinterpret_cast<char*>(written.data()), inputs.data(), 2 * gap, count);
        for (std::int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          float one = 0;
          std::uint16_t half = 0;
          gather(&one, reinterpret_cast<const char*>(&halves[at * static_cast<std::size_t>(gap)]), 2, 1);
          scatter(reinterpret_cast<char*>(&half), &inputs[at], 2, 1);
          ASSERT_EQ(std::bit_cast<std::uint32_t>(all[at]), std::bit_cast<std::uint32_t>(one)) << name(dtype) << i;
          ASSERT_EQ(written[at * static_cast<std::size_t>(gap)], half) << name(dtype) << " of " << inputs[at];
        }
      }
    }
  }
}

}  // namespace
}  // namespace portops::test
