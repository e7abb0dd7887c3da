// Which objects can be changed through swizzles of swizzles.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesIn(const std::string &statement) {
  return messagesOf("kernel void k(device int4 *p) {\nint n = 0; int4 v(1); (void)v; (void)n;\n" + statement +
                    ";\n}\n");
}

TEST(SwizzledObject, WithSideEffectsIsEvaluatedOnce) {
  EXPECT_EQ(messagesIn("p[n++].wzyx.xy = 1; p[n++].hi.hi = 1; p[n++].hi.y += 1; p[n++].zw[1]++"), "");
  EXPECT_THAT(messagesIn("p[n++].wzyx.xy += 1"), HasSubstr("is not supported: write .wz"));
  EXPECT_THAT(messagesIn("p[n++].hi.hi++"), HasSubstr("is not supported: write .w"));
  EXPECT_THAT(messagesIn("(p[n++].xy = 1).x = 2"), HasSubstr("is not supported: write .x"));
}

TEST(SwizzledObject, MayBeAnAssignment) {
  EXPECT_EQ(messagesIn("(v.xy = 1).x = 2; (v.xy += 1).y *= 2; (p->zw = v.xy).yx = 2"), "");
  EXPECT_THAT(messagesIn("(v.xy = 1).yx += 2"), HasSubstr("an assignment cannot be changed again here"));
}

} // namespace
