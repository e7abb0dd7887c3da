// Calls that plain Clang resolves among declarations that are written here.
#include "overloads.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace assay::apple_headers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr LanguageVersion kNewest = LanguageVersion::Metal4_0;

// As the shim has them, without the half.
const std::string kCosines = "namespace metal {\n"
                             "METAL_FUNC float cospi(float x) { }\n"
                             "METAL_FUNC float2 cospi(float2 x) { }\n"
                             "METAL_FUNC float3 cospi(float3 x) { }\n"
                             "METAL_FUNC float4 cospi(float4 x) { }\n"
                             "METAL_FUNC half2 cospi(half2 x) { }\n"
                             "METAL_FUNC half3 cospi(half3 x) { }\n"
                             "METAL_FUNC half4 cospi(half4 x) { }\n";

TEST(Overloads, PlainClangSaysWhichResultACallHas) {
  const Declarations declared = readDeclarations(kCosines + "METAL_FUNC half cospi(half x) { } }\n");
  const std::vector<Probe> probes = resolved(declared, {{"metal", "cospi", {"half"}},
                                                        {"metal", "cospi", {"float3"}},
                                                        {"metal", "cospi", {"int"}},
                                                        {"metal", "cospi", {"half", "half"}}});
  ASSERT_EQ(probes.size(), 4u);
  EXPECT_EQ(probes[0].what, "half metal::cospi(half)");
  EXPECT_EQ(probes[1].what, "float3 metal::cospi(float3)");
  EXPECT_FALSE(probes[2].accepted);
  EXPECT_THAT(probes[2].what, HasSubstr("metal::cospi(int), of which plain Clang says 'call to 'cospi' is "
                                        "ambiguous"));
  EXPECT_THAT(probes[3].what, HasSubstr("no matching function for call to 'cospi'"));
  EXPECT_THAT(differences(probes, kNewest), IsEmpty());
}

TEST(Overloads, AnOverloadThatTheFrontEndHasAndClangHasNotIsFound) {
  const Declarations declared = readDeclarations(kCosines + "}\n"); // the half is missing
  const std::vector<Probe> probes =
      resolved(declared, {{"metal", "cospi", {"float"}}, {"metal", "cospi", {"half"}}});
  EXPECT_THAT(differences(probes, kNewest),
              ElementsAre(HasSubstr("float metal::cospi(half): static assertion")));
}

TEST(Overloads, RandomCallsAreOfEachSetAndTheSameForASeed) {
  const Declarations declared =
      readDeclarations(kCosines + "METAL_FUNC int mad24(int a, int b, int c) { }\n"
                                  "METAL_FUNC other unknown(other a) { }\n"
                                  "namespace fast { METAL_FUNC float cospi(float a) { } } }\n");
  const std::vector<RandomCall> calls = randomCalls(declared, 300, 7);
  std::map<std::string, size_t> count;
  for (const RandomCall &call : calls)
    ++count[call.space + "::" + call.name];
  EXPECT_THAT(count, ElementsAre(testing::Pair("metal::cospi", testing::Gt(20u)),
                                 testing::Pair("metal::fast::cospi", testing::Gt(20u)),
                                 testing::Pair("metal::mad24", testing::Gt(20u))));
  EXPECT_EQ(std::set<RandomCall>(calls.begin(), calls.end()).size(), calls.size());
  EXPECT_EQ(randomCalls(declared, 300, 7), calls);
  EXPECT_NE(randomCalls(declared, 300, 8), calls);
  EXPECT_EQ(resolved(declared, calls).size(), calls.size());
}

} // namespace
} // namespace assay::apple_headers
