// The umbrella: calls on vectors of functions of several headers, as a kernel makes them.
#include <gmock/gmock.h>

#include <vector>

extern "C" void shim_vector_calls(const float *, float *);

namespace {

TEST(VectorCalls, TakeScalarsAndWorkByComponent) {
  alignas(16) const float v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(16) float out[36];
  shim_vector_calls(v, out);
  const std::vector<float> got(out, out + 36);
  const std::vector<float> expected = {2,        2,    3,        4,   // max
                                       2,        2,    3,        3,   // clamp
                                       3,        4,    5,        6,   // mix
                                       5,        6,    3,        4,   // select
                                       0.15625f, 0.5f, 0.84375f, 1,   // smoothstep
                                       1,        1,    0,        70,  // any, all, isnan, dot
                                       3 * 0.2f, 0,    4 * 0.2f, 0,   // normalize
                                       -4,       8,    -4,       5,   // cross, length
                                       1,        1,    8,        30}; // reflect, distance
  EXPECT_EQ(got, expected);
}
} // namespace
