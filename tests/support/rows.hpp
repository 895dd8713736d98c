#pragma once
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/recurrence.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

/// What the tests of operators along rows share: broadcast reading, random operands, and how far a result may be off.
namespace portops::test {

inline constexpr DType integer_types[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                          DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DType float_types[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};

inline bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// The index in a tensor of `own` sizes of what element `flat` of one of `full` sizes reads, both in row-major order.
inline std::int64_t broadcast_index(const Sizes& own, const Sizes& full, std::int64_t flat) {
  std::int64_t index = 0, step = 1;
  for (std::size_t back = 1; back <= full.size(); ++back) {
    const std::int64_t at = flat % full[full.size() - back];
    flat /= full[full.size() - back];
    if (back > own.size()) continue;
    const std::int64_t size = own[own.size() - back];
    if (size != 1) index += at * step;
    step *= size;
  }
  return index;
}

/// The elements of one row of `row_size` elements, of a tensor repeated to `full` sizes.
inline std::vector<double> row_of(const Tensor& tensor, const Sizes& full, std::int64_t row, std::int64_t row_size) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < row_size; ++i) {
    values.push_back(tensor.get(broadcast_index(tensor.layout().sizes, full, row * row_size + i)));
  }
  return values;
}

inline Sizes joined(Sizes sizes, std::initializer_list<std::int64_t> more) {
  sizes.insert(sizes.end(), more);
  return sizes;
}

inline std::int64_t product(const Sizes& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

inline Tensor uniform(DType dtype, const Layout& layout, double low, double high, std::uint64_t seed = 1) {
  Tensor tensor(dtype, layout);
  const auto values = uniform_values<double>(tensor.numel(), low, high, seed);
  tensor.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  return tensor;
}

/// Whole numbers of [low, high].
inline Tensor integers(DType dtype, const Layout& layout, double low, double high, std::uint64_t seed = 3) {
  Tensor tensor(dtype, layout);
  const auto values = uniform_values<double>(tensor.numel(), low, high + 1, seed);
  tensor.fill([&](std::int64_t i) { return std::floor(values[static_cast<std::size_t>(i)]); });
  return tensor;
}

/// Draws that are the same in every run and on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : m_engine(seed) {}
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(count));
  }
  template <class List>
  auto of(const List& list) {
    return *(std::begin(list) + below(static_cast<std::int64_t>(std::size(list))));
  }
  std::uint64_t seed() { return m_engine(); }

 private:
  std::mt19937_64 m_engine;
};

/// Whether output i of the oracle's row came out. The oracle rounds in float64 as the operator does in its own type, so
/// that the bound counts twice: epsilon is two roundings. Each of the `steps` operations before may also fall below
/// the smallest number, and a half type is rounded once more, by half a unit in its last place.
inline testing::AssertionResult near_row(double actual, const reference::RecurrenceRow& row, std::size_t i, bool wide,
                                         DType written, std::int64_t steps) {
  const double epsilon = wide ? 0x1p-52 : 0x1p-23, smallest = wide ? 0x1p-1074 : 0x1p-149;
  double allowed = epsilon * row.growth[i] + smallest * static_cast<double>(steps + 1) * (1 + row.magnitude[i]);
  if (written != DType::float64 && (wide || is_half(written))) {
    const Format format = format_of(written);
    allowed += std::ldexp(std::fabs(row.y[i]) + allowed, -format.digits) +
               std::ldexp(1.0, format.min_exponent - format.digits);
  }
  if (std::fabs(actual - row.y[i]) <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "actual " << exact(actual) << ", expected " << exact(row.y[i]) << ", allowed "
                                     << allowed;
}

/// Success if two tensors hold the same bits, element by element.
inline testing::AssertionResult same_elements(const Tensor& left, const Tensor& right) {
  return all_of(static_cast<std::size_t>(right.numel()), [&](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at);
    if (left.same_bits(i, right, i)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << exact(left.get(i)) << " is not " << exact(right.get(i));
  });
}

}  // namespace portops::test
