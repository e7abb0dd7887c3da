// Errors of the project's own that fixes look for: each program needs the fix that one of them brings, and is
// refused with that error where no fix helps.
#include "frontend/own_errors.h"

#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(OwnErrors, AreFoundByTheFixesThatLookForThem) {
  EXPECT_EQ(messagesOf("int f(device const int *p) { return 1; }\nint f(thread int *p) { return 2; }\n"
                       "int g(device int *p) { return f(p); }\n"),
            "");
  EXPECT_EQ(messagesOf("float f(bool b, device float *p, constant float *q) {\n"
                       "  const thread float &x = b ? *p : *q; return x; }\n"),
            "");
}

TEST(OwnErrors, AreShownWhereNoFixHelps) {
  EXPECT_THAT(messagesOf("int f(thread int *p) { return *p; }\nint g(device int *p) { return f(p); }\n"),
              HasSubstr(kUsedAsThread));
  EXPECT_THAT(messagesOf("void f(bool b, device float *p, thread float *q) {\n"
                         "  (b ? *p : *q) = 1; }\n"),
              HasSubstr(kChoiceIsValue));
}

} // namespace
