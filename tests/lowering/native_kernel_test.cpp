// The way through: IR in, native code out, run.
#include "kernel_runner.h"

#include <thread>

namespace assay::lowering::test {
namespace {

TEST(NativeKernel, RunsAKernelOverItsBuffers) {
  Kernel k(R"(
define internal void @f(ptr addrspace(5) %out, i32 %i) {
  %o = alloca ptr addrspace(5)
  store ptr addrspace(5) %out, ptr %o
  %1 = load ptr addrspace(5), ptr %o
  %2 = getelementptr inbounds i32, ptr addrspace(5) %1, i32 %i
  store i32 %i, ptr addrspace(5) %2, align 4
  ret void
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 3)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  call void @f(ptr addrspace(5) %b, i32 %i)
  ret void
}
)");
  std::vector<uint32_t> out(8, 77);
  k.bind(3, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 5);
  ASSERT_TRUE(k.run());
  EXPECT_THAT(out, testing::ElementsAre(77, 77, 77, 77, 77, 5, 77, 77));
  EXPECT_TRUE(k.calls.empty());
  EXPECT_FALSE(k.code().needsFibers());
}

TEST(NativeKernel, StopsAtTheFirstElementPastABuffer) {
  Kernel k(R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(5) %b, i32 %i
  store i32 1, ptr addrspace(5) %p, align 4
  ret void
}
)");
  std::vector<uint32_t> out(8, 77);
  k.bind(0, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 7);
  EXPECT_TRUE(k.run());
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 8);
  EXPECT_FALSE(k.run());
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "out_of_bounds");
  EXPECT_EQ(k.calls[0].address, reinterpret_cast<uint64_t>(out.data() + 8));
  EXPECT_EQ(k.calls[0].bytes, 4u);
}

TEST(NativeKernel, CallsOnlyWhatTheTableHolds) {
  Kernel k("declare i32 @getpid()\ndefine void @k() {\n  %b = call ptr addrspace(5) "
           "@__assay_buffer_device(i32 0)\n"
           "  %p = call i32 @getpid()\n  store i32 %p, ptr addrspace(5) %b\n  ret void\n}\n");
  Result<LoweredKernel> lowered = k.lower();
  ASSERT_TRUE(lowered);
  const auto loaded = NativeKernel::load(std::move(*lowered), {});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().rule(), "unsupported");
  EXPECT_THAT(loaded.error().message(), testing::HasSubstr("getpid"));
}

TEST(NativeKernel, AnObjectThatIsNoneIsAnError) {
  LoweredKernel broken;
  broken.object = "not an object";
  EXPECT_FALSE(NativeKernel::load(broken, {}));
}

TEST(NativeKernel, BitcodeThatIsNoneIsAnError) {
  Kernel k("");
  EXPECT_FALSE(lowerKernel("not bitcode", k.module, k.info, k.constants, k.options));
}

// Line 21 calls add, a function of the shim; line 20 is in a function of the user's that is inlined.
constexpr const char *kWithPlaces = R"(
define internal void @shim(ptr addrspace(5) %p, i32 %v) !dbg !10 {
  store i32 %v, ptr addrspace(5) %p, !dbg !11
  ret void, !dbg !11
}
define internal void @user(ptr addrspace(5) %p, i32 %i) !dbg !20 {
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i, !dbg !21
  call void @shim(ptr addrspace(5) %q, i32 7), !dbg !21
  ret void, !dbg !21
}
define void @k() !dbg !30 {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0), !dbg !31
  %i = call i32 @__assay_builtin(i32 0, i32 0), !dbg !31
  call void @user(ptr addrspace(5) %b, i32 %i), !dbg !31
  ret void, !dbg !31
}
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 7, !"Dwarf Version", i32 4}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, emissionKind: FullDebug)
!3 = !DIFile(filename: "user.metal", directory: "/somewhere")
!4 = !DIFile(filename: "/assay/msl_shim/metal_stdlib", directory: "")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "shim", file: !4, line: 900, type: !5,
                             flags: DIFlagArtificial, unit: !2, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 901, column: 3, scope: !10)
