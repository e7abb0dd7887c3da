// Which macros of a compilation are address spaces: those that the preprocessor defines.
#include "frontend/compile.h"
#include "frontend/space_alias_macros.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::IsEmpty;

namespace {

// What the preprocessor defines counts: not another branch of an #if, and not the order of the text.
TEST(SpaceAliasMacros, AreThoseThatTheCompilationDefines) {
  SourceRequest request;
  request.path = "k.metal";
  request.defines = {{"SHARED", "threadgroup"}};
  request.text =
      "#if defined(__CUDACC__)\n#define LOCAL __shared__\n#else\n#define LOCAL threadgroup\n#endif\n"
      "kernel void k(device int *o) { LOCAL int a[4]; SHARED int b[2]; a[1] = b[0] = 1; o[0] = a[1]; }\n";
  const auto module = compile(request);
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_THAT(module->warnings, IsEmpty());

  // A redefinition: the view does not know which one is meant, and the macro's uses are expanded.
  request.text = "#define LOCAL device\n" + *request.text;
  const auto twice = compile(request);
  ASSERT_TRUE(twice) << renderDiagnostics(twice.error().diagnostics);
  ASSERT_EQ(twice->warnings.size(), 2u); // and a note
  EXPECT_EQ(twice->warnings[0].where.line, 5u);
}

} // namespace
