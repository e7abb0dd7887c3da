// Lambdas came with Metal 3.2.
#include "frontend/compile.h"
#include "frontend/lambda_rule.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesOf(LanguageVersion version) {
  SourceRequest request;
  request.path = "k.metal";
  request.language = version;
  request.text = "#include <metal_stdlib>\n#define TWICE [](int x) { return 2 * x; }\n"
                 "kernel void k(device int *o) {\n"
                 "  auto f = [&](int i) { return o[i]; };\n"
                 "  o[0] = f(1) + TWICE(2);\n}\n";
  const Result<CompiledModule> module = compile(request);
  return module ? "" : renderDiagnostics(module.error().diagnostics);
}

TEST(LambdaRule, RefusesThemBefore) {
  const std::string text = messagesOf(LanguageVersion::Metal3_1);
  EXPECT_THAT(text, HasSubstr("k.metal:4:12: error: lambda expressions are not supported before Metal 3.2"));
  EXPECT_THAT(text, HasSubstr("k.metal:5:17: error: lambda expressions are not supported before Metal 3.2"));
}

TEST(LambdaRule, AcceptsThemFromThenOnAndWithoutAVersion) {
  for (const LanguageVersion version :
       {LanguageVersion::Metal3_2, LanguageVersion::Metal4_0, LanguageVersion::Any})
    EXPECT_EQ(messagesOf(version), "");
}

} // namespace
