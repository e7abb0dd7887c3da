// The comparison on declarations that are written here, some of them wrong: it names exactly those.
#include "questions.h"

#include <gmock/gmock.h>

namespace assay::apple_headers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr LanguageVersion kNewest = LanguageVersion::Metal4_0;

TEST(Questions, AFunctionThatIsDeclaredWronglyIsNamed) {
  const Declarations declared =
      readDeclarations("namespace metal {\n"
                       "METAL_FUNC float sqrt(float x) { }\n"
                       "METAL_FUNC half cos(half x) { }\n"
                       "METAL_FUNC int clamp(float x, float low, float high) { }\n" // is a float
                       "METAL_FUNC float3 noSuchFunction(float3 x) { }\n"
                       "METAL_FUNC int _of_the_library(int x) { }\n"
                       "namespace fast { METAL_FUNC float modf(float x, thread float &whole) { } }\n"
                       "namespace elsewhere { METAL_FUNC int nor_this(int x) { } }\n"
                       "}\n");
  EXPECT_THAT(
      differences(functionProbes(declared), kNewest),
      ElementsAre(
          "int metal::clamp(float, float, float): static assertion failed due to requirement "
          "'Same<float, int>::value': another type",
          "float3 metal::noSuchFunction(float3): no member named 'noSuchFunction' in namespace 'metal'"));
}

TEST(Questions, AFunctionOfALaterVersionMustBeRefused) {
  const Declarations now = readDeclarations("namespace metal { METAL_FUNC int max(int a, int b) { } }");
  const Declarations later = readDeclarations("namespace metal {\n"
                                              "METAL_FUNC int max(int a, int b) { }\n"
                                              "METAL_FUNC int max3(int a, int b, int c) { }\n"
                                              "METAL_FUNC long max(long a, long b) { }\n"
                                              "METAL_FUNC float min(float a, float b) { } }\n");
  const std::vector<Probe> probes = missingFunctionProbes(now, later);
  EXPECT_EQ(probes.size(), 3u);
  EXPECT_THAT(differences(probes, LanguageVersion::Metal2_0),
              ElementsAre("float metal::min(float, float): is accepted"));
  EXPECT_THAT(differences(probes, LanguageVersion::Metal2_1),
              ElementsAre("int metal::max3(int, int, int): is accepted",
                          "float metal::min(float, float): is accepted"));
}

TEST(Questions, AFunctionOfSimdgroupsMustTakeTheTypesThatItsConditionNames) {
  const Declarations declared = readDeclarations(
      "template <typename T> struct __is_valid_simdgroup_type<T, only<same<make_scalar_t<T>, half> ||\n"
      "  same<make_scalar_t<T>, long>>> : yes { };\n"
      "namespace metal {\n"
      "template <typename T, typename E = only<__is_valid_simdgroup_type<T>::value>>\n"
      "METAL_FUNC T simd_sum(T data) { } }\n");
  const std::vector<std::string> types = {"half2", "long", "ulong3"};
  EXPECT_THAT(differences(groupProbes(declared, declared, types), kNewest),
              ElementsAre(testing::StartsWith("long metal::simd_sum(long): ")));
  EXPECT_THAT(differences(groupProbes({}, declared, types), kNewest),
              ElementsAre("half2 metal::simd_sum(half2): is accepted"));
}

// What all accesses have, and what needs one.
constexpr const char *kTexture =
    "template <typename T, access a, memory_coherence c> struct _texture2d<T, a, c, only<true>> {\n"
    "  METAL_FUNC uint get_width(uint lod = 0) const thread { }\n"
    "  METAL_FUNC uint get_width(uint lod = 0) const device { }\n"
    "};\n";

TEST(Questions, AMemberOfATextureMustBeThereForTheAccessesThatItsConditionNames) {
  const std::string before = "struct _texture2d_write<T, a, c, only<_is_any_of(a, access::write, access::";
  const std::string after = ")>> { METAL_FUNC void write(vec<T, 4> v, uint2 at) const thread { } };\n";
  EXPECT_THAT(differences(textureProbes(readDeclarations(kTexture + before + "read_write" + after)), kNewest),
              IsEmpty());
  EXPECT_THAT(differences(textureProbes(readDeclarations(kTexture + before + "read" + after)), kNewest),
              ElementsAre(testing::StartsWith(
                              "void texture2d<float, access::read>::write(vec < float , 4 >, uint2): "),
                          "void texture2d<float, access::read_write>::write(vec < float , 4 >, uint2): is "
                          "accepted"));
}

TEST(Questions, AnArgumentThatMustBeConstantIsAskedForBothWays) {
  const std::vector<Probe> probes = textureProbes(readDeclarations(
      kTexture + std::string("struct _texture2d_sample<T, a, c, only<_is_any_of(a, access::sample)>> {\n"
                             "  METAL_FUNC vec<T, 4> gather(sampler s, float2 at, int2 by, component from)\n"
                             "    const thread METAL_CONST_ARG(from) { } };\n")));
  EXPECT_EQ(std::ranges::count(probes, "a0.gather(a1, a2, a3, component(0))", &Probe::call), 4);
  EXPECT_EQ(std::ranges::count(probes, "a0.gather(a1, a2, a3, a4)", &Probe::call), 1);
  EXPECT_THAT(differences(probes, kNewest), IsEmpty());
}

} // namespace
} // namespace assay::apple_headers
