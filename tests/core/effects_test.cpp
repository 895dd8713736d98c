#include <cmath>

#include <portops/ops/flanger.hpp>
#include <portops/ops/overdrive.hpp>
#include <portops/ops/phaser.hpp>

#include "reference/effects.hpp"
#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/random.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

constexpr std::int64_t rate = 1000;
const FlangerOptions flangers[] = {
    {},
    {.depth = 0, .regen = 90, .width = 100, .phase = 100},
    {.delay = 3, .depth = 6, .regen = -80, .speed = 10, .modulation = Modulation::triangular},
    {.delay = 1, .depth = 5, .regen = 50, .speed = 7, .phase = 33, .interpolation = Interpolation::quadratic},
    {.delay = 30,
     .depth = 10,
     .regen = 60,
     .modulation = Modulation::triangular,
     .interpolation = Interpolation::quadratic},
};
const PhaserOptions phasers[] = {
    {},
    {.gain_in = 1, .gain_out = 3, .delay_ms = 5, .decay = 0.99, .mod_speed = 2, .sinusoidal = false},
    {.gain_in = 0.8, .delay_ms = 0.6, .decay = 0.9}};

/// Calls of all effects on TensorRefs.
struct Effect {
  const char* name;
  void (*call)(const StreamRef& stream, const TensorRef& waveform, const TensorRef& out);
};
const Effect effects[] = {
    {"flanger", [](const auto& stream, const auto& x, const auto& y) { flanger(stream, x, y, rate, flangers[3]); }},
    {"phaser", [](const auto& stream, const auto& x, const auto& y) { phaser(stream, x, y, rate, phasers[1]); }},
    {"overdrive", [](const auto& stream, const auto& x, const auto& y) { overdrive(stream, x, y); }}};

StreamRef with_threads(int threads) {
  StreamRef stream;
  stream.threads = threads;
  return stream;
}

Tensor random_waveform(DType dtype, const Layout& layout) {
  Tensor waveform(dtype, layout);
  const auto values = uniform_values<double>(waveform.numel(), -1.2, 1.2);
  waveform.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  return waveform;
}

/// Rounding errors of single steps add up through a feedback that decays within some hundred samples at most: 0.995 of
/// an overdrive, 0.99 of a phaser; gains raise a phaser's by 3.
double tolerance(DType dtype) { return 1000 * (dtype == DType::float64 ? 0x1p-52 : 0x1p-23); }

/// Compares every row of (2, 3, N) with oracle(samples of the row, channel).
template <class Oracle>
void expect_rows(const Tensor& x, const Tensor& y, const Oracle& oracle) {
  const std::int64_t length = x.layout().sizes.back();
  for (std::int64_t row = 0; row < 6; ++row) {
    std::vector<double> samples;
    for (std::int64_t i = 0; i < length; ++i) samples.push_back(x.get(row * length + i));
    const std::vector<double> expected = oracle(samples, static_cast<std::size_t>(row % 3));
    for (std::int64_t i = 0; i < length; ++i) {
      ASSERT_NEAR(y.get(row * length + i), expected[static_cast<std::size_t>(i)], tolerance(x.ref().dtype))
          << "row " << row << ", sample " << i;
    }
  }
  EXPECT_TRUE(y.guards_intact());
}

class Effects : public testing::TestWithParam<DType> {};

TEST_P(Effects, FlangerMatchesReference) {
  const Tensor x = random_waveform(GetParam(), contiguous({2, 3, 500}));
  for (const FlangerOptions& options : flangers) {
    const Tensor y(GetParam(), contiguous({2, 3, 500}));
    flanger(StreamRef(), x.ref(), y.ref(), rate, options);
    expect_rows(x, y, [&](const auto& row, std::size_t channel) {
      return reference::flanger(row, channel, static_cast<double>(rate), options);
    });
  }
}

TEST_P(Effects, PhaserMatchesReference) {
  const Tensor x = random_waveform(GetParam(), contiguous({2, 3, 1200}));
  for (const PhaserOptions& options : phasers) {
    const Tensor y(GetParam(), contiguous({2, 3, 1200}));
    phaser(StreamRef(), x.ref(), y.ref(), rate, options);
    expect_rows(
        x, y, [&](const auto& row, std::size_t) { return reference::phaser(row, static_cast<double>(rate), options); });
  }
}

