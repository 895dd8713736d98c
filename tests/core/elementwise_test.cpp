#include <portops/elementwise.hpp>

#include <atomic>
#include <cstdlib>

#ifdef PORTOPS_BACKEND_OPENMP
#include <omp.h>
#endif

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/kokkos_recorder.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

struct Swish {
  double beta;
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x / (T(1) + std::exp(static_cast<T>(-beta) * x));
  }
};

struct Blend {
  double weight;
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return static_cast<T>(weight) * a + b * c;
  }
};

struct SumAndDifference {
  template <class T>
  KOKKOS_FUNCTION Kokkos::Array<T, 2> operator()(T a, T b) const {
    return {a + b, a - b};
  }
};

Tensor counting(DType dtype, const Layout& layout, double first = 0) {
  Tensor tensor(dtype, layout);
  tensor.fill([&](std::int64_t i) { return first + static_cast<double>(i % 50); });
  return tensor;
}

TEST(Elementwise, AppliesAFunctorOfTheCallersToViews) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", 70, 30), y("y", 70, 30);
  for (std::size_t i = 0; i < x.size(); ++i) x(i % 70, i / 70) = 0.01 * static_cast<double>(i) - 5;
  elementwise(HostSpace(), Swish{1.5}, y, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double v = x(i % 70, i / 70);
    const long double expected = v / (1 + std::exp(-1.5L * v));
    // The functor's own arithmetic comes on top of the 4 ulp of exp.
    ASSERT_TRUE(near<double>(y(i % 70, i / 70), expected, "x=" + exact(v), expected, 2 * allowed_ulp)) << i;
  }
}

TEST(Elementwise, TakesSeveralInputsOfDifferentTypesAndShapes) {
  const Kokkos::View<float*, Kokkos::HostSpace> a("a", 6);
  const Kokkos::View<std::int32_t, Kokkos::HostSpace> b("b");
  const Kokkos::View<double**, Kokkos::HostSpace> c("c", 4, 1), y("y", 4, 6);
  b() = 3;
  for (int i = 0; i < 6; ++i) a(i) = static_cast<float>(i);
  for (int i = 0; i < 4; ++i) c(i, 0) = 0.1 * i;
  elementwise("mine::blend", HostSpace(), Blend{10}, y, a, b, c);
  for (int i = 0; i < 24; ++i) EXPECT_DOUBLE_EQ(y(i / 6, i % 6), 10.0 * (i % 6) + 3 * (0.1 * (i / 6)));
}

TEST(Elementwise, ServesTensorRefsAndSeveralResults) {
  const Tensor a = counting(DType::float16, transposed({9, 70})), b = counting(DType::uint8, contiguous({70}), 1);
  const Tensor sum(DType::float32, padded({9, 70})), difference(DType::bfloat16, reversed({9, 70}));
  const detail::Operands<2, 2> operands{{sum.ref(), difference.ref(), a.ref(), b.ref()}};
  detail::elementwise_refs("mine::sum_and_difference", {}, SumAndDifference(), operands, DType::float32);
  for (std::int64_t i = 0; i < sum.numel(); ++i) {
    ASSERT_EQ(sum.get(i), a.get(i) + b.get(i % 70)) << i;
    ASSERT_EQ(difference.get(i), a.get(i) - b.get(i % 70)) << i;
  }
  EXPECT_TRUE(sum.guards_intact() && difference.guards_intact());
}

TEST(Elementwise, LabelsItsKernelAsTheCallerSays) {
  const Kokkos::View<float*, Kokkos::HostSpace> x("x", 10), y("y", 10);
  const KokkosRecorder recorder;
  elementwise("mine::swish", HostSpace(), Swish{1}, y, x);
  elementwise(HostSpace(), Swish{1}, y, x);
  ASSERT_EQ(recorder.kernels().size(), 2U);
  EXPECT_EQ(recorder.kernels()[0].label, "mine::swish");
  EXPECT_EQ(recorder.kernels()[1].label, "portops::elementwise");
}

#ifdef PORTOPS_BACKEND_OPENMP
struct CountThreads {
  std::atomic<int>* threads;
  template <class T>
  T operator()(T x) const {
    threads->store(omp_get_num_threads());
    return x;
  }
};

// Kokkos gives all OpenMP instances one id, but each has threads of its own.
TEST(Elementwise, RunsOnGivenInstance) {
  const Kokkos::View<float*, Kokkos::HostSpace> x("x", 1000), y("y", 1000);
  std::atomic<int> threads = 0;
  for (const int size : {1, 3, 5}) {
    elementwise(Kokkos::OpenMP(size), CountThreads{&threads}, y, x);
    EXPECT_EQ(threads, size);
  }
}
#endif

