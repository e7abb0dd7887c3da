#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// constant int n [[function_constant(7)]];  constant int after = n + 1;
// kernel void k(device int *a [[buffer(n)]], device int *b [[buffer(after)]], device int *c [[buffer(0)]])
constexpr const char *kText = R"(
@n = internal addrspace(6) global i32 0
@after = internal addrspace(6) global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
declare i32 @__assay_argument_slot(i32)
define internal void @init() {
  %1 = call i64 @__assay_function_constant(i32 7, i32 0)
  %2 = trunc i64 %1 to i32
  store i32 %2, ptr addrspace(6) @n
  %3 = load i32, ptr addrspace(6) @n
  %4 = add i32 %3, 1
  store i32 %4, ptr addrspace(6) @after
  ret void
}
define void @k() {
  %s = call i32 @__assay_argument_slot(i32 0)
  %a = call ptr addrspace(5) @__assay_buffer_device(i32 %s)
  %t = call i32 @__assay_argument_slot(i32 1)
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 %t)
  %v = load i32, ptr addrspace(5) %a
  store i32 %v, ptr addrspace(5) %b
  ret void
}
)";

Kernel kernel() {
  Kernel k(kText);
  k.module.functionConstants = {{"n", 7, ScalarType::Int, 1, "n"},
                                {"after", kComputedConstant, ScalarType::Int, 1, "after"}};
  k.info.functionConstants = {0, 1};
  k.info.arguments.resize(3);
  k.info.arguments[0].name = "a";
  k.info.arguments[0].indexConstant = k.info.arguments[0].indexSymbol = "n";
  k.info.arguments[1].name = "b";
  k.info.arguments[1].indexConstant = k.info.arguments[1].indexSymbol = "after";
  k.info.arguments[2].name = "c";
  return k;
}

Result<KernelInfo> placed(const Kernel &k) {
  return placeArguments(bitcodeOf(k.ir), k.module, k.info, k.constants, k.options);
}

TEST(ArgumentSlots, AreTheConstantsValues) {
  Kernel k = kernel();
  k.constants[7] = {ScalarType::Int, {4}};
  const Result<KernelInfo> info = placed(k);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->arguments[0].index, 4u);
  EXPECT_EQ(info->arguments[1].index, 5u);
  k.info = *info;
  std::vector<int> from{17}, to{0};
  k.bind(4, from);
  k.bind(5, to);
  k.build();
  ASSERT_TRUE(k.run());
  EXPECT_EQ(to[0], 17);
  EXPECT_EQ(k.code().usedBuffers, 0x30u);
}

TEST(ArgumentSlots, AreRefusedOutOfRangeAndWhereAnotherArgumentIs) {
  Kernel k = kernel();
  k.constants[7] = {ScalarType::Int, {30}};
  Result<KernelInfo> info = placed(k);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().rule(), "argument-index");
  EXPECT_THAT(info.error().message(), testing::HasSubstr("argument 'b' of kernel k is at buffer(31), by the "
                                                         "constant after: buffer has slots 0 to 30"));
  k.constants[7] = {ScalarType::Int, {0xffffffff}};
  info = placed(k);
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().message(), testing::HasSubstr("is at buffer(-1), by the constant n"));
  k.constants[7] = {ScalarType::Int, {0}};
  info = placed(k);
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().message(), testing::HasSubstr("argument 'c' is there"));
}

TEST(ArgumentSlots, OfConstantsWithoutValuesAreTheNextFreeOnes) {
  Kernel k = kernel();
  Result<KernelInfo> info = placed(k);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().rule(), "missing-function-constant");
  k.options.zeroMissingConstants = true;
  info = placed(k);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->arguments[0].index, 1u);
  EXPECT_EQ(info->arguments[1].index, 2u);
}

} // namespace
} // namespace assay::lowering::test
