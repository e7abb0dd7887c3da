// NaNs that arithmetic makes are 7fc00000; copies keep their payload.
#include "kernel_runner.h"

#include <cmath>

namespace assay::lowering::test {
namespace {

constexpr uint32_t kPayload = 0x7fc0dead, kNegative = 0xffc00000, kCanonical = 0x7fc00000,
                   kInfinity = 0x7f800000;

// out[0..] from in[0], in[1]; the body stores to %o.
std::vector<uint32_t> run(const std::string &body, std::vector<uint32_t> in,
                          NumericsProfile numerics = kAppleNumerics, uint32_t n = 3) {
  Kernel k("declare float @llvm.fma.f32(float, float, float)\ndeclare float @llvm.fabs.f32(float)\n"
           "declare float @llvm.copysign.f32(float, float)\n"
           "define void @k() {\n"
           "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %pa = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n"
           "  %pb = getelementptr float, ptr addrspace(5) %pa, i32 1\n"
           "  %o1 = getelementptr float, ptr addrspace(5) %o, i32 1\n"
           "  %n = call i32 @__assay_builtin(i32 0, i32 0)\n"
           "  %a = load float, ptr addrspace(5) %pa\n  %b = load float, ptr addrspace(5) %pb\n" +
           body + "  ret void\n}\n");
  k.options.numerics = numerics;
  std::vector<uint32_t> out(8);
  in.resize(8);
  k.bind(0, out);
  k.bind(1, in);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, n);
  EXPECT_TRUE(k.run());
  return out;
}

TEST(CanonicalNan, ArithmeticGivesTheOneNan) {
  const std::string store = "  store float %r, ptr addrspace(5) %o\n";
  EXPECT_EQ(run("  %r = fmul float %a, %b\n" + store, {kInfinity, 0})[0], kCanonical);
  EXPECT_EQ(run("  %r = fadd float %a, %b\n" + store, {kPayload, 0})[0], kCanonical);
  EXPECT_EQ(run("  %r = fsub float %a, %b\n" + store, {kInfinity, kInfinity})[0], kCanonical);
  EXPECT_EQ(run("  %r = call float @llvm.fma.f32(float %a, float %b, float %a)\n" + store, {kPayload, 0})[0],
            kCanonical);
  EXPECT_EQ(run("  %r = fdiv float %a, %b\n" + store, {0, 0})[0], kCanonical);
}

TEST(CanonicalNan, OnlyWhereTheProfileAsksForIt) {
  EXPECT_EQ(run("  %r = fadd float %a, %b\n  store float %r, ptr addrspace(5) %o\n", {kPayload, 0},
                kIeeeNumerics)[0],
            kPayload);
}

TEST(CanonicalNan, CopiesKeepTheirPayload) {
  EXPECT_EQ(run("  store float %a, ptr addrspace(5) %o\n", {kPayload, 0})[0], kPayload);
  EXPECT_EQ(run("  %c = icmp eq i32 %n, 3\n  %r = select i1 %c, float %a, float %b\n"
                "  store float %r, ptr addrspace(5) %o\n",
                {kPayload, 0})[0],
            kPayload);
}

TEST(CanonicalNan, WhereCopyAndResultMeetEachKeepsItsRule) {
  const std::string body = "  %s = fmul float %a, %b\n  %c = icmp eq i32 %n, 3\n"
                           "  %r = select i1 %c, float %a, float %s\n  store float %r, ptr addrspace(5) %o\n";
  EXPECT_EQ(run(body, {kPayload, 0}, kAppleNumerics, 3)[0], kPayload);
  EXPECT_EQ(run(body, {kPayload, 0}, kAppleNumerics, 4)[0], kCanonical);
}

TEST(CanonicalNan, ABitCastSeesTheOneNan) {
  EXPECT_EQ(run("  %s = fmul float %a, %b\n  %r = bitcast float %s to i32\n  %m = lshr i32 %r, 1\n"
                "  store i32 %m, ptr addrspace(5) %o\n",
                {kInfinity, 0})[0],
            kCanonical >> 1);
}

TEST(CanonicalNan, NegationIsAnOperationOnBits) {
  const std::string store = "  store float %r, ptr addrspace(5) %o\n";
  EXPECT_EQ(run("  %r = fneg float %a\n" + store, {kPayload, 0})[0], kPayload | 0x80000000);
  EXPECT_EQ(run("  %s = fsub float %a, %b\n  %r = fneg float %s\n" + store, {kInfinity, kInfinity})[0],
            kNegative);
  EXPECT_EQ(
      run("  %s = fmul float %a, %b\n  %t = fneg float %s\n  %r = call float @llvm.fabs.f32(float %t)\n" +
              store,
          {kInfinity, 0})[0],
      kCanonical);
}

TEST(CanonicalNan, CopysignSeesTheSignOfTheOneNan) {
  const std::string sign = "  %r = call float @llvm.copysign.f32(float 1.0, float %n1)\n"
                           "  store float %r, ptr addrspace(5) %o\n";
  const auto of = [&](const std::string &made, uint32_t a) {
    return std::bit_cast<float>(run(made + sign, {a, kInfinity})[0]);
  };
  EXPECT_EQ(of("  %n1 = fmul float %a, %b\n", 0), 1.0f) << "x86 makes a negative NaN of 0 * inf";
  EXPECT_EQ(of("  %n1 = fadd float %a, 0.0\n", kNegative), 1.0f);
  EXPECT_EQ(of("  %n1 = fneg float %a\n", kCanonical), -1.0f) << "a copy keeps its sign";
}

TEST(CanonicalNan, AnAccumulatorInALoopIsMadeCanonicalAfterIt) {
  const std::string body = R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %acc = phi float [ 0.0, %0 ], [ %next, %loop ]
  %next = call float @llvm.fma.f32(float %a, float %b, float %acc)
  %j = add i32 %i, 1
  %m = icmp ult i32 %j, %n
  br i1 %m, label %loop, label %end
end:
  store float %next, ptr addrspace(5) %o
)";
  EXPECT_EQ(run(body, {kInfinity, 0})[0], kCanonical);
  EXPECT_EQ(run(body, {kPayload, 0})[0], kCanonical);
}