TEST(Elementwise, ReachesOffsetsBeyond32Bits) {
  // A hole of 16 GiB between two elements; the pages between them are reserved, never touched.
  const std::int64_t gap = std::int64_t(1) << 32, size = 2;
  std::vector<float> few = {1, 2, 3, 4};
  const Sizes near_stride = {1};
  const TensorRef x{few.data(), DType::float32, {}, 1, &size, near_stride.data()};
  auto* far = static_cast<float*>(std::malloc(static_cast<std::size_t>(gap + 1) * sizeof(float)));
  if (far == nullptr) GTEST_SKIP() << "this machine does not reserve 16 GiB";
  const TensorRef y{far, DType::float32, {}, 1, &size, &gap};
  elementwise("mine::swish", StreamRef(), Swish{0}, y, x);
  EXPECT_EQ(far[0], 0.5F);
  EXPECT_EQ(far[gap], 1.0F);
  std::free(far);
}

void expect_refused(const TensorRef& output, const TensorRef& input, std::initializer_list<std::string> parts) {
  EXPECT_TRUE(throws_with<Error>([&] { elementwise("mine::swish", StreamRef(), Swish{1}, output, input); }, parts));
}

TEST(Elementwise, NamesRuleAndValuesOfWhatItRefuses) {
  const Tensor x = counting(DType::float32, contiguous({2, 3})), y(DType::float32, contiguous({2, 3}));
  const auto before = y.bytes();
  expect_refused(y.ref(), counting(DType::float32, contiguous({3, 2})).ref(),
                 {"mine::swish: ", "broadcast", "(3, 2)", "(2, 3)"});
  expect_refused(y.ref(), counting(DType::float32, contiguous({1, 2, 3})).ref(), {"broadcast", "(1, 2, 3)"});
  TensorRef bad = x.ref();
  bad.dtype = DType::complex64;
  bad.sizes = contiguous({}).sizes.data();
  bad.rank = 0;
  expect_refused(y.ref(), bad, {"mine::swish: ", "complex", "complex64"});
  bad.dtype = DType::float32;
  bad.data = nullptr;
  expect_refused(y.ref(), bad, {"mine::swish: ", "no memory"});
  bad = x.ref();
  bad.device = {DeviceType::cuda, 0};
  expect_refused(y.ref(), bad, {"mine::swish: ", "PORTOPS_BACKEND=CUDA", "device=cuda"});
  bad = x.ref();
  bad.rank = 65;
  expect_refused(y.ref(), bad, {"mine::swish: ", "64 dimensions", "rank=65"});
  EXPECT_EQ(y.bytes(), before);
  for (const DType dtype : {DType::int32, DType::boolean, DType::complex64}) {
    TensorRef output = y.ref();
    output.dtype = dtype;
    expect_refused(output, counting(DType::float32, contiguous({})).ref(), {"floating", std::string(name(dtype))});
  }
}

TEST(Elementwise, RefusesOverlappingMemoryAndWritesNothing) {
  std::vector<float> memory(64, 1.0F);
  const Sizes size = {8}, zero = {0}, back = {-1}, two = {2}, square = {4, 4}, overlapping = {2, 1};
  const auto ref = [&](int offset, const Sizes& sizes, const std::int64_t* strides) {
    return TensorRef{memory.data() + offset, DType::float32, {}, static_cast<int>(sizes.size()), sizes.data(), strides};
  };
  expect_refused(ref(0, size, zero.data()), ref(20, size, nullptr), {"mine::swish: ", "overlap", "expanded", "(8)"});
  expect_refused(ref(0, square, overlapping.data()), ref(40, square, nullptr), {"overlap"});
  expect_refused(ref(1, size, nullptr), ref(0, size, nullptr), {"partly overlaps an input"});
  expect_refused(ref(7, size, back.data()), ref(0, size, nullptr), {"partly overlaps an input"});
  expect_refused(ref(0, size, nullptr), ref(0, size, two.data()), {"partly overlaps an input"});
  expect_refused(ref(0, size, nullptr), ref(3, {}, nullptr), {"partly overlaps an input"});
  EXPECT_EQ(memory, std::vector<float>(64, 1.0F));
  elementwise("mine::swish", StreamRef(), Swish{1}, ref(0, size, two.data()), ref(1, size, two.data()));
}

// After an error the next good call works.
TEST(Elementwise, WorksAfterAnError) {
  const Kokkos::View<float*, Kokkos::HostSpace> x("x", 10), y("y", 10), z("z", 11);
  EXPECT_THROW(elementwise(HostSpace(), Swish{1}, z, x), Error);
  EXPECT_NO_THROW(elementwise(HostSpace(), Swish{1}, y, x));
}

}  // namespace
}  // namespace portops::test
