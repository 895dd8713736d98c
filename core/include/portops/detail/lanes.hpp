#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <portops/detail/element_copy.hpp>
#include <portops/detail/rows.hpp>
#include <portops/dual.hpp>

/// The operands of a row operator, row by row, in the type of the computation.
namespace portops::detail {

/// One operand along one row: element (i, k), time first, then taps. Absent where an optional one was not given.
template <class T>
struct Lane {
  T* data = nullptr;
  std::int64_t size = 0, taps = 1, step = 1, tap_step = 0;
  bool present = false;

  T& operator[](std::int64_t i) const { return data[i * step]; }
  T& operator()(std::int64_t i, std::int64_t k) const { return data[i * step + k * tap_step]; }
  explicit operator bool() const { return present; }
};

/// A value with its derivative along one direction: what a row operator computes with to get its tangents.
template <class T>
using Moving = Dual<T, 1>;

template <class T>
struct ValueOf {
  using type = T;
  static constexpr bool moving = false;
};
template <class T>
struct ValueOf<Moving<T>> {
  using type = T;
  static constexpr bool moving = true;
};

/// Sizes of an operand's row: (time, taps); 1 where the tensor has no such axis.
struct LaneSizes {
  std::int64_t time = 1, taps = 1;
  std::int64_t count() const { return time * taps; }
};

/// Where the rows of one tensor lie. `axes` trailing axes belong to a row, time before taps.
class LaneAddress {
 public:
  LaneAddress() = default;
  LaneAddress(const TensorRef& tensor, int axes, const TensorRef& shape) : m_tensor(tensor), m_shape(shape) {
    m_axes = axes;
    m_sizes = {axis_size(0), axes > 1 ? axis_size(1) : 1};
  }
  const LaneSizes& sizes() const { return m_sizes; }
  DType dtype() const { return m_tensor.dtype; }
  /// False where the elements lie at odd addresses: they are copied then.
  bool aligned() const {
    return reinterpret_cast<std::uintptr_t>(m_tensor.data) % static_cast<std::uintptr_t>(size_of(m_tensor.dtype)) == 0;
  }
  /// Elements from one to the next; 0 along an axis of one element, so that it repeats.
  std::int64_t step(int axis) const {
    const int dim = m_tensor.rank - m_axes + axis;
    return axis >= m_axes || axis_size(axis) == 1 ? 0 : m_tensor.stride(dim);
  }
  char* row(std::int64_t index) const {
    return static_cast<char*>(m_tensor.data) +
           row_offset(m_tensor, m_axes, m_shape, 1, index) * size_of(m_tensor.dtype);
  }

 private:
  std::int64_t axis_size(int axis) const {
    const int dim = m_tensor.rank - m_axes + axis;
    return dim < 0 ? 1 : m_tensor.sizes[dim];
  }
  TensorRef m_tensor, m_shape;
  int m_axes = 1;
  LaneSizes m_sizes;
};

/// Copies a row to `to`, tap by tap.
template <class Copy>
void copy_lane(const LaneAddress& from, std::int64_t index, std::int64_t element_size, char* to, const Copy& copy) {
  if (from.sizes().time == 0) return;  // no memory: a repeated element would be read all the same
  const std::int64_t bytes = size_of(from.dtype());
  for (std::int64_t k = 0; k < from.sizes().taps; ++k) {
    copy(to + k * from.sizes().time * element_size, from.row(index) + k * from.step(1) * bytes, from.step(0) * bytes,
         from.sizes().time);
  }
}

template <class T>
Lane<T> packed_lane(T* data, const LaneSizes& sizes) {
  return {data, sizes.time, sizes.taps, sizes.time == 1 ? 0 : 1, sizes.taps == 1 ? 0 : sizes.time, true};
}

/// An operand that is read: where it lies, or, where its type is not T, as a converted copy.
template <class T>
class InputLane {
  using Value = typename ValueOf<T>::type;
  static constexpr bool moving = ValueOf<T>::moving;

 public:
  InputLane() = default;
  InputLane(const LaneAddress& value, DType compute) : m_value(value), m_compute(compute), m_present(true) {
    m_direct = !moving && value.dtype() == compute && value.aligned();
    if (!m_direct) m_copy.resize(static_cast<std::size_t>(value.sizes().count()));
  }
  /// The same with a tangent; one that is absent is zero.
  void move_along(const LaneAddress& tangent) {
    m_tangent = tangent;
    m_moves = true;
  }

