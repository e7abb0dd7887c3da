// Where a probe goes: one statement more in a sequence of statements, or nowhere.
#include "frontend/probe_edits.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

// The text with the probe in it, or the message.
std::string with(std::string_view text, std::string anchor, uint32_t line, ProbeSide side) {
  const Result<Edit> edit = probeEdit("k.metal", text, {"m", "x", std::move(anchor), line, side, ""});
  if (!edit)
    return edit.error().message();
  return SourceView(text, {}, {}, {*edit}).text();
}
std::string before(std::string_view text, std::string anchor) {
  return with(text, std::move(anchor), 0, ProbeSide::Before);
}
std::string after(std::string_view text, std::string anchor) {
  return with(text, std::move(anchor), 0, ProbeSide::After);
}

TEST(ProbeEdits, StandsBeforeOrAfterAStatement) {
  EXPECT_EQ(before("void f() { a(); b(); }", "b();"), "void f() { a();  ASSAY_PROBE(\"m\", x); b(); }");
  EXPECT_EQ(after("void f() { a(); b(); }", "a();"), "void f() { a(); ASSAY_PROBE(\"m\", x);  b(); }");
  EXPECT_EQ(after("void f() { if (a) { b(); } }", "{ b(); }"),
            "void f() { if (a) { b(); } ASSAY_PROBE(\"m\", x);  }");
  EXPECT_EQ(before("switch (a) { case 1: b(); }", "b();"),
            "switch (a) { case 1:  ASSAY_PROBE(\"m\", x); b(); }");
}

TEST(ProbeEdits, TakesLinesAndComments) {
  const std::string_view text = "void f() {\n  a(); // here\n  b();\n}\n";
  EXPECT_EQ(with(text, "", 3, ProbeSide::Before),
            "void f() {\n  a(); // here\n   ASSAY_PROBE(\"m\", x); b();\n}\n");
  EXPECT_EQ(with(text, "", 2, ProbeSide::After),
            "void f() {\n  a(); ASSAY_PROBE(\"m\", x);  // here\n  b();\n}\n");
  EXPECT_EQ(after(text, "// here"), "void f() {\n  a(); ASSAY_PROBE(\"m\", x);  // here\n  b();\n}\n");
  EXPECT_EQ(before(text, "// here"), "void f() {\n  a(); // here\n   ASSAY_PROBE(\"m\", x); b();\n}\n");
  EXPECT_EQ(with(text, "", 6, ProbeSide::Before), "probe 'm' is for line 6 of k.metal, which has 5 lines");
}

TEST(ProbeEdits, StaysOnItsSideOfADirective) {
  const std::string_view text = "void f() { a();\n#if B\n  b();\n#endif\n}\n";
  EXPECT_EQ(before(text, "b();"), "void f() { a();\n#if B\n   ASSAY_PROBE(\"m\", x); b();\n#endif\n}\n");
  EXPECT_EQ(with(text, "", 4, ProbeSide::After),
            "void f() { a();\n#if B\n  b();\n#endif\n ASSAY_PROBE(\"m\", x); }\n");
}

TEST(ProbeEdits, StandsInFrontOfATokenThatIsReplaced) {
  EXPECT_EQ(before("void f() { a(); threadgroup int s[2]; }", "threadgroup"),
            "void f() { a();  ASSAY_PROBE(\"m\", x); __assay_threadgroup_object int s[2]; }");
}

