// What C++ leaves undefined has one result here, whether the optimiser sees the operands or not.
#include "kernel_runner.h"

#include <cmath>
#include <limits>

namespace assay::lowering::test {
namespace {

// out[0] = op(in[0], in[1]), with operands from memory or as constants.
template <class T, class R>
R evaluate(const std::string &body, const std::string &types, T a, T b, bool debug = false) {
  Kernel k("define void @k() {\n"
           "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %i = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n"
           "  %j = getelementptr " +
           types +
           ", ptr addrspace(5) %i, i64 1\n"
           "  %a = load " +
           types +
           ", ptr addrspace(5) %i\n"
           "  %b = load " +
           types + ", ptr addrspace(5) %j\n" + body + "  ret void\n}\n");
  k.options.debug = debug;
  std::vector<R> out(1);
  std::vector<T> in{a, b};
  k.bind(0, out);
  k.bind(1, in);
  EXPECT_TRUE(k.run());
  return out[0];
}

int32_t integer(const std::string &op, int32_t a, int32_t b) {
  const std::string fromMemory = "  %r = " + op + " i32 %a, %b\n  store i32 %r, ptr addrspace(5) %o\n";
  const std::string folded = "  %r = " + op + " i32 " + std::to_string(a) + ", " + std::to_string(b) +
                             "\n  store i32 %r, ptr addrspace(5) %o\n";
  const int32_t result = evaluate<int32_t, int32_t>(fromMemory, "i32", a, b);
  EXPECT_EQ((evaluate<int32_t, int32_t>(folded, "i32", a, b)), result) << op << " folds to something else";
  EXPECT_EQ((evaluate<int32_t, int32_t>(fromMemory, "i32", a, b, true)), result) << op << " differs in debug";
  return result;
}

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

TEST(TotalOperations, DivisionByZeroGivesAllOnesAndTheDividend) {
  EXPECT_EQ(integer("sdiv", 7, 0), -1);
  EXPECT_EQ(integer("udiv", 7, 0), -1);
  EXPECT_EQ(integer("srem", 7, 0), 7);
  EXPECT_EQ(integer("urem", 7, 0), 7);
}

TEST(TotalOperations, TheMostNegativeNumberByMinusOneWraps) {
  EXPECT_EQ(integer("sdiv", kMin, -1), kMin);
  EXPECT_EQ(integer("srem", kMin, -1), 0);
}

TEST(TotalOperations, OrdinaryDivisionIsUntouched) {
  EXPECT_EQ(integer("sdiv", -7, 2), -3);
  EXPECT_EQ(integer("srem", -7, 2), -1);
  EXPECT_EQ(integer("sdiv", 7, -1), -7);
}

TEST(TotalOperations, ShiftAmountsCountModuloTheWidth) {
  EXPECT_EQ(integer("shl", 3, 33), 6);
  EXPECT_EQ(integer("ashr", -8, 34), -2);
  EXPECT_EQ(integer("lshr", 16, 36), 1);
  EXPECT_EQ(integer("shl", 3, 32), 3);
}

TEST(TotalOperations, SignedOverflowWraps) {
  EXPECT_EQ(integer("add nsw", std::numeric_limits<int32_t>::max(), 1), kMin);
  EXPECT_EQ(integer("mul nsw", 65536, 65536), 0);
}

TEST(TotalOperations, SignedOverflowIsNotAssumedAway) {
  // a + 1 > a folds to true where overflow is undefined.
  const std::string body = "  %s = add nsw i32 %a, 1\n  %c = icmp sgt i32 %s, %a\n  %r = zext i1 %c to i32\n"
                           "  store i32 %r, ptr addrspace(5) %o\n";
  EXPECT_EQ((evaluate<int32_t, int32_t>(body, "i32", std::numeric_limits<int32_t>::max(), 0)), 0);
}

template <class R> R convert(const char *op, const char *type, float value) {
  const std::string body = std::string("  %r = ") + op + " float %a to " + type + "\n  store " + type +
                           " %r, ptr addrspace(5) %o\n";
  return evaluate<float, R>(body, "float", value, 0);
}

TEST(TotalOperations, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(convert<int32_t>("fptosi", "i32", -1.9f), -1);
  EXPECT_EQ(convert<int32_t>("fptosi", "i32", 3e9f), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(convert<int32_t>("fptosi", "i32", -3e9f), kMin);
  EXPECT_EQ(convert<uint32_t>("fptoui", "i32", -1.0f), 0u);
  EXPECT_EQ(convert<uint32_t>("fptoui", "i32", INFINITY), 0xffffffffu);
  EXPECT_EQ(convert<uint8_t>("fptoui", "i8", 300.f),
            255); // measured: hardware-vectors, float to small integers
  EXPECT_EQ(convert<int8_t>("fptosi", "i8", 300.f), 127);
}

TEST(TotalOperations, NanToIntegerIsZero) {
  EXPECT_EQ(convert<int32_t>("fptosi", "i32", NAN), 0);
  EXPECT_EQ(convert<uint32_t>("fptoui", "i32", NAN), 0u);
  EXPECT_EQ(convert<int64_t>("fptosi", "i64", NAN), 0);
}

TEST(TotalOperations, FloatToLongDoesNotSaturateAtTheTop) {
  // measured: hardware-vectors, is-long-roundtrip
  EXPECT_EQ(convert<uint64_t>("fptosi", "i64", 9223372036854775808.f), 0x8000000000000000u);
  EXPECT_EQ(convert<int64_t>("fptosi", "i64", 9223371487098961920.f), 9223371487098961920);
  EXPECT_EQ(convert<uint64_t>("fptosi", "i64", -INFINITY), 0x8000000000000000u);
}

TEST(TotalOperations, VariablesWithoutAValueAreZero) {
  const std::string body = "  %v = alloca i32\n  %l = load i32, ptr %v\n  %r = add i32 %l, %a\n"
                           "  store i32 %r, ptr addrspace(5) %o\n";
  EXPECT_EQ((evaluate<int32_t, int32_t>(body, "i32", 5, 0)), 5);
  EXPECT_EQ((evaluate<int32_t, int32_t>(body, "i32", 5, 0, true)), 5);
}

TEST(TotalOperations, TheEndOfAFunctionWithoutAReturnReturnsZero) {
  Kernel k(R"(
define internal i32 @f(i32 %x) {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %yes, label %no
yes:
  ret i32 11
no:
  unreachable
}
define void @k() {
  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %x = load i32, ptr addrspace(5) %o
  %r = call i32 @f(i32 %x)
  store i32 %r, ptr addrspace(5) %o
  ret void
}
)");
  std::vector<int32_t> out{3};
  k.bind(0, out);
  EXPECT_TRUE(k.run());
  EXPECT_EQ(out[0], 0);
}

TEST(TotalOperations, VectorElementsCountModuloTheWidth) {
  const std::string body =
      "  %v = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 9, i32 %b\n"
      "  %r = extractelement <4 x i32> %v, i32 %a\n  store i32 %r, ptr addrspace(5) %o\n";
  EXPECT_EQ((evaluate<int32_t, int32_t>(body, "i32", 6, 0)), 3);
  EXPECT_EQ((evaluate<int32_t, int32_t>(body, "i32", 6, 2)), 9);
}

// Clang loads and stores a vector of three as one of four.
// Clang folds uint(-3.5f) to it.
TEST(TotalOperations, AnIndexWithoutAValueIsZero) {
  for (const bool debug : {false, true}) {
    Kernel k("define void @k() {\n  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
             "  %p = getelementptr i32, ptr addrspace(5) %o, i64 poison\n"
             "  store i32 7, ptr addrspace(5) %p\n  ret void\n}\n");
    k.options.debug = debug;
    std::vector<uint32_t> data{1, 2};
    k.bind(0, data);
    ASSERT_TRUE(k.run());
    EXPECT_EQ(data, (std::vector<uint32_t>{7, 2}));
  }
}

TEST(TotalOperations, TheFourthPlaceOfAVectorOfThreeIsStoredAsZero) {
  for (const bool debug : {false, true}) {
    Kernel k(
        "define void @k() {\n"
        "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
        "  %v = load <4 x i32>, ptr addrspace(5) %o\n"
        "  %a = shufflevector <4 x i32> %v, <4 x i32> poison, <3 x i32> <i32 0, i32 1, i32 2>\n"
        "  %b = add <3 x i32> %a, %a\n"
        "  %w = shufflevector <3 x i32> %b, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>\n"
        "  store <4 x i32> %w, ptr addrspace(5) %o\n  ret void\n}\n");
    k.options.debug = debug;
    std::vector<uint32_t> words{1, 2, 3, 4};
    k.bind(0, words);
    EXPECT_TRUE(k.run());
    EXPECT_EQ(words, (std::vector<uint32_t>{2, 4, 6, 0})) << debug;
  }
}

TEST(TotalOperations, MisalignedVectorsAreReadWhereTheyAre) {
  const std::string body = "  %p = getelementptr i8, ptr addrspace(5) %i, i64 4\n"
                           "  %v = load <8 x float>, ptr addrspace(5) %p, align 32\n"
                           "  store <8 x float> %v, ptr addrspace(5) %o, align 32\n";
  Kernel k("define void @k() {\n  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %i = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n" +
           body + "  ret void\n}\n");
  std::vector<float> in{0, 1, 2, 3, 4, 5, 6, 7, 8}, out(9);
  k.bind(1, in);
  k.dispatch.buffers[0] = {reinterpret_cast<uint8_t *>(out.data() + 1), 32};
  EXPECT_TRUE(k.run());
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(TotalOperations, AnEndlessLoopIsKept) {
  // Without it the store after the loop would be reached.
  const auto lowered = Kernel(R"(
define void @k() mustprogress {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %x = load i32, ptr addrspace(5) %b
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %n, %loop ]
  %n = add i32 %i, 2
  %c = icmp eq i32 %n, 1
  br i1 %c, label %end, label %loop, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
)")
                           .lower();
  ASSERT_TRUE(lowered);
  EXPECT_THAT(disassemble(*lowered), testing::ContainsRegex("jmp"));
}

TEST(TotalOperations, TrapsAreRefused) {
  const auto lowered =
      Kernel("declare void @llvm.trap()\ndefine void @k() {\n  call void @llvm.trap()\n  unreachable\n}\n")
          .lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
}

} // namespace
} // namespace assay::lowering::test
