// The calls of runtime_calls.def as an enumeration, with the effects that each may have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

enum class RuntimeCall : uint8_t {
#define ASSAY_RUNTIME_CALL(name, symbol, result, parameters, memory, end, waits) name,
#include "runtime_calls.def"
#undef ASSAY_RUNTIME_CALL
};

enum class CallMemory : uint8_t {
  Everything,
  Nothing,
  Inaccessible,   ///< no memory of the kernel, but the host's
  Arguments,      ///< what pointer arguments lead to, and the host's
  ReadsArguments, ///< the same, and it only reads what they lead to and keeps no pointer
  ReadsAnything   ///< it reads any memory, and touches the host's
};
enum class CallEnd : uint8_t { Returns, MayEnd, Never };
enum class CallWaits : uint8_t { RunsOn, Waits };

struct RuntimeCallInfo {
  RuntimeCall call;
  const char *symbol;
  CallMemory memory;
  CallEnd end;
  CallWaits waits;
};

inline constexpr std::array kRuntimeCalls = {
#define ASSAY_RUNTIME_CALL(name, symbol, result, parameters, memory, end, waits)                             \
  RuntimeCallInfo{RuntimeCall::name, "assay_rt_" #symbol, CallMemory::memory, CallEnd::end, CallWaits::waits},
#include "runtime_calls.def"
#undef ASSAY_RUNTIME_CALL
};

constexpr const RuntimeCallInfo &runtimeCallInfo(RuntimeCall call) {
  return kRuntimeCalls[static_cast<size_t>(call)];
}

} // namespace assay
