#pragma once
#include <concepts>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <portops/check.hpp>
#include <portops/complex.hpp>
#include <portops/detail/iteration.hpp>
#include <portops/detail/tile.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// The elementwise kernel of the CUDA backend. Compiled by the tests (compile only: no machine of the project has a
/// GPU); one element per thread, any layout and dtype. Faster paths for contiguous memory are to come.
namespace portops::detail {

/// Folded dimensions that fit beside the functor in the arguments of a kernel launch.
inline constexpr int max_device_rank = 6;

template <int Operands>
struct DeviceIteration {
  int rank;
  std::int64_t sizes[max_device_rank];
  std::int64_t strides[max_device_rank][Operands];
  char* data[Operands];
  DType dtypes[Operands];
};

template <int Operands>
DeviceIteration<Operands> to_device(const char* op, const Iteration& iteration) {
  check(iteration.rank <= max_device_rank, op, "the tensors have too many dimensions that cannot be folded", "rank",
        iteration.rank, "most", max_device_rank);
  DeviceIteration<Operands> device;
  device.rank = iteration.rank;
  for (int operand = 0; operand < Operands; ++operand) {
    device.data[operand] = iteration.data[operand];
    device.dtypes[operand] = iteration.dtypes[operand];
    for (int dim = 0; dim < iteration.rank; ++dim) {
      device.sizes[dim] = iteration.sizes[dim];
      device.strides[dim][operand] = iteration.strides[dim][operand];
    }
  }
  return device;
}

template <std::floating_point T>
KOKKOS_FUNCTION T load_element(const char* from, DType dtype) {
  switch (dtype) {
    case DType::float16: return static_cast<T>(__half2float(*reinterpret_cast<const __half*>(from)));
    case DType::bfloat16: return static_cast<T>(__bfloat162float(*reinterpret_cast<const __nv_bfloat16*>(from)));
    case DType::float32: return static_cast<T>(*reinterpret_cast<const float*>(from));
    case DType::float64: return static_cast<T>(*reinterpret_cast<const double*>(from));
    case DType::int8: return static_cast<T>(*reinterpret_cast<const std::int8_t*>(from));
    case DType::int16: return static_cast<T>(*reinterpret_cast<const std::int16_t*>(from));
    case DType::int32: return static_cast<T>(*reinterpret_cast<const std::int32_t*>(from));
    case DType::int64: return static_cast<T>(*reinterpret_cast<const std::int64_t*>(from));
    case DType::uint16: return static_cast<T>(*reinterpret_cast<const std::uint16_t*>(from));
    case DType::uint32: return static_cast<T>(*reinterpret_cast<const std::uint32_t*>(from));
    case DType::uint64: return static_cast<T>(*reinterpret_cast<const std::uint64_t*>(from));
    default: return static_cast<T>(*reinterpret_cast<const std::uint8_t*>(from));
  }
}

template <class T>
  requires is_complex_element<T>
KOKKOS_FUNCTION T load_element(const char* from, DType dtype) {
  switch (dtype) {
    case DType::complex64: return *reinterpret_cast<const Kokkos::complex<float>*>(from);
    case DType::complex128: return *reinterpret_cast<const Kokkos::complex<double>*>(from);
    default: return load_element<Real<T>>(from, dtype);
  }
}

template <class T>
  requires is_complex_element<T>
KOKKOS_FUNCTION void store_element(char* to, DType dtype, T value) {
  if (dtype == DType::complex64) {
    *reinterpret_cast<Kokkos::complex<float>*>(to) = value;
  } else {
    *reinterpret_cast<Kokkos::complex<double>*>(to) = value;
  }
}

template <std::floating_point T>
KOKKOS_FUNCTION void store_element(char* to, DType dtype, T value) {
  switch (dtype) {
    case DType::complex64:
    case DType::complex128: store_element(to, dtype, Kokkos::complex<T>(value)); break;
    case DType::float16: *reinterpret_cast<__half*>(to) = __float2half_rn(static_cast<float>(value)); break;
    case DType::bfloat16: *reinterpret_cast<__nv_bfloat16*>(to) = __float2bfloat16_rn(static_cast<float>(value)); break;
    case DType::float64: *reinterpret_cast<double*>(to) = static_cast<double>(value); break;
    default: *reinterpret_cast<float*>(to) = static_cast<float>(value); break;
  }
}

template <class Functor, class T, int Inputs, int Outputs>
struct DeviceJob {
  Functor functor;
  DeviceIteration<Inputs + Outputs> iteration;

  KOKKOS_FUNCTION void operator()(std::int64_t element) const {
    std::int64_t offsets[Inputs + Outputs] = {};
    for (int dim = 0; dim < iteration.rank; ++dim) {
      const std::int64_t at = element % iteration.sizes[dim];
      element /= iteration.sizes[dim];
      for (int operand = 0; operand < Inputs + Outputs; ++operand) {
        offsets[operand] += at * iteration.strides[dim][operand];
      }
    }
    compute(offsets, std::make_index_sequence<Inputs>());
  }

 private:
  template <std::size_t... I>
  KOKKOS_FUNCTION auto evaluate_element(const T* in, std::index_sequence<I...> all) const {
    if constexpr (has_care<Functor, T>(all)) {
      if (functor.needs_care(in[I]...)) return functor.careful(in[I]...);
    }
    return functor(in[I]...);
  }

  template <std::size_t... I>
  KOKKOS_FUNCTION void compute(const std::int64_t* offsets, std::index_sequence<I...> all) const {
    const T in[] = {
        load_element<T>(iteration.data[Outputs + I] + offsets[Outputs + I], iteration.dtypes[Outputs + I])...};
    const auto result = evaluate_element(in, all);
    for (int k = 0; k < Outputs; ++k) {
      if constexpr (Outputs == 1 && std::is_same_v<std::remove_const_t<decltype(result)>, T>) {
        store_element(iteration.data[k] + offsets[k], iteration.dtypes[k], result);
      } else {
        store_element(iteration.data[k] + offsets[k], iteration.dtypes[k], result[static_cast<std::size_t>(k)]);
      }
    }
  }
};

template <class T, int Inputs, class Functor>
void launch_device_as(const Kokkos::Cuda& exec, const char* label, const Functor& functor, const Iteration& iteration) {
  constexpr int outputs = OutputCount<CallResult<Functor, T, Inputs>>::value;
  const DeviceJob<Functor, T, Inputs, outputs> job{functor, to_device<Inputs + outputs>(label, iteration)};
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, iteration.numel), job);
}

template <int Inputs, class Functor>
void launch_device(const Kokkos::Cuda& exec, const char* label, const Functor& functor, const Iteration& iteration,
                   DType compute) {
  if constexpr (accepts_complex<Functor>) {
    if (compute == DType::complex64) {
      return launch_device_as<Kokkos::complex<float>, Inputs>(exec, label, functor, iteration);
    }
    if (compute == DType::complex128) {
      return launch_device_as<Kokkos::complex<double>, Inputs>(exec, label, functor, iteration);
    }
  }
  if (compute == DType::float64) return launch_device_as<double, Inputs>(exec, label, functor, iteration);
  return launch_device_as<float, Inputs>(exec, label, functor, iteration);
}

}  // namespace portops::detail
#endif