!20 = distinct !DISubprogram(name: "user", file: !3, line: 19, type: !5,
                             unit: !2, spFlags: DISPFlagDefinition)
!21 = !DILocation(line: 20, column: 5, scope: !20)
!30 = distinct !DISubprogram(name: "k", file: !3, line: 29, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!31 = !DILocation(line: 30, column: 7, scope: !30)
)";

TEST(NativeKernel, SitesStandInTheUsersText) {
  for (bool debug : {false, true}) {
    Kernel k(kWithPlaces);
    k.options.debug = debug;
    EXPECT_FALSE(k.run());
    ASSERT_FALSE(k.calls.empty());
    EXPECT_EQ(k.siteOf(k.calls[0]).where, (SourcePlace{"user.metal", 20, 5}));
  }
}

TEST(NativeKernel, AnAddressLeadsBackToTheUsersLine) {
  Kernel k(kWithPlaces);
  k.options.boundsChecks = false;
  k.build();
  const KernelCode &code = k.native->code();
  ASSERT_EQ(code.codeRanges.size(), 1u);
  bool found = false;
  for (uintptr_t pc = code.codeRanges[0].first; pc < code.codeRanges[0].second; ++pc) {
    const SourcePlace place = code.locate(pc);
    EXPECT_THAT(place.file, testing::Not(testing::HasSubstr("metal_stdlib")));
    found |= place == SourcePlace{"user.metal", 20, 5};
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(code.locate(reinterpret_cast<uintptr_t>(&k)).known());
}

TEST(NativeKernel, KnowsItsStackItsCodeAndItsConstants) {
  Kernel k(R"(
@table = internal addrspace(6) constant [64 x i32] zeroinitializer
define void @k() {
  %a = alloca [1000 x i32]
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %p = getelementptr i32, ptr %a, i32 %i
  store volatile i32 1, ptr %p
  %t = getelementptr i32, ptr addrspace(6) @table, i32 %i
  %v = load volatile i32, ptr addrspace(6) %t
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)");
  k.build();
  EXPECT_GE(k.code().stackBytes, 4000u);
  EXPECT_LE(k.code().stackBytes, 4400u);
  const KernelCode &code = k.native->code();
  const auto entry = reinterpret_cast<uintptr_t>(code.entry);
  EXPECT_GE(entry, code.codeRanges.at(0).first);
  EXPECT_LT(entry, code.codeRanges.at(0).second);
  uintptr_t largest = 0;
  for (auto [first, last] : code.dataRanges)
    largest = std::max(largest, last - first);
  EXPECT_GE(largest, 256u);
}

TEST(NativeKernel, ManyThreadsLowerAtTheSameTime) {
  const std::string bitcode = bitcodeOf(kWithPlaces);
  std::vector<std::thread> threads;
  std::vector<std::string> objects(4);
  for (std::string &object : objects)
    threads.emplace_back([&] {
      Kernel k("");
      auto lowered = lowerKernel(bitcode, k.module, k.info, k.constants, k.options);
      if (lowered)
        object = lowered->object;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(objects[0].empty());
  for (const std::string &object : objects)
    EXPECT_EQ(object, objects[0]) << "the same input gives the same bytes";
}

TEST(NativeKernel, DebugRegistersAndUnregisters) {
  Kernel k(kWithPlaces);
  k.options.debug = true;
  Result<LoweredKernel> lowered = k.lower();
  ASSERT_TRUE(lowered);
  const auto nowhere = reinterpret_cast<void *>(&bitcodeOf);
  const RuntimeSymbol symbols[] = {{"assay_rt_out_of_bounds", nowhere}, {"assay_rt_check_access", nowhere}};
  EXPECT_TRUE(NativeKernel::load(std::move(*lowered), symbols, /*debug=*/true));
}

} // namespace
} // namespace assay::lowering::test
