#include "support/kokkos_recorder.hpp"

#include "support/kokkos_environment.hpp"

namespace portops::test {
namespace {

using Policy = Kokkos::RangePolicy<HostSpace>;
const auto nothing = [](int) {};

// Kokkos gives all instances of a host space one id; on a device every instance has its own.
TEST(KokkosRecorder, SeesLabelAndInstance) {
  const HostSpace exec = Kokkos::Experimental::partition_space(HostSpace(), 1, 1)[1];
  const KokkosRecorder recorder;
  Kokkos::parallel_for("portops::test", Policy(exec, 0, 3), nothing);
  ASSERT_EQ(recorder.kernels().size(), 1U);
  EXPECT_EQ(recorder.kernels()[0].label, "portops::test");
  EXPECT_EQ(recorder.kernels()[0].device, Kokkos::Tools::Experimental::device_id(exec));
}

TEST(KokkosRecorder, SeesAKernelWithoutALabel) {
  const KokkosRecorder recorder;
  Kokkos::parallel_for("portops::op", Policy(0, 3), nothing);
  Kokkos::parallel_for("portops::op::step", Policy(0, 3), nothing);
  EXPECT_EQ(recorder.kernels_outside("portops::op").size(), 0U);
  Kokkos::parallel_for(Policy(0, 3), nothing);
  Kokkos::parallel_for("portops::opposite", Policy(0, 3), nothing);
  int sum = 0;
  Kokkos::parallel_reduce(Policy(0, 3), [](int i, int& partial) { partial += i; }, sum);
  EXPECT_EQ(recorder.kernels_outside("portops::op").size(), 3U);
}

TEST(KokkosRecorder, SeesAFenceOfTheProgramOnly) {
  const KokkosRecorder recorder;
  Kokkos::parallel_for("portops::test", Policy(0, 3), nothing);
  EXPECT_EQ(recorder.fences(), std::vector<std::string>());
  HostSpace().fence("a fence inside an operator");
  Kokkos::fence("another");
  EXPECT_EQ(recorder.fences(), (std::vector<std::string>{"a fence inside an operator", "another"}));
}

TEST(KokkosRecorder, SeesAllocationsAndCopies) {
  const KokkosRecorder recorder;
  const Kokkos::View<float*, Kokkos::HostSpace> scratch("scratch", 8);
  const Kokkos::View<float*, Kokkos::HostSpace> other("other", 8);
  EXPECT_EQ(recorder.allocations(), (std::vector<std::string>{"scratch", "other"}));
  Kokkos::deep_copy(other, scratch);
  EXPECT_EQ(recorder.copies().size(), 1U);
}

TEST(KokkosRecorder, SeesNothingAfterItsEnd) {
  {
    const KokkosRecorder recorder;
  }
  Kokkos::parallel_for("portops::test", Policy(0, 3), nothing);
  Kokkos::fence("nobody listens");
  const KokkosRecorder recorder;
  EXPECT_TRUE(recorder.kernels().empty());
}

}  // namespace
}  // namespace portops::test
