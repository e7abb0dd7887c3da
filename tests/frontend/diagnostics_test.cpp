// Clang's words in Metal's spelling, and whole messages.
#include "frontend/diagnostics.h"

#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;

namespace {

TEST(Diagnostics, WholeMessageReadsLikeClangs) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\nvoid g(threadgroup float *p);\n"
                 "kernel void f(device float *p [[buffer(0)]]) {\n\tg(p);\n}\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(
      renderDiagnostics(result.error().diagnostics),
      "k.metal:5:2: error: no matching function for call to 'g'\n"
      "  \tg(p);\n"
      "  \t^\n"
      "k.metal:3:6: note: candidate function not viable: cannot pass pointer to address space 'device' as a "
      "pointer to address space 'threadgroup' in 1st argument\n"
      "  void g(threadgroup float *p);\n"
      "       ^ ~~~~~~~~~~~~~~~~~~~~\n");
}

// Apple's headers declare them at the global scope (naga #702, hashcat #3527).
TEST(Diagnostics, NamesThatMetalReservesAreNotDefined) {
  for (const auto &[text, message] :
       {std::pair("struct complex { float re, im; };", "definition of type 'complex' conflicts with typedef"),
        std::pair("typedef uchar uint8;", "typedef redefinition with different types"),
        std::pair("typedef ulong ullong;", "typedef redefinition with different types"),
        std::pair("typedef metal::vec<float, 8> float8;", "typedef redefinition with different types"),
        std::pair("kernel void quad() {}", "redefinition of 'quad' as different kind of symbol")}) {
    frontend::SourceRequest request;
    request.path = "k.metal";
    request.text = std::string("#include <metal_stdlib>\n") + text;
    const auto result = frontend::compile(request);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().diagnostics[0].message, testing::HasSubstr(message));
    EXPECT_EQ(result.error().diagnostics[0].where.line, 2u);
  }
  // A structure that Metal leaves open can be completed, and namespaces of a program are its own.
  frontend::SourceRequest request;
  request.text =
      "#include <metal_stdlib>\n"
      "struct __Reserved_Name__Do_not_use_float8 { float4 lo, hi; };\n"
      "namespace mine { struct complex { float re; }; typedef uchar uint8; }\n"
      "kernel void k(device float8 *p [[buffer(0)]]) { p->hi = p->lo + mine::uint8(mine::complex{2}.re); }\n";
  const auto result = frontend::compile(request);
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

// The messages of the library's static_asserts name the types and numbers that do not agree.
TEST(Diagnostics, RequirementsOfTheLibraryNameBothValues) {
  for (const auto &[text, message] :
       {std::pair(
            "auto t = op.get_destination_cooperative_tensor<Floats, Halves, float>(); op.run(a, b, t);",
            "matmul2d: the left operand has elements of half, and the destination cooperative tensor was "
            "made for float"),
        std::pair("auto t = op.get_destination_cooperative_tensor<Halves, Halves, float>(); auto r = "
                  "deep.get_row_reduction_destination_cooperative_tensor<Halves, Halves, float>(); "
                  "reduce_rows(t, r);",
                  "matmul2d: the reduction is that of a descriptor whose k is 64, and the matrix that of one "
                  "whose k is 32"),
        std::pair("matmul2d<matmul2d_descriptor(16, 20), execution_simdgroup> o; o.run(a, b, b);",
                  "matmul2d: with a scope of simdgroups n must be a multiple of 8, and is 20"),
        std::pair("matmul2d<matmul2d_descriptor(24, 40), execution_simdgroup> o; o.run(a, b, b);",
                  "matmul2d: at least one of m and n must be a multiple of 16, and they are 24 and 40"),
        std::pair("matmul2d<matmul2d_descriptor(3, 4), execution_thread> o; o.run(a, b, b);",
                  "matmul2d: with a scope of one thread m must be 1, 2, 4 or a multiple of 8, and is 3"),
        std::pair("auto l = op.get_left_input_cooperative_tensor<half, half, float>(); op.run(l, b, b);",
                  "matmul2d: the right operand has elements of float, and the left input cooperative tensor "
                  "was made for half"),
        std::pair("auto t = op.get_destination_cooperative_tensor<Halves, Halves, float>(); auto r = "
                  "deep.get_row_reduction_destination_cooperative_tensor<Halves, Halves, half>(); "
                  "r.map_iterator(t.begin());",
                  "map_iterator: the matrix has elements of float, and the reduction of half")}) {
    frontend::SourceRequest request;
    request.path = "k.metal";
    request.text = "#include <metal_stdlib>\n"
                   "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
                   "using namespace metal;\nusing namespace mpp::tensor_ops;\n"
                   "typedef tensor<device half, dextents<int, 2>, tensor_inline> Halves;\n"
                   "typedef tensor<device float, dextents<int, 2>, tensor_inline> Floats;\n"
                   "void f(thread Halves &a, thread Floats &b) {\n"
                   "  matmul2d<matmul2d_descriptor(32, 32, 32), execution_simdgroup> op; (void)op;\n"
                   "  matmul2d<matmul2d_descriptor(32, 32, 64), execution_simdgroup> deep; (void)deep;\n" +
                   std::string(text) + "\n}\n";
    const auto result = frontend::compile(request);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().diagnostics[0].message, message);
    EXPECT_EQ(result.error().diagnostics[0].where.line, 10u);
  }
}

