// Function constants and the initialisers that depend on them.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// constant int n [[function_constant(7)]];  constant int twice = n * 2;
// constant int orFour = is_function_constant_defined(n) ? n : 4;
constexpr const char *kGlobals = R"(
@n = internal addrspace(6) global i32 0
@twice = internal addrspace(6) global i32 0
@orFour = internal addrspace(6) global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
define internal void @init.1() {
  %1 = call i64 @__assay_function_constant(i32 7, i32 0)
  %2 = trunc i64 %1 to i32
  store i32 %2, ptr addrspace(6) @n
  ret void
}
define internal void @init.2() {
  %1 = load i32, ptr addrspace(6) @n
  %2 = mul nsw i32 %1, 2
  store i32 %2, ptr addrspace(6) @twice
  ret void
}
define internal void @init.3() {
  %d = call zeroext i1 @__assay_is_function_constant_defined(ptr addrspacecast (ptr addrspace(6) @n to ptr))
  br i1 %d, label %yes, label %no
yes:
  %1 = load i32, ptr addrspace(6) @n
  br label %no
no:
  %v = phi i32 [ 4, %0 ], [ %1, %yes ]
  store i32 %v, ptr addrspace(6) @orFour
  ret void
}
define internal void @init() {
  call void @init.1()
  call void @init.2()
  call void @init.3()
  ret void
}
)";

std::string kernelThatStores(const std::string &global) {
  return std::string(kGlobals) + R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load i32, ptr addrspace(6) @)" +
         global + R"(
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)";
}

Kernel withConstants(std::string ir) {
  Kernel k(std::move(ir));
  k.module.functionConstants = {{"n", 7, ScalarType::Int, 1, "n"},
                                {"twice", 0xFFFFFFFF, ScalarType::Int, 1, "twice"}};
  return k;
}

int32_t resultOf(Kernel &k) {
  std::vector<int32_t> out(1, -1);
  k.bind(0, out);
  EXPECT_TRUE(k.run());
  return out[0];
}

TEST(FunctionConstants, ReachTheKernelAndWhatIsComputedFromThem) {
  Kernel direct = withConstants(kernelThatStores("n"));
  direct.constants[7] = {ScalarType::Int, {21}};
  EXPECT_EQ(resultOf(direct), 21);
  Kernel computed = withConstants(kernelThatStores("twice"));
  computed.constants[7] = {ScalarType::Int, {21}};
  EXPECT_EQ(resultOf(computed), 42);
}

TEST(FunctionConstants, ADefaultCountsOnlyWhereThereIsNoValue) {
  Kernel given = withConstants(kernelThatStores("orFour"));
  given.constants[7] = {ScalarType::Int, {9}};
  EXPECT_EQ(resultOf(given), 9);
  Kernel absent = withConstants(kernelThatStores("orFour"));
  EXPECT_EQ(resultOf(absent), 4);
}

TEST(FunctionConstants, OneThatIsReadWithoutAValueIsAnErrorByNameAndIndex) {
  Kernel k = withConstants(kernelThatStores("n"));
  const auto lowered = k.lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().kind, ErrorKind::Kernel);
  EXPECT_EQ(lowered.error().rule(), "missing-function-constant");
  EXPECT_EQ(lowered.error().message(), "kernel k needs function constant n (index 7), which has no value");
}

TEST(FunctionConstants, WhatIsComputedFromOneWithoutAValueNamesThatOne) {
  Kernel k = withConstants(kernelThatStores("twice"));
  const auto lowered = k.lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "missing-function-constant");
  EXPECT_THAT(lowered.error().message(), testing::HasSubstr("constant n (index 7)"));
}

// Reads `twice` only if `n` has a value, and stores -5 otherwise.
std::string kernelThatAsksForN() {
  return std::string(kGlobals) + R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %d = call zeroext i1 @__assay_is_function_constant_defined(ptr addrspacecast (ptr addrspace(6) @n to ptr))
  br i1 %d, label %yes, label %no
yes:
  %1 = load i32, ptr addrspace(6) @twice
  store i32 %1, ptr addrspace(5) %b
  ret void
no:
  store i32 -5, ptr addrspace(5) %b
  ret void
}
)";
}

