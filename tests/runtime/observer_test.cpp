// Observers see every event once, with its data, and change nothing.
#include "tests/runtime/test_kernel.h"

#include <xmmintrin.h>

#include <fmt/format.h>

namespace assay::runtime::test {
namespace {

ASSAY_TEST_KERNEL watched(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  uint32_t *shared = arena<uint32_t>(lane);
  assay_rt_observe_access(lane, 2, reinterpret_cast<uint64_t>(shared + i), 4);
  shared[i] = i;
  if (i == 33)
    return;
  barrier(lane, 0);
  if (i % 2)
    simd<uint32_t>(lane, 1, shared[i], i + 7);
}

struct Recorder : Observer {
  std::vector<std::string> events;
  std::vector<unsigned> modes;
  uint64_t firstShared = 0;

  void add(std::string event) {
    events.push_back(std::move(event));
    modes.push_back(_mm_getcsr());
  }
  void groupBegin(const GroupEvent &e) override {
    add(fmt::format("begin {},{},{} of {} threads, {:x}", e.position[0], e.position[1], e.position[2],
                    e.threads[0], e.arena[0]));
  }
  void groupEnd(const GroupEvent &e) override { add(fmt::format("end {}, {}", e.position[0], e.arena[4])); }
  void barrier(const GroupEvent &, const BarrierEvent &e) override {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < e.threads; ++i)
      waiting += e.sites[i] && e.sites[i]->kind == SiteKind::ThreadgroupBarrier;
    add(fmt::format("barrier {} of {}, 33 {}", waiting, e.threads, e.sites[33] ? "waits" : "has ended"));
  }
  void simdOp(const GroupEvent &, const SimdEvent &e) override {
    const uint32_t lane = uint32_t(__builtin_ctz(e.activeMask));
    add(fmt::format("{} simdgroup {} mask {:x} lane {} in {} out {} operand {}, lane 0 {}",
                    simdOpInfo(e.site->op).text, e.simdgroup, e.activeMask, lane,
                    *static_cast<const uint32_t *>(e.in[lane]), *static_cast<const uint32_t *>(e.out[lane]),
                    e.operand[lane], e.in[0] || e.out[0] ? "too" : "not"));
  }
  void access(const GroupEvent &, const AccessEvent &e) override {
    e.forEachThread([&](uint32_t thread, uint64_t address) {
      if (thread == 0)
        firstShared = address;
      add(fmt::format("access thread {} +{} {} bytes at line {}", thread, address - firstShared, e.bytes,
                      e.site->where.line));
    });
  }
  void threadEnd(const GroupEvent &, uint32_t thread) override {
    add(fmt::format("end of thread {}", thread));
  }
};

TEST(Observer, SeesEveryEventInOrderWithItsData) {
  TestKernel kernel(watched);
  kernel.barrier(1)
      .simd(SimdOp::Sum, ScalarType::UInt, 2)
      .access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  kernel.threadgroupBytes(34 * 4);
  Recorder recorder;
  DispatchRequest request = kernel.request(34, 34);
  request.observer = &recorder;
  EXPECT_EQ(runWell(request).schedule, ScheduleKind::Canonical);

  std::vector<std::string> expected{"begin 0,0,0 of 34 threads, ff"};
  for (int i = 0; i < 34; ++i)
    expected.push_back(fmt::format("access thread {} +{} 4 bytes at line 41", i, i * 4));
  expected.push_back("end of thread 33");
  expected.push_back("barrier 33 of 34, 33 has ended");
  for (int i = 0; i < 32; i += 2)
    expected.push_back(fmt::format("end of thread {}", i));
  expected.push_back("simd_sum simdgroup 0 mask aaaaaaaa lane 1 in 1 out 256 operand 8, lane 0 not");
  for (int i = 1; i < 32; i += 2)
    expected.push_back(fmt::format("end of thread {}", i));
  expected.push_back("end of thread 32");
  expected.push_back("end 0, 1");
  EXPECT_EQ(recorder.events, expected);
}

TEST(Observer, RunsInTheFloatingPointModeOfTheHost) {
  TestKernel kernel(watched);
  kernel.barrier(1)
      .simd(SimdOp::Sum, ScalarType::UInt, 2)
      .access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  kernel.threadgroupBytes(34 * 4);
  Recorder recorder;
  DispatchRequest request = kernel.request(34, 34);
  request.observer = &recorder;
  runWell(request);
  for (size_t i = 0; i < recorder.modes.size(); ++i)
    EXPECT_EQ(recorder.modes[i] & 0x8040, 0u) << recorder.events[i];
}

ASSAY_TEST_KERNEL probed(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  if (i != 1)
    assay_rt_probe(lane, 0, &i);
}

TEST(Observer, SeesProbesWithTheirThreadsInTheHostsMode) {
  struct ProbeRecorder : Observer {
    std::vector<std::string> events;
    void probe(const GroupEvent &group, const ProbeEvent &e) override {
      events.push_back(fmt::format("{} in {}: thread {} has {}, mode {:x}", e.site->name, group.position[0],
                                   e.threadIndex, *static_cast<const uint32_t *>(e.value),
                                   _mm_getcsr() & 0x8040));
    }
  } recorder;
  TestKernel kernel(probed);
  kernel.probe("i");
  DispatchRequest request = kernel.request(6, 3);
  runWell(request); // without an observer nothing happens
  request.observer = &recorder;
  runWell(request);
  EXPECT_EQ(recorder.events,
            (std::vector<std::string>{"i in 0: thread 0 has 0, mode 0", "i in 0: thread 2 has 2, mode 0",
                                      "i in 1: thread 0 has 0, mode 0", "i in 1: thread 2 has 2, mode 0"}));
}

ASSAY_TEST_KERNEL parted(LaneAbi *lane) {
  const uint32_t i = threadIndex(lane);
  assay_rt_observe_access(lane, 1, 100 + i, 4);
  if (i != 2)
    assay_rt_observe_access(lane, 1, 200 + i, 8);
  barrier(lane, 0);
  assay_rt_observe_access(lane, 2, 300 + i, 4); // an atomic one
}

TEST(Observer, GetsLanesTogetherIfItTakesThem) {
  struct Masks : Observer {
    explicit Masks(bool together) : together(together) {}
    bool takesLanesTogether() const override { return together; }
    void barrier(const GroupEvent &, const BarrierEvent &) override { text += "| "; }
    void access(const GroupEvent &, const AccessEvent &e) override {
      text += fmt::format("{:x}:", e.mask);
      e.forEachThread([&](uint32_t, uint64_t address) { text += fmt::format("{},", address); });
      text += fmt::format("{} ", e.bytes);
    }
    const bool together;
    std::string text;
  };
  TestKernel kernel(parted);
  kernel.barrier(1)
      .access(AccessKind::Read, MemoryKind::Unknown, 0, "")
      .access(AccessKind::Atomic, MemoryKind::Unknown, 0, "");
  DispatchRequest request = kernel.request(4, 4);
  Masks apart(false), together(true);
  request.observer = &apart;
  runWell(request);
  EXPECT_EQ(apart.text, "1:100,4 1:200,8 2:101,4 2:201,8 4:102,4 8:103,4 8:203,8 | "
                        "1:300,4 2:301,4 4:302,4 8:303,4 ");
  request.observer = &together;
  runWell(request);
  EXPECT_EQ(together.text, "3:100,101,4 3:200,201,8 4:102,4 8:103,4 8:203,8 | "
                           "1:300,4 2:301,4 4:302,4 8:303,4 ");
}

ASSAY_TEST_KERNEL plain(LaneAbi *) {}

TEST(Observer, SeesKernelsWithoutFibersAndEachThreadgroup) {
  TestKernel kernel(plain);
  Recorder recorder;
  DispatchRequest request = kernel.request(3, 2);
  request.observer = &recorder;
  request.threadgroupBytes[0] = 16;
  runWell(request);
  EXPECT_EQ(recorder.events,
            (std::vector<std::string>{"begin 0,0,0 of 2 threads, ff", "end of thread 0", "end of thread 1",
                                      "end 0, 255", "begin 1,0,0 of 1 threads, ff", "end of thread 0",
                                      "end 1, 255"}));
}

} // namespace
} // namespace assay::runtime::test