TEST(Diagnostics, LineDirectivesNameThePlace) {
  frontend::SourceRequest request;
  request.path = "whole.metal";
  request.text =
      "#line 40 \"part.h\"\nint f() {\n  return nowhere;\n}\n#line 3 \"whole.metal\"\nint g = absent;\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "part.h:41:10: error: use of undeclared identifier 'nowhere'\n"
            "    return nowhere;\n"
            "           ^\n"
            "whole.metal:3:9: error: use of undeclared identifier 'absent'\n"
            "  int g = absent;\n"
            "          ^\n");
}

TEST(Diagnostics, MacroUsesNameTheDefinition) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#define TWICE(x) ((x) + missing)\nint a = TWICE(1);\n";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  ASSERT_GE(result.error().diagnostics.size(), 2u);
  EXPECT_EQ(result.error().diagnostics[0].where, (SourcePlace{"k.metal", 2, 9}));
  EXPECT_EQ(result.error().diagnostics[1].message, "expanded from a macro defined here");
  EXPECT_EQ(result.error().diagnostics[1].where, (SourcePlace{"k.metal", 1, 25}));
}

struct Mistake {
  const char *statement;
  const char *message; ///< of the first diagnostic
};

// Mistakes that a class of the library notices inside itself:
// the message is at the program's line all the same.
const Mistake kMistakes[] = {
    {"float4 v = float4(1, 2, 3);",
     "'float4' takes 4 elements, and 3 are given; a braced list may be shorter"},
    {"half3 v = half3(1, 2);", "'half3' takes 3 elements, and 2 are given; a braced list may be shorter"},
    {"float4 v = float4(float3(1), float2(2));", "no matching constructor for initialization of 'float4'"},
    {"float3 v = float3(float2(1), 2, 3);", "no matching constructor for initialization of 'float3'"},
    {"float4 v = float4(float4(1), 2, 3, 4);", "no matching constructor for initialization of 'float4'"},
    {"auto v = float4(1) & float4(2);", "invalid operands to binary expression ('float4' and 'float4')"},
    {"auto v = half2(1) % half2(2);", "invalid operands to binary expression ('half2' and 'half2')"},
    {"auto v = bool4(true) + bool4(true);", "invalid operands to binary expression ('bool4' and 'bool4')"},
    {"auto v = float4(1) + half4(1);", "invalid operands to binary expression ('float4' and 'half4')"},
    {"auto v = packed_float3(1) | packed_float3(1);",
     "invalid operands to binary expression ('packed_float3' and 'packed_float3')"},
    {"uint v = as_type<uint>(half(1));",
     "invalid reinterpretation: sizes of 'uint' (4 bytes) and 'half' (2 bytes) must match"},
    {"float4 a = 1; float3 v = a;", "no viable conversion from 'float4' to 'float3'"},
    {"float3 v = 1; v.xx = float2(1);", "a component stands twice, so nothing can be assigned to 'xx'"},
    {"uint n = 4; threadgroup float t[n];",
     "an array in threadgroup memory must have a size that is known when it is compiled"},
    {"matrix<int, 2, 2> m;", "the elements of a matrix are half, bfloat or float"},
};

