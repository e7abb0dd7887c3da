// A finding as a compiler prints it.
#include "support/text/finding.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Finding, IsAWarningWithNotesAndTheHintAtTheEnd) {
  Finding finding;
  finding.warning = {Severity::Warning, {"k.metal", 7, 3}, "it races", "race-grid", "do this", {}, {}};
  finding.notes.push_back({Severity::Note, {"k.metal", 4, 1}, "the write", {}, {}, {}, {}});
  EXPECT_EQ(renderDiagnostics(diagnosticsOf(finding)), "k.metal:7:3: warning: it races [race-grid]\n"
                                                       "k.metal:4:1: note: the write\n"
                                                       "  do this\n");
  finding.count = 12;
  finding.notes.clear();
  EXPECT_EQ(renderDiagnostics(diagnosticsOf(finding)),
            "k.metal:7:3: warning: it races; 11 more like it [race-grid]\n"
            "  do this\n");
}

} // namespace
} // namespace assay
