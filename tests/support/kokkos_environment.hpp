#pragma once
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <portops/execution.hpp>

namespace portops::test {

/// Lets the library initialise Kokkos before the first test, and finalises it after the last, when no View is left.
class KokkosEnvironment final : public testing::Environment {
  void SetUp() override { ensure_initialized(); }
  void TearDown() override { Kokkos::finalize(); }
};

inline const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new KokkosEnvironment);

}  // namespace portops::test
