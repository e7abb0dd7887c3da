#include <metal_stdlib>
using namespace metal;

static inline float plus(float a, float b) {
  return a + b;
}
