// assert: a statement and an expression; what it does at run time is in tests/cli and tests/runtime.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(AssertHeader, IsAnExpressionWithoutAValue) {
  expectCompiles("metal_assert", "void f(int x) { assert(x > 0); x ? assert(x != 1) : assert(x == 0); }");
}

} // namespace
