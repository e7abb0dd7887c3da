// Samplers at program scope without a qualifier, which are constants.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(ProgramSamplers, NeedNoQualifier) {
  for (const char *text :
       {"sampler s(filter::linear);", "sampler s{};", "static sampler s = sampler(coord::pixel);",
        "namespace n { namespace { metal::sampler s(filter::linear); } }", "sampler a, b(filter::linear);"})
    EXPECT_EQ(messagesOf(std::string(text) + "\nkernel void k(device float *o) { o[0] = 1; }"), "") << text;
  EXPECT_EQ(messagesOf("sampler s(filter::linear);\nkernel void k(texture2d<float> t, device float4 *o) {\n"
                       "  sampler local = s; local = s; o[0] = t.sample(s, 0.5f) + t.sample(local, 0.5f); }"),
            "");
}

TEST(ProgramSamplers, CannotBeWritten) {
  EXPECT_THAT(messagesOf("sampler s(filter::linear);\nvoid f() { s = sampler(coord::pixel); }"),
              HasSubstr("k.metal:4:"));
  EXPECT_THAT(
      messagesOf("namespace n { sampler s(filter::linear);\nvoid f() { s = sampler(coord::pixel); } }"),
      HasSubstr("program-scope variable 's' is constant, and cannot be written"));
}

TEST(ProgramSamplers, AreTheOnlyVariablesOfThatKind) {
  EXPECT_THAT(messagesOf("struct sampler2 { int a; }; sampler2 s;"), HasSubstr("'s' must be constant"));
  EXPECT_THAT(messagesOf("void f() { static sampler s(filter::linear); (void)s; }"),
              HasSubstr("'s' cannot be static or in constant memory"));
  EXPECT_THAT(messagesOf("device sampler s(filter::linear);"), HasSubstr("cannot be in device memory"));
}

} // namespace
