// One look at a whole loop replaces the checks of its iterations, and changes nothing else.
#include "kernel_runner.h"

#include <regex>

namespace assay::lowering::test {
namespace {

// for (i = 0; i < n; ++i) out[start + i * stride] = in[i], indices of 32 bits as a user writes them.
std::string copyLoop(const std::string &index) {
  return R"(
define void @k() {
  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  %start = call i32 @__assay_builtin(i32 0, i32 1)
  %stride = call i32 @__assay_builtin(i32 0, i32 2)
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %x = sext i32 %i to i64
  %q = getelementptr i32, ptr addrspace(6) %in, i64 %x
  %v = load i32, ptr addrspace(6) %q
)" + index +
         R"(
  store i32 %v, ptr addrspace(5) %p
  %j = add nsw i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
)";
}

const std::string kUnsignedIndex = R"(
  %m = mul i32 %i, %stride
  %a = add i32 %start, %m
  %y = zext i32 %a to i64
  %p = getelementptr i32, ptr addrspace(5) %o, i64 %y
)";
const std::string kSignedIndex = R"(
  %m = mul i32 %i, %stride
  %a = add i32 %start, %m
  %y = sext i32 %a to i64
  %p = getelementptr i32, ptr addrspace(5) %o, i64 %y
)";

/// What the loop does, one access after the other.
bool model(std::vector<uint32_t> &out, size_t outSize, size_t inSize, int32_t n, uint32_t start,
           uint32_t stride, bool isSigned, int64_t &failing) {
  for (int32_t i = 0; i < n; ++i) {
    if (static_cast<size_t>(i) >= inSize) {
      failing = -1;
      return false;
    }
    const uint32_t index = start + static_cast<uint32_t>(i) * stride;
    const int64_t place = isSigned ? static_cast<int32_t>(index) : static_cast<int64_t>(index);
    if (place < 0 || place >= static_cast<int64_t>(outSize)) {
      failing = place;
      return false;
    }
    out[place] = 100 + i;
  }
  return true;
}

TEST(LoopRanges, EveryStartStrideAndLengthEndsAsTheSlowLoopDoes) {
  std::vector<uint32_t> in(24);
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = 100 + i;
  for (bool isSigned : {false, true}) {
    Kernel k(copyLoop(isSigned ? kSignedIndex : kUnsignedIndex));
    for (int32_t n : {0, 1, 2, 7, 16, 24, 25})
      for (uint32_t start : {0u, 1u, 15u, 16u, 40u, 0xffffffffu, 0xfffffff8u, 0x80000000u})
        for (uint32_t stride : {0u, 1u, 2u, 3u, 0xffffffffu, 0xfffffffeu, 0x20000000u, 0x80000000u}) {
          constexpr size_t kBound = 32;
          std::vector<uint32_t> out(kBound + 16, 7), expected = out;
          k.dispatch.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), kBound * 4};
          k.bind(1, in);
          k.setBuiltin(Builtin::ThreadPositionInGrid, 0, static_cast<uint32_t>(n));
          k.setBuiltin(Builtin::ThreadPositionInGrid, 1, start);
          k.setBuiltin(Builtin::ThreadPositionInGrid, 2, stride);
          int64_t failing = 0;
          const bool ends = model(expected, kBound, in.size(), n, start, stride, isSigned, failing);
          ASSERT_EQ(k.run(), ends) << n << " from " << start << " by " << stride;
          ASSERT_EQ(out, expected) << n << " from " << start << " by " << stride;
          if (!ends) {
            const auto base = reinterpret_cast<uint64_t>(out.data());
            if (failing >= 0) {
              ASSERT_EQ(k.calls.at(0).address, base + static_cast<uint64_t>(failing) * 4);
            }
          }
        }
  }
}

TEST(LoopRanges, AConditionalAccessIsCheckedOnlyWhereItHappens) {
  // if (i < limit) out[i] = i: the loop goes on past the buffer's end without touching it.
  Kernel k(R"(
define void @k() {
  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  %limit = call i32 @__assay_builtin(i32 0, i32 1)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %c = icmp ult i32 %i, %limit
  br i1 %c, label %yes, label %latch
yes:
  %x = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(5) %o, i64 %x
  store i32 %i, ptr addrspace(5) %p
  br label %latch
latch:
  %j = add i32 %i, 1
  %m = icmp ult i32 %j, %n
  br i1 %m, label %loop, label %end
end:
  ret void
}
)");
  std::vector<uint32_t> out(8, 99);
  k.bind(0, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 100);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, 8);
  EXPECT_TRUE(k.run());
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, 9);
  EXPECT_FALSE(k.run());
  EXPECT_EQ(k.calls.at(0).address, reinterpret_cast<uint64_t>(out.data() + 8));
}

TEST(LoopRanges, ADistanceThatWrapsAroundTheAddressSpaceIsNoWayBack) {
  // 2^30 steps of 2^34 bytes end where they began.
  Kernel k(R"(
define void @k() {
  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  %s = call i32 @__assay_builtin(i32 0, i32 1)
  %w = zext i32 %s to i64
  %stride = shl i64 %w, 20
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %x = zext i32 %i to i64
  %y = mul i64 %x, %stride
  %p = getelementptr i32, ptr addrspace(5) %o, i64 %y
  store i32 %i, ptr addrspace(5) %p
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
)");
  std::vector<uint32_t> out(4);
  k.bind(0, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, (1u << 30) + 1);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, 1u << 12);
  EXPECT_FALSE(k.run());
  EXPECT_EQ(k.calls.at(0).address, reinterpret_cast<uint64_t>(out.data()) + (uint64_t(1) << 34));
}

TEST(LoopRanges, ALoopWithoutChecksCanBeVectorised) {
  const auto lowered = Kernel(copyLoop("  %p = getelementptr i32, ptr addrspace(5) %o, i64 %x\n")).lower();
  ASSERT_TRUE(lowered);
  EXPECT_TRUE(std::regex_search(disassemble(*lowered), std::regex("[yz]mm")));
}

} // namespace
} // namespace assay::lowering::test
