#include <portops/ops/delay_line.hpp>

#include <algorithm>

#include <portops/check.hpp>
#include <portops/detail/overlap.hpp>
#include <portops/detail/rows.hpp>
#include <portops/detail/shapes.hpp>
#include <portops/registry.hpp>

namespace portops {
namespace detail {
namespace {

/// Rows whose total length is at most this stay in the calling thread.
constexpr std::int64_t grain = 8192;

/// Calls `visit` with the C++ type of a delay tensor.
template <class Visit>
auto visit_integer(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::int8: return visit(std::int8_t());
    case DType::int16: return visit(std::int16_t());
    case DType::int32: return visit(std::int32_t());
    case DType::uint8: return visit(std::uint8_t());
    case DType::uint16: return visit(std::uint16_t());
    case DType::uint32: return visit(std::uint32_t());
    case DType::uint64: return visit(std::uint64_t());
    default: return visit(std::int64_t());
  }
}

/// Elements from one sample to the next; 0 where one delay serves all.
std::int64_t time_stride(const TensorRef& tensor, const TensorRef& shape) {
  if (tensor.rank == 0 || (row_length(tensor) == 1 && row_length(shape) != 1)) return 0;
  return tensor.stride(tensor.rank - 1);
}

template <class T, class Delay>
void sweep_rows(const DelayLineJob& job, std::int64_t begin, std::int64_t end) {
  const std::int64_t length = row_length(job.out);
  const std::int64_t strides[] = {time_stride(job.samples, job.out), time_stride(job.delays, job.out),
                                  time_stride(job.out, job.out)};
  for (std::int64_t row = begin; row < end; ++row) {
    const auto* x = static_cast<const T*>(job.samples.data) + row_offset(job.samples, job.out, row);
    const auto* d = static_cast<const Delay*>(job.delays.data) + row_offset(job.delays, job.out, row);
    auto* y = static_cast<T*>(job.out.data) + row_offset(job.out, job.out, row);
    if (strides[0] == 1 && strides[1] == 1 && strides[2] == 1) {
      sweep_delay_line<T>(DenseRow<const T>{x}, DenseRow<const Delay>{d}, DenseRow<T>{y}, length, job.mix);
    } else {
      sweep_delay_line<T>(Row<const T>{x, strides[0]}, Row<const Delay>{d, strides[1]}, Row<T>{y, strides[2]}, length,
                          job.mix);
    }
  }
}

/// True if a delay in rows [begin, end) of the delays tensor itself is negative.
template <class Delay>
bool any_negative(const TensorRef& delays, std::int64_t begin, std::int64_t end) {
  if constexpr (std::is_unsigned_v<Delay>) return false;
  const std::int64_t length = row_length(delays), stride = time_stride(delays, delays);
  Delay signs = 0;
  for (std::int64_t row = begin; row < end; ++row) {
    const auto* d = static_cast<const Delay*>(delays.data) + row_offset(delays, delays, row);
    if (stride == 1) {
      for (std::int64_t i = 0; i < length; ++i) signs = static_cast<Delay>(signs | d[i]);
    } else {
      for (std::int64_t i = 0; i < length; ++i) signs = static_cast<Delay>(signs | d[i * stride]);
    }
  }
  return signs < 0;
}

[[noreturn]] void raise_negative(const char* op, const TensorRef& delays) {
  const std::int64_t length = row_length(delays), stride = time_stride(delays, delays);
  for (std::int64_t row = 0; row < row_count(delays); ++row) {
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = row_offset(delays, delays, row) + i * stride;
      const auto value = visit_integer(delays.dtype, [&](auto zero) {
        return static_cast<std::int64_t>(static_cast<const decltype(zero)*>(delays.data)[at]);
      });
      if (value < 0) raise(op, "delays must not be negative", "flat index", row * length + i, "delay", value);
    }
  }
  raise(op, "delays must not be negative; another thread changes them");
}

void check_shapes(const char* op, const DelayLineJob& job) {
  const auto& [samples, delays, out, mix] = job;
  check(samples.rank >= 1, op, "samples must have a time axis", "rank", samples.rank);
  check(same_shape(out, samples), op, "out must have the shape of samples", "out shape", shape(out), "samples shape",
        shape(samples));
  check(broadcasts_to(delays, samples), op, "delays must broadcast to the shape of samples", "delays shape",
        shape(delays), "samples shape", shape(samples));
}

void check_types(const char* op, const DelayLineJob& job) {
  const auto& [samples, delays, out, mix] = job;
  for (const TensorRef* tensor : {&samples, &delays, &out}) {
    check(tensor->device.type == DeviceType::cpu, op,
          "this build of portops has no kernels for the device; configure with -DPORTOPS_BACKEND=CUDA", "device",
          tensor->device);
    check(tensor->data != nullptr || tensor->numel() == 0, op, "the tensor has no memory", "shape", shape(*tensor));
  }
  check(samples.dtype == DType::float32 || samples.dtype == DType::float64, op, "samples must be float32 or float64",
        "dtype", samples.dtype);
  check(out.dtype == samples.dtype, op, "out must have the dtype of samples", "out dtype", out.dtype, "samples dtype",
        samples.dtype);
  check(is_integer(delays.dtype), op, "delays must be of an integer type of 8 to 64 bits", "dtype", delays.dtype);
}

}  // namespace

