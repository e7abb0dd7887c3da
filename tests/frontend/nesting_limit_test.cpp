// Sources that are nested too deep end with an error at a place, and not with the process.
#include "frontend/compile.h"

#include <gmock/gmock.h>

#include <string>

namespace {

using namespace assay;
using testing::HasSubstr;

Result<frontend::CompiledModule> compileNested(const std::string &open, const std::string &inside,
                                               const std::string &close, size_t levels) {
  frontend::SourceRequest request;
  request.path = "nested.metal";
  std::string text = "kernel void k(device int *x [[buffer(0)]]) {\n";
  for (size_t i = 0; i < levels; ++i)
    text += open;
  text += inside;
  for (size_t i = 0; i < levels; ++i)
    text += close;
  request.text = text + "\n}\n";
  return frontend::compile(request);
}

TEST(NestingLimit, AThousandStatementsAreTaken) {
  EXPECT_TRUE(compileNested("if (x[0])\n", "x[1] = 1;", "", 1000));
}

// Whether so many are taken depends on the build; what counts is that the process goes on. No condition has a
// name: Clang looks a name up in each scope around it, which takes half a minute for so many.
TEST(NestingLimit, TwentyThousandStatementsEndTheCompilationAndNotTheProcess) {
  const auto compiled = compileNested("if (true)\n", "x[1] = 1;", "", 20'000);
  if (!compiled)
    EXPECT_THAT(compiled.error().diagnostics.front().message, HasSubstr("nested"));
}

} // namespace
