// What is there before the first include: function constants. The prelude itself: msl_shim/detail/prelude.h.
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

} // namespace
