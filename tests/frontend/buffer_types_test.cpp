// What arguments a buffer cannot be, and why.
#include "frontend/compile.h"

#include <gtest/gtest.h>

using namespace assay;
using namespace assay::frontend;

namespace {

// The message about the argument `p`; empty if it is accepted.
std::string complaint(const std::string &before, const std::string &argument) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + before + "\nkernel void k(" +
                 argument + ", device int *o [[buffer(20)]]) { o[0] = 1; }\n";
  const Result<CompiledModule> module = compile(request);
  return module ? "" : module.error().message();
}

} // namespace

TEST(BufferTypes, PointersAreInStructures) {
  const std::string bare = "argument 'p' points to pointers: put them into a structure";
  EXPECT_EQ(complaint("", "device uint *constant *p [[buffer(0)]]"), bare);
  EXPECT_EQ(complaint("", "device uint *constant &p [[buffer(0)]]"), bare);
  EXPECT_EQ(complaint("", "constant array<device uint *, 2> *p [[buffer(0)]]"), bare);
  EXPECT_EQ(complaint("", "array<device int *, 4> p [[buffer(0)]]"),
            "argument 'p' is an array of pointers: put it into a structure");
  EXPECT_EQ(complaint("struct S { device uint *q; device uint *r[2]; };", "constant S *p [[buffer(0)]]"), "");
}

TEST(BufferTypes, TexturesAreInStructures) {
  EXPECT_EQ(complaint("", "device texture2d<float> *p [[buffer(0)]]"),
            "argument 'p' points to textures: put them into a structure");
  EXPECT_EQ(complaint("struct S { texture2d<float> t; };", "constant S &p [[buffer(0)]]"), "");
}

TEST(BufferTypes, NoPointersToPointersAreInThem) {
  const std::string deep =
      "argument 'p' points to a structure with the member 'rows', a pointer to pointers, "
      "which no buffer may hold: make it a pointer to a structure, or a ulong";
  const std::string rows = "struct S { device int *device *rows; };";
  EXPECT_EQ(complaint(rows, "constant S &p [[buffer(0)]]"), deep);
  EXPECT_EQ(complaint(rows + " struct T { int n; S s[2]; };", "device T *p [[buffer(0)]]"), deep);
  EXPECT_EQ(complaint(rows + " struct T : S { int n; };", "device T *p [[buffer(0)]]"), deep);
  EXPECT_EQ(complaint("struct R { device int *row; }; struct S { device R *rows; };",
                      "constant S &p [[buffer(0)]]"),
            "");
}
