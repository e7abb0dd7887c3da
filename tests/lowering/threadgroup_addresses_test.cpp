// Constants that hold addresses of threadgroup variables.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// Stores to the element %i of the tile whose address is in the constant @tiles.
const std::string kTiles = R"(
@a = internal addrspace(3) global [4 x i32] undef, align 16
@b = internal addrspace(3) global [4 x i32] undef, align 16
@tiles = private constant { i32, [2 x ptr addrspace(3)] } { i32 7,
  [2 x ptr addrspace(3)] [ptr addrspace(3) @a,
                          ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @b, i64 1)] }
define void @k() {
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %which = zext i32 %i to i64
)";
const std::string kStore = R"(
  %tile = load ptr addrspace(3), ptr %place
  store volatile i32 5, ptr addrspace(3) %tile
  %a0 = load volatile i32, ptr addrspace(3) @a
  %b1 = load volatile i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @b, i64 1)
  store i32 %a0, ptr addrspace(5) %out
  %out1 = getelementptr i32, ptr addrspace(5) %out, i64 1
  store i32 %b1, ptr addrspace(5) %out1
  %n = load i32, ptr @tiles
  %out2 = getelementptr i32, ptr addrspace(5) %out, i64 2
  store i32 %n, ptr addrspace(5) %out2
  ret void
}
)";

void expectBoth(const std::string &ir) {
  Kernel k(ir);
  std::vector<uint32_t> out(3);
  k.bind(2, out);
  for (uint32_t which : {0, 1}) {
    std::fill(k.arena.begin(), k.arena.end(), 0);
    k.setBuiltin(Builtin::ThreadPositionInGrid, 0, which);
    ASSERT_TRUE(k.run());
    EXPECT_THAT(out, testing::ElementsAre(which ? 0 : 5, which ? 5 : 0, 7));
  }
}

TEST(ThreadgroupAddresses, InAConstantThatIsReadInPlace) {
  expectBoth(kTiles +
             "  %place = getelementptr { i32, [2 x ptr addrspace(3)] }, ptr @tiles, i64 0, i32 1, "
             "i64 %which\n" +
             kStore);
}

TEST(ThreadgroupAddresses, InAConstantThatIsCopied) {
  expectBoth(kTiles + R"(
  %own = alloca { i32, [2 x ptr addrspace(3)] }, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr @tiles, i64 24, i1 false)
  %place = getelementptr { i32, [2 x ptr addrspace(3)] }, ptr %own, i64 0, i32 1, i64 %which
)" + kStore);
}

} // namespace
} // namespace assay::lowering::test
