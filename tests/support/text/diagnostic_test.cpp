// The text of diagnostics is part of the interface: whole messages are compared.
#include "support/text/diagnostic.h"
#include "support/text/result.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {

Diagnostic example() {
  Diagnostic d;
  d.where = {"reduce.metal", 41, 3};
  d.message = "write of 4 bytes at byte 4096 of buffer(3) 'dst', which has 4096 bytes";
  d.rule = "out-of-bounds";
  return d;
}

TEST(Diagnostic, OneLineHasPlaceSeverityMessageAndRule) {
  EXPECT_EQ(
      renderDiagnostic(example()),
      "reduce.metal:41:3: error: write of 4 bytes at byte 4096 of buffer(3) 'dst', which has 4096 bytes "
      "[out-of-bounds]\n");
}

TEST(Diagnostic, TheCaretStandsUnderItsColumnAndRangesAreUnderlined) {
  Diagnostic d = example();
  d.message = "no";
  d.sourceLine = "\tdst[i + 1] = 0;";
  d.where.column = 5;
  d.ranges = {{6, 11}};
  d.hint = "check the index";
  EXPECT_EQ(renderDiagnostic(d), "reduce.metal:41:5: error: no [out-of-bounds]\n"
                                 "  \tdst[i + 1] = 0;\n"
                                 "  \t   ^~~~~~\n"
                                 "  check the index\n");
}

TEST(Diagnostic, OfALongLineThePartRoundTheCaretIsShown) {
  Diagnostic d;
  d.where = {"generated.metal", 1, 40001};
  d.message = "wrong";
  d.sourceLine = std::string(40000, 'a') + "here" + std::string(35000, 'b');
  d.ranges = {{40001, 40005}};
  EXPECT_EQ(renderDiagnostic(d), "generated.metal:1:40001: error: wrong\n"
                                 "  ... " +
                                     std::string(80, 'a') + "here" + std::string(76, 'b') + " ...\n  " +
                                     std::string(84, ' ') + "^~~~\n");
  d.where.column = 2;
  d.ranges = {};
  EXPECT_EQ(renderDiagnostic(d),
            "generated.metal:1:2: error: wrong\n  " + std::string(160, 'a') + " ...\n   ^\n");
  d.where.column = 75004; // the last one
  EXPECT_EQ(renderDiagnostic(d), "generated.metal:1:75004: error: wrong\n  ... " + std::string(81, 'b') +
                                     "\n  " + std::string(84, ' ') + "^\n");
}

TEST(Diagnostic, ALongLineIsNotCutInsideOfACharacter) {
  Diagnostic d;
  d.where = {"k.metal", 1, 301};
  d.message = "wrong";
  for (int i = 0; i < 300; ++i)
    d.sourceLine += "\u00e9";
  std::string part;
  for (int i = 0; i < 81; ++i)
    part += "\u00e9";
  EXPECT_EQ(renderDiagnostic(d), "k.metal:1:301: error: wrong\n  ... " + part.substr(0, 160) + " ...\n  " +
                                     std::string(84, ' ') + "^\n");
}

TEST(Diagnostic, ANoteWithoutAPlaceIsSeverityAndMessage) {
  Diagnostic d;
  d.severity = Severity::Note;
  d.message = "kernel copy";
  EXPECT_EQ(renderDiagnostic(d), "note: kernel copy\n");
}

TEST(Diagnostic, AnUnknownColumnIsLeftOut) {
  Diagnostic d = example();
  d.severity = Severity::Warning;
  d.where.column = 0;
  d.message = "odd";
  EXPECT_EQ(renderDiagnostic(d), "reduce.metal:41: warning: odd [out-of-bounds]\n");
}

TEST(Diagnostic, ColourAddsOnlyEscapes) {
  Diagnostic d = example();
  d.sourceLine = "  dst[i] = 0;";
  std::string colored = renderDiagnostic(d, true), plain;
  EXPECT_NE(colored.find("\x1b[1;31merror: \x1b[0m"), std::string::npos);
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b')
      i = colored.find('m', i);
    else
      plain += colored[i];
  }
  EXPECT_EQ(plain, renderDiagnostic(d));
}

TEST(Error, CarriesItsDiagnosticsInOrder) {
  Error error = Error::kernel("no-progress", "stuck", {"a.metal", 1, 2}, "end the loop");
  error.diagnostics.push_back({Severity::Note, {}, "thread 0 runs", {}, {}, {}, {}});
  EXPECT_EQ(error.rule(), "no-progress");
  EXPECT_EQ(error.message(), "stuck");
  EXPECT_EQ(renderDiagnostics(error.diagnostics),
            "a.metal:1:2: error: stuck [no-progress]\n  end the loop\nnote: thread 0 runs\n");
}

} // namespace
