#include <portops/ops/allpole.hpp>
#include <portops/ops/delay_line.hpp>
#include <portops/ops/recurrence.hpp>

#include "support/kokkos_environment.hpp"
#include "support/rows.hpp"

namespace portops::test {
namespace {

Tensor ones(DType dtype, const Layout& layout) { return integers(dtype, layout, 1, 1); }
Tensor floats(const Sizes& sizes) { return ones(DType::float32, contiguous(sizes)); }
Tensor delays_of(const Sizes& sizes) { return ones(DType::int32, contiguous(sizes)); }

using Parts = std::initializer_list<std::string>;

/// The call throws, and writes nothing.
template <class Call>
void expect_refused(const Call& call, const std::vector<const Tensor*>& written, Parts parts) {
  std::vector<std::vector<std::byte>> before;
  for (const Tensor* tensor : written) before.push_back(tensor->bytes());
  EXPECT_TRUE(throws_with<Error>(call, parts)) << (parts.size() > 1 ? parts.begin()[1] : *parts.begin());
  for (std::size_t at = 0; at < written.size(); ++at)
    EXPECT_TRUE(written[at]->bytes() == before[at]) << "something was written";
}

/// A good call of `recurrence` on rows of 5 with 3 taps, of which a test replaces one operand.
struct Operands {
  Tensor input = floats({2, 5}), coefficients = floats({2, 5, 3}), delays = delays_of({2, 5, 3});
  Tensor history = floats({2, 4}), out = floats({2, 5}), next = floats({2, 4});

  void call(Algorithm algorithm = Algorithm::automatic) const {
    recurrence(StreamRef(), input.ref(), coefficients.ref(), delays.ref(), history.ref(), out.ref(), next.ref(),
               algorithm);
  }
  void refused(Parts parts) const {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::blocks, Algorithm::jumping}) {
      expect_refused([&] { call(algorithm); }, {&out, &next}, parts);
    }
  }
};

template <class Change>
void expect_refusal(const Change& change, Parts parts) {
  Operands operands;
  operands.call();
  change(operands);
  operands.refused(parts);
}

const std::string op = "portops::recurrence: ";

TEST(RecurrenceErrors, RefuseDelaysBelowOne) {
  for (const DType type : integer_types) {
    expect_refusal(
        [&](Operands& bad) {
          bad.delays = ones(type, transposed({2, 5, 3}));
          bad.delays.set(17, 0);
          bad.delays.set(29, 0);
        },
        {op, "delays must be at least 1", "17", "delay=0"});
  }
  expect_refusal([](Operands& bad) { bad.delays.set(3, -7); }, {op, "delays must be at least 1", "3", "delay=-7"});
}

TEST(RecurrenceErrors, NameShapes) {
  using Change = void (*)(Operands&);
  const std::pair<Change, std::vector<std::string>> cases[] = {
      {[](Operands& bad) { bad.input = floats({}); }, {"argument=input", "time axis", "rank=0"}},
      {[](Operands& bad) { bad.coefficients = floats({2, 4, 3}); }, {"argument=coefficients", "(2, 4, 3)", "time=5"}},
      {[](Operands& bad) { bad.coefficients = floats({3, 5, 3}); }, {"argument=coefficients", "(3, 5, 3)", "(2, 5)"}},
      {[](Operands& bad) { bad.coefficients = floats({2, 2, 5, 3}); }, {"argument=coefficients", "(2, 2, 5, 3)"}},
      {[](Operands& bad) { bad.coefficients = floats({2, 5, 2}); }, {"argument=coefficients", "(2, 5, 2)", "taps=3"}},
      {[](Operands& bad) { bad.delays = delays_of({2, 6, 3}); }, {"argument=delays", "(2, 6, 3)", "time=5"}},
      {[](Operands& bad) { bad.delays = delays_of({3, 1, 1}); }, {"argument=delays", "(3, 1, 1)", "(2, 5)"}},
      {[](Operands& bad) { bad.history = floats({3, 4}); }, {"argument=history", "(3, 4)", "(2, 5)"}},
      {[](Operands& bad) { bad.history = floats({}); }, {"argument=history", "rank=0"}},
      {[](Operands& bad) { bad.out = floats({5, 2}); }, {"argument=", "shape", "(5, 2)"}},
      {[](Operands& bad) { bad.out = floats({2, 6}); }, {"shape", "(2, 6)"}},
      {[](Operands& bad) { bad.next = floats({2, 5}); }, {"argument=out1", "shape", "(2, 5)", "time=4"}},
      {[](Operands& bad) { bad.next = floats({4}); }, {"argument=out1", "shape", "(4)"}},
      {[](Operands& bad) { bad.next = floats({1, 4}); }, {"argument=out1", "shape", "(1, 4)"}},
  };
  for (const auto& [change, parts] : cases) {
    expect_refusal(change, {op});
    for (const auto& part : parts) expect_refusal(change, {part});
  }
}

