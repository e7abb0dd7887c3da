// array. source: MSL specification, section 2.12.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(ArrayHeader, IsAnAggregateThatKnowsItsSize) {
  expectFacts("metal_array", {
                                 "sizeof(array<int, 5>) == 20",
                                 "array<int, 3>{1, 2, 3}[1] == 2",
                                 "array<int, 3>{1, 2, 3}.size() == 3",
                                 "!array<int, 3>().empty()",
                                 "array<int, 3>{1, 2, 3}.front() == 1 && array<int, 3>{1, 2, 3}.back() == 3",
                                 "*array<int, 3>{4}.data() == 4",
                             });
}

TEST(ArrayHeader, CopiesAndIterates) {
  expectCompiles("metal_array", R"(constexpr int sum(array<int, 3> a) {
  int s = 0;
  for (size_t i = 0; i < a.size(); ++i)
    s += a[i];
  return s;
}
constexpr array<int, 3> twice(array<int, 3> a) {
  array<int, 3> b = a;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] *= 2;
  return b;
}
static_assert(sum(twice({1, 2, 3})) == 12);
)");
}

} // namespace
