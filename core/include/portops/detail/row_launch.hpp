#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include <portops/execution.hpp>
#include <portops/registry.hpp>
#include <portops/view.hpp>

/// How the rows of a row operator are run: by the calling program's instance, or by the threads that a stream allows.
namespace portops::detail {

/// A reference to launch(label, rows, length of a row, body); the callable outlives the call.
class RowLaunch {
 public:
  template <class Launch>
  RowLaunch(const Launch& launch)  // NOLINT(google-explicit-constructor): as std::function_ref
      : m_launch(&launch),
        m_call([](const void* erased, const char* label, std::int64_t rows, std::int64_t length, RangeBody body) {
          (*static_cast<const Launch*>(erased))(label, rows, length, body);
        }) {}
  void operator()(const char* label, std::int64_t rows, std::int64_t length, RangeBody body) const {
    m_call(m_launch, label, rows, length, body);
  }

 private:
  const void* m_launch;
  void (*m_call)(const void*, const char*, std::int64_t, std::int64_t, RangeBody);
};

/// Elements up to which a call stays in the calling thread: the others wake up in about the time of as many.
inline constexpr std::int64_t row_grain = 8192;

/// On the host threads that the call's stream allows.
struct HostRows {
  const Call& call;
  void operator()(const char* label, std::int64_t rows, std::int64_t length, RangeBody body) const {
    run_on_host(call.stream, label, rows, 1, std::max<std::int64_t>(1, row_grain / length), body);
  }
};

/// The entry point of a row operator in the core, which knows its kernel.
using RowFunction = void (*)(const Call& call, const RowLaunch& launch);

/// A call on TensorRefs.
inline void call_rows(RowFunction function, const char* op, const StreamRef& stream,
                      std::initializer_list<TensorRef> outputs, std::initializer_list<TensorRef> inputs,
                      std::initializer_list<Parameter> parameters = {}) {
  Call call;
  call.op = op;
  call.stream = stream;
  call.outputs = {outputs.begin(), outputs.size()};
  call.inputs = {inputs.begin(), inputs.size()};
  call.parameters = {parameters.begin(), parameters.size()};
  function(call, HostRows{call});
}

/// A tensor that was not given.
inline TensorRef absent_ref() {
  TensorRef ref;
  ref.rank = -1;
  return ref;
}

/// The same on Views: outputs first, then inputs; one labelled launch on the given instance.
template <std::size_t Outputs, class Exec, ElementView... Views>
void call_rows_on(const Exec& exec, RowFunction function, const char* op, std::initializer_list<Parameter> parameters,
                  const Views&... views) {
  static_assert(device_of<Exec> == DeviceType::cpu, "this execution space has no kernel for this operator");
  const auto run = [&](const auto&... refs) {
    const std::array<TensorRef, sizeof...(Views)> all{refs...};
    Call call;
    call.op = op;
    call.stream.threads = static_cast<int>(exec.concurrency());
    call.outputs = {all.data(), Outputs};
    call.inputs = {all.data() + Outputs, all.size() - Outputs};
    call.parameters = {parameters.begin(), parameters.size()};
    function(call, [&](const char* label, std::int64_t rows, std::int64_t, RangeBody body) {
      launch_ranges(exec, label, rows, 1, body);
    });
  };
  run(static_cast<const TensorRef&>(ViewRef<Views>(views))...);
}

}  // namespace portops::detail
