// Names that the library has for later versions of Metal only: they are refused with the version, and free
// for a program's own. The versions are those of Apple's metal_config (kagurasumusun/metal, 32023.883).
#include "frontend/compile.h"
#include "frontend/later_names.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesOf(const char *standard, const std::string &text) {
  const LanguageVersionInfo *info = findLanguageVersion(standard);
  SourceRequest request;
  request.path = "k.metal";
  request.language = info->version;
  if (info->ios)
    request.defines.emplace_back(kIosMacro, "1");
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  const Result<CompiledModule> module = compile(request);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

std::string inKernel(const std::string &statement) {
  return "kernel void k(device int *o, device float *f) { " + statement + " }\n";
}

struct LaterName {
  const char *statement, *before, *since, *message;
};

class LaterNames : public testing::TestWithParam<LaterName> {};

TEST_P(LaterNames, NeedTheirVersion) {
  const LaterName &row = GetParam();
  EXPECT_THAT(messagesOf(row.before, inKernel(row.statement)),
              HasSubstr("k.metal:3:" + std::string(row.message)));
  EXPECT_EQ(messagesOf(row.since, inKernel(row.statement)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, LaterNames,
    testing::Values(
        LaterName{"*o = max3(o[0], o[1], o[2]);", "macos-metal2.0", "macos-metal2.1",
                  "54: error: max3 needs Metal 2.1 or later"},
        LaterName{"*f = fast::nextafter(*f, 2.f);", "metal3.0", "metal3.1",
                  "60: error: nextafter needs Metal 3.1 or later"},
        LaterName{"*f = simd_shuffle_and_fill_up(*f, 1.f, 1);", "macos-metal2.3", "macos-metal2.4",
                  "54: error: simd_shuffle_and_fill_up needs Metal 2.4 or later"},
        LaterName{"*f = simd_sum(*f);", "macos-metal2.0", "macos-metal2.1",
                  "54: error: simd_sum needs Metal 2.1 or later"},
        LaterName{"*f = simd_sum(*f);", "ios-metal2.2", "ios-metal2.3",
                  "54: error: simd_sum needs Metal 2.3 or later"},
        LaterName{"bfloat b = 1; *f = b;", "metal3.0", "metal3.1",
                  "49: error: bfloat needs Metal 3.1 or later"},
        LaterName{"packed_bfloat2 b(1); *f = b[0];", "metal3.0", "metal3.1",
                  "49: error: packed_bfloat2 needs Metal 3.1 or later"},
        LaterName{"device atomic_float *a = (device atomic_float *)f; atomic_fetch_add_explicit(a, 1.f, "
                  "memory_order_relaxed);",
                  "macos-metal2.4", "metal3.0", "56: error: atomic_float needs Metal 3.0 or later"},
        LaterName{"auto m = make_filled_simdgroup_matrix<float, 8>(1.f); (void)m;", "macos-metal2.2",
                  "macos-metal2.3", "58: error: make_filled_simdgroup_matrix needs Metal 2.3 or later"},
        LaterName{"texture_buffer<float> t; (void)t;", "macos-metal2.0", "macos-metal2.1",
                  "49: error: texture_buffer needs Metal 2.1 or later"},
        LaterName{"raytracing::ray r; (void)r;", "macos-metal2.2", "macos-metal2.3", "49: error:"},
        LaterName{"os_log_default.log(\"a\");", "metal3.1", "metal3.2",
                  "49: error: os_log_default needs Metal 3.2 or later"}));

// Apple's functions take no long before Metal 2.3, so that none fits better than the others.
TEST(LaterNamesOf, LongsNeed23) {
  const std::string text = inKernel("*o = int(clz(ulong(o[0])) + min(long2(1), 2).x);");
  EXPECT_THAT(messagesOf("macos-metal2.2", text),
              HasSubstr("k.metal:3:58: error: call to 'clz' is ambiguous"));
  EXPECT_EQ(messagesOf("macos-metal2.3", text), "");
}

TEST(LaterNamesOf, AreFreeInEarlierVersions) {
  EXPECT_EQ(messagesOf("macos-metal2.0", "int max3(int a, int b, int c) { return a + b + c; }\n"
                                         "float max3(float a, float b, float c) { return a * b * c; }\n"
                                         "struct atomic_ulong { int n; };\ntypedef short bfloat;\n"
                                         "namespace metal { int min3(int a) { return a; } }\n" +
                                             inKernel("bfloat b = 1; atomic_ulong a{b};\n"
                                                      "*o = max3(o[0], min3(o[1]), a.n);")),
            "");
}

TEST(LaterNamesOf, AreAllThereWithoutAVersion) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" +
                 inKernel("bfloat b = bfloat(max3(o[0], o[1], o[2])); *f = float(b) + simd_sum(*f);\n"
                          "*o = int(pack_float_to_snorm10a2(float4(*f)));");
  EXPECT_TRUE(compile(request));
}

// Metal 4 has an index_sequence and an is_array. A program without a version may have its own, or use these.
TEST(LaterNamesOf, ThoseOfMetal4AreFreeWithoutAVersion) {
  SourceRequest request;
  request.path = "k.metal";
  const std::string own =
      "#include <metal_stdlib>\nusing namespace metal;\n"
      "template <size_t... N> struct index_sequence { enum { count = sizeof...(N) }; };\n";
  request.text = own + inKernel("*o = index_sequence<1, 2, 3>::count;");
  EXPECT_TRUE(compile(request));
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" +
                 inKernel("*o = index_sequence<1, 2, 3>::size() + is_array_v<int[2]>;");
  EXPECT_TRUE(compile(request));
  request.text =
      "#include <metal_stdlib>\nusing namespace metal;\n" +
      inKernel("tensor<device float, extents<int, 2>, tensor_inline> t(f, extents<int, 2>()); *f = t[1];");
  EXPECT_TRUE(compile(request));
  request.text = "#include <metal_stdlib>\nusing namespace metal;\nstruct tensor { int rank; };\n" +
                 inKernel("tensor extents{2}; *o = extents.rank;");
  EXPECT_TRUE(compile(request));
  request.text = own + inKernel("*o = index_sequence<1, 2, 3>::count + is_array_v<int[2]>;");
  EXPECT_THAT(renderDiagnostics(compile(request).error().diagnostics),
              HasSubstr("k.metal:4:54: error: reference to 'index_sequence' is ambiguous"));
  EXPECT_TRUE(namesOneSince("reference to 'index_sequence' is ambiguous", LanguageVersion::Metal4_0));
  EXPECT_FALSE(namesOneSince("reference to 'max3' is ambiguous", LanguageVersion::Metal4_0));
}

// A name that the library never had, and one of a class of the program.
TEST(LaterNamesOf, OtherNamesKeepTheirMessage) {
  EXPECT_THAT(messagesOf("macos-metal2.0", inKernel("*o = max4(1);")),
              HasSubstr("use of undeclared identifier 'max4'"));
  EXPECT_THAT(messagesOf("macos-metal2.0", "struct S { int a; };\n" + inKernel("S s{1}; *o = s.max3;")),
              HasSubstr("no member named 'max3' in 'S'"));
}

TEST(LaterNamesOf, TheFirstVersionIsThatOfTheFeature) {
  EXPECT_EQ(firstVersionOf("simd_ballot", false), LanguageVersion::Metal2_1);
  EXPECT_EQ(firstVersionOf("simd_ballot", true), LanguageVersion::Metal2_2);
  EXPECT_EQ(firstVersionOf("packed_bfloat4", true), LanguageVersion::Metal3_1);
  EXPECT_EQ(firstVersionOf("float4x4", false), std::nullopt);
  EXPECT_EQ(firstVersionOf("result", false), std::nullopt);
  EXPECT_EQ(namingLaterVersion("unknown type name 'bfloat'; did you mean 'float'?", LanguageVersion::Metal3_0,
                               false),
            "bfloat needs Metal 3.1 or later");
  EXPECT_EQ(namingLaterVersion("unknown type name 'bfloat'", LanguageVersion::Any, false),
            "unknown type name 'bfloat'");
}

} // namespace
