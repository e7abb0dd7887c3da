// Loops that wait for another lane give the others a turn.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

std::string loopAround(const std::string &body) {
  return "define void @k() {\n  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n  br label "
         "%loop\nloop:\n" +
         body + "  br i1 %go, label %loop, label %end\nend:\n  ret void\n}\n";
}

bool spins(const std::string &body) {
  Kernel k(loopAround(body));
  k.build();
  return k.native && k.code().usesSpin;
}

TEST(Spin, PollingAnAtomicAsksTheRuntime) {
  Kernel k(loopAround("  %v = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n"
                      "  %p = getelementptr i32, ptr addrspace(5) %b, i32 1\n"
                      "  %n = atomicrmw add ptr addrspace(5) %p, i32 1 monotonic\n"
                      "  %go = icmp ult i32 %n, 3\n"));
  std::vector<uint32_t> data{0, 0};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[1], 4u);
  size_t asked = 0;
  for (const Call &call : k.calls)
    asked += call.name == "spin";
  EXPECT_GE(asked, 3u) << "in every iteration but the last, which leaves";
  EXPECT_TRUE(k.code().usesSpin);
  EXPECT_TRUE(k.code().needsFibers());
}

TEST(Spin, CompareAndSwapAndVolatileCountToo) {
  EXPECT_TRUE(spins("  %x = cmpxchg ptr addrspace(5) %b, i32 0, i32 1 monotonic monotonic\n"
                    "  %ok = extractvalue { i32, i1 } %x, 1\n  %go = xor i1 %ok, true\n"));
  EXPECT_TRUE(spins("  %v = load volatile i32, ptr addrspace(5) %b\n  %go = icmp eq i32 %v, 0\n"));
}

TEST(Spin, ALoopThatMeetsOthersNeedsNone) {
  EXPECT_FALSE(spins("  %v = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n"
                     "  call void @__assay_threadgroup_barrier(i32 0)\n  %go = icmp eq i32 %v, 0\n"));
}

TEST(Spin, OrdinaryLoopsNeedNone) {
  EXPECT_FALSE(
      spins("  %i = phi i32 [ 0, %0 ], [ %j, %loop ]\n  %p = getelementptr i32, ptr addrspace(5) %b, i32 %i\n"
            "  store i32 1, ptr addrspace(5) %p\n  %j = add i32 %i, 1\n  %go = icmp ult i32 %j, 9\n"));
}

// A histogram: what the operations return decides nothing.
TEST(Spin, ALoopThatOnlyCountsNeedsNone) {
  const std::string counted = "  %i = phi i32 [ 0, %0 ], [ %j, %LATCH ]\n"
                              "  %n = atomicrmw add ptr addrspace(5) %b, i32 1 monotonic\n";
  const std::string on = "  %j = add i32 %i, 1\n  %go = icmp ult i32 %j, 9\n";
  const auto with = [&](const std::string &body, const std::string &latch) {
    std::string text = counted + body + on;
    text.replace(text.find("LATCH"), 5, latch);
    return text;
  };
  EXPECT_FALSE(spins(with("", "loop")));
  // Used for what is stored, and for whether it is.
  EXPECT_FALSE(spins(with("  %p = getelementptr i32, ptr addrspace(5) %b, i32 %n\n"
                          "  store i32 %i, ptr addrspace(5) %p\n",
                          "loop")));
  EXPECT_FALSE(spins(with("  %few = icmp ult i32 %n, 4\n  br i1 %few, label %in, label %latch\nin:\n"
                          "  %p = getelementptr i32, ptr addrspace(5) %b, i32 %n\n"
                          "  store i32 %i, ptr addrspace(5) %p\n  br label %latch\nlatch:\n",
                          "latch")));
}

TEST(Spin, AnAnswerDecidesByWayOfABranch) {
  EXPECT_TRUE(spins("  %i = phi i32 [ 0, %0 ], [ %k, %latch ]\n"
                    "  %v = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n"
                    "  %is = icmp eq i32 %v, 0\n  br i1 %is, label %latch, label %in\nin:\n"
                    "  %j = add i32 %i, 1\n  br label %latch\nlatch:\n"
                    "  %k = phi i32 [ %i, %loop ], [ %j, %in ]\n  %go = icmp ult i32 %k, 9\n"));
}

TEST(Spin, AnAnswerDecidesByWayOfMemory) {
  const auto stored = [](const std::string &where) {
    return spins("  %n = atomicrmw add ptr addrspace(5) %b, i32 1 monotonic\n"
                 "  %p = getelementptr i32, ptr addrspace(5) %b, i32 8\n"
                 "  %q = call ptr addrspace(3) @__assay_threadgroup_slot(i32 0)\n"
                 "  store i32 %n, ptr addrspace(" +
                 where + "\n  %v = load i32, ptr addrspace(5) %p\n  %go = icmp ult i32 %v, 9\n");
  };
  EXPECT_TRUE(stored("5) %p"));
  EXPECT_FALSE(stored("3) %q")) << "threadgroup memory is no buffer";
}

TEST(Spin, AnInnerLoopThatPollsDoesNotMakeTheOuterOnePoll) {
  Kernel k(loopAround("  %i = phi i32 [ 0, %0 ], [ %j, %done ]\n  br label %wait\nwait:\n"
                      "  %v = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n"
                      "  %is = icmp eq i32 %v, 0\n  br i1 %is, label %wait, label %done\ndone:\n"
                      "  %p = getelementptr i32, ptr addrspace(5) %b, i32 1\n"
                      "  %n = load i32, ptr addrspace(5) %p\n"
                      "  %j = add i32 %i, 1\n  %go = icmp ult i32 %j, %n\n"));
  k.build();
  size_t sites = 0;
  for (const SiteInfo &site : k.code().sites)
    sites += site.kind == SiteKind::Spin;
  EXPECT_EQ(sites, 1u);
}

// Whether an atomic load of the loop is one that it waits for.
bool waits(const std::string &body) {
  Kernel k(loopAround(body));
  k.options.observeMemory = true;
  k.build();
  bool found = false;
  for (const SiteInfo &site : k.code().sites)
    found |= site.polled;
  return found;
}

TEST(Spin, ALoopWaitsIfOnlyItsAtomicLoadsEndIt) {
  const std::string load = "  %v = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n";
  EXPECT_TRUE(waits(load + "  %go = icmp eq i32 %v, 0\n"));
  EXPECT_FALSE(waits(load + "  %x = cmpxchg ptr addrspace(5) %b, i32 %v, i32 1 monotonic monotonic\n"
                            "  %ok = extractvalue { i32, i1 } %x, 1\n  %go = xor i1 %ok, true\n"))
      << "a retry";
  EXPECT_FALSE(waits("  %i = phi i32 [ 0, %0 ], [ %j, %more ]\n" + load +
                     "  %j = add i32 %i, 1\n  %few = icmp ult i32 %j, 9\n"
                     "  br i1 %few, label %more, label %end\nmore:\n  %go = icmp eq i32 %v, 0\n"))
      << "it ends by itself";
}

} // namespace
} // namespace assay::lowering::test