TEST_P(Effects, OverdriveMatchesReference) {
  const Tensor x = random_waveform(GetParam(), contiguous({2, 3, 1000}));
  for (const double gain : {0.0, 20.0, 45.0}) {
    const Tensor y(GetParam(), contiguous({2, 3, 1000}));
    overdrive(StreamRef(), x.ref(), y.ref(), gain, 60);
    expect_rows(x, y, [&](const auto& row, std::size_t) { return reference::overdrive(row, gain, 60); });
  }
}

TEST_P(Effects, AcceptEveryLayoutAndWriteInPlace) {
  const Sizes sizes{2, 3, 41};
  const Tensor plain = random_waveform(GetParam(), contiguous(sizes));
  for (const Effect& effect : effects) {
    const Tensor expected(GetParam(), contiguous(sizes));
    effect.call(StreamRef(), plain.ref(), expected.ref());
    for (const Layout& layout : distinct_layouts(sizes)) {
      Tensor x(GetParam(), layout);
      const Tensor y(GetParam(), transposed(sizes));
      x.fill([&](std::int64_t i) { return plain.get(i); });
      effect.call(StreamRef(), x.ref(), y.ref());
      effect.call(StreamRef(), x.ref(), x.ref());
      for (std::int64_t i = 0; i < y.numel(); ++i) {
        ASSERT_TRUE(y.same_bits(i, expected, i)) << effect.name << ", " << layout.name << " at " << i;
        ASSERT_TRUE(x.same_bits(i, expected, i)) << effect.name << ", " << layout.name << " in place at " << i;
      }
      ASSERT_TRUE(x.guards_intact() && y.guards_intact());
    }
  }
}

