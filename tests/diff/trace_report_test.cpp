// What is said of a trace, in text: every line that there can be.
#include "cli/diff/trace_report.h"

#include <gmock/gmock.h>

#include <bit>

namespace assay::cli::diff {
namespace {

TraceVisit visitAt(uint32_t line, std::initializer_list<float> values) {
  TraceVisit visit;
  visit.where = {"k.metal", line, 3};
  visit.statement = "acc += x";
  visit.value = "acc";
  visit.thread[0] = visit.threadIndex = 37;
  visit.number = 2;
  visit.made.count = uint32_t(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    visit.made.bits[i] = std::bit_cast<uint32_t>(values.begin()[i]);
  return visit;
}

std::string textOf(const Traced &traced) {
  Output out(false);
  testing::internal::CaptureStdout();
  reportTrace(out, traced);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(TraceReport, OfEqualValuesIsOneLine) {
  Traced traced;
  traced.sides[0].statements = traced.sides[1].statements = traced.pairs = 3;
  traced.compared = 12;
  EXPECT_EQ(textOf(traced), "trace     A 3 statements, B 3 statements: 12 values compared, 0 different\n"
                            "  every value that was compared is equal\n");
}

TEST(TraceReport, HasBothSidesOfAValue) {
  Traced traced;
  traced.sides[0] = {.statements = 4, .unpaired = 1, .dispatches = 1};
  traced.sides[1] = {.statements = 3, .dropped = 2, .dispatches = 3, .untraced = 2, .sameBits = false};
  traced.pairs = 3;
  traced.compared = 12;
  traced.different = 5;
  traced.otherCount = 7;
  traced.names = {{"acc", "sum"}, {"i", "k"}};
  ValueParting parting;
  parting.visit[0] = visitAt(5, {1, 2});
  parting.visit[1] = visitAt(6, {1, 2.5f});
  parting.visit[1].value = "sum";
  parting.visit[1].ofSeveral = true;
  parting.difference.index = 1;
  parting.difference.ulps = 2097152;
  parting.difference.absolute = 0.5;
  parting.type = ScalarType::Float;
  traced.value = parting;
  EXPECT_EQ(
      textOf(traced),
      "trace     A 4 statements (1 without a partner), B 3 statements: 12 values compared, 5 different\n"
      "  names   acc = sum, i = k\n"
      "  2 of the 3 dispatches of B are not traced: A has only 1\n"
      "  2 statements of B have no probe, since one does not compile there\n"
      "  B gave different bits in the run with probes: what follows is of that run. A kernel whose lanes "
      "race "
      "does so\n"
      "  7 values were not compared: they have other numbers of elements on both sides\n"
      "  parts   acc and sum, element 1: 2097152 ulps, 0.5 apart\n"
      "          A (1, 2) (0x3f800000, 0x40000000) at k.metal:5:3: acc += x\n"
      "            by thread (37,0,0) of the grid, threadgroup (0,0,0), simdgroup 1, lane 5, visit 3\n"
      "          B (1, 2.5) (0x3f800000, 0x40200000) at k.metal:6:3: acc += x\n"
      "            by dispatch 1, thread (37,0,0) of the grid, threadgroup (0,0,0), simdgroup 1, lane 5, "
      "visit 3\n");
}

TEST(TraceReport, HasWhatOneSideDoesInItsOrder) {
  Traced traced;
  traced.onlyOneSide = 9;
  FlowParting flow;
  flow.side = 1;
  flow.visit = visitAt(8, {1});
  flow.partner = {"a.metal", 9, 5};
  flow.otherVisits = 1;
  traced.flow = flow;
  traced.flowFirst = true;
  EXPECT_THAT(
      textOf(traced),
      testing::HasSubstr("  9 visits of statements are of one side alone\n"
                         "  flow    only B has this visit, at k.metal:8:3: acc += x\n"
                         "            by thread (37,0,0) of the grid, threadgroup (0,0,0), simdgroup 1, "
                         "lane 5, visit 3\n"
                         "          A comes to a.metal:9:5 1 time\n"));
}

} // namespace
} // namespace assay::cli::diff
