// Kernels written by hand in C++, with the calls and the tables that lowering would make: the tests of the
// engine need neither Clang nor LLVM.
//
// A kernel is a plain function in a section of its own (so that the engine knows its code by address). It
// counts the iterations of its loops in lane->loop, and names its sites by their index in TestKernel.
#pragma once

#include "runtime/dispatch.h"
#include "support/numbers/float_bits.h"
#include "support/process/sanitizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// In tests of what a signal ends, as the watchdog does.
#if defined(ASSAY_TSAN)
#define ASSAY_NEEDS_SIGNALS() GTEST_SKIP() << "ThreadSanitizer holds signals back"
#else
#define ASSAY_NEEDS_SIGNALS() (void)0
#endif

#define ASSAY_TEST_KERNEL __attribute__((section("assay_kernels"), noinline)) void

extern "C" char __start_assay_kernels[], __stop_assay_kernels[];

namespace assay::runtime::test {

// ---- inside kernels ----

inline uint32_t builtin(const LaneAbi *lane, Builtin which, unsigned component = 0) {
  const bool ofGroup = builtinInfo(which).scope == BuiltinScope::Group;
  return ofGroup ? lane->group->builtin[size_t(which)][component] : lane->builtin[size_t(which)][component];
}
inline uint32_t threadIndex(const LaneAbi *lane) {
  return builtin(lane, Builtin::ThreadIndexInThreadgroup);
}
inline uint32_t gridX(const LaneAbi *lane) {
  return builtin(lane, Builtin::ThreadPositionInGrid);
}
inline uint32_t groupX(const LaneAbi *lane) {
  return builtin(lane, Builtin::ThreadgroupPositionInGrid);
}

template <class T> T *buffer(const LaneAbi *lane, unsigned slot) {
  return reinterpret_cast<T *>(lane->group->dispatch->buffers[slot].base);
}
template <class T> T *arena(const LaneAbi *lane, uint32_t offset = 0) {
  return reinterpret_cast<T *>(lane->group->arena + offset);
}
template <class T> T simd(LaneAbi *lane, uint32_t site, T value, uint32_t operand = 0) {
  T result{};
  assay_rt_simd_op(lane, site, &value, &result, operand);
  return result;
}
inline uint64_t ballot(LaneAbi *lane, uint32_t site, bool predicate) {
  uint64_t mask = 0;
  assay_rt_simd_op(lane, site, nullptr, &mask, predicate);
  return mask;
}
inline void barrier(LaneAbi *lane, uint32_t site) {
  assay_rt_threadgroup_barrier(lane, site, 2);
}

// ---- outside ----

/// A kernel with its sites in the order in which they were added.
class TestKernel {
public:
  explicit TestKernel(KernelEntry entry) {
    info_.kernelName = "test";
    info_.stackBytes = 8192;
    code_.entry = entry;
    code_.codeRanges = {{reinterpret_cast<uintptr_t>(__start_assay_kernels),
                         reinterpret_cast<uintptr_t>(__stop_assay_kernels)}};
    code_.locate = [](uintptr_t) { return SourcePlace{"test.metal", 99, 9}; };
  }

  // Sites are ordered by the number given, loops likewise; lines are ten times that.
  TestKernel &barrier(uint32_t order, std::vector<SiteLoop> loops = {}) {
    SiteInfo site = at(order, SiteKind::ThreadgroupBarrier, std::move(loops));
    info_.usesBarriers = true;
    return add(std::move(site));
  }
  TestKernel &simd(SimdOp op, ScalarType type, uint32_t order, std::vector<SiteLoop> loops = {},
                   uint32_t count = 1) {
    SiteInfo site = at(order, SiteKind::Simd, std::move(loops));
    site.op = op;
    site.type = type;
    site.count = count;
    info_.usesSimdOps = true;
    return add(std::move(site));
  }
  TestKernel &spin(uint32_t order, std::vector<SiteLoop> loops = {}) {
    info_.usesSpin = true;
    return add(at(order, SiteKind::Spin, std::move(loops)));
  }
  TestKernel &access(AccessKind kind, MemoryKind memory, uint32_t slot, std::string name, uint64_t bytes = 0,
                     uint32_t offset = 0) {
    SiteInfo site = at(0, SiteKind::Access, {});
    site.where = {"test.metal", 41, 9};
    site.access = kind;
    site.memory = memory;
    site.slot = slot;
    site.memoryName = std::move(name);
    site.memoryBytes = bytes;
    site.memoryOffset = offset;
    return add(std::move(site));
  }
  TestKernel &probe(std::string name) {
    SiteInfo site = at(0, SiteKind::Probe, {});
    site.name = std::move(name);
    return add(std::move(site));
  }
  TestKernel &threadgroupBytes(uint32_t bytes) {
    info_.staticThreadgroupBytes = bytes;
    return *this;
  }

  KernelCodeInfo &info() { return info_; }
  KernelCode &code() { return code_; }

  /// `threads` in one row of threadgroups of `perGroup` threads.
  DispatchRequest request(uint32_t threads, uint32_t perGroup) {
    DispatchRequest request;
    code_.info = &info_;
    request.code = &code_;
    request.gridThreads = {threads, 1, 1};
    request.threadsPerThreadgroup = {perGroup, 1, 1};
    return request;
  }

private:
  static SiteInfo at(uint32_t order, SiteKind kind, std::vector<SiteLoop> loops) {
    SiteInfo site;
    site.kind = kind;
    site.order = order;
    site.loops = std::move(loops);
    site.where = {"test.metal", order * 10, 5};
    return site;
  }
  TestKernel &add(SiteInfo site) {
    for (const SiteLoop &loop : site.loops)
      info_.loopCounters = std::max(info_.loopCounters, loop.counter + 1);
    info_.sites.push_back(std::move(site));
    return *this;
  }

  KernelCodeInfo info_;
  KernelCode code_;
};

template <class T> BufferAbi bind(std::vector<T> &data) {
  return {reinterpret_cast<uint8_t *>(data.data()), data.size() * sizeof(T)};
}

/// Runs a request that must succeed.
inline DispatchReport runWell(const DispatchRequest &request) {
  const Result<DispatchReport> report = run(request);
  if (!report) {
    ADD_FAILURE() << renderDiagnostics(report.error().diagnostics);
    return {};
  }
  return *report;
}

/// Runs a request that must fail, and gives the whole text of the failure.
inline std::string failure(const DispatchRequest &request) {
  const Result<DispatchReport> report = run(request);
  return report ? "it succeeded" : renderDiagnostics(report.error().diagnostics);
}

inline std::vector<uint32_t> iota(uint32_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

constexpr uint32_t kPoison = 0xdeadbeef;

} // namespace assay::runtime::test