TEST(CanonicalNan, VectorsToo) {
  const std::string body = R"(
  %va = load <4 x float>, ptr addrspace(5) %pa
  %vs = fadd <4 x float> %va, %va
  %one = extractelement <4 x float> %va, i32 1
  %mixed = insertelement <4 x float> %vs, float %one, i32 3
  store <4 x float> %mixed, ptr addrspace(5) %o
)";
  const auto out = run(body, {kPayload, kPayload, 0xff812345, 0});
  EXPECT_EQ(out[0], kCanonical);
  EXPECT_EQ(out[1], kCanonical);
  EXPECT_EQ(out[2], kCanonical);
  EXPECT_EQ(out[3], kPayload);
}

TEST(CanonicalNan, HalvesHaveTheirOwn) {
  const auto out = run("  %h = load half, ptr addrspace(5) %pa\n  %r = fadd half %h, %h\n  store half %r, "
                       "ptr addrspace(5) %o\n"
                       "  store half %h, ptr addrspace(5) %o1\n",
                       {0xfe12});
  EXPECT_EQ(out[0], 0x7e00u);
  EXPECT_EQ(out[1], 0xfe12u);
}

TEST(CanonicalNan, AtomicAdditionStoresTheOneNan) {
  const auto out = run("  %p = getelementptr float, ptr addrspace(5) %pa, i32 0\n"
                       "  %old = atomicrmw fadd ptr addrspace(5) %p, float %b monotonic\n"
                       "  %v = load float, ptr addrspace(5) %p\n  store float %v, ptr addrspace(5) %o\n"
                       "  store float %old, ptr addrspace(5) %o1\n",
                       {kPayload, 0});
  EXPECT_EQ(out[0], kCanonical);
  EXPECT_EQ(out[1], kPayload) << "the old value is a copy";
}

} // namespace
} // namespace assay::lowering::test
