#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portops {

/// Element types, named as torch, NumPy and DLPack name them.
enum class DType : std::uint8_t {
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64
};

constexpr std::string_view name(DType dtype) {
  constexpr std::string_view names[] = {"float16",    "bfloat16", "float32", "float64", "complex64",
                                        "complex128", "bool",     "int8",    "int16",   "int32",
                                        "int64",      "uint8",    "uint16",  "uint32",  "uint64"};
  return names[static_cast<int>(dtype)];
}

/// Bytes of one element.
constexpr std::int64_t size_of(DType dtype) {
  constexpr std::int8_t sizes[] = {2, 2, 4, 8, 8, 16, 1, 1, 2, 4, 8, 1, 2, 4, 8};
  return sizes[static_cast<int>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype <= DType::float64; }
constexpr bool is_complex(DType dtype) { return dtype == DType::complex64 || dtype == DType::complex128; }
/// True for signed and unsigned integers of 8 to 64 bits; false for bool.
constexpr bool is_integer(DType dtype) { return dtype > DType::boolean; }

enum class DeviceType : std::uint8_t { cpu, cuda };

struct Device {
  DeviceType type = DeviceType::cpu;
  int index = 0;
  friend constexpr bool operator==(const Device& left, const Device& right) {
    return left.type == right.type && (left.type == DeviceType::cpu || left.index == right.index);
  }
};

constexpr std::string_view name(Device device) { return device.type == DeviceType::cpu ? "cpu" : "cuda"; }

/// Most dimensions that a tensor may have; the limit of torch.
inline constexpr int max_rank = 64;

/// A tensor in memory that somebody else owns: a torch tensor, a DLPack buffer, a raw pointer.
/// `sizes` and `strides` have `rank` entries and must outlive the call that takes the reference; strides count
/// elements, and `strides == nullptr` means contiguous in row-major order, as in DLPack.
struct TensorRef {
  void* data = nullptr;
  DType dtype = DType::float32;
  Device device = {};
  int rank = 0;
  const std::int64_t* sizes = nullptr;
  const std::int64_t* strides = nullptr;

  constexpr std::int64_t numel() const {
    std::int64_t count = 1;
    for (int dim = 0; dim < rank; ++dim) count *= sizes[dim];
    return count;
  }

  /// The stride of `dim`, also where `strides` is nullptr.
  constexpr std::int64_t stride(int dim) const {
    if (strides != nullptr) return strides[dim];
    std::int64_t product = 1;
    for (int inner = rank - 1; inner > dim; --inner) product *= sizes[inner];
    return product;
  }
};

}  // namespace portops
