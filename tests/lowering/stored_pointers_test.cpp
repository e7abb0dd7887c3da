// Pointers that were kept in a private array. tests/vector/memory_test.cpp has the same in whole programs.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;

constexpr uint32_t kBytes = 64;

// The body fills %rows; then the word at %offset bytes of the pointer with this index is stored.
std::string reading(const std::string &body, const std::string &element = "%which") {
  return R"(
define void @k() {
  %rows = alloca [4 x ptr addrspace(5)], align 8
  %more = alloca [4 x ptr addrspace(5)], align 8
  %x = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %y = call ptr addrspace(5) @__assay_buffer_device(i32 3)
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 4)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %j = call i32 @__assay_builtin(i32 0, i32 1)
  %offset = sext i32 %i to i64
  %which = zext i32 %j to i64
  call void @llvm.memset.p0.i64(ptr %rows, i8 0, i64 32, i1 false)
  %row1 = getelementptr i8, ptr %rows, i64 8
  %x16 = getelementptr i8, ptr addrspace(5) %x, i64 16
)" + body +
         R"(
  %place = getelementptr [4 x ptr addrspace(5)], ptr %rows, i64 0, i64 )" +
         element + R"(
  %row = load ptr addrspace(5), ptr %place
  %p = getelementptr i8, ptr addrspace(5) %row, i64 %offset
  %v = load i32, ptr addrspace(5) %p
  store i32 %v, ptr addrspace(5) %out
  ret void
}
)";
}

const std::string kBoth = R"(
  store ptr addrspace(5) %x, ptr %rows
  store ptr addrspace(5) %x16, ptr %row1
)";

class StoredPointersTest : public testing::Test {
protected:
  // The names of the calls that one lane makes. The runtime says of every address that it is known.
  std::vector<std::string> callsAt(Kernel &k, int32_t offset, uint32_t which) {
    k.bind(2, x);
    k.bind(3, y);
    k.bind(4, out);
    k.setBuiltin(Builtin::ThreadPositionInGrid, 0, uint32_t(offset));
    k.setBuiltin(Builtin::ThreadPositionInGrid, 1, which);
    out = {77};
    k.run();
    return k.callNames();
  }
  std::vector<std::string> callsOf(const std::string &body, int32_t offset = 4, uint32_t which = 0) {
    Kernel k(reading(body));
    return callsAt(k, offset, which);
  }

  std::vector<uint32_t> x = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25},
                        y = std::vector<uint32_t>(16, 99), out = {0};
  const std::vector<std::string> none = {}, asked = {"check_access"},
                                 refused = {"check_access", "out_of_bounds"};
};

TEST_F(StoredPointersTest, AreComparedWithTheirBuffer) {
  EXPECT_EQ(callsOf(kBoth, 4, 0), none);
  EXPECT_EQ(out[0], 11u);
  EXPECT_EQ(callsOf(kBoth, 4, 1), none);
  EXPECT_EQ(out[0], 15u);
  EXPECT_EQ(callsOf(kBoth, -16, 1), none);
  EXPECT_EQ(out[0], 10u);
  EXPECT_EQ(callsOf(kBoth, kBytes - 20, 1), none);
  EXPECT_EQ(out[0], 25u);
}

TEST_F(StoredPointersTest, ThatLeaveItAreReportedWithItsName) {
  for (const auto &[offset, which] : {std::pair{-4, 0u}, {61, 0u}, {-20, 1u}, {48, 1u}, {INT32_MAX, 1u}}) {
    Kernel k(reading(kBoth));
    ASSERT_EQ(callsAt(k, offset, which), refused) << offset;
    EXPECT_EQ(out[0], 77u);
    // Where it is in no memory, the report is that of a pointer of unknown origin.
    EXPECT_EQ(k.siteOf(k.calls[0]).memory, MemoryKind::Unknown);
    EXPECT_EQ(k.siteOf(k.calls[1]).memory, MemoryKind::Buffer);
    EXPECT_EQ(k.siteOf(k.calls[1]).slot, 2u);
    EXPECT_EQ(k.calls[0].address, reinterpret_cast<uint64_t>(x.data()) + which * 16 + int64_t(offset));
    EXPECT_EQ(k.calls[1].address, k.calls[0].address);
  }
}

