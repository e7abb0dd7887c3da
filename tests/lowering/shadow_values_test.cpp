// Kernels that track undefined values: what they report, and that they compute what they compute without.
#include "lowering/shadow_values.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShadowValues, AStoreToDeviceMemoryIsADecisionAndACopyIsNone) {
  EXPECT_THAT(run("%v = load i32, ptr %x\n store i32 %v, ptr %y\n ret void\n").what, IsEmpty());
  const Reports reports =
      run("%v = load i32, ptr %x\n store i32 %v, ptr %y\n %w = load i32, ptr %y\n %s = add i32 %w, 5\n"
          "store i32 %s, ptr addrspace(5) %out\n ret void\n");
  EXPECT_THAT(reports.what, ElementsAre("store x"));
  EXPECT_EQ(reports.out[0], 5u) << "a variable without a value reads as zero";
}

TEST(ShadowValues, WhatIsWrittenIsDefined) {
  EXPECT_THAT(run("store i32 4, ptr %x\n %v = load i32, ptr %x\n store i32 %v, ptr addrspace(5) %out\n"
                  "ret void\n")
                  .what,
              IsEmpty());
}

TEST(ShadowValues, BitsThatAreMaskedAwayDecideNothing) {
  const std::string load = "%v = load i32, ptr %x\n";
  EXPECT_THAT(run(load + "%n = load i32, ptr addrspace(5) %in\n %m = sub i32 %n, 1\n %z = and i32 %v, %m\n"
                         "store i32 %z, ptr addrspace(5) %out\n ret void\n")
                  .what,
              IsEmpty());
  EXPECT_THAT(run(load + "%n = load i32, ptr addrspace(5) %in\n %z = and i32 %v, %n\n"
                         "store i32 %z, ptr addrspace(5) %out\n ret void\n")
                  .what,
              ElementsAre("store x"));
}

TEST(ShadowValues, BranchesAndAddressesAreDecisions) {
  EXPECT_THAT(run("%v = load i32, ptr %x\n %c = icmp eq i32 %v, 3\n br i1 %c, label %yes, label %no\n"
                  "yes:\n call void @__assay_threadgroup_barrier(i32 1)\n ret void\n no:\n ret void\n")
                  .what,
              ElementsAre("branch x"));
  EXPECT_THAT(run("%v = load i32, ptr %x\n %w = and i32 %v, 3\n"
                  "%p = getelementptr i32, ptr addrspace(5) %in, i32 %w\n"
                  "%e = load i32, ptr addrspace(5) %p\n store i32 %e, ptr addrspace(5) %out\n ret void\n")
                  .what,
              ElementsAre("address x"));
  EXPECT_THAT(run("%v = load i32, ptr %x\n"
                  "%o = atomicrmw add ptr addrspace(5) %out, i32 %v monotonic\n ret void\n")
                  .what,
              ElementsAre("atomic x"));
}

// What memory gives to an atomic operation may be undefined, and has no shadow.
TEST(ShadowValues, IntrinsicsOfWhatHasNoShadow) {
  for (const char *use : {"%r = call i32 @llvm.bitreverse.i32(i32 %o)\n",
                          "%f = bitcast i32 %o to float\n %g = call float @llvm.fabs.f32(float %f)\n %r = "
                          "bitcast float %g to i32\n"}) {
    Kernel k = tracked("%o = atomicrmw add ptr addrspace(5) %out, i32 1 monotonic\n" + std::string(use) +
                           "store i32 %r, ptr addrspace(5) %out\n ret void\n",
                       TrackUndefined::WithDevice);
    std::vector<uint32_t> out(4, 77), in(4, 1);
    std::vector<uint8_t> defined(16), also(16);
    bindWithShadow(k, 0, out, defined);
    bindWithShadow(k, 1, in, also);
    EXPECT_TRUE(k.run());
    EXPECT_THAT(k.calls, IsEmpty());
  }
}

TEST(ShadowValues, AChoiceTakesTheShadowOfWhatItChooses) {
  const std::string choice = "%n = load i32, ptr addrspace(5) %in\n %v = load i32, ptr %x\n"
                             "%c = icmp eq i32 %n, 1\n %z = select i1 %c, i32 ";
  EXPECT_THAT(run(choice + "9, i32 %v\n store i32 %z, ptr addrspace(5) %out\n ret void\n").what, IsEmpty());
  EXPECT_THAT(run(choice + "%v, i32 9\n store i32 %z, ptr addrspace(5) %out\n ret void\n").what,
              ElementsAre("store x"));
}

TEST(ShadowValues, PhisCarryShadowsRoundALoop) {
  const std::string loop = R"(
  %first = load i32, ptr %x
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %s = phi i32 [ %first, %0 ], [ %more, %loop ]
  %p = getelementptr i32, ptr addrspace(5) %in, i32 %i
  %e = load i32, ptr addrspace(5) %p
  %more = add i32 %s, %e
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 4
  br i1 %again, label %loop, label %exit
exit:
  store i32 %more, ptr addrspace(5) %out
  ret void
)";
  const Reports reports = run(loop);
  EXPECT_THAT(reports.what, ElementsAre("store x"));
  EXPECT_EQ(reports.out[0], 10u);
  EXPECT_THAT(run("store i32 0, ptr %x\n" + loop).what, IsEmpty());
}

