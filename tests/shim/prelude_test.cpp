// What is there before the first include: function constants, numbers of built-in values. The prelude itself:
// msl_shim/detail/prelude.h.
#include "support/builtins.h"

#include <gmock/gmock.h>

extern "C" {
void shim_constants(int *, float *, bool *, float *);
}

namespace {

using ::testing::ElementsAre;

TEST(FunctionConstants, AreTheLowBitsOfThePrimitive) {
  int i;
  float h;
  bool b;
  alignas(16) float v[4];
  shim_constants(&i, &h, &b, v);
  EXPECT_EQ(i, -1);
  EXPECT_EQ(h, 1.0f);
  EXPECT_TRUE(b);
  EXPECT_THAT(v, ElementsAre(1, 2, 3, 32)) << "the last is a default";
}

// The shim has no access to the emulator's table and repeats three of its numbers.
TEST(Builtins, TheShimsNumbersAreTheTables) {
  EXPECT_EQ(unsigned(assay::Builtin::ThreadIndexInSimdgroup), 3u);
  EXPECT_EQ(unsigned(assay::Builtin::ThreadIndexInQuadgroup), 4u);
  EXPECT_EQ(unsigned(assay::Builtin::SimdgroupIndexInThreadgroup), 5u);
  EXPECT_EQ(unsigned(assay::Builtin::ThreadsPerSimdgroup), 13u);
}

} // namespace
