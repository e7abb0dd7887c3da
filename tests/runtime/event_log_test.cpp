// What lanes note for the observer, as calls and by themselves: it comes later, complete, and in order.
#include "tests/runtime/test_kernel.h"

#include <fmt/format.h>

namespace assay::runtime::test {
namespace {

struct Listener : Observer {
  bool takesLanesTogether() const override { return true; }
  void dispatchBegin(const DispatchEvent &e) override { unwanted = e.code->sites.data() + unwantedSite; }
  bool wantsAccess(const SiteInfo &site) const override { return &site != unwanted; }
  void barrier(const GroupEvent &, const BarrierEvent &) override { text += "| "; }
  void threadEnd(const GroupEvent &, uint32_t) override { text += "e "; }
  void access(const GroupEvent &, const AccessEvent &e) override {
    text += fmt::format("{}.{:x}:", e.simdgroup, e.mask);
    uint64_t sum = 0;
    e.forEachThread([&](uint32_t, uint64_t address) { sum += address; });
    text += fmt::format("{}/{} ", sum, e.bytes);
    addresses += sum;
    ++accesses;
  }
  uint32_t unwantedSite = 0;
  const SiteInfo *unwanted = nullptr;
  std::string text;
  uint64_t accesses = 0, addresses = 0;
};

TestKernel watchedKernel(KernelEntry entry) {
  TestKernel kernel(entry);
  kernel.barrier(1)
      .access(AccessKind::Read, MemoryKind::Unknown, 0, "")
      .access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  return kernel;
}

std::string textOf(TestKernel &kernel, uint32_t threads, uint32_t unwantedSite = 0) {
  Listener listener;
  listener.unwantedSite = unwantedSite;
  DispatchRequest request = kernel.request(threads, threads);
  request.observer = &listener;
  runWell(request);
  return listener.text;
}

// As compiled code does: only if somebody wants it, and while there is room.
void note(LaneAbi *lane, uint32_t site, uint64_t address, uint16_t bytes) {
  AccessLogAbi &log = *lane->accesses;
  if (!log.wanted[site])
    return;
  if (log.next == log.end)
    return assay_rt_observe_access(lane, site, address, bytes);
  *log.next++ = {address, site, uint16_t(threadIndex(lane)), bytes};
}

ASSAY_TEST_KERNEL notes(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  note(lane, 1, 100 + i, 4);
  assay_rt_observe_access(lane, 2, 200 + i, 8);
  barrier(lane, 0);
  note(lane, 1, 300, 2);
}

TEST(EventLog, TellsWhatLanesNoteAmongTheirCalls) {
  TestKernel kernel = watchedKernel(notes);
  EXPECT_EQ(textOf(kernel, 2), "0.3:201/4 0.3:401/8 | 0.3:600/2 e e ");
}

TEST(EventLog, DropsWhatNobodyWants) {
  TestKernel kernel = watchedKernel(notes);
  EXPECT_EQ(textOf(kernel, 2, 1), "0.3:401/8 | e e ");
  EXPECT_EQ(textOf(kernel, 2, 2), "0.3:201/4 | 0.3:600/2 e e ");
}

TEST(EventLog, IsSilentWithoutAnObserver) {
  TestKernel kernel = watchedKernel(notes);
  runWell(kernel.request(2, 2));
}

ASSAY_TEST_KERNEL wide(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  assay_rt_observe_access(lane, 1, i, 0xfffe);
  assay_rt_observe_access(lane, 1, i, 0xffff + 5 * i);
  assay_rt_observe_access(lane, 1, i, uint64_t(1) << 40);
  barrier(lane, 0);
}

TEST(EventLog, KeepsTheSizeOfLargeCopies) {
  TestKernel kernel = watchedKernel(wide);
  EXPECT_EQ(textOf(kernel, 2), "0.1:0/65534 0.1:0/65535 0.1:0/1099511627776 "
                               "0.2:1/65534 0.2:1/65540 0.2:1/1099511627776 | e e ");
}

ASSAY_TEST_KERNEL many(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  for (uint32_t round = 0; round < 3000 + i % 2; ++round)
    note(lane, 1, round * 64 + i, 4);
  barrier(lane, 0);
  note(lane, 2, 1, 4);
}

TEST(EventLog, LosesNothingWhenItIsFull) {
  TestKernel kernel = watchedKernel(many);
  Listener listener;
  DispatchRequest request = kernel.request(64, 64);
  request.observer = &listener;
  runWell(request);
  uint64_t sum = 64;
  for (uint64_t i = 0; i < 64; ++i)
    for (uint64_t round = 0; round < 3000 + i % 2; ++round)
      sum += round * 64 + i;
  EXPECT_EQ(listener.addresses, sum);
  std::string expected;
  for (const char *simdgroup : {"| 0", "1"}) {
    expected += std::string(simdgroup) + ".ffffffff:32/4 ";
    for (int lane = 0; lane < 32; ++lane)
      expected += "e ";
  }
  EXPECT_EQ(listener.text.substr(listener.text.find('|')), expected) << "the rest comes before the barrier";
}

// Lanes that did something else in between come by themselves.
ASSAY_TEST_KERNEL parting(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  note(lane, 1, 10 + i, 4);
  if (i == 1)
    note(lane, 2, 20, 4);
  note(lane, 1, 30 + i, i == 3 ? 8 : 4);
  barrier(lane, 0);
}

TEST(EventLog, JoinsLanesThatDidTheSame) {
  TestKernel kernel = watchedKernel(parting);
  EXPECT_EQ(textOf(kernel, 5), "0.1:10/4 0.1:30/4 0.2:11/4 0.2:20/4 0.2:31/4 0.4:12/4 0.4:32/4 "
                               "0.8:13/4 0.8:33/8 0.10:14/4 0.10:34/4 | e e e e e ");
}

} // namespace
} // namespace assay::runtime::test
