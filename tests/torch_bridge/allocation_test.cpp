#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

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
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace portops::test {
namespace {

/// Torch's allocator, with a list of what it was asked for.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() : m_inner(c10::GetCPUAllocator()) { c10::SetCPUAllocator(this, 100); }
  c10::DataPtr allocate(std::size_t size) override {
    m_sizes.push_back(size);
    return m_inner->allocate(size);
  }
  c10::DeleterFnPtr raw_deleter() const override { return m_inner->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t count) const override { m_inner->copy_data(to, from, count); }
  std::vector<std::size_t> take() { return std::exchange(m_sizes, {}); }

 private:
  c10::Allocator* m_inner;
  std::vector<std::size_t> m_sizes;
};

CountingAllocator& allocator() {
  // Never destroyed: tensors may outlive the tests.
  static auto* instance = new CountingAllocator;
  return *instance;
}

constexpr std::int64_t size = 1 << 20;
/// What the dispatcher and an operator may need for descriptors and small vectors, far below a copy of a tensor.
constexpr std::size_t small = 8192;

template <class Call>
std::vector<std::size_t> allocations_of(const Call& call) {
  call();  // what is made once, at the first call, is not an operator's
  allocator().take();
  const std::size_t before = bytes_of_new;
  call();
  EXPECT_LT(bytes_of_new - before, small);
  return allocator().take();
}

template <class Signature>
auto find(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

using Sizes = std::vector<std::size_t>;

class Allocation : public testing::TestWithParam<bool> {
 protected:
  /// Contiguous, or every second column of a transposed tensor.
  static at::Tensor make(at::ScalarType type) {
    const at::Tensor whole = at::full({1024, 2048}, 1, type);
    return GetParam() ? whole.t().slice(0, 0, 2048, 2) : whole.slice(0, 0, 512).contiguous().reshape({1024, 1024});
  }
};

TEST_P(Allocation, OfAResultAndNothingElse) {
  allocator();
  const at::Tensor x = make(at::kFloat), delays = make(at::kInt), half = make(at::kHalf);
  const auto softplus = find<at::Tensor(const at::Tensor&, double, double)>("portops::softplus");
  const auto trig_mix = find<at::Tensor(const at::Tensor&, const at::Tensor&)>("portops::trig_mix");
  const auto exp_sin = find<at::Tensor(const at::Tensor&, const at::Scalar&)>("portops::exp_sin");
  const auto delay_line = find<at::Tensor(const at::Tensor&, const at::Tensor&, double)>("portops::delay_line");
  EXPECT_EQ(allocations_of([&] { softplus.call(x, 1, 20); }), Sizes({4 * size}));
  EXPECT_EQ(allocations_of([&] { softplus.call(half, 1, 20); }), Sizes({2 * size}));
  EXPECT_EQ(allocations_of([&] { softplus.call(delays, 1, 20); }), Sizes({4 * size}));
  EXPECT_EQ(allocations_of([&] { trig_mix.call(x, x); }), Sizes({4 * size}));
  EXPECT_EQ(allocations_of([&] { exp_sin.call(x, 2.0); }), Sizes({4 * size}));
  EXPECT_EQ(allocations_of([&] { delay_line.call(x, delays, 0.5); }), Sizes({4 * size}));
}

TEST_P(Allocation, OfNothingWhereTheCallerGivesTheMemory) {
  allocator();
  at::Tensor x = make(at::kFloat), out = make(at::kFloat).clone(), delays = make(at::kInt);
  const auto softplus_out = find<void(const at::Tensor&, double, double, at::Tensor&)>("portops::softplus", "out");
  const auto softplus_ = find<void(at::Tensor&, double, double)>("portops::softplus_");
  const auto delay_line_ = find<void(at::Tensor&, const at::Tensor&, double)>("portops::delay_line_");
  EXPECT_EQ(allocations_of([&] { softplus_out.call(x, 1, 20, out); }), Sizes());
  EXPECT_EQ(allocations_of([&] { softplus_.call(x, 1, 20); }), Sizes());
  EXPECT_EQ(allocations_of([&] { delay_line_.call(x, delays, 0.5); }), Sizes());
}

INSTANTIATE_TEST_SUITE_P(Layouts, Allocation, testing::Bool(),
                         [](const auto& values) { return values.param ? "strided" : "contiguous"; });

}  // namespace
}  // namespace portops::test