TEST_F(StoredPointersTest, ThatWereNeverSetAreNull) {
  Kernel k(reading(kBoth));
  k.denyChecks = true;
  ASSERT_EQ(callsAt(k, 8, 3), asked);
  EXPECT_EQ(k.calls[0].address, 8u);
  EXPECT_EQ(k.siteOf(k.calls[0]).memory, MemoryKind::Unknown);
  EXPECT_EQ(out[0], 77u);
}

TEST_F(StoredPointersTest, AreFollowedThroughOtherArraysAndThemselves) {
  EXPECT_EQ(callsOf(R"(
  call void @llvm.memset.p0.i64(ptr %more, i8 0, i64 32, i1 false)
  store ptr addrspace(5) %x16, ptr %more
  call void @llvm.memcpy.p0.p0.i64(ptr %rows, ptr %more, i64 32, i1 false)
)"),
            none);
  EXPECT_EQ(out[0], 15u);
  EXPECT_EQ(callsOf(kBoth + R"(
  %old = load ptr addrspace(5), ptr %rows
  %next = getelementptr i8, ptr addrspace(5) %old, i64 %offset
  %other = icmp eq i64 %which, 1
  %chosen = select i1 %other, ptr addrspace(5) %x16, ptr addrspace(5) %next
  store ptr addrspace(5) %chosen, ptr %rows
)"),
            none);
  EXPECT_EQ(out[0], 12u);
}

TEST_F(StoredPointersTest, OfTwoBuffersAskTheRuntime) {
  EXPECT_EQ(callsOf(kBoth + "  store ptr addrspace(5) %y, ptr %row1\n"), asked);
  EXPECT_EQ(out[0], 11u);
}

// Two variables of the thread, whose addresses are in an array.
std::string ofVariables(const std::string &fill) {
  return R"(
define void @k() {
  %rows = alloca [2 x ptr], align 8
  %a = alloca [4 x i32], align 4
  %b = alloca [4 x i32], align 4
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 4)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %j = call i32 @__assay_builtin(i32 0, i32 1)
  %offset = sext i32 %i to i64
  %which = zext i32 %j to i64
  %row1 = getelementptr i8, ptr %rows, i64 8
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %a
  store <4 x i32> <i32 5, i32 6, i32 7, i32 8>, ptr %b
)" + fill +
         R"(
  %place = getelementptr [2 x ptr], ptr %rows, i64 0, i64 %which
  %row = load ptr, ptr %place
  %p = getelementptr i8, ptr %row, i64 %offset
  %v = load i32, ptr %p
  store i32 %v, ptr addrspace(5) %out
  ret void
}
)";
}

TEST_F(StoredPointersTest, OfTwoVariablesAreComparedWithTheOneThatTheyPointInto) {
  Kernel k(ofVariables("  store ptr %a, ptr %rows\n  store ptr %b, ptr %row1\n"));
  EXPECT_EQ(callsAt(k, 4, 0), none);
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(callsAt(k, 12, 1), none);
  EXPECT_EQ(out[0], 8u);
  for (int32_t outside : {13, 16, 1000, INT32_MIN})
    for (uint32_t which : {0, 1}) {
      EXPECT_EQ(callsAt(k, outside, which), std::vector<std::string>{"out_of_bounds"}) << outside;
      EXPECT_EQ(out[0], 77u);
    }
}

