// Where lanes meet so that atomic operations come in the canonical order, and where they need not.
#include "lowering/atomic_order.h"

#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

constexpr const char *kCount = "  %N = atomicrmw add ptr addrspace(5) %b, i32 1 monotonic\n";
constexpr const char *kKeep = "  store i32 %N, ptr addrspace(5) %q\n";
constexpr const char *kBarrier = "  call void @__assay_threadgroup_barrier(i32 0)\n";

std::string named(std::string text, const std::string &name) {
  for (size_t at; (at = text.find("%N")) != std::string::npos;)
    text.replace(at, 2, "%" + name);
  return text;
}
std::string taken(const std::string &name) {
  return named(std::string(kCount) + kKeep, name);
}
std::string counted(const std::string &name) {
  return named(kCount, name);
}

// How many meetings a kernel has. %b and %q are two buffers, %p is anywhere in the first, %n any number.
size_t meetings(const std::string &body) {
  Kernel k("define void @k() {\nentry:\n  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %q = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n"
           "  %lane = call i32 @__assay_builtin(i32 " +
           std::to_string(int(Builtin::ThreadIndexInSimdgroup)) +
           ", i32 0)\n  %p = getelementptr i32, ptr addrspace(5) %b, i32 %lane\n"
           "  %odd = trunc i32 %lane to i1\n  %n = load i32, ptr addrspace(5) %q\n" +
           body + "  ret void\n}\n");
  k.build();
  size_t count = 0;
  if (k.native)
    for (const SiteInfo &site : k.code().sites)
      count += site.kind == SiteKind::Simd && site.op == SimdOp::Lockstep;
  return count;
}

std::string loop(const std::string &body) {
  return "  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n" + body +
         "  %j = add i32 %i, 1\n  %go = icmp ult i32 %j, %n\n  br i1 %go, label %loop, label %end\nend:\n";
}

TEST(AtomicOrder, OneOperationNeedsNoMeeting) {
  EXPECT_EQ(meetings(taken("x")), 0u);
  EXPECT_EQ(meetings("  br i1 %odd, label %in, label %end\nin:\n" + taken("x") + "  br label %end\nend:\n"),
            0u);
}

TEST(AtomicOrder, OperationsThatCommuteNeedNone) {
  EXPECT_EQ(meetings(counted("x") + "  %y = atomicrmw sub ptr addrspace(5) %p, i32 3 monotonic\n" +
                     loop(counted("z"))),
            0u);
  EXPECT_EQ(meetings("  %x = load atomic i32, ptr addrspace(5) %b monotonic, align 4\n"
                     "  %y = load atomic i32, ptr addrspace(5) %p monotonic, align 4\n"
                     "  %z = add i32 %x, %y\n  store i32 %z, ptr addrspace(5) %q\n"),
            0u);
}

TEST(AtomicOrder, WhatDoesNotCommuteMeets) {
  EXPECT_EQ(meetings(taken("x") + taken("y")), 1u) << "the first one still has the kernel's beginning";
  EXPECT_EQ(meetings(counted("x") + "  %y = atomicrmw umax ptr addrspace(5) %b, i32 7 monotonic\n"), 1u);
  EXPECT_EQ(meetings(loop(taken("x"))), 1u);
  EXPECT_EQ(meetings(loop(counted("x") + "  %y = atomicrmw umax ptr addrspace(5) %p, i32 %i monotonic\n")),
            2u);
}

TEST(AtomicOrder, OperationsOnTwoPathsMeet) {
  EXPECT_GE(
      meetings("  br i1 %odd, label %in, label %out\nin:\n" + taken("x") +
               "  store i32 1, ptr addrspace(5) %p\n  br label %end\nout:\n" +
               "  %y = atomicrmw xchg ptr addrspace(5) %p, i32 %lane monotonic\n  br label %end\nend:\n"),
      1u);
}

TEST(AtomicOrder, WordsAtConstantPlacesAreApart) {
  EXPECT_EQ(meetings(taken("x") + "  %r = getelementptr i32, ptr addrspace(5) %b, i32 1\n"
                                  "  %y = atomicrmw xchg ptr addrspace(5) %r, i32 %lane monotonic\n"),
            0u);
}

TEST(AtomicOrder, BarriersSeparate) {
  const std::string cleared = "  store atomic i32 0, ptr addrspace(5) %p monotonic, align 4\n",
                    read = "  %v = load atomic i32, ptr addrspace(5) %p monotonic, align 4\n"
                           "  store i32 %v, ptr addrspace(5) %q\n";
  EXPECT_EQ(meetings(cleared + kBarrier + loop(counted("x")) + kBarrier + read), 0u);
  EXPECT_EQ(meetings(cleared + loop(counted("x")) + kBarrier + read), 1u);
  EXPECT_EQ(meetings(cleared + kBarrier + loop(counted("x")) + read), 1u);
  EXPECT_EQ(meetings(loop(kBarrier + taken("x"))), 0u) << "lanes have met in the same iteration";
}

TEST(AtomicOrder, LanesThatMetAtDifferentPlacesMeetAgain) {
  EXPECT_EQ(meetings("  br i1 %odd, label %in, label %end\nin:\n"
                     "  call void @__assay_simd_op(i32 " +
                     std::to_string(int(SimdOp::Barrier)) +
                     ", i32 0, i32 0, ptr null, ptr null, i32 0)\n  br label %end\nend:\n" + taken("x")),
            1u);
}

// Lanes that wait at different barriers go on at the same time: the sum of one side may come before or after
// what the other side takes, unless they meet.
TEST(AtomicOrder, BarriersThatLanesWaitAtApartDoNotSeparate) {
  const auto sides = [](const std::string &between) {
    return "  br i1 %odd, label %in, label %out\nin:\n" + between + taken("x") + "  br label %end\nout:\n" +
           between + counted("y") + "  br label %end\nend:\n";
  };
  EXPECT_GT(meetings(sides(kBarrier)), 0u);
  EXPECT_EQ(meetings(sides(kBarrier)), meetings(sides("")));
}

TEST(AtomicOrder, AKernelThatPollsHasNoMeetings) {
  EXPECT_EQ(meetings(taken("x") + taken("y") +
                     "  br label %wait\nwait:\n"
                     "  %v = load atomic i32, ptr addrspace(5) %p monotonic, align 4\n"
                     "  %w = icmp eq i32 %v, 0\n  br i1 %w, label %wait, label %end\nend:\n"),
            0u);
}

} // namespace
} // namespace assay::lowering::test
