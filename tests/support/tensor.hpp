#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <portops/tensor_ref.hpp>

#include "support/layout.hpp"
#include "support/rounding.hpp"

namespace portops::test {

/// Memory of any dtype and layout, with guard bytes around and between the elements. Elements are named by their
/// row-major index.
class Tensor {
 public:
  /// `shift` bytes are left free in front: 1 makes a base that is not even aligned for its element.
  Tensor(DType dtype, Layout layout, std::int64_t shift = 0) : m_dtype(dtype), m_layout(std::move(layout)) {
    find_offsets();
    std::int64_t low = 0, high = 0;
    for (const std::int64_t offset : m_offsets) {
      low = std::min(low, offset);
      high = std::max(high, offset);
    }
    m_base = guard - low + shift;
    m_bytes.assign(static_cast<std::size_t>(m_base + high + size_of(dtype) + guard), guard_value);
    m_used.assign(m_bytes.size(), false);
    for (const std::int64_t offset : m_offsets) {
      for (std::int64_t byte = 0; byte < size_of(dtype); ++byte) {
        m_used[static_cast<std::size_t>(m_base + offset + byte)] = true;
      }
    }
  }

  TensorRef ref() const {
    return {const_cast<std::byte*>(m_bytes.data()) + m_base,
            m_dtype,
            {},
            static_cast<int>(m_layout.sizes.size()),
            m_layout.sizes.data(),
            m_layout.strides.data()};
  }
  std::int64_t numel() const { return static_cast<std::int64_t>(m_offsets.size()); }
  const Layout& layout() const { return m_layout; }

  template <class T>
  T read(std::int64_t i) const {
    T value;
    std::memcpy(&value, element(i), sizeof(T));
    return value;
  }
  template <class T>
  void write(std::int64_t i, T value) {
    std::memcpy(const_cast<std::byte*>(element(i)), &value, sizeof(T));
  }

  /// The element as a double, whatever its type.
  double get(std::int64_t i) const {
    return visit([&](auto zero) { return static_cast<double>(read<decltype(zero)>(i)); },
                 [&] { return decode16(m_dtype, read<std::uint16_t>(i)); });
  }
  void set(std::int64_t i, double value) {
    visit(
        [&](auto zero) {
          write(i, static_cast<decltype(zero)>(value));
          return 0.0;
        },
        [&] {
          write(i, encode16(m_dtype, value));
          return 0.0;
        });
  }
  template <class Make>
  void fill(const Make& make) {
    for (std::int64_t i = 0; i < numel(); ++i) set(i, make(i));
  }

  bool same_bits(std::int64_t i, const Tensor& other, std::int64_t at) const {
    return m_dtype == other.m_dtype &&
           std::memcmp(element(i), other.element(at), static_cast<std::size_t>(size_of(m_dtype))) == 0;
  }
  /// True if nothing was written between and around the elements.
  bool guards_intact() const {
    for (std::size_t at = 0; at < m_bytes.size(); ++at) {
      if (!m_used[at] && m_bytes[at] != guard_value) return false;
    }
    return true;
  }
  const std::vector<std::byte>& bytes() const { return m_bytes; }

 private:
  static constexpr std::int64_t guard = 64;
  static constexpr std::byte guard_value{0xA5};

  void find_offsets() {
    std::int64_t count = 1;
    for (const std::int64_t size : m_layout.sizes) count *= size;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t rest = i, offset = 0;
      for (std::size_t dim = m_layout.sizes.size(); dim-- > 0;) {
        offset += rest % m_layout.sizes[dim] * m_layout.strides[dim];
        rest /= m_layout.sizes[dim];
      }
      m_offsets.push_back(offset * size_of(m_dtype));
    }
  }
  const std::byte* element(std::int64_t i) const {
    return m_bytes.data() + m_base + m_offsets[static_cast<std::size_t>(i)];
  }

  template <class Plain, class Half>
  double visit(const Plain& plain, const Half& half) const {
    switch (m_dtype) {
      case DType::float32: return plain(float());
      case DType::float64: return plain(double());
      case DType::boolean:
      case DType::uint8: return plain(std::uint8_t());
      case DType::int8: return plain(std::int8_t());
      case DType::int16: return plain(std::int16_t());
      case DType::int32: return plain(std::int32_t());
      case DType::int64: return plain(std::int64_t());
      case DType::uint16: return plain(std::uint16_t());
      case DType::uint32: return plain(std::uint32_t());
      case DType::uint64: return plain(std::uint64_t());
      default: return half();
    }
  }

  DType m_dtype;
  Layout m_layout;
  std::int64_t m_base = 0;
  std::vector<std::int64_t> m_offsets;
  std::vector<std::byte> m_bytes;
  std::vector<bool> m_used;
};

}  // namespace portops::test
