// The vectors of <simd/simd.h> and a function of <math.h> of one, in C.
#include <simd/simd.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const uint16_t scale = argc; // a type that comes with <simd/simd.h>
  const simd_float2 v = simd_make_float2(3, 4) * scale;
  const simd_double2 angles = simd_make_double2(0, 1 / 6.0) * scale;
  printf("%g %g\n", simd_length(v), round(1e6 * sin(angles * 0x1.921fb54442d18p1).y) / 1e6);
  return 0;
}
