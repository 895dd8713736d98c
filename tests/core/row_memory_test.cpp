#include <atomic>
#include <cstdlib>
#include <new>

#include <portops/ops/delay_line.hpp>

namespace {

/// Bytes that operator new handed out, to anybody in the process.
std::atomic<std::size_t> bytes_of_new = 0;

}  // namespace

// Not inlined: the compiler would see malloc and free where it expects new and delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  bytes_of_new += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// A sanitizer brings its own of this one, whose memory the delete below could not free.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  bytes_of_new += size;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#include "support/kokkos_environment.hpp"
#include "support/recurrence_case.hpp"

namespace portops::test {
namespace {

constexpr std::int64_t length = 4000;

/// What one call of `recurrence` takes from the heap; one call before lets Kokkos make what it keeps.
std::size_t bytes_of_call(double largest_delay, Algorithm algorithm, DType delay_type, DType dtype) {
  RecurrenceShape shape{{2}, length, 1, 10, dtype, dtype, delay_type};
  shape.gain = 0.5;
  shape.largest_delay = largest_delay;
  const RecurrenceCase one(shape);
  const Tensor out(dtype, contiguous({2, length})), next(dtype, contiguous({2, 10}));
  const auto call = [&] {
    recurrence(StreamRef(), one.input.ref(), one.coefficients.ref(), one.delays.ref(), one.history.ref(), out.ref(),
               next.ref(), algorithm);
  };
  call();
  const std::size_t before = bytes_of_new;
  call();
  return bytes_of_new - before;
}

TEST(RowMemory, DoesNotGrowWithTheLargestDelay) {
  for (const Algorithm algorithm : {Algorithm::serial, Algorithm::blocks, Algorithm::jumping}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      const std::size_t near = bytes_of_call(10, algorithm, DType::int32, dtype);
      EXPECT_EQ(bytes_of_call(1e9, algorithm, DType::int32, dtype), near);
      EXPECT_LE(near, 200U * length);
    }
  }
}

// A descriptor or two; a copy of a row of either would be 16000 bytes and more.
TEST(RowMemory, OfTheSweepIsNoRow) {
  EXPECT_LT(bytes_of_call(10, Algorithm::serial, DType::int64, DType::float32), 2000U);
  EXPECT_LT(bytes_of_call(1e12, Algorithm::blocks, DType::int64, DType::float64), 2000U);
}

TEST(RowMemory, OfADelayLineIsNoRowForAnyTypeOfDelays) {
  for (const DType type : integer_types) {
    const Tensor samples = uniform(DType::float32, contiguous({length}), -1, 1);
    const Tensor delays = integers(type, contiguous({length}), 0, 100), out(DType::float32, contiguous({length}));
    delay_line(StreamRef(), samples.ref(), delays.ref(), out.ref());
    const std::size_t before = bytes_of_new;
    delay_line(StreamRef(), samples.ref(), delays.ref(), out.ref());
    EXPECT_LT(bytes_of_new - before, 2000U) << name(type);
  }
}

}  // namespace
}  // namespace portops::test
