#pragma once
#include <Kokkos_Core.hpp>
#include <portops/elementwise.hpp>
#include <portops/portops.hpp>

using Samples = Kokkos::View<double*, Kokkos::HostSpace>;

/// A functor of the user's own through the engine.
void halve(const Kokkos::DefaultHostExecutionSpace& exec, Samples samples);
