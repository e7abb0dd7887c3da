// The functions and names of Metal's library, as Apple's headers declare them and as the front end accepts
// them.
#include "checkout.h"
#include "compiled_headers.h"
#include "expressions.h"
#include "judgement_limits.h"
#include "library_names.h"
#include "member_questions.h"
#include "names_exceptions.h"
#include "overloads.h"
#include "questions.h"

#include <gmock/gmock.h>

#include <ostream>

namespace assay {

void PrintTo(const LanguageVersionInfo &info, std::ostream *out) {
  *out << info.name;
}

namespace apple_headers {
namespace {

#define NEEDS_HEADERS                                                                                        \
  if (checkoutFolder().empty())                                                                              \
  GTEST_SKIP() << "set ASSAY_APPLE_HEADERS_DIR to the folder of Apple's metal_stdlib"

const Declarations &newest() {
  return declarationsOf(LanguageVersion::Metal4_0);
}

class AppleHeaders : public testing::TestWithParam<LanguageVersionInfo> {};

TEST_P(AppleHeaders, DeclareTheFunctionsThatAreAccepted) {
  NEEDS_HEADERS;
  const LanguageVersion version = GetParam().version;
  const std::vector<Probe> probes = functionProbes(declarationsOf(version));
  RecordProperty("probes", int(probes.size()));
  EXPECT_NO_THROW(expectPlausible(probes.size(), version));
  EXPECT_EQ(differencesText(probes, version), "");
}

TEST_P(AppleHeaders, LackTheFunctionsOfLaterVersions) {
  NEEDS_HEADERS;
  const LanguageVersion version = GetParam().version;
  const std::vector<Probe> probes = missingFunctionProbes(declarationsOf(version), newest());
  RecordProperty("probes", int(probes.size()));
  if (version < LanguageVersion::Metal3_2)
    EXPECT_GE(probes.size(), 5u);
  EXPECT_EQ(differencesText(probes, version), "");
}

TEST_P(AppleHeaders, DeclareTheNamesThatTheLibraryHas) {
  NEEDS_HEADERS;
  const LanguageVersion version = GetParam().version;
  const Names apples = readHeaderNames(checkoutFolder(), version);
  RecordProperty("names", int(apples.size()));
  EXPECT_GE(apples.size(), version < LanguageVersion::Metal2_3 ? 700u : 1000u);
  EXPECT_EQ(unexplained(nameDifferences(apples, declaredNames("#include <metal_stdlib>\n", version)),
                        nameExceptions(), version),
            "");
}

TEST_P(AppleHeaders, PermitTheSameTypesInSimdgroupsAndQuadgroups) {
  NEEDS_HEADERS;
  // Of the newest version every type, of the others one of each kind.
  std::vector<std::string> types = {"uint", "half3", "long", "bfloat"};
  if (GetParam().version == LanguageVersion::Metal4_0) {
    types.clear();
    for (const std::string scalar : {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long",
                                     "ulong", "half", "float", "bfloat"})
      for (const char *size : {"", "2", "3", "4"})
        types.push_back(scalar + size);
  }
  const std::vector<Probe> probes = groupProbes(declarationsOf(GetParam().version), newest(), types);
  RecordProperty("probes", int(probes.size()));
  EXPECT_GE(probes.size(), 40 * types.size());
  EXPECT_EQ(differencesText(probes, GetParam().version), "");
}

INSTANTIATE_TEST_SUITE_P(Versions, AppleHeaders, testing::ValuesIn(judgedVersions()), [](const auto &info) {
  std::string name(info.param.name.substr(info.param.name.find("metal")));
  name[name.find('.')] = '_';
  return name;
});

TEST(AppleHeadersNewest, HaveTheMembersOfTexturesForEachAccess) {
  NEEDS_HEADERS;
  const std::vector<Probe> probes = textureProbes(newest());
  RecordProperty("probes", int(probes.size()));
  EXPECT_GE(probes.size(), 1000u);
  EXPECT_EQ(differencesText(probes, LanguageVersion::Metal4_0), "");
}

TEST(AppleHeadersNewest, ResolveCallsWithRandomTypesAsPlainClangDoes) {
  NEEDS_HEADERS;
  const std::vector<Probe> probes = resolved(newest(), randomCalls(newest(), 4000, 1));
  const size_t accepted = std::ranges::count_if(probes, &Probe::accepted);
  RecordProperty("probes", int(probes.size()));
  RecordProperty("accepted", int(accepted));
  EXPECT_GE(accepted, 1000u);
  EXPECT_GE(probes.size() - accepted, 500u);
  EXPECT_EQ(differencesText(probes, LanguageVersion::Metal4_0), "");
}

const CompiledHeaders &compiledHeaders() {
  static const CompiledHeaders headers(preprocessedHeaders(checkoutFolder(), LanguageVersion::Metal4_0));
  return headers;
}

const MemberLists &membersOfHeaders() {
  static const MemberLists lists = headerMembers(compiledHeaders(), judgedClasses());
  return lists;
}

TEST(AppleHeadersNewest, HaveTheMembersOfClasses) {
  NEEDS_HEADERS;
  const std::vector<Probe> probes = memberProbes(membersOfHeaders());
  RecordProperty("probes", int(probes.size()));
  EXPECT_GE(probes.size(), 800u);
  // The compiled headers themselves accept what is made of their members.
  for (const auto &[number, message] : compiledHeaders().refused(probes))
    EXPECT_NE(limitOf(probes[number], message), nullptr) << probes[number].what << ": " << message;
  EXPECT_EQ(unexplained(differences(probes, LanguageVersion::Metal4_0), memberExceptions()), "");
}

TEST(AppleHeadersNewest, HaveTheMembersOfObjectsInEachMemory) {
  NEEDS_HEADERS;
  const MemberLists lists = headerMembers(compiledHeaders(), classesOfMemories());
  std::vector<Probe> probes;
  for (const char *memory : {"device", "constant", "threadgroup"}) {
    const CompiledHeaders elsewhere(preprocessedHeaders(checkoutFolder(), LanguageVersion::Metal4_0), memory);
    for (Probe &probe : memberProbesElsewhere(lists, elsewhere, memory))
      probes.push_back(std::move(probe));
  }
  const size_t accepted = std::ranges::count_if(probes, &Probe::accepted);
  RecordProperty("probes", int(probes.size()));
  RecordProperty("accepted", int(accepted));
  EXPECT_GE(accepted, 800u);
  EXPECT_GE(probes.size() - accepted, 1200u);
  EXPECT_EQ(differencesText(probes, LanguageVersion::Metal4_0), "");
}

TEST(AppleHeadersNewest, HaveTheNamesOfMembers) {
  NEEDS_HEADERS;
  const MemberLists ours = libraryMembers(judgedClasses(), LanguageVersion::Metal4_0);
  EXPECT_EQ(unexplained(memberNameDifferences(membersOfHeaders(), ours), memberNameExceptions()), "");
}

TEST(AppleHeadersNewest, AcceptTheSameRandomExpressions) {
  NEEDS_HEADERS;
  const std::vector<Probe> probes = judged(compiledHeaders(), randomExpressions(membersOfHeaders(), 4000, 1));
  const size_t accepted = std::ranges::count_if(probes, &Probe::accepted);
  RecordProperty("probes", int(probes.size()));
  RecordProperty("accepted", int(accepted));
  EXPECT_GE(accepted, 800u);
  EXPECT_GE(probes.size() - accepted, 2000u);
  EXPECT_EQ(unexplained(differences(probes, LanguageVersion::Metal4_0), expressionExceptions()), "");
}

} // namespace
} // namespace apple_headers
} // namespace assay
