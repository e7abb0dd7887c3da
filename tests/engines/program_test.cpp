// A program as text, and what makes it well-formed.
#include "program.h"

#include <gmock/gmock.h>

namespace assay::engines {
namespace {

using testing::HasSubstr;
using Kind = Statement::Kind;

constexpr Type kUint{ScalarType::UInt, 1};

Expr use(const char *name) {
  return {kUint, name, {}, name, false};
}

Program withBody(Body body) {
  Program program;
  program.body = std::move(body);
  program.input.resize(kInputWords);
  program.table.resize(kInputWords, 5);
  return program;
}

} // namespace

TEST(EngineProgram, PrintsOperandsAndBodiesInTheirPlaces) {
  const Program program = withBody(
      {{Kind::Plain, "uint v = $0;", {{kUint, "($0 + $0)", {literalOf(kUint, true)}}}, {}, "v"},
       {Kind::Loop, "for (uint i = 0; i < $0; ++i) #0", {use("v")}, {{{Kind::Break, "break;"}}}, "i"}});
  EXPECT_THAT(metalOf(program), HasSubstr("  uint v = (uint(1) + uint(1));\n"
                                          "  for (uint i = 0; i < v; ++i) {\n"
                                          "    break;\n"
                                          "  }\n}\n"));
  EXPECT_TRUE(wellFormed(program));
}

TEST(EngineProgram, DeclaresThreadgroupMemoryOnlyWhereItIsUsed) {
  EXPECT_THAT(metalOf(withBody({})), testing::Not(HasSubstr("threadgroup_barrier")));
  EXPECT_THAT(metalOf(withBody({{Kind::Exchange, "shared_[index] = 0;"}})),
              HasSubstr("threadgroup uint shared_[1];\n"));
}

TEST(EngineProgram, GivesTheCommandThatRunsIt) {
  Program program = withBody({});
  program.grid = {5, 2, 1};
  program.group = {4, 1, 1};
  EXPECT_THAT(commandOf(program, "x.metal"),
              testing::AllOf(HasSubstr("assay run x.metal --kernel k --grid 5,2,1 --threads 4,1,1 "),
                             HasSubstr("--buffer 0=zeros:u32[256] --buffer 1=u32:5,5,"),
                             HasSubstr("--buffer 3=poison:u32[80]")));
}

TEST(EngineProgram, IsNotWellFormedWithNamesAndJumpsFromNowhere) {
  const auto of = [](Body body) { return wellFormed(withBody(std::move(body))); };
  EXPECT_FALSE(of({{Kind::Plain, "put($0);", {use("v")}}})) << "not declared";
  EXPECT_FALSE(of({{Kind::Plain, "v = 1;", {}, {}, {}, "v"}}));
  EXPECT_FALSE(of({{Kind::Break, "break;"}}));
  EXPECT_FALSE(of({{Kind::Switch, "switch (0) #0", {}, {{{Kind::Continue, "continue;"}}}}}));
  EXPECT_TRUE(of({{Kind::Switch, "switch (0) #0", {}, {{{Kind::Break, "break;"}}}}}));
  EXPECT_FALSE(
      of({{Kind::Loop, "for (;;) #0", {}, {{{Kind::Exchange, "#0", {}, {{{Kind::Break, "break;"}}}}}}}}))
      << "the others would wait at the barrier after it";
  EXPECT_FALSE(of({{Kind::Plain, "#0", {}, {{{Kind::Plain, "uint v = 0;", {}, {}, "v"}}}},
                   {Kind::Plain, "put($0);", {use("v")}}}))
      << "declared in a body that has ended";
}

} // namespace assay::engines
