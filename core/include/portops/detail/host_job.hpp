#pragma once
#include <cstdint>

#include <portops/detail/iteration.hpp>
#include <portops/detail/tile.hpp>

namespace portops::detail {

/// One elementwise call on the host, without the functor's type: what is gathered, which loop runs, what is scattered.
/// Compiled once for all operators; only the loop over a tile is compiled per functor.
struct HostJob {
  TileFunction run;
  const void* functor;
  DType compute;
  int outputs;
  int inputs;
  /// Operands in the order outputs, inputs.
  Iteration iteration;

  /// Computes the elements [begin, end) of the folded loop nest.
  void operator()(std::int64_t begin, std::int64_t end) const;

 private:
  bool is_flat() const;
  void run_flat(std::int64_t begin, std::int64_t blocks) const;
};

}  // namespace portops::detail
