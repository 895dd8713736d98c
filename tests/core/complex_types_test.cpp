#include <portops/elementwise.hpp>

#include <string>

#include "support/compare.hpp"
#include "support/kokkos_environment.hpp"
#include "support/tensor.hpp"

namespace portops::test {
namespace {

struct Mix {
  static constexpr bool accepts_complex = true;
  double a;
  template <class T>
  KOKKOS_FUNCTION T operator()(T z, T w) const {
    return Real<T>(a) * z * w + z / (w + T(2));
  }
};

struct RealOnly {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x < y ? x : y;
  }
};

constexpr Mix mix{1.5};

template <class Z>
Tensor filled(const Layout& layout, Z value) {
  Tensor tensor(portops::detail::dtype_of<Z>(), layout);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.write(i, value);
  return tensor;
}

TEST(ComplexTypes, PromoteAsInTorch) {
  using detail::compute_type;
  const auto type = [](DType first, int first_rank, DType second, int second_rank, DType out) {
    const std::int64_t size = 3;
    const TensorRef inputs[] = {{nullptr, first, {}, first_rank, &size}, {nullptr, second, {}, second_rank, &size}};
    const TensorRef output{nullptr, out, {}, 1, &size};
    return compute_type({&output, 1}, inputs);
  };
  constexpr DType c64 = DType::complex64, c128 = DType::complex128, f32 = DType::float32, f64 = DType::float64;
  EXPECT_EQ(type(c64, 1, f32, 1, c64), c64);
  EXPECT_EQ(type(c64, 1, f64, 1, c64), c128);
  EXPECT_EQ(type(c64, 1, c128, 1, c64), c128);
  EXPECT_EQ(type(c64, 1, c128, 0, c64), c64);
  EXPECT_EQ(type(f32, 1, c128, 0, c64), c64);
  EXPECT_EQ(type(f64, 1, c64, 0, c64), c128);
  EXPECT_EQ(type(DType::int64, 1, c128, 0, c64), c128);
  EXPECT_EQ(type(DType::int64, 1, c64, 1, c128), c64);
  EXPECT_EQ(type(DType::int64, 1, DType::int32, 1, c128), f64);
  EXPECT_EQ(type(f32, 1, f32, 1, c128), f32);
}

TEST(ComplexTypes, AreComputedInTheWiderAndRoundedOnce) {
  using Narrow = Kokkos::complex<float>;
  using Wide = Kokkos::complex<double>;
  const Narrow z(0.1F, -0.7F);
  const Wide w(0.3, 1e-9);
  const Tensor out = filled(strided({70}), Narrow());
  elementwise("mine::mix", {}, mix, out.ref(), filled(contiguous({70}), z).ref(), filled(contiguous({70}), w).ref());
  EXPECT_EQ(out.read<Narrow>(69), Narrow(mix(Wide(z), w)));
  const Tensor wide = filled(contiguous({70}), Wide());
  elementwise("mine::mix", {}, mix, wide.ref(), filled(contiguous({70}), z).ref(), filled(contiguous({}), w).ref());
  EXPECT_EQ(wide.read<Wide>(69), Wide(mix(z, Narrow(w)))) << "a tensor without dimensions does not widen";
}

TEST(ComplexTypes, RealInputsAreComputedByTheRealLoop) {
  Tensor x(DType::float32, contiguous({70}));
  x.fill([](std::int64_t i) { return 0.1 * static_cast<double>(i); });
  const Tensor y = filled(contiguous({70}), Kokkos::complex<double>(7, 7)), real(DType::float32, contiguous({70}));
  elementwise("mine::mix", {}, mix, y.ref(), x.ref(), x.ref());
  elementwise("mine::mix", {}, mix, real.ref(), x.ref(), x.ref());
  for (std::int64_t i = 0; i < 70; ++i) EXPECT_EQ(y.read<Kokkos::complex<double>>(i), real.get(i)) << i;
}

TEST(ComplexTypes, AreRefusedByNameWhereTheyDoNotFit) {
  const Tensor z = filled(contiguous({3}), Kokkos::complex<float>(1, 2)), out = z, x(DType::float32, contiguous({3}));
  const auto refuses = [](const auto& functor, const Tensor& y, const Tensor& in,
                          std::initializer_list<std::string> t) {
    return throws_with<Error>([&] { elementwise("mine::f", {}, functor, y.ref(), in.ref(), in.ref()); }, t);
  };
  EXPECT_TRUE(refuses(RealOnly(), x, z, {"mine::f: complex tensors are not supported", "dtype=complex64"}));
  EXPECT_TRUE(refuses(RealOnly(), out, x, {"mine::f: the output must be of a floating type", "dtype=complex64"}));
  EXPECT_TRUE(refuses(mix, x, z, {"mine::f: a complex result needs a complex output", "dtype=float32"}));
  EXPECT_TRUE(refuses(mix, Tensor(DType::int64, contiguous({3})), z, {"mine::f: ", "floating", "dtype=int64"}));

  const auto computes_in = [&](DType compute, const Tensor& y, const Tensor& in) {
    const detail::Operands<1, 2> operands{{y.ref(), in.ref(), in.ref()}};
    detail::elementwise_refs("mine::f", {}, mix, operands, compute);
  };
  EXPECT_TRUE(throws_with<Error>([&] { computes_in(DType::float32, out, z); }, {"mine::f: ", "compute=float32"}));
  EXPECT_TRUE(throws_with<Error>([&] { computes_in(DType::complex64, x, x); }, {"mine::f: ", "compute=complex64"}));
  EXPECT_TRUE(throws_with<Error>([&] { computes_in(DType::float16, x, x); }, {"mine::f: ", "compute=float16"}));
  EXPECT_EQ(out.bytes(), z.bytes());
  computes_in(DType::complex128, out, x);
}

}  // namespace
}  // namespace portops::test
