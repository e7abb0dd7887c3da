// Elements of swizzles that nothing can be assigned to. What is assigned: tests/language/vectors.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesIn(const std::string &statement) {
  return messagesOf(
      "struct S { int4 v; };\nint4 f();\nint4 f() { return 1; }\nS s() { return {1}; }\n"
      "kernel void k(device int4 *p) {\nint4 v(1); const int4 c(1); (void)v; (void)c; (void)p;\n" +
      statement + ";\n}\n");
}

TEST(SwizzleElements, AreRefusedAtTheirPlace) {
  const std::pair<const char *, const char *> kRefused[] = {
      {"v.xx[0] = 3", "k.metal:9:1: error: this swizzle, .xx, names an element twice"},
      {"p->xyyx[0]++", "k.metal:9:1: error: this swizzle, .xyyx, names an element twice"},
      {"v.xxy.z = 3", "error: this swizzle, .xxy, names an element twice"},
      {"c.xy[1] = 3", "k.metal:9:1: error: cannot assign to an element of a constant vector"},
      {"c.wzyx.x = 3", "error: cannot assign to a component of a constant vector"},
      {"f()[1] = 2", "k.metal:9:1: error: expression is not assignable"},
      {"f().xy[1] = 2", "k.metal:9:1: error: expression is not assignable"},
      {"(v + v)[0] *= 2", "k.metal:9:1: error: expression is not assignable"},
      {"float4(1)[0] = 2", "k.metal:9:1: error: expression is not assignable"},
      {"s().v = 2", "k.metal:9:7: error: expression is not assignable"},
      {"s().v[0]--", "k.metal:9:1: error: expression is not assignable"},
      {"s().v.zw[0] = 2", "k.metal:9:1: error: expression is not assignable"},
      {"(v.xy = 3)[1] = 3", "k.metal:9:1: error: an element of an assignment"},
  };
  for (const auto &[statement, message] : kRefused)
    EXPECT_THAT(messagesIn(statement), HasSubstr(message)) << statement;
}

TEST(SwizzleElements, AnIndexMayHaveAnyIntegerType) {
  for (const char *index : {"'\\1'", "1u", "1l", "true", "short(1)"})
    EXPECT_EQ(messagesIn(std::string("v.zw[") + index + "] = 2; p->xy[" + index + "] += 1"), "") << index;
}

} // namespace
