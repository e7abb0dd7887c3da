// The shrinker, with predicates that ask for a shape instead of a failure.
#include "shrinker.h"

#include "generator.h"

#include <gmock/gmock.h>

namespace assay::engines {
namespace {

bool mentions(const Expr &expr, const std::string &text) {
  bool found = expr.text.find(text) != std::string::npos;
  for (const Expr &operand : expr.operands)
    found |= mentions(operand, text);
  return found;
}

bool contains(const Body &body, const auto &what) {
  return std::any_of(body.begin(), body.end(), [&](const Statement &statement) {
    return what(statement) || std::any_of(statement.bodies.begin(), statement.bodies.end(),
                                          [&](const Body &inner) { return contains(inner, what); });
  });
}

bool hasSum(const Statement &statement) {
  return std::any_of(statement.operands.begin(), statement.operands.end(),
                     [](const Expr &e) { return mentions(e, "simd_sum("); });
}

// A simd_sum in a loop that also has a break.
bool sumsInALoopWithABreak(const Program &program) {
  return contains(program.body, [](const Statement &statement) {
    return statement.kind == Statement::Kind::Loop && contains(statement.bodies[0], hasSum) &&
           contains(statement.bodies[0],
                    [](const Statement &inner) { return inner.kind == Statement::Kind::Break; });
  });
}

size_t statementsIn(Program program) {
  size_t count = 0;
  forEachBody(program, [&](Body &body) { count += body.size(); });
  return count;
}

} // namespace

TEST(Shrinker, LeavesALoopABreakAndASum) {
  unsigned shrunk = 0;
  for (uint64_t seed = 1; seed <= 5000 && shrunk < 2; ++seed) {
    const Program program = generate(seed);
    if (!sumsInALoopWithABreak(program))
      continue;
    ++shrunk;
    const Program small = shrink(program, sumsInALoopWithABreak, 100'000);
    EXPECT_TRUE(sumsInALoopWithABreak(small));
    EXPECT_TRUE(wellFormed(small));
    EXPECT_LE(statementsIn(small), 4u) << metalOf(small); // the loop, the break, perhaps its if, and the sum
    EXPECT_EQ(small.grid.count(), 1u);
    EXPECT_TRUE(small.helpers.empty());
    EXPECT_EQ(small.input, std::vector<uint32_t>(kInputWords));
  }
  EXPECT_EQ(shrunk, 2u);
}

TEST(Shrinker, IsTheSameEachTimeAndStopsWhenAsked) {
  const Program program = generate(3);
  const auto always = [](const Program &) { return true; };
  EXPECT_EQ(metalOf(shrink(program, always, 100'000)), metalOf(shrink(program, always, 100'000)));
  EXPECT_EQ(statementsIn(shrink(program, always, 100'000)), 0u);
  size_t questions = 0;
  shrink(program, [&](const Program &) { return ++questions, false; }, 10);
  EXPECT_EQ(questions, 10u);
}

} // namespace assay::engines
