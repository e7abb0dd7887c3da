// Members of classes that are written here, compared with the library's.
#include "member_questions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr LanguageVersion kNewest = LanguageVersion::Metal4_0;

std::vector<std::string> textsOf(const std::vector<Member> &members) {
  std::vector<std::string> texts;
  for (const Member &member : members)
    texts.push_back(member.text());
  return texts;
}

TEST(MemberLists, HaveWhatProgramsCanUse) {
  const CompiledHeaders headers(
      "typedef __attribute__((__ext_vector_type__(3))) float float3;\n"
      "namespace metal {\n"
      "struct _far { int seen; int size() const thread { return 1; } _far(int); };\n"
      "struct _near { int unseen; int used() const { return 1; } };\n"
      "template <typename T> struct box : public _far, private _near {\n"
      "  using _near::used;\n"
      "  box(T a, device unsigned int *b = nullptr) thread { }\n"
      "  template <typename U> U as() const thread { return U(0); }\n"
      "  const thread float3 &size(half a) const thread { return v; }\n"
      "  operator float3() const { return v; }\n"
      "  thread box &operator+=(const threadgroup box &) { return *this; }\n"
      "  static constexpr constant unsigned long count = 3;\n"
      "  static int none() __attribute__((enable_if(sizeof(T) == 4, \"\")));\n"
      "  static int never() __attribute__((enable_if(sizeof(T) == 8, \"\")));\n"
      "  typedef T value_type;\n"
      "  enum { first };\n"
      "  box(const thread box &) = delete;\n"
      "  void _internal();\n"
      "  float3 v;\n"
      "private:\n"
      "  int hidden;\n"
      "};\n"
      "}\n");
  const MemberLists lists = headerMembers(headers, {"box<int>"});
  ASSERT_EQ(lists.size(), 1u);
  const std::vector<Member> &members = lists.at("box<int>");
  EXPECT_THAT(
      textsOf(members),
      UnorderedElementsAre("int used() const", "box(int, device uint *)", "type-parameter-0-0 as() const",
                           "const float3 & size(half) const", "operator float3() const",
                           "metal::box<int> & operator+=(const threadgroup metal::box<int> &)",
                           "const constant ulong count", "int none()", "int value_type", HasSubstr(" first"),
                           "box(const metal::box<int> &)", "void _internal()", "float3 v", "int seen"));
  const auto named = [&](const std::string &name) {
    return *std::ranges::find(members, name, &Member::name);
  };
  EXPECT_TRUE(named("as").isTemplate);
  EXPECT_TRUE(named("size").isConst);
  EXPECT_EQ(operatorOf(named("operator+=")), "+=");
  EXPECT_EQ(operatorOf(named("size")), "");
  EXPECT_FALSE(isForPrograms(named("_internal")));
  EXPECT_THROW(headerMembers(headers, {"absent<int>"}), std::runtime_error);
  EXPECT_THROW(headerMembers(headers, {"int"}), std::runtime_error);
}

TEST(MemberLists, OfTheLibraryAreThoseOfTheFrontEnd) {
  const MemberLists lists = libraryMembers({"bias", "array<int, 2>"}, kNewest);
  EXPECT_THAT(textsOf(lists.at("bias")), Contains("float value"));
  EXPECT_TRUE(std::ranges::any_of(lists.at("array<int, 2>"),
                                  [](const Member &member) { return member.name == "operator[]"; }));
  EXPECT_THROW(libraryMembers({"no_such_class"}, kNewest), std::runtime_error);
}

// Mistakes: a member that the library has not, another result, an argument too many, a constructor too many.
TEST(MemberQuestions, WhatTheLibraryLacksIsNamed) {
  const CompiledHeaders headers(
      "typedef unsigned long ulong;\n"
      "namespace metal {\n"
      "struct bias { bias(float); bias(float, device int *); float value, other; };\n"
      "struct level { level(int); int lod; };\n"
      "struct interpolation { };\n"
      "template <typename T, int N> struct array {\n"
      "  T operator[](unsigned long) const { return 0; }\n"
      "  constexpr unsigned long size(int = 1) const { return N; }\n"
      "  T _mine(); thread T *data() { return 0; }\n"
      "};\n"
      "}\n");
  const MemberLists lists = headerMembers(headers, {"bias", "level", "array<int, 2>"});
  const std::vector<Probe> probes = memberProbes(lists);
  EXPECT_THAT(headers.refused(probes), IsEmpty());
  EXPECT_THAT(differences(probes, kNewest),
              ElementsAre(HasSubstr("array<int, 2>: int operator[](ulong) const: static assertion"),
                          HasSubstr("array<int, 2>: ulong size(int) const: too many arguments"),
                          HasSubstr("bias: bias(float, device int *): "),
                          HasSubstr("bias: float other: no member"),
                          HasSubstr("level: int lod: static assertion")));
}

// Mistakes: the library lets constant objects have a member, and has none for device objects.
TEST(MemberQuestions, ObjectsInAnotherMemoryHaveTheMembersForThem) {
  const std::string text = "typedef unsigned long ulong;\n"
                           "namespace metal {\n"
                           "template <typename T, int N> struct array {\n"
                           "  ulong size() const device { return N; }\n"
                           "  ulong size() const thread { return N; }\n"
                           "};\n"
                           "struct simd_vote { bool all() const device; bool all() const thread; };\n"
                           "}\n";
  const MemberLists lists = headerMembers(CompiledHeaders(text), {"array<int, 2>", "simd_vote"});
  std::vector<std::string> texts;
  for (const char *memory : {"constant", "device"})
    for (const std::string &line :
         differences(memberProbesElsewhere(lists, CompiledHeaders(text, memory), memory), kNewest))
      texts.push_back(line);
  EXPECT_THAT(texts, ElementsAre("constant array<int, 2>: ulong size() const: is accepted",
                                 HasSubstr("device simd_vote: bool all() const: 'all' is declared for")));
}

TEST(MemberQuestions, NamesThatOneSideLacksAreFoundOnceForATemplate) {
  const auto member = [](const char *name, Member::Kind kind = Member::Kind::Function) {
    Member described;
    described.name = name;
    described.kind = kind;
    return described;
  };
  const std::vector<Member> apples = {member("size"), member("operator+"), member("_own"),
                                      member("float", Member::Kind::Conversion), member("operator[]")};
  const std::vector<Member> ours = {member("size"), member("extra"),
                                    member("box", Member::Kind::Constructor)};
  EXPECT_THAT(
      memberNameDifferences({{"box<int>", apples}, {"box<float>", apples}},
                            {{"box<int>", ours}, {"box<float>", ours}}),
      ElementsAre("box::extra is not Apple's, in box<float>", "box::operator[] is missing in box<float>"));
}

TEST(MemberQuestions, TypesThatProgramsCanWriteHaveTheirMemory) {
  EXPECT_EQ(parameterType("const float3 &"), "thread const float3 &");
  EXPECT_EQ(parameterType("const device int *"), "const device int *");
  EXPECT_EQ(parameterType("metal::array<int, 2>"), "metal::array<int, 2>");
  for (const char *type : {"metal::_hidden &", "int &&", "int (&)[2]", "device int **", "type-parameter-0-0"})
    EXPECT_EQ(parameterType(type), std::nullopt);
}

} // namespace
} // namespace assay::apple_headers
