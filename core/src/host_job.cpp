#include <portops/detail/host_job.hpp>

#include <algorithm>

#include <portops/detail/element_copy.hpp>

namespace portops::detail {
namespace {

using Coordinates = std::array<std::int64_t, max_rank>;

// 64-byte aligned so that a vector never straddles two cache lines.
struct alignas(64) Tile {
  std::array<std::byte, tile_bytes> bytes;
};

std::int64_t tile_length(DType compute) { return tile_bytes / size_of(compute); }

std::int64_t blocks_for(std::int64_t count) { return (count + block_size - 1) / block_size; }

/// Repeats the first element up to the end of the last block, so that the padding computes something harmless.
void pad(void* tile, DType compute, std::int64_t count) {
  const std::int64_t padded = blocks_for(count) * block_size, size = size_of(compute);
  if (padded == count) return;
  find_gather(compute, compute)(static_cast<char*>(tile) + count * size, static_cast<const char*>(tile), 0,
                                padded - count);
}

bool is_aligned(const void* data, DType dtype) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(dtype)) == 0;
}

/// Where operand `at` has the element with these coordinates.
char* address(const Iteration& iteration, std::size_t at, const Coordinates& coordinates) {
  char* data = iteration.data[at];
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(iteration.rank); ++dim) {
    data += coordinates[dim] * iteration.strides[dim][at];
  }
  return data;
}

/// Calls `body(data, stride, first, count)` for each run along the innermost dimension within the next `count`
/// elements from `coordinates` on.
template <class Body>
void for_each_run(const Iteration& iteration, std::size_t at, Coordinates coordinates, std::int64_t count,
                  const Body& body) {
  char* data = address(iteration, at, coordinates);
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t run = std::min(count - first, iteration.sizes[0] - coordinates[0]);
    body(data, iteration.strides[0][at], first, run);
    first += run;
    data += run * iteration.strides[0][at];
    coordinates[0] += run;
    for (std::size_t dim = 0; coordinates[dim] == iteration.sizes[dim]; ++dim) {
      if (dim + 1 == static_cast<std::size_t>(iteration.rank)) break;
      coordinates[dim] = 0;
      ++coordinates[dim + 1];
      data += iteration.strides[dim + 1][at] - iteration.sizes[dim] * iteration.strides[dim][at];
    }
  }
}

Coordinates coordinates_of(const Iteration& iteration, std::int64_t element) {
  Coordinates coordinates;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(iteration.rank); ++dim) {
    coordinates[dim] = element % iteration.sizes[dim];
    element /= iteration.sizes[dim];
  }
  return coordinates;
}

/// The tiles of one thread: where the next elements of each operand are read and written.
class TileRunner {
 public:
  explicit TileRunner(const HostJob& job) : m_job(job) {}

  void run(std::int64_t first, std::int64_t count) {
    m_coordinates = coordinates_of(m_job.iteration, first);
    m_count = count;
    for (int k = 0; k < m_job.inputs; ++k) m_in[static_cast<std::size_t>(k)] = input(m_job.outputs + k);
    for (int k = 0; k < m_job.outputs; ++k) {
      char* direct = in_place(k);
      m_out[static_cast<std::size_t>(k)] = direct != nullptr ? direct : tile(k);
    }
    m_job.run(m_job.functor, m_in.data(), m_out.data(), blocks_for(count));
    for (int k = 0; k < m_job.outputs; ++k) {
      if (m_out[static_cast<std::size_t>(k)] == tile(k)) scatter_output(k);
    }
  }

 private:
  char* tile(int operand) { return reinterpret_cast<char*>(m_tiles[static_cast<std::size_t>(operand)].bytes.data()); }