TEST(FunctionConstants, AReadThatFoldingRemovesNeedsNoValue) {
  Kernel k = withConstants(kernelThatAsksForN());
  for (bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    EXPECT_EQ(resultOf(k), -5);
  }
}

// What a kernel computes if missing constants are zero, and which constants it took so.
std::pair<int32_t, std::vector<uint32_t>> withZeros(Kernel k) {
  k.options.zeroMissingConstants = true;
  const int32_t result = resultOf(k);
  return {result, k.code().zeroConstants};
}

TEST(FunctionConstants, TellWhichOfThemWereTakenAsZero) {
  using Outcome = std::pair<int32_t, std::vector<uint32_t>>;
  EXPECT_EQ(withZeros(withConstants(kernelThatStores("n"))), Outcome(0, {7}));
  EXPECT_EQ(withZeros(withConstants(kernelThatStores("twice"))), Outcome(0, {7})) << "computed from it";
  EXPECT_EQ(withZeros(withConstants(kernelThatStores("orFour"))), Outcome(4, {})) << "it has a default";
  Kernel given = withConstants(kernelThatStores("twice"));
  given.constants[7] = {ScalarType::Int, {21}};
  EXPECT_EQ(withZeros(std::move(given)), Outcome(42, {}));
}

TEST(FunctionConstants, AReadThatTheQuestionForAValueRemovesTakesNoZero) {
  for (bool debug : {false, true}) {
    Kernel k = withConstants(kernelThatAsksForN());
    k.options.debug = debug;
    EXPECT_EQ(withZeros(std::move(k)), (std::pair<int32_t, std::vector<uint32_t>>(-5, {})));
  }
}

TEST(FunctionConstants, TheConditionOfAnArgumentTakesAZeroToo) {
  Kernel k = withConstants(kernelThatStores("orFour"));
  k.info.arguments.emplace_back().conditionSymbol = "twice";
  EXPECT_EQ(withZeros(std::move(k)).second, std::vector<uint32_t>{7});
}

TEST(FunctionConstants, AnInitialiserThatNobodyCanEvaluateIsAnErrorOnlyIfRead) {
  const std::string global = R"(
@odd = internal addrspace(6) global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
declare i32 @elsewhere()
define internal void @init() {
  %1 = call i32 @elsewhere()
  store i32 %1, ptr addrspace(6) @odd
  ret void
}
)";
  const auto read = Kernel(global + R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %1 = load i32, ptr addrspace(6) @odd
  store i32 %1, ptr addrspace(5) %b
  ret void
}
)")
                        .lower();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().rule(), "unsupported");
  EXPECT_THAT(read.error().message(), testing::HasSubstr("variable odd cannot be computed"));
  EXPECT_TRUE(Kernel(global + "define void @k() { ret void }").lower());
}

TEST(FunctionConstants, ConditionsDecideWhichArgumentsExist) {
  Kernel k = withConstants(kernelThatStores("orFour"));
  k.info.arguments.resize(3);
  k.info.arguments[1].condition = k.info.arguments[1].conditionSymbol = "twice";
  k.constants[7] = {ScalarType::Int, {0}};
  auto active = activeArguments(bitcodeOf(k.ir), k.module, k.info, k.constants);
  ASSERT_TRUE(active);
  EXPECT_THAT(*active, testing::ElementsAre(true, false, true));
  k.constants[7] = {ScalarType::Int, {3}};
  active = activeArguments(bitcodeOf(k.ir), k.module, k.info, k.constants);
  ASSERT_TRUE(active);
  EXPECT_THAT(*active, testing::ElementsAre(true, true, true));
  k.constants.clear();
  active = activeArguments(bitcodeOf(k.ir), k.module, k.info, k.constants);
  ASSERT_FALSE(active);
  EXPECT_EQ(active.error().rule(), "missing-function-constant");
}

} // namespace
} // namespace assay::lowering::test
