// Calls that are ambiguous between a function of the program and one of the library.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(LibraryOverloads, AreAmbiguous) {
  for (const char *program :
       {"float3 saturate(float3 x) { return x; }\nfloat3 f(float3 v) { return saturate(v); }\n",
        "static half2 mix(half2 a, half2 b, half2 c) { return a; }\nhalf2 f(half2 v) { return mix(v, v, v); "
        "}\n",
        "float4 fmod(thread const float4 &a, float4 b) { return a; }\nfloat4 f(float4 v) { return fmod(v, "
        "2); }\n",
        "uint4 max(uint4 a, uint4 b) { return a; }\nuint4 f(uint4 v) { return (max)(v, v); }\n",
        "int2 popcount(int2 a) { return a; }\ntemplate <class T> T f(T v) { return popcount(v); }\n"
        "int2 g(int2 v) { return f(v); }\n"})
    EXPECT_THAT(messagesOf(program), HasSubstr("k.metal:4:")) << program;
  EXPECT_THAT(
      messagesOf("float3 saturate(float3 x) { return x; }\n"
                 "float3 f(float3 v) {\n  return saturate(v);\n}\n"),
      HasSubstr("k.metal:5:10: error: call to 'saturate' is ambiguous: the library has a function with "
                "the same parameters; call '::saturate' or 'metal::saturate'"));
}

TEST(LibraryOverloads, AreNotWhatOnlyTheProgramHas) {
  for (const char *program :
       {"float3 saturate(float3 x) { return x; }\nfloat3 f(float3 v) { return ::saturate(v); }\n",
        "namespace own { float3 saturate(float3 x) { return x; }\nfloat3 f(float3 v) { return saturate(v); } "
        "}\n"
        "float3 g(float3 v) { return own::saturate(v); }\n",
        "struct Ray { float3 d; };\nRay normalize(Ray r) { return r; }\nRay f(Ray r) { return normalize(r); "
        "}\n",
        "float3 mix(float3 a, float3 b, float3 c, float d) { return a; }\n"
        "float3 f(float3 v) { return mix(v, v, v, 1); }\n",
        "float3 mix(float3 a, float3 b, float c) { return a; }\nfloat3 f(float3 v) { return mix(v, v, 0.5f); "
        "}\n",
        "uint2 max(uint a, uint2 b) { return b; }\nuint2 f(uint2 v) { return max(1u, v); }\n",
        "float3 length(packed_float3 v) { return v; }\nfloat3 f(packed_float3 v) { return length(v); }\n",
        "float3 f(float3 v) { struct S { float3 saturate(float3 x) { return x; }\n"
        "float3 g(float3 x) { return saturate(x); } } s; return s.g(v); }\n"})
    EXPECT_EQ(messagesOf(program), "") << program;
}

TEST(LibraryOverloads, NeedTheUsingDirective) {
  const std::string text =
      "#include <metal_stdlib>\nmetal::float3 normalize(metal::float3 x) { return x; }\n"
      "metal::float3 f(metal::float3 v) { return normalize(v); }\nusing namespace metal;\n";
  SourceRequest request;
  request.path = "k.metal";
  request.text = text;
  EXPECT_TRUE(compile(request));
  request.text = text + "float3 g(float3 v) { return normalize(v); }\n";
  const auto module = compile(request);
  ASSERT_FALSE(module);
  EXPECT_THAT(renderDiagnostics(module.error().diagnostics),
              HasSubstr("k.metal:5:29: error: call to 'normalize'"));
}

} // namespace