TEST(ShadowValues, AnArrayHasAShadowForEachByteAndKnowsItsElements) {
  const std::string body = R"(
  %n = load i32, ptr addrspace(5) %in
  %p1 = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
  store i32 8, ptr %p1
  %q = getelementptr i32, ptr addrspace(5) %in, i32 ELEMENT
  %m = load i32, ptr addrspace(5) %q
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %m
  %v = load i32, ptr %p
  store i32 %v, ptr addrspace(5) %out
  ret void
)";
  const auto at = [&](const char *element) {
    std::string text = body;
    return run(text.replace(text.find("ELEMENT"), 7, element));
  };
  EXPECT_THAT(at("0").what, IsEmpty()); // a[1], which was written
  EXPECT_EQ(at("0").out[0], 8u);
  EXPECT_THAT(at("1").what, ElementsAre("store a[2]"));
  EXPECT_THAT(at("2").what, ElementsAre("store a[3]"));
}

TEST(ShadowValues, ThreadgroupMemoryIsUndefinedUntilItIsWritten) {
  const std::string load = "%t = getelementptr [16 x i32], ptr addrspace(3) @tile, i32 0, i32 5\n";
  const std::string use =
      "%v = load i32, ptr addrspace(3) %t\n store i32 %v, ptr addrspace(5) %out\n ret void\n";
  EXPECT_THAT(run(load + use).what, ElementsAre("store tile 20"));
  EXPECT_THAT(
      run(load + "store i32 3, ptr addrspace(3) %t\n call void @__assay_threadgroup_barrier(i32 1)\n" + use)
          .what,
      IsEmpty());
  // What is stored there keeps its own origin.
  EXPECT_THAT(run(load +
                  "%u = load i32, ptr %x\n store i32 %u, ptr addrspace(3) %t\n"
                  "call void @__assay_threadgroup_barrier(i32 1)\n" +
                  use)
                  .what,
              ElementsAre("store x"));
}

TEST(ShadowValues, DeviceMemoryIsTrackedWhereThatIsAsked) {
  const std::string body = "%v = load i32, ptr addrspace(5) %in\n store i32 %v, ptr addrspace(5) %out\n"
                           "ret void\n";
  for (const TrackUndefined track : {TrackUndefined::Local, TrackUndefined::WithDevice}) {
    Kernel k = tracked(body, track);
    std::vector<uint32_t> out(4), in{5, 6, 7, 8};
    std::vector<uint8_t> shadow(16, 0xff);
    k.bind(0, out);
    bindWithShadow(k, 1, in, shadow);
    ASSERT_TRUE(k.run());
    const size_t reports = size_t(std::count_if(k.calls.begin(), k.calls.end(),
                                                [](const Call &call) { return call.name == "undefined"; }));
    EXPECT_EQ(reports, track == TrackUndefined::WithDevice ? 1u : 0u);
    EXPECT_EQ(out[0], 5u);
  }
}

TEST(ShadowValues, AStoreMakesDeviceMemoryDefined) {
  Kernel k = tracked("store i32 4, ptr addrspace(5) %in\n ret void\n", TrackUndefined::WithDevice);
  std::vector<uint32_t> out(4), in(4);
  std::vector<uint8_t> shadow(16, 0xff);
  k.bind(0, out);
  bindWithShadow(k, 1, in, shadow);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(std::vector<uint8_t>(shadow.begin(), shadow.begin() + 5),
            (std::vector<uint8_t>{0, 0, 0, 0, 0xff}));
}

TEST(ShadowValues, ALaneTakesTheShadowOfItsOperandToASimdOperation) {
  Kernel k = tracked(R"(
  %r = alloca i32, align 4
  call void @__assay_simd_op(i32 SUM, i32 4, i32 1, ptr %x, ptr %r, i32 0)
  %v = load i32, ptr %r
  store i32 %v, ptr addrspace(5) %out
  ret void
)");
  k.ir.replace(k.ir.find("SUM"), 3, std::to_string(unsigned(SimdOp::Sum)));
  k.onSimd = [&](const Call &, const void *, void *) {
    ASSERT_NE(k.laneShadow.in, nullptr);
    EXPECT_EQ(k.laneShadow.in[0], 0xff);
    ASSERT_NE(k.laneShadow.out, nullptr);
    k.laneShadow.out[0] = 1; // as if one bit of the sum were undefined
    k.laneShadow.outOrigins[0] = k.laneShadow.inOrigins[0];
  };
  EXPECT_THAT(run(k).what, ElementsAre("store x"));
}

TEST(ShadowValues, WithoutTrackingNothingIsReported) {
  EXPECT_THAT(
      run("%v = load i32, ptr %x\n store i32 %v, ptr addrspace(5) %out\n ret void\n", TrackUndefined::No)
          .what,
      IsEmpty());
}

} // namespace
} // namespace assay::lowering::test
