// Everything a kernel calls becomes part of it, or is an error by name.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

TEST(InlineCalls, CallsOfCallsEndUpInTheEntry) {
  Kernel k(R"(
define linkonce_odr i32 @_Z3addii(i32 %a, i32 %b) noinline {
  %s = add i32 %a, %b
  ret i32 %s
}
define internal i32 @twice(i32 %a) optnone noinline {
  %s = call i32 @_Z3addii(i32 %a, i32 %a)
  %t = call i32 @_Z3addii(i32 %s, i32 1)
  ret i32 %t
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load i32, ptr addrspace(5) %b
  %t = call i32 @twice(i32 %v)
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)");
  for (bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    std::vector<uint32_t> data{20};
    k.bind(0, data);
    ASSERT_TRUE(k.run());
    EXPECT_EQ(data[0], 41u);
    EXPECT_EQ(k.native->code().codeRanges.size(), 1u);
  }
}

// The shim asks for the math mode and calls one of two functions: no code is made of the other one.
TEST(InlineCalls, WhatIsNotCalledAfterAllHasNoCode) {
  Kernel k(R"(
declare i1 @__assay_fast_recipes()
define internal i32 @deepest(i32 %a) noinline {
  %s = add i32 %a, 1
  ret i32 %s
}
define internal i32 @other(i32 %a) noinline {
  %s = call i32 @deepest(i32 %a)
  ret i32 %s
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  store i32 7, ptr addrspace(5) %b
  %fast = call i1 @__assay_fast_recipes()
  br i1 %fast, label %done, label %call
call:
  %t = call i32 @other(i32 1)
  store i32 %t, ptr addrspace(5) %b
  br label %done
done:
  ret void
}
)");
  ASSERT_EQ(k.options.numerics.fastFunctions, FastFunctions::Recipes);
  const auto lowered = k.lower();
  ASSERT_TRUE(lowered);
  // The object names its functions.
  EXPECT_NE(lowered->object.find("assay_entry"), std::string::npos);
  EXPECT_EQ(lowered->object.find("other"), std::string::npos);
  EXPECT_EQ(lowered->object.find("deepest"), std::string::npos);
}

// The second function is inlined into the first, which then calls itself, and is called by itself, too.
TEST(InlineCalls, FunctionsThatCallEachOtherAreInlined) {
  Kernel k(R"(
define internal i32 @first(i32 %n) {
  %end = icmp ult i32 %n, 2
  br i1 %end, label %last, label %more
last:
  ret i32 1
more:
  %less = sub i32 %n, 1
  %r = call i32 @second(i32 %less)
  %s = mul i32 %r, %n
  ret i32 %s
}
define internal i32 @second(i32 %n) {
  %half = udiv i32 %n, 2
  %r = call i32 @first(i32 %half)
  %s = add i32 %r, %n
  ret i32 %s
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %f = call i32 @first(i32 %n)
  %s = call i32 @second(i32 %n)
  %t = sub i32 %f, %s
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)");
  // first(9) = 9 second(8), second(8) = first(4) + 8, first(4) = 4 second(3), second(3) = first(1) + 3 = 4;
  // second(9) = first(4) + 9.
  for (bool debug : {false, true}) {
    k.options.debug = debug;
    k.native.reset();
    std::vector<uint32_t> data{9};
    k.bind(0, data);
    ASSERT_TRUE(k.run());
    EXPECT_EQ(data[0], 9u * (16 + 8) - (16 + 9));
  }
}

TEST(InlineCalls, APointerToAKnownFunctionIsACall) {
  Kernel k(R"(
define internal i32 @f() {
  ret i32 8
}
define internal i32 @apply(ptr %function) {
  %p = alloca ptr
  store ptr %function, ptr %p
  %g = load ptr, ptr %p
  %r = call i32 %g()
  ret i32 %r
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %t = call i32 @apply(ptr @f)
  store i32 %t, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> data(1);
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 8u);
}

TEST(InlineCalls, APointerThatStaysUnknownIsRefused) {
  const auto lowered = Kernel(R"(
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %f = load ptr, ptr addrspace(5) %b
  call void %f()
  ret void
}
)")
                           .lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
}

// The shim declares what is not supported with the attribute `error`.
TEST(InlineCalls, ADeclarationMaySayWhyItCannotBeCalled) {
  const auto refusal = [](const std::string &attributes) {
    const auto lowered = Kernel("declare void @_Z1fv() " + attributes +
                                "\ndefine void @k() {\n  call void @_Z1fv()\n  ret void\n}\n")
                             .lower();
    return lowered ? "" : renderDiagnostics(lowered.error().diagnostics);
  };
  EXPECT_THAT(refusal(""), testing::HasSubstr("f is declared, and defined nowhere [unsupported]"));
  EXPECT_THAT(refusal("\"dontcall-error\"=\"rate maps are not supported\""),
              testing::HasSubstr("f cannot be called: rate maps are not supported [unsupported]"));
}

TEST(InlineCalls, OtherKernelsOfTheModuleDoNotMatter) {
  EXPECT_TRUE(
      Kernel("declare void @llvm.trap()\ndefine void @other() {\n  call void @llvm.trap()\n  ret void\n}\n"
             "define void @k() {\n  ret void\n}\n")
          .lower());
}

} // namespace
} // namespace assay::lowering::test
