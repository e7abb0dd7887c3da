// What came with a later version of Metal than a program is compiled as.
#include "frontend/compile.h"
#include "frontend/version_rules.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesOf(LanguageVersion version, const std::string &text,
                       std::vector<std::pair<std::string, std::string>> defines = {}) {
  SourceRequest request;
  request.path = "k.metal";
  request.language = version;
  request.defines = std::move(defines);
  request.text = "#include <metal_stdlib>\n" + text;
  const Result<CompiledModule> module = compile(request);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

std::string messagesOnIos(LanguageVersion version, const std::string &text) {
  return messagesOf(version, text, {{std::string(kIosMacro), "1"}});
}

constexpr const char *kLambdas = "#define TWICE [](int x) { return 2 * x; }\n"
                                 "kernel void k(device int *o) {\n"
                                 "  auto f = [&](int i) { return o[i]; };\n"
                                 "  o[0] = f(1) + TWICE(2);\n}\n";

TEST(VersionRules, LambdasCameWith32) {
  const std::string text = messagesOf(LanguageVersion::Metal3_1, kLambdas);
  EXPECT_THAT(text, HasSubstr("k.metal:4:12: error: lambda expressions need Metal 3.2 or later"));
  EXPECT_THAT(text, HasSubstr("k.metal:5:17: error: lambda expressions need Metal 3.2 or later"));
  for (const LanguageVersion version :
       {LanguageVersion::Metal3_2, LanguageVersion::Metal4_0, LanguageVersion::Any})
    EXPECT_EQ(messagesOf(version, kLambdas), "");
}

struct Attribute {
  const char *text;
  LanguageVersion before, since;
  const char *message;
};

class Attributes : public testing::TestWithParam<Attribute> {};

TEST_P(Attributes, NeedTheVersionThatTheyCameWith) {
  const Attribute &row = GetParam();
  EXPECT_THAT(messagesOf(row.before, row.text), HasSubstr(row.message));
  EXPECT_EQ(messagesOf(row.since, row.text), "");
  EXPECT_EQ(messagesOf(LanguageVersion::Any, row.text), "");
}

// The first version of each is what Apple's compiler says in published logs of builds.
INSTANTIATE_TEST_SUITE_P(
    VersionRules, Attributes,
    testing::Values(
        // Apple: "'function_constant' attribute requires Metal language standard macos-metal1.2 or higher"
        // (https://github.com/kakashidinho/metalangle/issues/36)
        Attribute{"constant int n [[function_constant(0)]];\nkernel void k(device int *o) { *o = n; }\n",
                  LanguageVersion::Metal1_1, LanguageVersion::Metal1_2,
                  "k.metal:2:16: error: [[function_constant]] needs Metal 1.2 or later"},
        // Apple: "'id' attribute requires Metal language standard macos-metal2.0 or higher"
        // (https://github.com/google/filament/pull/9425), and the same of ios-metal2.0
        // (https://github.com/mousebird-consulting-inc/WhirlyGlobe/issues/1294)
        Attribute{"struct A { device int *p [[id(0)]]; };\nkernel void k(constant A &a) { a.p[0] = 1; }\n",
                  LanguageVersion::Metal1_2, LanguageVersion::Metal2_0,
                  "k.metal:2:26: error: [[id]] needs Metal 2.0 or later"},
        Attribute{"template <typename T> kernel void k(device T *o) { *o = 1; }\n"
                  "template [[host_name(\"f\")]] kernel void k<float>(device float *);\n",
                  LanguageVersion::Metal2_1, LanguageVersion::Metal2_2,
                  "k.metal:3:10: error: [[host_name]] needs Metal 2.2 or later"},
        // Refused at 2.2 alone as "invalid string literal value for 'host_name' attribute" (kagurasumusun's
        // tests of llvm-project)
        Attribute{"[[host_name(\"\")]] kernel void k(device int *o) { *o = 1; }\n", LanguageVersion::Metal2_2,
                  LanguageVersion::Metal2_3,
                  "k.metal:2:1: error: an empty [[host_name]] needs Metal 2.3 or later"},
        // Apple: "'kernel' attribute requires Metal language standard macos-metal2.3 or higher"
        // (https://github.com/EricLBuehler/mistral.rs/issues/1844)
        Attribute{"[[kernel]] void k(device int *o) { *o = 1; }\n", LanguageVersion::Metal2_2,
                  LanguageVersion::Metal2_3, "k.metal:2:1: error: [[kernel]] needs Metal 2.3 or later"},
        // Apple: "type 'const constant int64_t &' (aka 'const constant long &') is not valid for attribute
        // 'buffer'", and the same of a pointer (https://github.com/EricLBuehler/mistral.rs/issues/1844)
        Attribute{"kernel void k(device int *o, constant ulong &n) { *o = int(n); }\n",
                  LanguageVersion::Metal2_2, LanguageVersion::Metal2_3,
                  "k.metal:2:46: error: a buffer with long or ulong needs Metal 2.3 or later"},
        Attribute{"struct E { long4 v[2]; };\nstruct S { int a; E e; };\n"
                  "template <typename T> kernel void k(device T *o) { o->a = 1; }\n"
                  "template [[host_name(\"f\")]] kernel void k<S>(device S *);\n",
                  LanguageVersion::Metal2_2, LanguageVersion::Metal2_3,
                  "k.metal:4:47: error: a buffer with long or ulong needs Metal 2.3 or later"},
        Attribute{"kernel void k(device int *o, uint i [[thread_index_in_simdgroup]]) { *o = i; }\n",
                  LanguageVersion::Metal1_2, LanguageVersion::Metal2_0,
                  "k.metal:2:37: error: [[thread_index_in_simdgroup]] needs Metal 2.0 or later"},
        Attribute{"kernel void k(device int *o, uint i [[simdgroup_index_in_threadgroup]]) { *o = i; }\n",
                  LanguageVersion::Metal1_2, LanguageVersion::Metal2_0,
                  "error: [[simdgroup_index_in_threadgroup]] needs Metal 2.0 or later"},
        Attribute{"kernel void k(device int *o, uint i [[simdgroups_per_threadgroup]]) { *o = i; }\n",
                  LanguageVersion::Metal1_2, LanguageVersion::Metal2_0,
                  "error: [[simdgroups_per_threadgroup]] needs Metal 2.0 or later"},
        Attribute{"[[early_fragment_tests]] fragment float4 f() { return float4(1); }\n",
                  LanguageVersion::Metal1_1, LanguageVersion::Metal1_2,
                  "error: [[early_fragment_tests]] needs Metal 1.2 or later"},
        Attribute{"[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *o) { *o = 1; }\n",
                  LanguageVersion::Metal2_0, LanguageVersion::Metal2_1,
                  "k.metal:2:1: error: [[max_total_threads_per_threadgroup]] needs Metal 2.1 or later"},
        Attribute{"struct V { float4 p [[position]]; uint n [[viewport_array_index]]; };\n"
                  "vertex V f() { return V(); }\n",
                  LanguageVersion::Metal1_2, LanguageVersion::Metal2_0,
                  "error: [[viewport_array_index]] needs Metal 2.0 or later"},
        Attribute{"fragment float4 f(uint n [[primitive_id]]) { return float4(n); }\n",
                  LanguageVersion::Metal2_1, LanguageVersion::Metal2_2,
                  "error: [[primitive_id]] needs Metal 2.2 or later"},
        Attribute{"[[visible]] int f(int x) { return x; }\n", LanguageVersion::Metal2_2,
                  LanguageVersion::Metal2_3, "k.metal:2:1: error: [[visible]] needs Metal 2.3 or later"},
        Attribute{"[[stitchable]] int f(int x) { return x; }\n", LanguageVersion::Metal2_2,
                  LanguageVersion::Metal2_3, "error: [[stitchable]] needs Metal 2.3 or later"},
        Attribute{"struct P { int n; };\n[[object]] void f(object_data P &p [[payload]]) { p.n = 1; }\n",
                  LanguageVersion::Metal2_4, LanguageVersion::Metal3_0,
                  "error: [[object]] needs Metal 3.0 or later"},
        Attribute{"uint gid [[thread_position_in_grid]];\nkernel void k(device int *o) { *o = gid; }\n",
                  LanguageVersion::Metal3_0, LanguageVersion::Metal3_1,
                  "k.metal:2:6: error: an attribute of threads at program scope needs Metal 3.1 or later"},
        Attribute{"kernel void k(device float *o) {\n"
                  "  threadgroup metal::half4x4 a[4];\n  a[0][0][0] = 1; *o = a[0][0][0]; }\n",
                  LanguageVersion::Metal2_4, LanguageVersion::Metal3_0,
                  "k.metal:3:30: error: a matrix in threadgroup memory needs Metal 3.0 or later"},
        Attribute{"static int f(int x) { return x; }\n"
                  "kernel void k(device int *o) { int (*p)(int) = f; *o = p(1); }\n",
                  LanguageVersion::Metal2_0, LanguageVersion::Metal2_1,
                  "k.metal:3:38: error: a pointer to a function needs Metal 2.1 or later"},
        Attribute{"struct S { int f() const { return 1; } };\n"
                  "kernel void k(device int *o) { int (S::*p)() const = &S::f; S s; *o = (s.*p)(); }\n",
                  LanguageVersion::Metal2_0, LanguageVersion::Metal2_1,
                  "k.metal:3:41: error: a pointer to a function needs Metal 2.1 or later"},
        Attribute{"kernel void k(coherent(device) device int *o [[buffer(0)]]) { *o = 1; }\n",
                  LanguageVersion::Metal3_1, LanguageVersion::Metal3_2,
                  "k.metal:2:15: error: coherent needs Metal 3.2 or later"},
        // Apple: "unions are not supported in Metal" (https://github.com/apache/tvm/issues/874)
        Attribute{"union U { int i; float f; };\nkernel void k(device int *o) { U u; u.f = 1; *o = u.i; }\n",
                  LanguageVersion::Metal1_1, LanguageVersion::Metal1_2,
                  "k.metal:2:7: error: unions need Metal 1.2 or later"},
        // Apple: "'required_threads_per_threadgroup' attribute requires Metal language standard metal4.0 or
        // higher" (https://github.com/shader-slang/slang/issues/12325)
        Attribute{"[[required_threads_per_threadgroup(8, 1, 1)]] kernel void k(device int *o) { *o = 1; }\n",
                  LanguageVersion::Metal3_2, LanguageVersion::Metal4_0,
                  "k.metal:2:1: error: [[required_threads_per_threadgroup]] needs Metal 4.0 or later"},
        Attribute{"[[user_annotation(\"a\")]] kernel void k(device int *o) { *o = 1; }\n",
                  LanguageVersion::Metal3_2, LanguageVersion::Metal4_0,
                  "k.metal:2:1: error: [[user_annotation]] needs Metal 4.0 or later"},
        // Apple: "unknown type name 'bfloat'; did you mean 'float'?"
        // (https://github.com/bghira/universal-metal-flash-attention/issues/10)
        Attribute{"kernel void k(device bfloat *o) { *o = bfloat(1); }\n", LanguageVersion::Metal3_0,
                  LanguageVersion::Metal3_1, "k.metal:2:22: error: bfloat needs Metal 3.1 or later"},
        // Apple: "use of undeclared identifier 'simdgroup_matrix'; did you mean 'simdgroup_barrier'?"
        // (https://github.com/tensorflow/tensorflow/issues/56709)
        Attribute{"using namespace metal;\nkernel void k(device float *o) {\n"
                  "  simdgroup_matrix<float, 8, 8> m(0.0f);\n  simdgroup_store(m, o); }\n",
                  LanguageVersion::Metal2_2, LanguageVersion::Metal2_3, "k.metal:4:"}));

// Orders of atomics are with the memory that they are about, and one function has none.
TEST(VersionRules, AtomicsOf41) {
  const auto inKernel = [](const std::string &call) {
    return "using namespace metal;\nkernel void k(device atomic_uint *a [[buffer(0)]]) { " + call + "; }\n";
  };
  const std::string plain = inKernel("atomic_fetch_add(a, 1)");
  const std::string alone = inKernel("atomic_fetch_add_explicit(a, 1, memory_order_acq_rel)");
  const std::string both =
      inKernel("atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, mem_flags::mem_device)");
  for (const std::string &accepted : {plain, both})
    EXPECT_EQ(messagesOf(LanguageVersion::Metal4_1, accepted), "");
  for (const std::string &refused : {plain, both, alone})
    EXPECT_NE(messagesOf(LanguageVersion::Metal4_0, refused), "");
  EXPECT_NE(messagesOf(LanguageVersion::Any, plain), "");
  EXPECT_THAT(messagesOf(LanguageVersion::Metal4_1, alone),
              HasSubstr("k.metal:3:106: error: atomic functions take memory_order_relaxed only, unless "
                        "mem_flags follow the order"));
  EXPECT_THAT(
      messagesOf(LanguageVersion::Metal4_1, inKernel("atomic_load_explicit(a, memory_order_acquire)")),
      HasSubstr("unless mem_flags follow"));
  EXPECT_EQ(messagesOf(LanguageVersion::Metal4_1,
                       inKernel("__metal_atomic_fetch_add_explicit((device uint *)a, 1u, 4, 2)")),
            "");
}

TEST(VersionRules, TheWordKernelIsOfEveryVersion) {
  EXPECT_EQ(messagesOf(LanguageVersion::Metal1_0, "kernel void k(device int *o [[buffer(0)]]) { *o = 1; }\n"),
            "");
}

// Their class has another name before Metal 2.4, in which `atomic` is a program's own.
TEST(VersionRules, AtomicsAreOfEveryVersion) {
  for (const LanguageVersion version :
       {LanguageVersion::Metal1_1, LanguageVersion::Metal2_3, LanguageVersion::Metal2_4}) {
    SourceRequest request;
    request.path = "k.metal";
    request.language = version;
    request.text =
        "#include <metal_stdlib>\nusing namespace metal;\nstruct P { int n; atomic_uint count[2]; };\n"
        "kernel void k(device P *p [[buffer(0)]], device atomic_int *a [[buffer(1)]]) {\n"
        "  atomic_fetch_add_explicit(p->count, 1u, memory_order_relaxed); }\n";
    const Result<CompiledModule> module = compile(request);
    ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
    const KernelInfo &kernel = module->info.kernels.at(0);
    const StructInfo *info = module->info.structOf(kernel.arguments.at(0));
    ASSERT_NE(info, nullptr);
    ASSERT_EQ(info->fields.size(), 2u);
    EXPECT_EQ(info->fields[1].type, ScalarType::UInt);
    EXPECT_EQ(kernel.arguments.at(1).element, ScalarType::Int);
    EXPECT_THAT(messagesOf(version, "kernel void k(device int *o [[buffer(0)]]) { metal::atomic_int a; }\n"),
                HasSubstr("k.metal:2:64: error: "));
  }
  EXPECT_EQ(messagesOf(LanguageVersion::Metal2_3, "using namespace metal;\nstruct atomic { int n; };\n"
                                                  "kernel void k(device atomic *o) { o->n = 1; }\n"),
            "");
}

TEST(VersionRules, LongsElsewhereThanInBuffersAreOfEveryVersion) {
  EXPECT_EQ(
      messagesOf(
          LanguageVersion::Metal1_2,
          "kernel void k(device int *o, threadgroup long *t) { long n = *o; t[0] = n; *o = int(n); }\n"),
      "");
}

TEST(VersionRules, RestrictIsAKeywordBefore23) {
  const std::string text =
      "kernel void k(device int *restrict o, const device int *__restrict p) { o[0] = p[0]; }\n";
  EXPECT_EQ(messagesOf(LanguageVersion::Metal1_0, text), "");
  EXPECT_EQ(messagesOf(LanguageVersion::Metal2_2, text), "");
  for (const LanguageVersion version :
       {LanguageVersion::Metal2_3, LanguageVersion::Metal4_1, LanguageVersion::Any})
    EXPECT_THAT(messagesOf(version, text), HasSubstr("k.metal:2:36: error: "));
}

// On macOS from 1.1 to 2.2: METAL_VALID_LOD_ARG of Apple's metal_texture2d and others.
// Apple: "candidate disabled: 'lod' argument must be known at compile-time"
// (https://github.com/OGRECave/ogre-next/issues/323)
TEST(VersionRules, TheLevelOfAWriteWasAConstantZero) {
  const std::string begin = "using namespace metal;\nkernel void k(constant uint &n [[buffer(0)]], ";
  for (const char *texture : {"texture2d<float, access::write> t) { t.write(1, uint2(0), ",
                              "texture3d<float, access::write> t) { "
                              "t.write(1, uint3(0), ",
                              "texture2d_array<float, access::write> t) { t.write(1, uint2(0), n, ",
                              "texturecube<float, access::write> t) { t.write(1, uint2(0), n, ",
                              "texturecube_array<float, access::write> t) { t.write(1, uint2(0), n, n, "})
    for (const char *level : {"n", "1", "0"}) {
      const std::string text = begin + texture + level + "); }\n";
      for (const LanguageVersion version :
           {LanguageVersion::Metal1_1, LanguageVersion::Metal2_0, LanguageVersion::Metal2_2})
        if (level == std::string("0"))
          EXPECT_EQ(messagesOf(version, text), "") << text;
        else
          EXPECT_THAT(messagesOf(version, text), HasSubstr("k.metal:3:")) << text;
      for (const LanguageVersion version : {LanguageVersion::Metal2_3, LanguageVersion::Any})
        EXPECT_EQ(messagesOf(version, text), "") << text;
      EXPECT_EQ(messagesOnIos(LanguageVersion::Metal2_2, text), "") << text;
    }
}

TEST(VersionRules, IosHas31TexturesBefore20) {
  const auto said = [](LanguageVersion version, const std::string &slot, const std::string &type) {
    return messagesOnIos(version, "using namespace metal;\nkernel void k(" + type + " t [[texture(" + slot +
                                      ")]]) {}\n");
  };
  const std::string texture = "texture2d<float>", three = "array<texture2d<float>, 3>";
  EXPECT_EQ(said(LanguageVersion::Metal1_2, "30", texture), "");
  EXPECT_EQ(said(LanguageVersion::Metal2_0, "31", texture), "");
  EXPECT_EQ(said(LanguageVersion::Any, "127", texture), "");
  EXPECT_THAT(
      said(LanguageVersion::Metal1_2, "31", texture),
      HasSubstr("k.metal:3:34: error: texture(31) is out of range: texture has slots 0 to 30: Metal on "
                "iOS has more from version 2.0 on"));
  EXPECT_EQ(said(LanguageVersion::Metal2_0, "29", three), "");
  EXPECT_EQ(said(LanguageVersion::Metal1_2, "28", three), "");
  EXPECT_THAT(said(LanguageVersion::Metal1_2, "29", three), HasSubstr("texture(31) is out of range"));
  EXPECT_EQ(
      messagesOf(LanguageVersion::Metal1_2, "kernel void k(metal::texture2d<float> t [[texture(31)]]) {}\n"),
      "")
      << "macOS has 128";
}

} // namespace
