#include "frontend/compiled_views.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string viewOf(const std::string &text) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  const auto files = compiledViews(request);
  const SourceView *view = files->view("k.metal");
  return view ? view->text() : "";
}

TEST(CompiledViews, HoldWhatClangsErrorsAskedFor) {
  EXPECT_THAT(viewOf("kernel void k(device half *p, constant bfloat &b) { *p = half(p[1] + b); }\n"),
              HasSubstr("__assay_beside<"));
  EXPECT_THAT(
      viewOf("#define BUF(i) [[buffer(i)]]\n#define SHARED(T) threadgroup T\n"
             "kernel void k(device int *p BUF(1)) { SHARED(int) s[4]; SHARED(int) *q = s; *p = *q; }\n"),
      HasSubstr("k(device int *p __attribute__((annotate(\"assay.buffer\""));
}

TEST(CompiledViews, AreThereForAProgramThatIsRefused) {
  EXPECT_THAT(viewOf("kernel void k(device int *p [[buffer(1)]]) { *p = qwzx; }\n"), HasSubstr("annotate"));
}

} // namespace
