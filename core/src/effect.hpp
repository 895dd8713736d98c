#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <portops/check.hpp>
#include <portops/detail/row_job.hpp>

#include "wave_table.hpp"

/// What the effects have in common: parameters with documented ranges, results clamped to [-1, 1], a short memory.
namespace portops::detail {

/// Up to here every length that is computed from a sample rate is exact in float32, in which torchaudio computes some.
inline constexpr std::int64_t largest_sample_rate = std::int64_t(1) << 24;

/// The parameters of a call, read in the order of the schema.
class EffectParameters {
 public:
  explicit EffectParameters(const Call& call) : m_call(call) {}

  double real(const char* name, double least, double most) {
    const double value = std::get<double>(next());
    check(value >= least && value <= most, m_call.op, std::string(name) + " is outside of its range", name, value,
          "least", least, "most", most);
    return value;
  }
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most) {
    const std::int64_t value = std::get<std::int64_t>(next());
    check(value >= least && value <= most, m_call.op, std::string(name) + " is outside of its range", name, value,
          "least", least, "most", most);
    return value;
  }
  std::int64_t sample_rate() { return integer("sample_rate", 1, largest_sample_rate); }
  bool boolean() { return std::get<bool>(next()); }
  /// True for `yes`, false for `no`; nothing else is accepted.
  bool choice(const char* name, std::string_view yes, std::string_view no) {
    const auto& value = std::get<std::string>(next());
    check(value == yes || value == no, m_call.op,
          std::string(name) + " must be \"" + std::string(yes) + "\" or \"" + std::string(no) + '"', name,
          '"' + value + '"');
    return value == yes;
  }

 private:
  const Parameter& next() { return m_call.parameters[m_next++]; }
  const Call& m_call;
  std::size_t m_next = 0;
};

/// The last values of a signal, by their index: at least `least` of them, 0 before they are set.
template <class T>
class Ring {
 public:
  explicit Ring(std::int64_t least)
      : m_values(std::bit_ceil(static_cast<std::size_t>(least)), T(0)), m_mask(m_values.size() - 1) {}
  T& operator[](std::int64_t i) { return m_values[static_cast<std::size_t>(i) & m_mask]; }
  const T& operator[](std::int64_t i) const { return m_values[static_cast<std::size_t>(i) & m_mask]; }

 private:
  std::vector<T> m_values;
  std::size_t m_mask;
};

/// NaN stays NaN.
template <class T>
T clamp_to_one(const T& y) {
  const T raised = y < T(-1) ? T(-1) : y;
  return raised > T(1) ? T(1) : raised;
}

/// The gradient that the clamp lets through: at both ends still, as that of torch.clamp.
template <class T>
T clamped_grad(const T& y, const T& grad) {
  return y >= T(-1) && y <= T(1) ? grad : T(0);
}

}  // namespace portops::detail