  /// The operand's own memory where the loop can work on it: whole blocks, contiguous, aligned, of the compute type.
  char* in_place(int operand) const {
    const Iteration& iteration = m_job.iteration;
    const auto at = static_cast<std::size_t>(operand);
    if (iteration.dtypes[at] != m_job.compute || iteration.strides[0][at] != size_of(m_job.compute)) return nullptr;
    if (m_count % block_size != 0 || m_coordinates[0] + m_count > iteration.sizes[0]) return nullptr;
    char* data = address(iteration, at, m_coordinates);
    return is_aligned(data, m_job.compute) ? data : nullptr;
  }

  bool is_constant(std::size_t at) const {
    for (std::size_t dim = 0; dim < static_cast<std::size_t>(m_job.iteration.rank); ++dim) {
      if (m_job.iteration.strides[dim][at] != 0) return false;
    }
    return true;
  }

  const void* input(int operand) {
    const Iteration& iteration = m_job.iteration;
    const auto at = static_cast<std::size_t>(operand);
    const Gather gather = find_gather(m_job.compute, iteration.dtypes[at]);
    char* to = tile(operand);
    if (is_constant(at)) {
      if (!m_filled[at]) gather(to, iteration.data[at], 0, tile_length(m_job.compute));
      m_filled[at] = true;
      return to;
    }
    if (const char* direct = in_place(operand)) return direct;
    for_each_run(iteration, at, m_coordinates, m_count,
                 [&](const char* data, std::int64_t stride, std::int64_t start, std::int64_t length) {
                   gather(to + start * size_of(m_job.compute), data, stride, length);
                 });
    pad(to, m_job.compute, m_count);
    return to;
  }

  void scatter_output(int operand) {
    const auto at = static_cast<std::size_t>(operand);
    const Scatter scatter = find_scatter(m_job.compute, m_job.iteration.dtypes[at]);
    const char* from = tile(operand);
    for_each_run(m_job.iteration, at, m_coordinates, m_count,
                 [&](char* data, std::int64_t stride, std::int64_t start, std::int64_t length) {
                   scatter(data, from + start * size_of(m_job.compute), stride, length);
                 });
  }

  const HostJob& m_job;
  Coordinates m_coordinates;
  std::int64_t m_count = 0;
  std::array<bool, max_operands> m_filled{};
  std::array<const void*, max_operands> m_in;
  std::array<void*, max_operands> m_out;
  std::array<Tile, max_operands> m_tiles;
};

}  // namespace

/// True if everything is contiguous and of the compute type, so that whole blocks need no tiles.
bool HostJob::is_flat() const {
  if (iteration.rank > 1) return false;
  for (std::size_t at = 0; at < static_cast<std::size_t>(iteration.operands); ++at) {
    if (iteration.dtypes[at] != compute || iteration.strides[0][at] != size_of(compute)) return false;
    if (!is_aligned(iteration.data[at], compute)) return false;
  }
  return true;
}

void HostJob::run_flat(std::int64_t begin, std::int64_t blocks) const {
  std::array<const void*, max_operands> in;
  std::array<void*, max_operands> out;
  const std::int64_t offset = begin * size_of(compute);
  for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k) out[k] = iteration.data[k] + offset;
  for (std::size_t k = 0; k < static_cast<std::size_t>(inputs); ++k) {
    in[k] = iteration.data[static_cast<std::size_t>(outputs) + k] + offset;
  }
  run(functor, in.data(), out.data(), blocks);
}

void HostJob::operator()(std::int64_t begin, std::int64_t end) const {
  if (begin < end && is_flat()) {
    const std::int64_t blocks = (end - begin) / block_size;
    if (blocks > 0) run_flat(begin, blocks);
    begin += blocks * block_size;
  }
  if (begin >= end) return;
  TileRunner runner(*this);
  // Rows at least a tile long are not crossed, so that a tile can be worked on where it lies.
  const std::int64_t length = tile_length(compute);
  const std::int64_t row = iteration.sizes[0] >= length ? iteration.sizes[0] : end;
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t count = std::min({length, end - first, row - first % row});
    runner.run(first, count);
    first += count;
  }
}

}  // namespace portops::detail
