// What is there before the first include: function constants, numbers of built-in values. The prelude itself:
// msl_shim/detail/prelude.h.
#include "support/abi/builtins.h"

#include <gmock/gmock.h>

extern "C" {
void shim_constants(int *, float *, bool *, float *);
void shim_builtins(unsigned *);
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

// The shim has no access to the emulator's table and repeats four of its numbers.
TEST(Builtins, TheShimsNumbersAreTheTables) {
  unsigned numbers[4];
  shim_builtins(numbers);
  EXPECT_EQ(numbers[0], unsigned(assay::Builtin::ThreadIndexInSimdgroup));
  EXPECT_EQ(numbers[1], unsigned(assay::Builtin::ThreadIndexInQuadgroup));
  EXPECT_EQ(numbers[2], unsigned(assay::Builtin::SimdgroupIndexInThreadgroup));
  EXPECT_EQ(numbers[3], unsigned(assay::Builtin::ThreadsPerSimdgroup));
}

} // namespace