std::int64_t DelayLineJob::rows() const { return out.numel() == 0 ? 0 : row_count(out); }

void DelayLineJob::operator()(std::int64_t begin, std::int64_t end) const {
  visit_integer(delays.dtype, [&](auto delay) {
    using Delay = decltype(delay);
    out.dtype == DType::float64 ? sweep_rows<double, Delay>(*this, begin, end)
                                : sweep_rows<float, Delay>(*this, begin, end);
  });
}

void check_delay_line(const char* op, const DelayLineJob& job) {
  check_types(op, job);
  check_shapes(op, job);
  check(!overlaps_itself(job.out), op,
        "elements of out overlap in memory; clone it before writing (expanded tensors cannot be written)", "shape",
        shape(job.out));
  check(same_memory(job.out, job.samples) || !overlap(job.out, job.samples), op, "out partly overlaps samples", "shape",
        shape(job.out));
  check(!overlap(job.out, job.delays), op, "out overlaps delays", "shape", shape(job.out));
}

void check_delays(const char* op, const TensorRef& delays) {
  const std::int64_t rows = delays.numel() == 0 ? 0 : row_count(delays);
  const bool negative =
      visit_integer(delays.dtype, [&](auto delay) { return any_negative<decltype(delay)>(delays, 0, rows); });
  if (negative) raise_negative(op, delays);
}

}  // namespace detail

void delay_line(const StreamRef& stream, const TensorRef& samples, const TensorRef& delays, const TensorRef& out,
                double mix) {
  const detail::DelayLineJob job{samples, delays, out, mix};
  detail::check_delay_line("portops::delay_line", job);
  detail::check_delays("portops::delay_line", delays);
  const std::int64_t rows = job.rows(), length = rows == 0 ? 1 : detail::row_length(out);
  detail::run_on_host(stream, "portops::delay_line", rows, 1, std::max<std::int64_t>(1, detail::grain / length), job);
}

namespace {

void call_delay_line(const Call& call) {
  delay_line(call.stream, call.inputs[0], call.inputs[1], call.outputs[0], std::get<double>(call.parameters[0]));
}

void check_delay_line_call(const Call& call) {
  detail::check_delay_line(call.op, {call.inputs[0], call.inputs[1], call.outputs[0], 0.0});
}

[[maybe_unused]] const bool registered =
    (register_operator("portops::delay_line(Tensor samples, Tensor delays, float mix=0.5) -> Tensor",
                       ResultRule::like_first, &call_delay_line, &check_delay_line_call),
     true);

}  // namespace
}  // namespace portops