TEST(Diagnostics, MistakesWithVectorsAreAtTheProgramsLineInMetalsWords) {
  for (const Mistake &mistake : kMistakes) {
    frontend::SourceRequest request;
    request.path = "k.metal";
    request.text = std::string("#include <metal_stdlib>\nusing namespace metal;\nkernel void f() {\n  ") +
                   mistake.statement + "\n}\n";
    const auto result = frontend::compile(request);
    ASSERT_FALSE(result) << mistake.statement;
    const std::vector<Diagnostic> &every = result.error().diagnostics;
    std::vector<Diagnostic> all; // from the error on: a warning of an unused variable may precede it
    for (const Diagnostic &each : every)
      if (!all.empty() || each.severity == Severity::Error)
        all.push_back(each);
    ASSERT_FALSE(all.empty()) << mistake.statement;
    EXPECT_EQ(all[0].message, mistake.message) << mistake.statement;
    EXPECT_EQ(all[0].where.file, "k.metal") << mistake.statement;
    EXPECT_EQ(all[0].where.line, 4u) << mistake.statement;
    for (const Diagnostic &each : all) {
      EXPECT_EQ(each.message.find("__assay"), std::string::npos) << each.message;
      EXPECT_EQ(each.where.file.find("msl_shim/detail"), std::string::npos) << each.message;
    }
  }
}

TEST(Diagnostics, ABracedListMayBeShort) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text =
      "#include <metal_stdlib>\nusing namespace metal;\nfloat4 f() { float4 v = {1, 2, 3}; return v; }\n"
      "kernel void k(device float4 *p [[buffer(0)]]) { *p = f() + float4{1, 2}; }\n";
  const auto result = frontend::compile(request);
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

TEST(Diagnostics, AMisplacedPragmaHasTheUsersName) {
  EXPECT_EQ(frontend::messagesOf("kernel void k(device float *o) {\n  o[0] = 1;\n"
                                 "#pragma METAL fp contract(off)\n}\n"),
            "k.metal:5:15: error: '#pragma METAL fp' can only appear at file scope or at the start of a "
            "compound statement\n"
            "  #pragma METAL fp contract(off)\n"
            "                ^\n");
}

TEST(Diagnostics, OffersNoNameOfTheShimsOwn) {
  // The nearest names are __assay_builtin and atomic's member value_.
  for (const char *text : {"kernel void k(device int *o) { o[0] = _assay_builtin(0, 0); }\n",
                           "kernel void k(device atomic_int *o) { o->values_ = 1; }\n"}) {
    const std::string messages = frontend::messagesOf(text);
    EXPECT_NE(messages, "");
    EXPECT_EQ(messages.find("did you mean"), std::string::npos) << messages;
  }
}

TEST(Diagnostics, OffersANameOfMetalsWithoutItsPlaceInTheShim) {
  const std::string messages =
      frontend::messagesOf("kernel void k(device float *o) { o[0] = simd_summ(o[0]); }\n");
  EXPECT_NE(messages.find("'simd_summ'; did you mean 'simd_sum'?"), std::string::npos) << messages;
  EXPECT_EQ(messages.find("msl_shim"), std::string::npos) << messages;
}

// OpenCL's `__local`, and CUDA's functions, of which Clang guesses that they are builtins.
TEST(Diagnostics, NameWordsOfOtherLanguagesAsTheyAreWritten) {
  EXPECT_EQ(frontend::messagesOf("void f() {\n  __local float s[32];\n}\n"),
            "k.metal:4:3: error: unknown type name '__local'\n"
            "    __local float s[32];\n"
            "    ^\n");
  EXPECT_EQ(frontend::messagesOf("void f() {\n  __syncwarp();\n}\n"),
            "k.metal:4:3: error: use of undeclared identifier '__syncwarp'\n"
            "    __syncwarp();\n"
            "    ^\n");
}

// A misspelt attribute is one mistake.
TEST(Diagnostics, AMisspeltIdIsReportedOnce) {
  EXPECT_EQ(frontend::messagesOf("kernel void k(uint i [[thread_position]]) {}\n"),
            "k.metal:3:22: error: unknown attribute 'thread_position'; did you mean "
            "'thread_position_in_grid'\n"
            "  kernel void k(uint i [[thread_position]]) {}\n"
            "                       ^\n");
}

TEST(Diagnostics, SwizzlesAreNoFunctions) {
  EXPECT_EQ(frontend::messagesOf("void f(const device float4 *p) {\n  p->yx = float2(1);\n}\n"),
            "k.metal:4:3: error: cannot assign to 'yx' of a value of type 'const device float4'\n"
            "    p->yx = float2(1);\n"
            "    ^\n");
}

TEST(Diagnostics, NameTheTypeThatTheLibraryComputes) {
  const auto of = [](const std::string &text) {
    return frontend::messagesOf("kernel void k(device char2 *o, device uint *u, device short *s) {\n  " +
                                text + " }\n");
  };
  EXPECT_THAT(of("char2 r = absdiff(o[0], o[1]); o[2] = r;"), testing::HasSubstr("from 'uchar2' to 'char2'"));
  EXPECT_THAT(of("short4 r = absdiff(short4(s[0]), short4(1)); s[2] = r.x;"),
              testing::HasSubstr("from 'ushort4' to 'short4'"));
}

