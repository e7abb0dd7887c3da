// Random statements about a class that is written here.
#include "expressions.h"

#include "judgement_limits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace assay::apple_headers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr LanguageVersion kNewest = LanguageVersion::Metal4_0;

// One constructor that the library lacks, and one that it has and these headers lack.
TEST(Expressions, ThatOneSideRefusesAreFound) {
  const CompiledHeaders headers("typedef __attribute__((__ext_vector_type__(2))) float float2;\n"
                                "namespace metal {\n"
                                "struct bias { explicit bias(float2); float value; };\n"
                                "}\n");
  const auto probe = [](const char *parameter, const char *statements) {
    Probe made;
    made.what = statements;
    made.parameters = {parameter};
    made.statements = statements;
    return made;
  };
  EXPECT_THAT(
      differences(judged(headers, {probe("thread bias &", "(void)(a0.value + 1);"),
                                   probe("float2", "bias v(a0); (void)v;"), probe("float", "a0 = nullptr;"),
                                   probe("thread bias &", "(void)bias(1, 2);")}),
                  kNewest),
      ElementsAre(HasSubstr("bias v(a0); (void)v;: no matching constructor")));
  const std::vector<Probe> refused = judged(headers, {probe("thread bias &", "(void)a0.values;")});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_FALSE(refused[0].accepted);
  EXPECT_THAT(refused[0].what, HasSubstr(", of which stock Clang says 'no member named 'values'"));
}

TEST(Expressions, AreTheSameForASeedAndOfEachForm) {
  const CompiledHeaders headers("typedef __attribute__((__ext_vector_type__(2))) float float2;\n"
                                "namespace metal {\n"
                                "struct bias { explicit bias(float2); float value; int get(float) const; };\n"
                                "}\n");
  const MemberLists lists = headerMembers(headers, {"bias"});
  const std::vector<Probe> probes = randomExpressions(lists, 400, 3);
  std::set<std::string> texts;
  std::string all;
  for (const Probe &probe : probes) {
    texts.insert(probe.what);
    all += probe.what + "\n";
  }
  EXPECT_EQ(texts.size(), probes.size());
  EXPECT_GE(probes.size(), 200u);
  for (const char *form : {"a0.value", "a0.get(", "bias v(a0)", "bias v{", "bias v = {", "static_cast<",
                           " + a", "(!a0)", "for (auto x : a0)", "const thread bias &) "})
    EXPECT_THAT(all, HasSubstr(form));
  const auto same = [&](const std::vector<Probe> &others) {
    return std::ranges::equal(probes, others, {}, &Probe::what, &Probe::what);
  };
  EXPECT_TRUE(same(randomExpressions(lists, 400, 3)));
  EXPECT_FALSE(same(randomExpressions(lists, 400, 4)));
  EXPECT_THAT(randomExpressions({}, 10, 1), IsEmpty());
}

TEST(JudgementLimits, ExceptionsExplainDifferencesAndMustBeNeeded) {
  const DifferenceException exceptions[] = {{"^box::\\w+_ ", "helpers"}, {"^never", "stale"}};
  EXPECT_EQ(unexplained({"box::value_ is not Apple's", "box::value is missing"}, exceptions),
            "box::value is missing\n^never: does not differ, but is an exception\n");
}

TEST(JudgementLimits, ErrorsThatSayNothingAboutMetalHaveAReason) {
  Probe probe;
  probe.call = "a0 + a1";
  EXPECT_NE(limitOf(probe, "use of overloaded operator '==' is ambiguous"), nullptr);
  EXPECT_EQ(limitOf(probe, "use of overloaded operator '<' is ambiguous"), nullptr);
  EXPECT_NE(limitOf(probe, "no viable overloaded operator[] for type 'const __constant array<int, 2>'"),
            nullptr);
  EXPECT_EQ(limitOf(probe, "cannot convert between vector and non-scalar values"), nullptr);
  EXPECT_EQ(limitOf(probe, "no matching function for call to 'f'"), nullptr);
  probe.statements = "(void)(a0 && a1);";
  EXPECT_NE(limitOf(probe, "cannot convert between vector and non-scalar values"), nullptr);
}

} // namespace
} // namespace assay::apple_headers
