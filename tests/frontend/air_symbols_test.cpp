// Functions declared by a symbol of Apple's compiler: which declarations are accepted, and what the others
// are told. What the functions compute: tests/host/async_copy_test.cpp.
#include "frontend/compile.h"

#include <gmock/gmock.h>

#include <ostream>

using namespace assay;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

Result<frontend::CompiledModule> compileText(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = text;
  return frontend::compile(request);
}

std::string messageOf(const Result<frontend::CompiledModule> &result) {
  return result ? "" : result.error().message();
}

constexpr const char *kKernel = "kernel void k(device float *o [[buffer(0)]]) { o[0] = f(o[0]); }\n";

struct Accepted {
  const char *name, *source;
};
void PrintTo(const Accepted &row, std::ostream *out) {
  *out << row.name;
}
class AcceptsSymbol : public testing::TestWithParam<Accepted> {};

TEST_P(AcceptsSymbol, TheDeclaration) {
  const auto result = compileText(std::string(GetParam().source) + kKernel);
  EXPECT_TRUE(result) << messageOf(result);
}

const Accepted kAccepted[] = {
    {"Plain", "float f(float) __asm(\"air.simd_sum.f32\");\n"},
    {"WithoutUnderscores", "float f(float x) asm(\"air.fast_sqrt.f32\");\n"},
    {"WithTheMarkOfLlvm", "float f(float) __asm__(\"\\001air.simd_sum.f32\");\n"},
    {"InANamespace", "namespace mine { float f(float) __asm(\"air.simd_sum.f32\"); }\nusing mine::f;\n"},
    {"WithAttributes",
     "__attribute__((const)) float f(float) __attribute__((convergent)) __asm(\"air.simd_sum.f32\");\n"},
    {"Twice", "float f(float) __asm(\"air.simd_sum.f32\");\nfloat g(float) __asm(\"air.simd_sum.f32\");\n"},
    {"SignsDoNotMatter",
     "int g(int) __asm(\"air.simd_sum.u.i32\");\nfloat f(float x) { return g(int(x)); }\n"},
    {"FromPieces", "#define LABEL(type) __asm(\"a\" \"ir.simd_sum.\" #type)\nfloat f(float) LABEL(f32);\n"},
    {"UnknownAndUnused", "float g(float) __asm(\"air.tomorrow.f32\");\nfloat f(float x) { return x; }\n"},
    {"OwnNamesOfTheShim",
     "float simd_sum(float) __asm(\"air.simd_sum.f32\");\nfloat f(float x) { return simd_sum(x); }\n"},
};
INSTANTIATE_TEST_SUITE_P(AirSymbols, AcceptsSymbol, testing::ValuesIn(kAccepted),
                         [](const auto &info) { return info.param.name; });

struct Refused {
  const char *name, *source; ///< the declaration is in line 2
  const char *message;
};
void PrintTo(const Refused &row, std::ostream *out) {
  *out << row.name;
}
class RefusesSymbol : public testing::TestWithParam<Refused> {};

TEST_P(RefusesSymbol, AtTheDeclaration) {
  const auto result = compileText(std::string("\n") + GetParam().source + kKernel);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Kernel);
  EXPECT_THAT(messageOf(result), HasSubstr(GetParam().message));
  EXPECT_EQ(result.error().diagnostics.front().where.file, "test.metal");
  EXPECT_EQ(result.error().diagnostics.front().where.line, 2u);
}

const Refused kRefused[] = {
    {"Unknown", "float f(float) __asm(\"air.tomorrow.f32\");\n",
     "'air.tomorrow.f32' is a symbol of Apple's compiler that Assay does not know: known are "},
    {"UnknownWithTheMark", "float f(float) __asm(\"\\001air.tomorrow.f32\");\n",
     "'air.tomorrow.f32' is a symbol"},
    {"UnknownType", "float f(float) __asm(\"air.simd_sum.f64\");\n",
     "known are air.simd_sum.f16, air.simd_sum.f32, air.simd_sum.s.i16,"},
    {"TooManyParameters", "float f(float, int = 1) __asm(\"air.simd_sum.f32\");\n",
     "'f' does not fit its symbol 'air.simd_sum.f32': it has 2 parameters and must have 1"},
    {"ParameterOfAnotherSize", "float f(half) __asm(\"air.simd_sum.f32\");\n",
     "parameter 1 is a floating-point number of 2 bytes and must be a floating-point number of 4 bytes"},
    {"ParameterOfAnotherKind", "float f(int) __asm(\"air.simd_sum.f32\");\n",
     "parameter 1 is an integer of 4 bytes"},
    {"AnotherResult", "int f(float) __asm(\"air.simd_sum.f32\");\n", "its result is an integer of 4 bytes"},
    {"AnotherSpace",
     "struct E; thread E *g(ulong, ulong, device void *, const device void *, ulong)"
     " __asm(\"air.simdgroup_async_copy_1d.p3i8.p1i8\"); float f(float x) { return g(4, 4, nullptr, nullptr, "
     "1) ? x : 1; }\n",
     "parameter 3 is a pointer to device memory and must be a pointer to threadgroup memory"},
    {"Variadic", "float f(float, ...) __asm(\"air.simd_sum.f32\");\n", "does not fit"},
};
INSTANTIATE_TEST_SUITE_P(AirSymbols, RefusesSymbol, testing::ValuesIn(kRefused),
                         [](const auto &info) { return info.param.name; });

// Who declares none pays nothing, and sees nothing of the header.
TEST(AirSymbols, AreThereOnlyForProgramsThatDeclareSome) {
  const auto without =
      compileText("float f(float x) { return metal::simd_sum(x); }\n" + std::string(kKernel));
  ASSERT_FALSE(without);
  EXPECT_THAT(messageOf(without), HasSubstr("simd_sum"));
  const auto plain =
      compileText("#include <metal_stdlib>\nfloat f(float x) { return x; }\n" + std::string(kKernel));
  ASSERT_TRUE(plain) << messageOf(plain);
  EXPECT_THAT(plain->bitcode, Not(HasSubstr("async_copies")));
}

// Published kernels build on these names of the compiler.
TEST(AirSymbols, SimdgroupMatricesHaveTheStorageOfApplesCompiler) {
  const auto result = compileText(R"(#include <metal_stdlib>
using namespace metal;
#pragma METAL internals : enable
template <typename T> struct storage {
  typedef vec<T, 64> type;
  type t;
  thread vec<T, 2> *elements() thread { return reinterpret_cast<thread vec<T, 2> *>(&t); }
};
kernel void k(device float *o [[buffer(0)]]) {
  storage<half> a;
  storage<float> c;
  *a.elements() = 1;
  *c.elements() = 2;
  c.t = __metal_simdgroup_matrix_8x8_multiply_accumulate(a.t, a.t, c.t, typename storage<float>::type());
  o[0] = c.elements()->x;
}
)");
  EXPECT_TRUE(result) << messageOf(result);
}

} // namespace