TEST(ProbeEdits, IsRefusedWhereItWouldMakeAnotherProgram) {
  EXPECT_THAT(before("void f() { if (a) b(); }", "b();"),
              HasSubstr("what stands before it, ')', ends no statement"));
  EXPECT_THAT(before("void f() { if (a) b(); else c(); }", "c();"), HasSubstr("'else', ends no statement"));
  EXPECT_THAT(before("void f() { do b(); while (a); }", "b();"), HasSubstr("'do', ends no statement"));
  EXPECT_THAT(before("void f() { a ? b() : c(); }", "c();"), HasSubstr("':', ends no statement"));
  EXPECT_THAT(before("void f() { for (a; b; c) d(); }", "b;"), HasSubstr("it stands between parentheses"));
  EXPECT_THAT(after("void f() { abc(); }", "ab"), HasSubstr("it would cut 'abc' in two"));
  EXPECT_THAT(after("void f() { a = b; }", "a ="), HasSubstr("'=', ends no statement"));
  EXPECT_THAT(before("int a;", "int"), HasSubstr("nothing stands before it"));
}

TEST(ProbeEdits, StaysWhereItIsInsideOfWhatWouldBeReplaced) {
  const std::string text = "void f() { int i [[buffer({ x; })]]; }";
  const Result<Edit> edit = probeEdit("a.metal", text, {"p", "i", "x;", 0, ProbeSide::Before, ""});
  ASSERT_TRUE(edit);
  EXPECT_EQ(SourceView(text, {}, {}, {*edit}).text(),
            "void f() { int i [[buffer({  ASSAY_PROBE(\"p\", i); x; })]]; }");
}

TEST(ProbeEdits, WantsAnAnchorThatOccursOnce) {
  EXPECT_EQ(before("a();\nb();\na();\n", "a();"),
            "probe 'm': the text 'a();' occurs 2 times in k.metal, on lines 1 and 3");
  EXPECT_EQ(before("a();\n", "c();"), "probe 'm': the text 'c();' is not in k.metal");
}

TEST(ProbeEdits, KeepsColumnsOfTheText) {
  const std::string_view text = "void f() { a(); b(); }\n";
  const Result<Edit> edit = probeEdit("k.metal", text, {"m", "x", "b();", 0, ProbeSide::Before, ""});
  ASSERT_TRUE(edit);
  const SourceView view(text, {}, {*edit});
  for (const char *word : {"a()", "b()", "}"})
    EXPECT_EQ(view.originalColumn(1, uint32_t(view.text().find(word) + 1)), text.find(word) + 1) << word;
  EXPECT_EQ(view.originalColumn(1, uint32_t(view.text().find("ASSAY") + 1)), text.find("b()") + 1);
}

// The statements of traces: with their text at their place, or not at all.
TEST(ProbeEdits, OfATraceFollowTheirStatement) {
  const std::string_view text = "void f() { a = b; T c = a; }";
  SourceProbe probe{"m", "a", "a = b", 0, ProbeSide::Before, "", ProbeForm::TracedComma, 11};
  EXPECT_EQ(SourceView(text, {}, {}, traceEdits(text, probe)).text(),
            "void f() { a = b, ::metal::__assay::trace(\"m\", (a)) ; T c = a; }");
  probe = {"m", "c", "T c = a;", 0, ProbeSide::Before, "", ProbeForm::Traced, 18};
  EXPECT_EQ(SourceView(text, {}, {}, traceEdits(text, probe)).text(),
            "void f() { a = b; T c = a; ::metal::__assay::trace(\"m\", (c));  }");
  probe = {"m", "a", "a", 0, ProbeSide::Before, "", ProbeForm::TracedThrough, 24};
  EXPECT_EQ(SourceView(text, {}, {}, traceEdits(text, probe)).text(),
            "void f() { a = b; T c =  ::metal::__assay::traced(\"m\", (a)) ; }");
  // What mends the expression stays inside of the parentheses.
  EXPECT_EQ(SourceView(text, {}, {{24, 0, "mend("}, {25, 0, ")"}}, traceEdits(text, probe)).text(),
            "void f() { a = b; T c =  ::metal::__assay::traced(\"m\", (mend(a))) ; }");
  probe.offset = 17;
  EXPECT_THAT(traceEdits(text, probe), testing::IsEmpty());
  probe.offset = 1000;
  EXPECT_THAT(traceEdits(text, probe), testing::IsEmpty());
}

} // namespace