TEST_P(Effects, DoNotDependOnThreads) {
  const Sizes sizes{16, 3, 3001};
  const Tensor x = random_waveform(GetParam(), contiguous(sizes));
  for (const Effect& effect : effects) {
    const Tensor expected(GetParam(), contiguous(sizes));
    effect.call(with_threads(1), x.ref(), expected.ref());
    for (int threads = 2; threads <= 4; ++threads) {
      const Tensor y(GetParam(), contiguous(sizes));
      effect.call(with_threads(threads), x.ref(), y.ref());
      EXPECT_EQ(y.bytes(), expected.bytes()) << effect.name << ", " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Effects, testing::Values(DType::float32, DType::float64),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

TEST(Flanger, StreamsInBlocksWithTheBitsOfTheWhole) {
  const Tensor x = random_waveform(DType::float32, contiguous({2, 3, 300}));
  for (const FlangerOptions& options : flangers) {
    const Tensor whole(DType::float32, contiguous({2, 3, 300}));
    flanger(StreamRef(), x.ref(), whole.ref(), rate, options);
    const std::int64_t kept = flanger_history_length(rate, options);
    Tensor history(DType::float32, contiguous({2, 3, kept}));
    history.fill([](std::int64_t) { return 0.0; });
    for (std::int64_t position = 0, size = 1; position < 300;
         position += size, size = std::min(2 * size, 300 - position)) {
      const Sizes sizes{2, 3, size};
      Tensor block(DType::float32, contiguous(sizes));
      block.fill([&](std::int64_t i) { return x.get(i / size * 300 + position + i % size); });
      const Tensor y(DType::float32, contiguous(sizes)), next(DType::float32, contiguous({2, 3, kept}));
      flanger_stream(StreamRef(), block.ref(), history.ref(), y.ref(), next.ref(), position, rate, options);
      for (std::int64_t i = 0; i < y.numel(); ++i) {
        ASSERT_TRUE(y.same_bits(i, whole, i / size * 300 + position + i % size)) << "block at " << position;
      }
      history.fill([&](std::int64_t i) { return next.get(i); });
    }
  }
}

TEST(Flanger, SaysHowLongItsHistoryIs) {
  EXPECT_EQ(flanger_history_length(44100), 90);
  EXPECT_EQ(flanger_history_length(1000, {.delay = 30, .depth = 10}), 42);
  EXPECT_TRUE(throws_with<Error>([] { flanger_history_length(0); }, {"flanger_history_length: ", "sample_rate=0"}));
}

TEST(EffectsOnViews, GiveWhatTensorRefsGiveInOneLaunchOnTheGivenInstance) {
  const Tensor x = random_waveform(DType::float64, contiguous({3, 200})), y(DType::float64, contiguous({3, 200}));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> in("in", 3, 200), out("out", 3, 200);
  const Kokkos::View<double**, Kokkos::HostSpace> history("history", 3, 9), next("next", 3, 9);
  for (std::int64_t i = 0; i < x.numel(); ++i) in(i / 200, i % 200) = x.get(i);
  const auto expect_equal = [&](const char* what) {
    for (std::int64_t i = 0; i < y.numel(); ++i) ASSERT_EQ(out(i / 200, i % 200), y.get(i)) << what << " at " << i;
  };
  const HostSpace exec;
  const KokkosRecorder recorder;
  flanger(StreamRef(), x.ref(), y.ref(), rate, flangers[3]);
  flanger(exec, in, out, rate, flangers[3]);
  expect_equal("flanger");
  Kokkos::deep_copy(out, 0.0);
  flanger_stream(exec, in, history, out, next, 0, rate, flangers[3]);
  expect_equal("flanger_stream");
  phaser(StreamRef(), x.ref(), y.ref(), rate, phasers[1]);
  phaser(exec, in, out, rate, phasers[1]);
  expect_equal("phaser");
  overdrive(StreamRef(), x.ref(), y.ref(), 30, 50);
  overdrive(exec, in, out, 30, 50);
  expect_equal("overdrive");
  std::vector<std::string> labels;
  for (const auto& kernel : recorder.kernels()) {
    if (kernel.label.starts_with("portops::")) labels.push_back(kernel.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"portops::flanger", "portops::flanger_stream", "portops::phaser",
                                              "portops::overdrive"}));
}

TEST(EffectsOnTensors, AcceptEmptyOnes) {
  for (const Effect& effect : effects) {
    for (const Sizes& sizes : std::vector<Sizes>{{0, 5}, {2, 0}, {2, 0, 3}, {0, 2, 7}}) {
      const Tensor x(DType::float32, contiguous(sizes)), y(DType::float32, contiguous(sizes));
      effect.call(StreamRef(), x.ref(), y.ref());
      EXPECT_TRUE(y.guards_intact());
    }
  }
}

TEST(EffectsOnTensors, NameRuleAndValuesOfWhatTheyRefuseAndWriteNothing) {
  const Tensor x = random_waveform(DType::float32, contiguous({2, 20})), y(DType::float32, contiguous({2, 20}));
  const auto before = y.bytes();
  const StreamRef stream;
  EXPECT_TRUE(throws_with<Error>([&] { flanger(stream, x.ref(), y.ref(), rate, {.regen = 100}); },
                                 {"portops::flanger: ", "regen=100", "least=-95", "most=95"}));
  EXPECT_TRUE(throws_with<Error>([&] { flanger(stream, x.ref(), y.ref(), rate, {.delay = std::nan("")}); },
                                 {"portops::flanger: ", "delay=nan"}));
  EXPECT_TRUE(throws_with<Error>([&] { phaser(stream, x.ref(), y.ref(), 100, {.delay_ms = 1}); },
                                 {"portops::phaser: ", "half a sample", "delay_ms=1", "sample_rate=100"}));
  EXPECT_TRUE(
      throws_with<Error>([&] { overdrive(stream, x.ref(), y.ref(), 20, -1); }, {"portops::overdrive: ", "colour=-1"}));
  EXPECT_TRUE(throws_with<Error>([&] { flanger_stream(stream, x.ref(), x.ref(), y.ref(), y.ref(), 0, 44100); },
                                 {"portops::flanger_stream: "}));
  EXPECT_EQ(y.bytes(), before);
}

}  // namespace
}  // namespace portops::test