TEST(Diagnostics, NoteNoOptionsThatTheCommandsDoNotHave) {
  std::string nested;
  for (int i = 0; i < 300; ++i)
    nested += "if (o[0]) {";
  for (const std::string &text :
       {"kernel void k(device int *o) {" + nested + std::string(301, '}') + "\n",
        std::string("template <int N> struct F { static constexpr int v = F<N - 1>::v + 1; };\n"
                    "kernel void k(device int *o) { *o = F<5>::v; }\n")}) {
    const std::string said = frontend::messagesOf(text);
    EXPECT_THAT(said, testing::HasSubstr("maximum"));
    EXPECT_THAT(said, testing::Not(testing::HasSubstr("use -f")));
  }
}

TEST(Diagnostics, MatricesAndElementsHaveMetalsNames) {
  EXPECT_THAT(
      frontend::messagesOf("kernel void k(device half2x4 *m) { half2x4 t = transpose(m[0]); m[1] = t; }\n"),
      testing::HasSubstr("no viable conversion from 'half4x2' to 'half2x4'"));
  EXPECT_THAT(frontend::messagesOf("kernel void k(constant packed_float4 &p) { const float4 z(1); z[0] = 1;\n"
                                   "p[0] = 1; }\n"),
              testing::AllOf(testing::HasSubstr("k.metal:3:68: error: read-only variable is not assignable"),
                             testing::HasSubstr("k.metal:4:6: error: read-only variable is not assignable"),
                             testing::Not(testing::HasSubstr("operator[]"))));
}

TEST(Diagnostics, TypesOfExpressionsHaveMetalsNames) {
  EXPECT_EQ(frontend::metalSpelling("'metal::vec<bool, 4>' (aka 'bool4'), 'array<metal::vec<int, 2>, 3>', "
                                    "'const metal::matrix<float, 4, 3>'"),
            "'bool4', 'array<int2, 3>', 'const float4x3'");
  // The names of a program, of another length, and of no type.
  EXPECT_EQ(
      frontend::metalSpelling("'mine::vec<int, 2>' 'mine::metal::vec<int, 2>' 'vec<int, 5>' 'vec<T, 2>'"),
      "'mine::vec<int, 2>' 'mine::metal::vec<int, 2>' 'vec<int, 5>' 'vec<T, 2>'");
  EXPECT_THAT(frontend::messagesOf("kernel void k(device int3 *p, constant float4x4 &m) {\n"
                                   "  p[0].xy = p[0].xy * 1.5f;\n  float f = m.x;\n}\n"),
              testing::HasSubstr("no member named 'x' in 'float4x4'"));
  EXPECT_THAT(frontend::messagesOf("kernel void k(device int3 *p) {\n  p[0].xy = p[0].xy * 1.5f;\n}\n"),
              testing::HasSubstr("no operator for 'int2' and 'float'"));
}

TEST(Diagnostics, OneBoolOfAVectorOfBools) {
  const auto of = [](const std::string &statement) {
    return frontend::messagesOf("kernel void k(device float3 *p) {\n" + statement + "\n}\n");
  };
  EXPECT_EQ(
      of("if (p[0] == p[1]) p[2] = 0;"),
      "k.metal:4:5: error: value of type 'bool3' is not contextually convertible to 'bool': use all() or "
      "any()\n"
      "  if (p[0] == p[1]) p[2] = 0;\n"
      "      ^~~~~~~~~~~~\n");
  for (const char *statement :
       {"bool b = p[0] < p[1];", "bool b; b = p[0] < p[1];", "while (p[0] < 1) p[0] += 1;",
        "bool b = true; if (b && p[0] < 1) b = false;"})
    EXPECT_THAT(of(statement), testing::HasSubstr("use all() or any()")) << statement;
  EXPECT_THAT(of("float f = p[0];"), testing::Not(testing::HasSubstr("any()")));
}

TEST(Diagnostics, MainIsTheNameOfNoFunction) {
  EXPECT_EQ(frontend::messagesOf("kernel void main(device int *p, uint i [[thread_position_in_grid]]) {}\n"),
            "k.metal:3:8: error: no function can be named 'main'\n"
            "  kernel void main(device int *p, uint i [[thread_position_in_grid]]) {}\n"
            "         ^\n");
  EXPECT_NE(frontend::messagesOf("static int main() { return 0; }\n").find("can be named 'main'"),
            std::string::npos);
}

} // namespace
