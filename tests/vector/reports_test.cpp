// What an observer is told of simdgroups that run as one program: the events of each lane in its order, with
// the lanes that take part. Fibers, which tell of one lane after the other, say the same of each lane.
#include "watched.h"

#include <gmock/gmock.h>

#include <map>
#include <sstream>

namespace assay::vector_test {
namespace {

// By thread, what it did. Places are those in the buffer, or in threadgroup memory.
class Recorder : public Observer {
public:
  std::map<uint32_t, std::string> byThread;
  uint32_t whole = 0; ///< accesses that were told of 32 lanes at once

  bool wantsMemory() const override { return true; }
  void dispatchBegin(const DispatchEvent &event) override { dispatch_ = event.dispatch; }
  void access(const GroupEvent &group, const AccessEvent &event) override {
    whole += event.mask == ~0u;
    event.forEachThread([&](uint32_t thread, uint64_t address) {
      const uint64_t arena = address - reinterpret_cast<uintptr_t>(group.arena.data());
      const bool shared = arena < group.arena.size();
      const uint64_t at = shared ? arena : address - reinterpret_cast<uintptr_t>(dispatch_->buffers[0].base);
      add(thread, "RWA"[int(event.site->access)], shared ? "s" : "d", at, '+', event.bytes);
    });
  }
  void simdOp(const GroupEvent &, const SimdEvent &event) override {
    if (event.site->op == SimdOp::Barrier || event.site->op == SimdOp::ShuffleXor)
      forEach(event.simdgroup, event.activeMask, [&](uint32_t thread) {
        add(thread, "simd", std::hex, event.activeMask, std::dec, ':', event.operand[thread % kSimdWidth]);
      });
  }
  void fence(const GroupEvent &, const FenceEvent &event) override {
    forEach(event.simdgroup, event.mask,
            [&](uint32_t thread) { add(thread, "fence", event.flags, ',', event.order, ',', event.scope); });
  }
  void barrier(const GroupEvent &, const BarrierEvent &event) override {
    for (uint32_t thread = 0; thread < event.threads; ++thread)
      if (event.sites[thread])
        add(thread, "barrier", event.flags[thread], '@', event.sites[thread]->where.line, '/',
            event.iterations[thread]);
  }

private:
  template <class Visit> void forEach(uint32_t simdgroup, uint32_t mask, Visit visit) {
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      visit(simdgroup * kSimdWidth + uint32_t(__builtin_ctz(rest)));
  }
  template <class... Parts> void add(uint32_t thread, const Parts &...parts) {
    std::ostringstream text;
    (text << ... << parts) << ' ';
    byThread[thread] += text.str();
  }
  const DispatchAbi *dispatch_ = nullptr;
};

void expectSameOfEachLane(const std::string &body) {
  Recorder fibers, vectors;
  EXPECT_EQ(watch(body, fibers, {.engine = Engine::Fiber}), "");
  EXPECT_EQ(watch(body, vectors), "") << body;
  EXPECT_EQ(vectors.byThread, fibers.byThread) << body;
  EXPECT_EQ(vectors.byThread.size(), 80u);
  EXPECT_GT(vectors.whole, 0u) << body;
}

} // namespace

TEST(VectorReports, SayOfEachLaneWhatFibersSay) {
  expectSameOfEachLane("out[i] = out[i + 80] + out[3];");
  expectSameOfEachLane("out[i] = 1; if (lane % 3 == 0) out[(i * 7) % 80] += 2; else out[i] = out[0];");
  expectSameOfEachLane("out[i] = 1; for (uint j = 0; j < lane % 4; ++j) out[i] += out[j + 100];");
  expectSameOfEachLane("out[i] = 2; if (i > 70) return; uint x = simd_shuffle_xor(out[i], ushort(lane & 1)); "
                       "simdgroup_barrier(mem_flags::mem_device); out[i] = x;");
  expectSameOfEachLane(
      "threadgroup uint shared[80]; for (uint j = 0; j < out[200] + 2; ++j) { shared[i] = j; "
      "threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = shared[79 - i]; "
      "threadgroup_barrier(mem_flags::mem_device); }");
  expectSameOfEachLane(
      "out[i] = 3; if (i % 2) return; threadgroup_barrier(mem_flags::mem_none); out[i] = 4;");
  // Barriers that lanes come to apart.
  expectSameOfEachLane("out[i] = 5; if (lane < 3) { out[i] = 1; threadgroup_barrier(mem_flags::mem_none); } "
                       "else { threadgroup_barrier(mem_flags::mem_none); } out[i] = 2;");
  expectSameOfEachLane(
      "out[i] = 5; if (i >= out[200] + 70) return; for (uint j = 0; j < out[201] + 3; ++j) { "
      "out[i] = j; threadgroup_barrier(mem_flags::mem_device); }");
  expectSameOfEachLane("out[i] = 1; if (lane < 4) atomic_thread_fence(mem_flags::mem_device, "
                       "memory_order_seq_cst, thread_scope_device);");
  expectSameOfEachLane(
      "atomic_fetch_add_explicit((device atomic_uint *)out + i % 3, 1, memory_order_relaxed); "
      "out[i + 100] = 1;");
  expectSameOfEachLane("*(device packed_uint3 *)(out + 3 * i) = packed_uint3(1, 2, 3); "
                       "((device ushort *)out)[i] = 1;");
}

// More entries than the log has room for.
TEST(VectorReports, ALongRunIsToldInOrder) {
  expectSameOfEachLane("for (uint j = 0; j < 1000; ++j) out[i] = out[(i + j) % 80 + 80];");
}

TEST(VectorReports, WhatIsNotReportedStaysOnFibers) {
  Recorder recorder;
  EXPECT_THAT(watch("uint old = 1; out[i] = atomic_compare_exchange_weak_explicit((device atomic_uint *)out, "
                    "&old, 2, memory_order_relaxed, memory_order_relaxed);",
                    recorder),
              ::testing::HasSubstr("one thing or another"));
}

} // namespace assay::vector_test