TEST_F(StoredPointersTest, IntoNoneOfTheirVariablesAskTheRuntime) {
  Kernel k(ofVariables(R"(
  %before = getelementptr i8, ptr %a, i64 -400
  store ptr %before, ptr %rows
  store ptr %b, ptr %row1
)"));
  EXPECT_EQ(callsAt(k, 404, 0), none);
  EXPECT_EQ(out[0], 2u) << "as in arrays that do not begin at 0";
  EXPECT_EQ(callsAt(k, 4, 1), none);
  EXPECT_EQ(out[0], 6u);
  k.denyChecks = true;
  EXPECT_EQ(callsAt(k, 200, 0), asked);
  EXPECT_EQ(out[0], 77u);
}

TEST_F(StoredPointersTest, OfUnknownOriginAreComparedWithTheVariablesWhoseAddressGetsAway) {
  const std::string numbers = R"(
  %an = ptrtoint ptr %a to i64
  %bn = ptrtoint ptr %b to i64
  store i64 %an, ptr %rows
  store i64 %bn, ptr %row1
)";
  Kernel k(ofVariables(numbers));
  EXPECT_EQ(callsAt(k, 4, 0), none);
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(callsAt(k, 12, 1), none);
  EXPECT_EQ(out[0], 8u);
  k.denyChecks = true;
  EXPECT_EQ(callsAt(k, 1000, 0), asked);
  EXPECT_EQ(callsAt(k, -1000, 1), asked);
  EXPECT_EQ(out[0], 77u);
}

TEST_F(StoredPointersTest, OfVariablesThatAreWrittenInOtherWaysAskTheRuntime) {
  EXPECT_EQ(callsOf(kBoth + R"(
  %n = ptrtoint ptr addrspace(5) %y to i64
  store i64 %n, ptr %row1
)"),
            asked);
  EXPECT_EQ(callsOf(kBoth + R"(
  store ptr %row1, ptr %more
  %alias = load ptr, ptr %more
  store ptr addrspace(5) %y, ptr %alias
)")
                .back(),
            "check_access");
  EXPECT_EQ(callsOf(kBoth + R"(
  %first = icmp eq i64 %which, 7
  %either = select i1 %first, ptr %more, ptr %row1
  store ptr addrspace(5) %y, ptr %either
)"),
            asked);
  EXPECT_EQ(callsOf(kBoth + "  call void @llvm.memset.p0.i64(ptr %row1, i8 3, i64 8, i1 false)\n"), asked);
  EXPECT_EQ(callsOf(kBoth + "  call void @llvm.memcpy.p0.p5.i64(ptr %row1, ptr addrspace(5) %y, i64 8, "
                            "i1 false)\n"),
            asked);
}

TEST_F(StoredPointersTest, MeetOthersInLoops) {
  Kernel k(R"(
define void @k() {
  %rows = alloca [4 x ptr addrspace(5)], align 8
  %x = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %y = call ptr addrspace(5) @__assay_buffer_device(i32 3)
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 4)
  %n = call i32 @__assay_builtin(i32 0, i32 0)
  %j = call i32 @__assay_builtin(i32 0, i32 1)
  %which = zext i32 %j to i64
  store ptr addrspace(5) %x, ptr %rows
  %place = getelementptr [4 x ptr addrspace(5)], ptr %rows, i64 0, i64 %which
  %row = load ptr addrspace(5), ptr %place
  br label %loop
loop:
  %p = phi ptr addrspace(5) [ %row, %0 ], [ %next, %loop ]
  %q = phi ptr addrspace(5) [ %y, %0 ], [ %p, %loop ]
  %k = phi i32 [ 0, %0 ], [ %after, %loop ]
  %v = load i32, ptr addrspace(5) %p
  %w = load i32, ptr addrspace(5) %q
  %sum = add i32 %v, %w
  store i32 %sum, ptr addrspace(5) %out
  %next = getelementptr i8, ptr addrspace(5) %p, i64 4
  %after = add i32 %k, 1
  %c = icmp slt i32 %after, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
)");
  EXPECT_EQ(callsAt(k, 1, 0), none);
  EXPECT_EQ(out[0], 109u);
  EXPECT_EQ(callsAt(k, 16, 0), none);
  EXPECT_EQ(out[0], 49u); // 25 + 24
  ASSERT_EQ(callsAt(k, 17, 0), refused);
  EXPECT_EQ(k.calls[1].address, reinterpret_cast<uint64_t>(x.data() + 16));
  EXPECT_EQ(out[0], 49u);
}

} // namespace
} // namespace assay::lowering::test
