// All checkers as one observer, which another observer may follow.
#include "emulator/validation/checks.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

TEST(Checks, AskForMemoryOnlyIfARuleNeedsIt) {
  EXPECT_TRUE(Checks(CheckRules::byDefault(), {}).wantsMemory());
  EXPECT_FALSE(Checks(*CheckRules::parse("inactive-lane"), {}).wantsMemory());
}

TEST(Checks, TakeLanesTogetherUnlessAnotherObserverDoesNot) {
  struct InOrder : Observer {
    bool wantsMemory() const override { return true; }
  } inOrder;
  Observer withoutMemory;
  EXPECT_TRUE(Checks(CheckRules::byDefault(), {}).takesLanesTogether());
  EXPECT_TRUE(Checks(CheckRules::byDefault(), {}, &withoutMemory).takesLanesTogether());
  EXPECT_FALSE(Checks(CheckRules::byDefault(), {}, &inOrder).takesLanesTogether());
}

TEST(Checks, WantAnAccessIfOneOfThemDoes) {
  struct Listener : Observer {
    bool wantsMemory() const override { return true; }
    bool wantsAccess(const SiteInfo &site) const override { return site.where.line == 3; }
    void access(const GroupEvent &, const AccessEvent &e) override {
      lines += std::to_string(e.site->where.line);
    }
    std::string lines;
  } listener;
  KernelCodeInfo code; // reads of a buffer that nothing writes, one of them of a matrix, and a write
  for (uint32_t line = 1; line <= 4; ++line) {
    SiteInfo &site = code.sites.emplace_back();
    site.where = {"k", line, 1};
    site.memory = MemoryKind::Buffer;
    site.together = line == 2;
  }
  code.sites[3].access = AccessKind::Write;
  code.sites[3].slot = 1;
  DispatchAbi abi{};
  uint8_t memory[8] = {};
  abi.buffers[0] = {memory, 4};
  abi.buffers[1] = {memory + 4, 4};
  const DispatchEvent dispatch{&code, &abi, {32, 1, 1}, {32, 1, 1}};
  const auto wanted = [&](Checks &checks) {
    checks.dispatchBegin(dispatch);
    std::string lines;
    for (const SiteInfo &site : code.sites)
      lines += checks.wantsAccess(site) ? std::to_string(site.where.line) : "";
    return lines;
  };
  Checks alone(CheckRules::byDefault(), {}), withListener(CheckRules::byDefault(), {}, &listener);
  EXPECT_EQ(wanted(alone), "24");
  EXPECT_EQ(wanted(withListener), "234");
  Checks each(CheckRules::byDefault(), {}, nullptr, {}, false);
  EXPECT_EQ(wanted(each), "1234");

  const GroupEvent group{{0, 0, 0}, {32, 1, 1}, {}, &abi};
  withListener.groupBegin(group);
  const uint64_t addresses[kSimdWidth] = {64};
  for (const SiteInfo &site : code.sites)
    withListener.access(group, {&site, 0, 1, addresses, 4});
  EXPECT_EQ(listener.lines, "3");
}

TEST(Checks, PassEventsOnToAnObserver) {
  struct Counter : Observer {
    bool memory = false;
    std::string seen;
    bool wantsMemory() const override { return memory; }
    void dispatchBegin(const DispatchEvent &) override { seen += "D"; }
    void dispatchEnd(const DispatchEvent &) override { seen += "d"; }
    void groupBegin(const GroupEvent &) override { seen += "G"; }
    void groupEnd(const GroupEvent &) override { seen += "g"; }
    void barrier(const GroupEvent &, const BarrierEvent &) override { seen += "b"; }
    void simdOp(const GroupEvent &, const SimdEvent &) override { seen += "s"; }
    void access(const GroupEvent &, const AccessEvent &) override { seen += "a"; }
    void fence(const GroupEvent &, const FenceEvent &) override { seen += "f"; }
    void probe(const GroupEvent &, const ProbeEvent &) override { seen += "p"; }
    void threadEnd(const GroupEvent &, uint32_t) override { seen += "t"; }
  };
  for (const bool memory : {false, true}) {
    Counter counter;
    counter.memory = memory;
    Checks checks(CheckRules::all(), {}, &counter);
    KernelCodeInfo code;
    code.sites.resize(1);
    code.sites[0].kind = SiteKind::Fence; // the kernel has one
    DispatchAbi abi{};
    const DispatchEvent dispatch{&code, &abi, {32, 1, 1}, {32, 1, 1}};
    const GroupEvent group{{0, 0, 0}, {32, 1, 1}, {}, &abi};
    checks.dispatchBegin(dispatch);
    checks.groupBegin(group);
    const uint64_t addresses[32] = {64};
    checks.access(group, {code.sites.data(), 0, 1, addresses, 4});
    checks.fence(group, {code.sites.data(), 0, 1, 1, kSequential, kDeviceScope});
    const uint32_t operands[32] = {};
    checks.simdOp(group, {code.sites.data(), 0, ~0u, nullptr, nullptr, operands});
    const std::vector<const SiteInfo *> sites(32, code.sites.data());
    const std::vector<uint64_t> iterations(32);
    checks.barrier(group, {sites.data(), 32, operands, iterations.data()});
    checks.probe(group, {code.sites.data(), 0, nullptr});
    checks.threadEnd(group, 0);
    checks.groupEnd(group);
    checks.dispatchEnd(dispatch);
    EXPECT_EQ(counter.seen, memory ? "DGafsbptgd" : "DGsbptgd");
    EXPECT_TRUE(checks.takeFindings().empty());
  }
}

} // namespace
} // namespace assay::validation::test
