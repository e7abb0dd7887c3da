// Runs textual IR through lowerKernel and NativeKernel, one lane at a time, with a runtime made of recorders:
// the tests of lowering need nothing of runtime/.
#pragma once

#include "lowering/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace assay::lowering::test {

/// One call that a kernel made.
struct Call {
  std::string name; ///< without "assay_rt_"
  uint32_t site = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t operand = 0;           ///< of a simd operation; flags of a barrier
  std::vector<uint32_t> counters; ///< lane->loop when it was made
  uint64_t origin = 0;            ///< of an undefined value
};

/// The IR of a module, with the declarations and data layout that every test needs put before it.
std::string bitcodeOf(const std::string &ir);

/// A kernel called k whose wrapper is @k: set up, lowered, run.
struct Kernel {
  explicit Kernel(std::string ir) : ir(std::move(ir)) {
    info.name = "k";
    info.entrySymbol = "k";
  }

  std::string ir;
  ModuleInfo module;
  KernelInfo info;
  std::map<uint32_t, ConstantValue> constants;
  LoweringOptions options;

  Result<LoweredKernel> lower() const;
  /// The module after this pass of lowering for vectors; the test fails if the kernel stays on fibers.
  std::string vectorCodeAfter(const std::string &pass, const std::string &cpu = "x86-64-v4");
  /// Lowers and loads; fails the test if that fails.
  void build();
  /// Runs one lane. Returns false if it ended in an out-of-bounds report.
  bool run();

  template <class T> void bind(uint32_t slot, std::vector<T> &data) {
    dispatch.buffers[slot] = {reinterpret_cast<uint8_t *>(data.data()), data.size() * sizeof(T)};
  }
  void setBuiltin(Builtin builtin, uint32_t component, uint32_t value) {
    lane.builtin[static_cast<size_t>(builtin)][component] = value;
    group.builtin[static_cast<size_t>(builtin)][component] = value;
  }

  // What the lane sees.
  DispatchAbi dispatch{};
  GroupAbi group{};
  LaneAbi lane{};
  std::vector<uint32_t> counters;
  std::vector<uint8_t> published;
  alignas(16) std::vector<uint8_t> arena = std::vector<uint8_t>(kMaxThreadgroupMemory);

  // Of options.trackUndefined. All of the arena is undefined at first.
  ShadowAbi shadows{};
  LaneShadow laneShadow{};
  std::vector<uint8_t> arenaShadow = std::vector<uint8_t>(kMaxThreadgroupMemory, 0xff);
  std::vector<uint64_t> arenaOrigins = std::vector<uint64_t>(kMaxThreadgroupMemory / 4);

  // Of options.observeMemory. Without room in the log every access is a call.
  std::vector<KeptAccess> log;
  std::vector<uint8_t> wanted; ///< by site; all that it does not have are wanted
  AccessLogAbi accesses{};

  std::unique_ptr<NativeKernel> native;
  std::vector<Call> calls;
  std::vector<uint64_t> indexOperands; ///< of the access that was refused
  /// What a simd operation answers, if it shall.
  std::function<void(const Call &, const void *in, void *out)> onSimd;
  bool denyChecks = false; ///< assay_rt_check_access ends the lane

  const KernelCodeInfo &code() const { return *native->code().info; }
  const SiteInfo &siteOf(const Call &call) const { return code().sites.at(call.site); }
  std::vector<std::string> callNames() const {
    std::vector<std::string> names;
    for (const Call &call : calls)
      names.push_back(call.name);
    return names;
  }
};

/// Machine code of a lowered kernel as text, for properties that no result shows.
std::string disassemble(const LoweredKernel &kernel);

} // namespace assay::lowering::test
