#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <portops/check.hpp>
#include <portops/tensor_ref.hpp>

namespace portops {
namespace detail {

template <class T>
consteval DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  if constexpr (std::is_same_v<T, double>) return DType::float64;
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return DType::complex64;
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) return DType::complex128;
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr DType with_sign[] = {DType::int8, DType::int16, DType::int32, DType::int64};
    constexpr DType without_sign[] = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? with_sign[log2_size] : without_sign[log2_size];
  }
}

/// The element types that a View may have.
template <class T>
concept Element =
    std::is_arithmetic_v<T> || std::is_same_v<T, Kokkos::complex<float>> || std::is_same_v<T, Kokkos::complex<double>>;

template <class Space>
inline constexpr DeviceType device_of =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ? DeviceType::cpu
                                                                                            : DeviceType::cuda;

/// T with one `*` per dimension, as Kokkos spells the type of a View.
template <class T, int Rank>
struct DataType {
  using type = typename DataType<T*, Rank - 1>::type;
};
template <class T>
struct DataType<T, 0> {
  using type = T;
};

}  // namespace detail

/// A View that operators take: of any layout and rank, of a type that has a DType.
template <class V>
concept ElementView = Kokkos::is_view_v<V> && detail::Element<typename V::non_const_value_type>;

/// A View that an operator may write.
template <class V>
concept OutputView = ElementView<V> && !std::is_const_v<typename V::value_type>;

/// The view's memory as a TensorRef, for code below that does not know its type. Keep this object while it is used.
template <ElementView View>
class ViewRef {
 public:
  explicit ViewRef(const View& view) {
    for (std::size_t dim = 0; dim < View::rank(); ++dim) {
      m_sizes[dim] = static_cast<std::int64_t>(view.extent(dim));
      m_strides[dim] = static_cast<std::int64_t>(view.stride(dim));
    }
    m_ref = {const_cast<void*>(static_cast<const void*>(view.data())),
             detail::dtype_of<typename View::non_const_value_type>(),
             {detail::device_of<View>, 0},
             static_cast<int>(View::rank()),
             m_sizes.data(),
             m_strides.data()};
  }
  ViewRef(const ViewRef&) = delete;
  ViewRef& operator=(const ViewRef&) = delete;
  operator const TensorRef&() const { return m_ref; }  // NOLINT(google-explicit-constructor)

 private:
  std::array<std::int64_t, View::rank() + 1> m_sizes, m_strides;
  TensorRef m_ref;
};

/// An unmanaged View of rank `Rank` over the tensor's memory; nothing is copied.
///
/// dtypes: T must be the tensor's type exactly. Errors: another dtype, rank, or memory that `Space` cannot access.
///
///     auto x = as_view<const float, 2>(tensor);
template <class T, int Rank, class Space = Kokkos::HostSpace>
auto as_view(const TensorRef& tensor) {
  using View = Kokkos::View<typename detail::DataType<T, Rank>::type, Kokkos::LayoutStride, Space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr DType dtype = detail::dtype_of<std::remove_const_t<T>>();
  check(tensor.dtype == dtype, "portops::as_view", "the dtype must be that of the view", "dtype", tensor.dtype,
        "view dtype", dtype);
  check(tensor.rank == Rank, "portops::as_view", "the rank must be that of the view", "rank", tensor.rank, "view rank",
        Rank);
  check(tensor.device.type == detail::device_of<View>, "portops::as_view", "the view's space cannot access the device",
        "device", tensor.device);
  Kokkos::LayoutStride layout;
  for (int dim = 0; dim < Rank; ++dim) {
    layout.dimension[dim] = static_cast<std::size_t>(tensor.sizes[dim]);
    layout.stride[dim] = static_cast<std::size_t>(tensor.stride(dim));
  }
  return View(static_cast<T*>(tensor.data), layout);
}

}  // namespace portops
