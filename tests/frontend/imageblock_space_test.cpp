// Memory of an imageblock is told apart from other threadgroup memory. More: tests/language, imageblock.*.
#include "frontend/imageblock_space.h"

#include "frontend/compile.h"

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

// The first error; empty if the text compiles.
std::string refusal(const std::string &text) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = text;
  const auto result = compile(request);
  return result ? "" : result.error().diagnostics.at(0).message;
}

TEST(ImageblockSpace, OverloadsMayDifferInItAlone) {
  const std::string one = "int f(threadgroup int *p) { return *p; }\n";
  EXPECT_EQ(refusal(one + "int f(threadgroup_imageblock int *p) { return *p; }\n"), "");
  EXPECT_EQ(refusal(one + "int f(threadgroup int *p) { return *p; }\n"), "redefinition of 'f'");
}

TEST(ImageblockSpace, ErrorsHaveItsName) {
  EXPECT_EQ(refusal("void f(threadgroup_imageblock int *p) { device int *q = p; }\n"),
            "cannot initialize a variable of type 'device int *' with an lvalue of type "
            "'threadgroup_imageblock int *'");
}

TEST(ImageblockSpace, IsNoOtherThreadgroupMemory) {
  EXPECT_EQ(refusal("void f(threadgroup int *p) {}\nvoid g(threadgroup_imageblock int *p) { f(p); }\n"),
            "threadgroup_imageblock memory cannot be used as threadgroup memory");
  EXPECT_EQ(refusal("void f(threadgroup_imageblock int &p) {}\nvoid g(threadgroup int *p) { f(*p); }\n"),
            "threadgroup memory cannot be used as threadgroup_imageblock memory");
}

// Only the front end has the word.
TEST(ImageblockSpace, ANameOfTheProgramMayBeClangs) {
  EXPECT_EQ(refusal("int f(int __unaligned) { return __unaligned; }\n"), "");
}

} // namespace
} // namespace assay::frontend
