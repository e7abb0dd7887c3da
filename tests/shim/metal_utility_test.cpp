// Sequences of integers, and move. source: their names in public headers of Metal 2.1; for move Apple's
// headers (kagurasumusun/metal, 32023.883).
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(UtilityHeader, MakesSequences) {
  expectFacts("metal_utility", {
                                   "is_same_v<make_integer_sequence<int, 3>, integer_sequence<int, 0, 1, 2>>",
                                   "integer_sequence<short, 4, 5>::size() == 2",
                                   "is_same_v<integer_sequence<short, 4>::value_type, short>",
                               });
}

TEST(UtilityHeader, Moves) {
  expectFacts("metal_utility", {"is_same_v<decltype(move(declval<int &>())), int &&>", "move(3) == 3"});
}

// What the headers of this name include, programs use without naming it.
TEST(UtilityHeader, ComesWithMatricesAndBarriersWithAtomics) {
  expectFacts("metal_matrix", {"make_integer_sequence<int, 2>::size() == 2"});
  expectCompiles("metal_atomic", "void f() { threadgroup_barrier(mem_flags::mem_device); }\n");
}

} // namespace