  Lane<const T> load(std::int64_t row) {
    if (!m_present) return {};
    const LaneSizes& sizes = m_value.sizes();
    if (m_direct) {
      return {
          reinterpret_cast<const T*>(m_value.row(row)), sizes.time, sizes.taps, m_value.step(0), m_value.step(1), true};
    }
    if constexpr (moving) {
      read(m_value, row);
      for (std::size_t i = 0; i < m_copy.size(); ++i) m_copy[i] = T(m_buffer[i]);
      if (m_moves) {
        read(m_tangent, row);
        for (std::size_t i = 0; i < m_copy.size(); ++i) m_copy[i].tangent[0] = m_buffer[i];
      }
    } else {
      gather(m_value, row, m_copy.data());
    }
    return packed_lane<const T>(m_copy.data(), sizes);
  }

 private:
  void gather(const LaneAddress& from, std::int64_t row, Value* to) const {
    copy_lane(from, row, sizeof(Value), reinterpret_cast<char*>(to), find_gather(m_compute, from.dtype()));
  }
  void read(const LaneAddress& from, std::int64_t row) {
    m_buffer.resize(m_copy.size());
    gather(from, row, m_buffer.data());
  }

  LaneAddress m_value, m_tangent;
  DType m_compute = DType::float32;
  bool m_present = false, m_direct = false, m_moves = false;
  std::vector<T> m_copy;
  std::vector<Value> m_buffer;
};

/// An operand that is written. A row whose own sizes are 1 where `full` is larger receives the sum, which is the
/// gradient of an operand that was repeated; of a moving value the tangent is written.
template <class T>
class OutputLane {
  using Value = typename ValueOf<T>::type;
  static constexpr bool moving = ValueOf<T>::moving;

 public:
  OutputLane() = default;
  OutputLane(const LaneAddress& to, const LaneSizes& full, DType compute)
      : m_to(to), m_full(full), m_compute(compute), m_present(true) {
    m_sums = to.sizes().time != full.time || to.sizes().taps != full.taps;
    m_direct = !moving && to.dtype() == compute && to.aligned() && !m_sums;
    if (!m_direct) m_copy.resize(static_cast<std::size_t>(full.count()));
  }

  Lane<T> open(std::int64_t row) {
    if (!m_present) return {};
    if (!m_direct) return packed_lane(m_copy.data(), m_full);
    return {reinterpret_cast<T*>(m_to.row(row)), m_full.time, m_full.taps, m_to.step(0), m_to.step(1), true};
  }

  void store(std::int64_t row) {
    if (!m_present || m_direct) return;
    m_buffer.resize(static_cast<std::size_t>(m_to.sizes().count()));
    m_sums ? sum() : take();
    const auto scatter = find_scatter(m_compute, m_to.dtype());
    copy_lane(m_to, row, sizeof(Value), reinterpret_cast<char*>(m_buffer.data()),
              [&](char* from, char* to, std::int64_t stride, std::int64_t count) { scatter(to, from, stride, count); });
  }

 private:
  static Value value(const T& of) {
    if constexpr (moving) {
      return of.tangent[0];
    } else {
      return of;
    }
  }
  void take() {
    for (std::size_t i = 0; i < m_buffer.size(); ++i) m_buffer[i] = value(m_copy[i]);
  }
  /// In the wide type: a float would lose digits over a long row.
  void sum() {
    using Wide = decltype(widen(Value()));
    const LaneSizes own = m_to.sizes();
    std::vector<Wide> sums(m_buffer.size(), Wide(0));
    for (std::int64_t k = 0; k < m_full.taps; ++k) {
      for (std::int64_t i = 0; i < m_full.time; ++i) {
        const std::int64_t at = (own.taps == 1 ? 0 : k * own.time) + (own.time == 1 ? 0 : i);
        sums[static_cast<std::size_t>(at)] += widen(value(m_copy[static_cast<std::size_t>(k * m_full.time + i)]));
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) m_buffer[i] = Value(sums[i]);
  }
  static double widen(double x) { return x; }
  static Kokkos::complex<double> widen(Kokkos::complex<double> x) { return x; }

  LaneAddress m_to;
  LaneSizes m_full;
  DType m_compute = DType::float32;
  bool m_present = false, m_direct = false, m_sums = false;
  std::vector<T> m_copy;
  std::vector<Value> m_buffer;
};

}  // namespace portops::detail
