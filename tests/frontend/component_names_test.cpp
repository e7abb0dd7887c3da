// Components of vectors in constant expressions, by every name that they have.
#include "frontend/compile.h"

#include <gmock/gmock.h>

using namespace assay;
using testing::HasSubstr;

namespace {

Result<frontend::CompiledModule> compileText(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return frontend::compile(request);
}

} // namespace

TEST(ComponentNames, ColoursArePositionsInConstantExpressions) {
  for (const char *type : {"int4", "float4", "half4", "bfloat4", "uchar4", "packed_float4"}) {
    const auto result = compileText(std::string("constexpr constant ") + type +
                                    " v(1, 2, 3, 4);\n"
                                    "static_assert(v.x == 1 && v.y == 2 && v.z == 3 && v.w == 4, \"\");\n"
                                    "static_assert(v.r == 1 && v.g == 2 && v.b == 3 && v.a == 4, \"\");\n"
                                    "static_assert(v[0] == 1 && v[3] == 4, \"\");\n"
                                    "static_assert(v.wz.x == 4 && v.abgr.g == 3 && v.rrr.z == 1, \"\");\n");
    EXPECT_TRUE(result) << type << renderDiagnostics(result.error().diagnostics);
  }
}

TEST(ComponentNames, VectorsOfEveryLength) {
  const auto result =
      compileText("constexpr constant vec<int, 1> a(7);\nconstexpr constant bool2 b(true, false);\n"
                  "constexpr constant ushort3 c(1, 2, 3);\n"
                  "constexpr constant vec<int, 8> d(0, 1, 2, 3, 4, 5, 6, 7);\n"
                  "static_assert(a.x == 7 && a.r == 7 && a[0] == 7, \"\");\n"
                  "static_assert(b.x && !b.g && !b[1], \"\");\n"
                  "static_assert(c.b == 3 && c.zyx.r == 3, \"\");\n"
                  "static_assert(d[6] == 6 && (d + d)[7] == 14, \"\");\n");
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

TEST(ComponentNames, AClassOfTheProgramKeepsItsMembers) {
  const auto result = compileText("struct S { union { struct { int x, y; }; struct { int r, g; }; };\n"
                                  "  constexpr S(int a) : r(a), g(a) {} };\n"
                                  "constexpr constant S s(3);\nstatic_assert(s.g == 3, \"\");\n"
                                  "static_assert(s.y == 3, \"\");\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().diagnostics.front().where.line, 7u);
  EXPECT_THAT(result.error().diagnostics.front().message, HasSubstr("constant expression"));
}

TEST(ComponentNames, AnIndexOutOfRangeIsNoConstant) {
  const auto result = compileText("constexpr constant int2 v(1, 2);\nconstexpr constant int x = v[2];\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().diagnostics.front().where.line, 4u);
  EXPECT_THAT(result.error().diagnostics.front().message,
              HasSubstr("must be initialized by a constant expression"));
}
