#pragma once
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <portops/tensor_ref.hpp>
#include <portops/view.hpp>

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {

/// What every elementwise operator promises on TensorRefs. A Case names one operator with its parameters:
///   Element (float or double), inputs, label;
///   call(stream, inputs, output), call(exec, output, views...): the operator;
///   matches(actual, inputs): whether the oracle agrees, with text.
template <class Case>
class Elementwise : public testing::Test {
 public:
  using T = typename Case::Element;
  static constexpr DType dtype = portops::detail::dtype_of<T>();

  static Tensor random_tensor(DType type, const Layout& layout, std::uint64_t seed, std::int64_t shift = 0) {
    Tensor tensor(type, layout, shift);
    const bool counts = !is_floating(type);
    const auto values = uniform_values<double>(tensor.numel(), counts ? 1 : 0.1, counts ? 9 : 3, seed);
    tensor.fill([&](std::int64_t i) { return type == DType::boolean ? 1.0 : values[static_cast<std::size_t>(i)]; });
    return tensor;
  }

  static std::vector<Tensor> random_inputs(DType type, const Layout& layout, std::int64_t shift = 0) {
    std::vector<Tensor> inputs;
    for (int k = 0; k < Case::inputs; ++k) {
      inputs.push_back(random_tensor(type, layout, static_cast<std::uint64_t>(k + 1), shift));
    }
    return inputs;
  }

  static void run(const std::vector<Tensor>& inputs, const Tensor& output, int threads = 1) {
    std::vector<TensorRef> refs;
    for (const Tensor& input : inputs) refs.push_back(input.ref());
    StreamRef stream;
    stream.threads = threads;
    Case::call(stream, refs.data(), output.ref());
  }

  /// The result for the same values, contiguous and of type `type`.
  static Tensor contiguous_result(const std::vector<Tensor>& inputs, DType type) {
    const Layout layout = contiguous(inputs.front().layout().sizes);
    std::vector<Tensor> plain;
    for (const Tensor& input : inputs) {
      plain.emplace_back(type, layout);
      plain.back().fill([&](std::int64_t i) { return input.get(i); });
    }
    Tensor output(type, layout);
    run(plain, output);
    return output;
  }

  static testing::AssertionResult same_bits(const Tensor& actual, const Tensor& expected, std::int64_t at = 0) {
    for (std::int64_t i = 0; i < actual.numel(); ++i) {
      if (!actual.same_bits(i, expected, at + i)) {
        return testing::AssertionFailure()
               << "[" << i << "] actual " << exact(actual.get(i)) << ", expected " << exact(expected.get(at + i));
      }
    }
    return testing::AssertionSuccess();
  }
};

inline std::vector<Sizes> shapes() {
  return {{}, {1}, {7}, {0}, {3, 0, 2}, {3, 5}, {1, 6}, {2, 3, 4, 5}, {67, 9}, {5, 1030}, {2, 1, 3, 1, 2, 2, 1, 3, 2}};
}

TYPED_TEST_SUITE_P(Elementwise);

TYPED_TEST_P(Elementwise, MatchesReference) {
  using T = typename TypeParam::Element;
  constexpr std::int64_t count = 20000;
  std::vector<Tensor> inputs;
  for (int k = 0; k < TypeParam::inputs; ++k) {
    inputs.emplace_back(this->dtype, contiguous({count}));
    const auto values = uniform_values<T>(count, k == 0 ? -30 : 0.25, k == 0 ? 30 : 4, static_cast<std::uint64_t>(k));
    inputs.back().fill([&](std::int64_t i) { return static_cast<double>(values[static_cast<std::size_t>(i)]); });
  }
  Tensor output(this->dtype, contiguous({count}));
  this->run(inputs, output);
  for (std::int64_t i = 0; i < count; ++i) {
    std::array<double, TypeParam::inputs> arguments;
    for (std::size_t k = 0; k < arguments.size(); ++k) arguments[k] = inputs[k].get(i);
    ASSERT_TRUE(TypeParam::matches(output.template read<T>(i), arguments.data())) << "at " << i;
  }
}

TYPED_TEST_P(Elementwise, AcceptsEveryLayoutOfInputAndOutput) {
  for (const Sizes& sizes : shapes()) {
    for (const Layout& in : input_layouts(sizes)) {
      const auto inputs = this->random_inputs(this->dtype, in);
      const Tensor expected = this->contiguous_result(inputs, this->dtype);
      for (const Layout& out : distinct_layouts(sizes)) {
        SCOPED_TRACE(in.name + " to " + out.name + ", rank " + std::to_string(sizes.size()));
        const Tensor output(this->dtype, out);
        const auto before = inputs.front().bytes();
        this->run(inputs, output);
        EXPECT_TRUE(this->same_bits(output, expected));
        EXPECT_TRUE(output.guards_intact());
        EXPECT_EQ(inputs.front().bytes(), before);
      }
    }
  }
}

TYPED_TEST_P(Elementwise, AcceptsMissingStrides) {
  const auto inputs = this->random_inputs(this->dtype, contiguous({3, 70}));
  const Tensor expected = this->contiguous_result(inputs, this->dtype);
  const Tensor output(this->dtype, contiguous({3, 70}));
  std::vector<TensorRef> refs;
  for (const Tensor& input : inputs) {
    refs.push_back(input.ref());
    refs.back().strides = nullptr;
  }
  TensorRef out = output.ref();
  out.strides = nullptr;
  TypeParam::call(StreamRef(), refs.data(), out);
  EXPECT_TRUE(this->same_bits(output, expected));
}

TYPED_TEST_P(Elementwise, AcceptsAnyAlignment) {
  for (const std::int64_t shift : {1, 2, 4, 8, 12}) {
    for (const Layout& layout : {contiguous({3, 150}), strided({450})}) {
      const auto inputs = this->random_inputs(this->dtype, layout, shift);
      const Tensor output(this->dtype, layout, shift / 2);
      this->run(inputs, output);
      EXPECT_TRUE(this->same_bits(output, this->contiguous_result(inputs, this->dtype))) << "shift " << shift;
    }
  }
}

TYPED_TEST_P(Elementwise, DependsOnElementOnly) {
  constexpr std::int64_t count = 700;
  const auto inputs = this->random_inputs(this->dtype, contiguous({count}));
  const Tensor whole = this->contiguous_result(inputs, this->dtype);
  for (std::int64_t length = 1; length <= 300; ++length) {
    for (const std::int64_t start : {std::int64_t(0), length % 67, 1 + length % 8, count - length}) {
      std::vector<Tensor> part;
      for (const Tensor& input : inputs) {
        part.emplace_back(this->dtype, length % 3 == 0 ? strided({length}) : contiguous({length}));
        part.back().fill([&](std::int64_t i) { return input.get(start + i); });
      }
      Tensor output(this->dtype, length % 2 == 0 ? contiguous({length}) : reversed({length}));
      this->run(part, output);
      ASSERT_TRUE(this->same_bits(output, whole, start)) << "length " << length << " from " << start;
    }
  }
}

TYPED_TEST_P(Elementwise, DoesNotDependOnThreads) {
  for (const Layout& layout : {contiguous({50021}), transposed({251, 200}), padded({7, 7001})}) {
    const auto inputs = this->random_inputs(this->dtype, layout);
    const Tensor expected = this->contiguous_result(inputs, this->dtype);
    for (int threads = 0; threads <= 8; ++threads) {
      const Tensor output(this->dtype, layout);
      this->run(inputs, output, threads);
      EXPECT_TRUE(this->same_bits(output, expected)) << layout.name << ", threads " << threads;
    }
  }
}

/// Every dtype that is read, with every dtype that is written: computed once in float or double, rounded once.
TYPED_TEST_P(Elementwise, ConvertsEveryDTypeOnce) {
  for (int from = 0; from <= static_cast<int>(DType::uint64); ++from) {
    const auto in = static_cast<DType>(from);
    if (is_complex(in)) continue;
    const auto inputs = this->random_inputs(in, strided({130}));
    for (const DType out : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      const bool wide = in == DType::float64 || (!is_floating(in) && out == DType::float64);
      const Tensor computed = this->contiguous_result(inputs, wide ? DType::float64 : DType::float32);
      const Tensor output(out, padded({130}));
      this->run(inputs, output);
      for (std::int64_t i = 0; i < output.numel(); ++i) {
        ASSERT_EQ(output.get(i), round_to(out, computed.get(i))) << name(in) << " to " << name(out) << " at " << i;
      }
    }
  }
}

TYPED_TEST_P(Elementwise, WritesOverItsOwnInput) {
  for (const Layout& layout : distinct_layouts({5, 1030})) {
    const auto inputs = this->random_inputs(this->dtype, layout);
    const Tensor expected = this->contiguous_result(inputs, this->dtype);
    this->run(inputs, inputs.back());
    EXPECT_TRUE(this->same_bits(inputs.back(), expected)) << layout.name;
    EXPECT_TRUE(inputs.back().guards_intact()) << layout.name;
  }
}

TYPED_TEST_P(Elementwise, BroadcastsItsInputs) {
  for (const Sizes& own : std::vector<Sizes>{{}, {1}, {5}, {3, 1}, {4, 1, 5}, {1, 3, 1}, {4, 3, 5}}) {
    auto inputs = this->random_inputs(this->dtype, contiguous({4, 3, 5}));
    const Tensor small = this->random_tensor(this->dtype, transposed(own), 7);
    Tensor spread(this->dtype, contiguous({4, 3, 5}));
    for (std::int64_t i = 0; i < spread.numel(); ++i) {
      const std::int64_t index[] = {i / 15, i / 5 % 3, i % 5};
      std::int64_t at = 0;
      for (std::size_t dim = 0; dim < own.size(); ++dim) {
        at = at * own[dim] + (own[dim] == 1 ? 0 : index[3 - own.size() + dim]);
      }
      spread.set(i, small.get(at));
    }
    inputs.back() = spread;
    const Tensor expected = this->contiguous_result(inputs, this->dtype);
    inputs.back() = small;
    const Tensor output(this->dtype, column_major({4, 3, 5}));
    this->run(inputs, output);
    EXPECT_TRUE(this->same_bits(output, expected)) << "rank " << own.size();
  }
}

REGISTER_TYPED_TEST_SUITE_P(Elementwise, MatchesReference, AcceptsEveryLayoutOfInputAndOutput, AcceptsMissingStrides,
                            AcceptsAnyAlignment, DependsOnElementOnly, DoesNotDependOnThreads, ConvertsEveryDTypeOnce,
                            WritesOverItsOwnInput, BroadcastsItsInputs);

}  // namespace portops::test
