#pragma once
#include <cstdint>

namespace portops {

/// How the rows of a recurrence are computed. `serial` sweeps each from start to end, in parallel over rows only.
/// `blocks` computes as many samples of a row at once as its smallest delay allows. `jumping` doubles the reach of
/// every sample in each round; for one tap, and swept where the row does not allow it. `automatic` takes what is fast
/// for the shape, the threads and the delays.
enum class Algorithm : std::uint8_t { automatic, serial, blocks, jumping };

}  // namespace portops
