// The places of accesses that leave a loop.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// In a loop of three rounds, reads one word of buffer 1 (line 5) and writes another (line 6).
constexpr const char *kLoop = R"(
define void @k() !dbg !4 {
  %in = call ptr addrspace(5) @__assay_buffer_device(i32 1), !dbg !7
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 2), !dbg !7
  br label %loop, !dbg !7
loop:
  %i = phi i32 [0, %0], [%next, %loop]
  %sum = phi i32 [0, %0], [%more, %loop]
  %word = load i32, ptr addrspace(5) %in, align 4, !dbg !8
  %more = add i32 %sum, %word, !dbg !8
  %next = add i32 %i, 1, !dbg !7
  %again = icmp ult i32 %next, 3, !dbg !7
  br i1 %again, label %loop, label %end, !dbg !7
end:
  store i32 %more, ptr addrspace(5) %out, align 4, !dbg !9
  ret void, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.metal", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 3, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 4, column: 3, scope: !4)
!8 = !DILocation(line: 5, column: 7, scope: !4)
!9 = !DILocation(line: 6, column: 2, scope: !4)
)";

TEST(KeptPlaces, AReadThatLeavesItsLoopKeepsItsLine) {
  const Kernel k(kLoop);
  const Result<LoweredKernel> lowered = k.lower();
  ASSERT_TRUE(lowered);
  std::vector<std::pair<AccessKind, uint32_t>> lines;
  for (const SiteInfo &site : lowered->info.sites)
    if (site.kind == SiteKind::Access)
      lines.emplace_back(site.access, site.where.line);
  EXPECT_THAT(lines, testing::UnorderedElementsAre(std::pair(AccessKind::Read, 5u),
                                                   std::pair(AccessKind::Write, 6u)));
}

} // namespace
} // namespace assay::lowering::test