TEST(RecurrenceErrors, NameTypes) {
  for (const DType type : {DType::boolean, DType::float32, DType::float16}) {
    expect_refusal([&](Operands& bad) { bad.delays = ones(type, contiguous({2, 5, 3})); },
                   {op, "delays", "integer", std::string(name(type))});
  }
  for (const DType type : {DType::boolean, DType::int32, DType::uint64}) {
    const std::string text(name(type));
    expect_refusal([&](Operands& bad) { bad.input = ones(type, contiguous({2, 5})); },
                   {op, "floating", "argument=input", text});
    expect_refusal([&](Operands& bad) { bad.coefficients = ones(type, contiguous({5, 3})); },
                   {op, "floating", "argument=coefficients", text});
    expect_refusal([&](Operands& bad) { bad.history = ones(type, contiguous({2, 4})); },
                   {op, "floating", "argument=history", text});
    expect_refusal([&](Operands& bad) { bad.out = ones(type, contiguous({2, 5})); },
                   {op, "floating", "argument=out0", text});
    expect_refusal([&](Operands& bad) { bad.next = ones(type, contiguous({2, 4})); },
                   {op, "floating", "argument=out1", text});
  }
}

TEST(RecurrenceErrors, NameOverlaps) {
  expect_refusal([](Operands& bad) { bad.out = ones(DType::float32, expanded({2, 5})); },
                 {op, "overlap in memory", "argument=out0", "(2, 5)"});
  std::vector<float> memory(60, 1.0F);
  std::vector<std::int32_t> ones_of(20, 1);
  const std::int64_t size = 10, matrix[] = {10, 1};
  const auto at = [&](std::int64_t offset, const std::int64_t* sizes, int rank) {
    return TensorRef{memory.data() + offset, DType::float32, {}, rank, sizes, nullptr};
  };
  const TensorRef d{ones_of.data(), DType::int32, {}, 2, matrix, nullptr};
  const TensorRef x = at(0, &size, 1), a = at(10, matrix, 2), history = at(20, &size, 1), y = at(30, &size, 1);
  const auto refused = [&](const TensorRef& out, const TensorRef& next, const std::string& text) {
    EXPECT_TRUE(throws_with<Error>([&] { recurrence(StreamRef(), x, a, d, history, out, next); }, {op, text, "(10)"}));
  };
  refused(at(1, &size, 1), at(40, &size, 1), "out0 partly overlaps input");
  refused(at(12, &size, 1), at(40, &size, 1), "out0 overlaps coefficients");
  refused(at(20, &size, 1), at(40, &size, 1), "out0 overlaps history");
  refused(y, at(0, &size, 1), "out1 overlaps input");
  refused(y, at(20, &size, 1), "out1 overlaps history");
  refused(y, at(35, &size, 1), "two outputs overlap");
  EXPECT_EQ(memory, std::vector<float>(60, 1.0F));
  recurrence(StreamRef(), x, a, d, history, x, at(40, &size, 1));
}

TEST(RecurrenceErrors, NameWhatAllpoleRefuses) {
  const std::string allpole_op = "portops::allpole: ";
  const Tensor x = floats({2, 5}), a = floats({2, 5, 3}), initial = floats({2, 3}), out = floats({2, 5});
  const auto refused = [&](const Tensor& input, const Tensor& coefficients, const Tensor& before, const Tensor& y,
                           Parts parts) {
    expect_refused([&] { allpole(StreamRef(), input.ref(), coefficients.ref(), before.ref(), y.ref()); }, {&y}, parts);
  };
  refused(x, floats({2, 1, 3}), initial, out, {allpole_op, "coefficients", "time", "1", "5"});
  refused(x, floats({3}), initial, out, {allpole_op, "argument=coefficients", "rank=1"});
  refused(x, floats({4, 5, 3}), initial, out, {allpole_op, "argument=coefficients", "(4, 5, 3)", "(2, 5)"});
  refused(x, a, floats({2, 4}), out, {allpole_op, "initial", "4", "3"});
  refused(x, a, floats({3, 3}), out, {allpole_op, "argument=initial", "(3, 3)"});
  refused(x, a, initial, floats({2, 4}), {allpole_op, "shape", "argument=out", "(2, 4)"});
  refused(ones(DType::int64, contiguous({2, 5})), a, initial, out, {allpole_op, "argument=input", "int64"});
  refused(x, ones(DType::int8, contiguous({2, 5, 3})), initial, out, {allpole_op, "argument=coefficients", "int8"});
  refused(x, a, initial, initial, {allpole_op, "shape"});
  refused(x, a, initial, ones(DType::float32, expanded({2, 5})), {allpole_op, "overlap"});
}

TEST(RecurrenceErrors, NameWhatStreamsRefuse) {
  const std::string stream_op = "portops::delay_line_stream: ";
  const Tensor x = floats({2, 5}), out = floats({2, 5}), history = floats({2, 3}), next = floats({2, 3});
  const auto refused = [&](const Tensor& d, const Tensor& past, const Tensor& after, Parts parts) {
    expect_refused([&] { delay_line_stream(StreamRef(), x.ref(), d.ref(), past.ref(), out.ref(), after.ref()); },
                   {&out, &after}, parts);
  };
  Tensor negative = delays_of({2, 5});
  negative.set(7, -1);
  refused(negative, history, next, {stream_op, "delays must not be negative", "7", "-1"});
  refused(delays_of({3, 5}), history, next, {stream_op, "argument=delays", "(3, 5)"});
  refused(delays_of({5}), floats({4, 3}), next, {stream_op, "argument=history", "(4, 3)"});
  refused(delays_of({5}), history, floats({2, 4}), {stream_op, "argument=out1", "(2, 4)"});
  refused(delays_of({5}), history, history, {stream_op, "out1 overlaps history"});
  refused(delays_of({5}), history, out, {stream_op, "shape"});
}

}  // namespace
}  // namespace portops::test
