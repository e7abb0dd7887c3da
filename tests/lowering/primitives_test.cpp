// Primitives: where their values come from, what the runtime is told.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

TEST(Primitives, BuiltinsComeFromLaneOrGroupByTheirScope) {
  for (const BuiltinInfo &builtin : kBuiltins)
    for (uint32_t component = 0; component < builtin.components; ++component) {
      const std::string number = std::to_string(static_cast<unsigned>(builtin.builtin));
      Kernel k("define void @k() {\n  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
               "  %v = call i32 @__assay_builtin(i32 " +
               number + ", i32 " + std::to_string(component) +
               ")\n  store i32 %v, ptr addrspace(5) %b\n  ret void\n}\n");
      std::vector<uint32_t> out(1);
      k.bind(0, out);
      k.lane.builtin[static_cast<size_t>(builtin.builtin)][component] = 3;
      k.group.builtin[static_cast<size_t>(builtin.builtin)][component] = 2;
      ASSERT_TRUE(k.run());
      EXPECT_EQ(out[0], builtin.scope == BuiltinScope::Lane ? 3u : 2u)
          << builtin.metalName << " " << component;
    }
}

TEST(Primitives, SlotsAreThoseOfTheDispatch) {
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 30)
  %c = call ptr addrspace(6) @__assay_buffer_constant(i32 7)
  %t = call ptr addrspace(3) @__assay_threadgroup_slot(i32 2)
  %v = load i32, ptr addrspace(6) %c
  %w = load i32, ptr addrspace(3) %t
  %s = add i32 %v, %w
  store i32 %s, ptr addrspace(5) %d
  ret void
}
)");
  std::vector<uint32_t> out(1), in{40};
  k.bind(30, out);
  k.bind(7, in);
  k.dispatch.threadgroupOffset[2] = 128;
  k.dispatch.threadgroupBytes[2] = 16;
  k.arena[128] = 2;
  ASSERT_TRUE(k.run());
  EXPECT_EQ(out[0], 42u);
}

TEST(Primitives, ASimdOperationPassesItsOperandsAndSaysWhatItIs) {
  const std::string sum = std::to_string(int(SimdOp::Sum));
  Kernel k(R"(
define internal void @op(i32 %kind, ptr %in, ptr %out) {
  call void @__assay_simd_op(i32 %kind, i32 11, i32 2, ptr %in, ptr %out, i32 9)
  ret void
}
define void @k() {
  %in = alloca <2 x float>
  %out = alloca <2 x float>
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load <2 x float>, ptr addrspace(5) %b
  store <2 x float> %v, ptr %in
  call void @op(i32 )" +
           sum + R"(, ptr %in, ptr %out)
  %r = load <2 x float>, ptr %out
  store <2 x float> %r, ptr addrspace(5) %b
  ret void
}
)");
  for (bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    std::vector<float> data{1, 2};
    k.bind(0, data);
    k.onSimd = [](const Call &call, const void *in, void *out) {
      EXPECT_EQ(call.operand, 9u);
      const float *from = static_cast<const float *>(in);
      const float doubled[2] = {from[0] * 2, from[1] * 2};
      std::memcpy(out, doubled, sizeof doubled);
    };
    ASSERT_TRUE(k.run());
    EXPECT_THAT(data, testing::ElementsAre(2, 4));
    ASSERT_EQ(k.calls.size(), 1u);
    const SiteInfo &site = k.siteOf(k.calls[0]);
    EXPECT_EQ(site.kind, SiteKind::Simd);
    EXPECT_EQ(site.op, SimdOp::Sum);
    EXPECT_EQ(site.type, ScalarType::Float);
    EXPECT_EQ(site.count, 2u);
    EXPECT_TRUE(k.code().usesSimdOps);
    EXPECT_FALSE(k.code().usesBarriers);
  }
}

TEST(Primitives, ASimdOperationThatIsChosenAtRunTimeIsRefused) {
  const auto lowered = Kernel(R"(
define void @k() {
  %p = alloca i32
  %op = call i32 @__assay_builtin(i32 0, i32 0)
  call void @__assay_simd_op(i32 %op, i32 6, i32 1, ptr %p, ptr %p, i32 0)
  ret void
}
)")
                           .lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
}

TEST(Primitives, NothingMovesOverABarrier) {
  Kernel k(R"(
@tile = internal addrspace(3) global i32 undef, align 4
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  store i32 5, ptr addrspace(3) @tile
  call void @__assay_threadgroup_barrier(i32 2)
  %v = load i32, ptr addrspace(3) @tile
  store i32 %v, ptr addrspace(5) %b
  call void @__assay_simd_op(i32 0, i32 6, i32 1, ptr null, ptr null, i32 0)
  %w = load i32, ptr addrspace(3) @tile
  %p = getelementptr i32, ptr addrspace(5) %b, i32 1
  store i32 %w, ptr addrspace(5) %p
  ret void
}
)");
  std::vector<uint32_t> out(2);
  k.bind(0, out);
  // Another lane writes while this one waits at the simdgroup barrier.
  k.onSimd = [&](const Call &, const void *, void *) { k.arena[0] = 6; };
  ASSERT_TRUE(k.run());
  EXPECT_THAT(out, testing::ElementsAre(5, 6));
  EXPECT_EQ(k.calls.at(0).name, "threadgroup_barrier");
  EXPECT_EQ(k.calls.at(0).operand, 2u);
}

} // namespace
} // namespace assay::lowering::test
