// Runs of kernels as lists of events, for tests of the checkers: no kernel is compiled.
#pragma once

#include "emulator/testing/check_matchers.h" // prints findings
#include "emulator/validation/checks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace assay::validation::test {

/// Feeds events to all checkers. Each event is on a line of its own, from 1 on.
class Trace {
public:
  /// fences   the kernel has some
  /// waits    likewise
  /// shortcuts   as of Checks
  explicit Trace(bool fences = false, uint32_t threads = 64, uint32_t groups = 4,
                 CheckRules rules = CheckRules::all(), bool waits = false, bool shortcuts = true)
      : threads_(threads), checks_(rules, {}, nullptr, {}, shortcuts) {
    code_.sites.reserve(kMostEvents);
    code_.sites.emplace_back().access = AccessKind::Write; // anywhere: no memory is only read
    if (fences)
      code_.sites.emplace_back().kind = SiteKind::Fence;
    if (waits)
      code_.sites.emplace_back().polled = true;
    dispatch_ = {&code_, &abi_, {threads * groups, 1, 1}, {threads, 1, 1}};
    checks_.dispatchBegin(dispatch_);
    group(0);
  }
  static constexpr size_t kMostEvents = 4096;

  void group(uint32_t position) {
    group_ = {{position, 0, 0}, {threads_, 1, 1}, arena_, &abi_};
    checks_.groupBegin(group_);
  }
  /// From here on sites say which kind of memory they access.
  void knowMemory() { knowsMemory_ = true; }
  void endGroup() { checks_.groupEnd(group_); }
  uint64_t device(uint32_t byte) const { return reinterpret_cast<uintptr_t>(memory_.data()) + byte; }
  uint64_t threadgroup(uint32_t byte) const { return reinterpret_cast<uintptr_t>(arena_.data()) + byte; }

  /// Lane i of the mask accesses addresses[i]. Returns the line.
  uint32_t access(AccessKind kind, uint32_t simdgroup, uint32_t mask,
                  const std::array<uint64_t, kSimdWidth> &addresses, uint32_t bytes = 4,
                  AtomicKind atomic = AtomicKind::Update) {
    SiteInfo &site = newSite(SiteKind::Access);
    site.access = kind;
    site.atomic = atomic;
    site.bytes = bytes;
    const uint64_t any = addresses[size_t(std::countr_zero(mask))];
    if (knowsMemory_)
      site.memory =
          any - threadgroup(0) < arena_.size() ? MemoryKind::ThreadgroupVariable : MemoryKind::Buffer;
    checks_.access(group_, {&site, simdgroup, mask, addresses.data(), bytes});
    return site.where.line;
  }
  /// The same place again, as a loop does.
  void again(uint32_t line, uint32_t simdgroup, uint32_t mask,
             const std::array<uint64_t, kSimdWidth> &addresses) {
    const auto site = std::find_if(code_.sites.begin(), code_.sites.end(),
                                   [&](const SiteInfo &one) { return one.where.line == line; });
    checks_.access(group_, {&*site, simdgroup, mask, addresses.data(), site->bytes});
  }
  /// One thread.
  uint32_t access(AccessKind kind, uint32_t thread, uint64_t address, uint32_t bytes = 4,
                  AtomicKind atomic = AtomicKind::Update) {
    std::array<uint64_t, kSimdWidth> addresses{};
    addresses[thread % kSimdWidth] = address;
    return access(kind, thread / kSimdWidth, 1u << thread % kSimdWidth, addresses, bytes, atomic);
  }
  /// One thread, as a loop does that waits for another value.
  uint32_t poll(uint32_t thread, uint64_t address, uint32_t times = 1) {
    SiteInfo &site = newSite(SiteKind::Access);
    site.access = AccessKind::Atomic;
    site.atomic = AtomicKind::Load;
    site.bytes = 4;
    site.polled = true;
    std::array<uint64_t, kSimdWidth> addresses{};
    addresses[thread % kSimdWidth] = address;
    for (uint32_t i = 0; i < times; ++i)
      checks_.access(group_, {&site, thread / kSimdWidth, 1u << thread % kSimdWidth, addresses.data(), 4});
    return site.where.line;
  }
  /// A read by one thread through a pointer of a type with that alignment.
  uint32_t read(uint32_t thread, uint64_t address, uint32_t alignment, uint32_t bytes) {
    SiteInfo &site = newSite(SiteKind::Access);
    site.alignment = alignment;
    site.bytes = bytes;
    std::array<uint64_t, kSimdWidth> addresses{};
    addresses[thread % kSimdWidth] = address;
    checks_.access(group_, {&site, thread / kSimdWidth, 1u << thread % kSimdWidth, addresses.data(), bytes});
    return site.where.line;
  }
  uint32_t barrier(uint32_t flags) {
    SiteInfo &site = newSite(SiteKind::ThreadgroupBarrier);
    const std::vector<const SiteInfo *> sites(threads_, &site);
    const std::vector<uint32_t> all(threads_, flags);
    const std::vector<uint64_t> iterations(threads_, 0);
    checks_.barrier(group_, {sites.data(), threads_, all.data(), iterations.data()});
    return site.where.line;
  }
  uint32_t simdgroupBarrier(uint32_t simdgroup, uint32_t mask, uint32_t flags) {
    return simd(SimdOp::Barrier, simdgroup, mask, flags);
  }
  /// Any simd operation; each lane has the same operand.
  uint32_t simd(SimdOp op, uint32_t simdgroup, uint32_t mask, uint32_t operand) {
    SiteInfo &site = newSite(SiteKind::Simd);
    site.op = op;
    std::array<uint32_t, kSimdWidth> operands;
    operands.fill(operand);
    checks_.simdOp(group_, {&site, simdgroup, mask, nullptr, nullptr, operands.data()});
    return site.where.line;
  }
  uint32_t fence(uint32_t thread, uint32_t flags, uint32_t order, uint32_t scope) {
    SiteInfo &site = newSite(SiteKind::Fence);
    checks_.fence(group_, {&site, thread / kSimdWidth, 1u << thread % kSimdWidth, flags, order, scope});
    return site.where.line;
  }
  void end(uint32_t thread) { checks_.threadEnd(group_, thread); }
  Checks &checks() { return checks_; }
  const GroupEvent &groupEvent() const { return group_; }

  std::vector<Finding> findings() {
    checks_.dispatchEnd(dispatch_);
    return checks_.takeFindings();
  }

private:
  SiteInfo &newSite(SiteKind kind) {
    SiteInfo &site = code_.sites.emplace_back();
    site.kind = kind;
    site.where = {"trace", ++line_, 1};
    return site;
  }

  const uint32_t threads_;
  uint32_t line_ = 0;
  bool knowsMemory_ = false;
  alignas(64) std::array<uint8_t, 256> memory_{}, arena_{};
  KernelCodeInfo code_;
  DispatchAbi abi_{};
  DispatchEvent dispatch_{};
  GroupEvent group_{};
  Checks checks_;
};

constexpr uint32_t kDevice = 1, kThreadgroup = 2;                     // mem_flags
constexpr uint32_t kAcquire = 2, kRelease = 3, kSequential = 5;       // memory_order
constexpr uint32_t kGroupScope = 1, kDeviceScope = 2, kSimdScope = 4; // thread_scope

} // namespace assay::validation::test
