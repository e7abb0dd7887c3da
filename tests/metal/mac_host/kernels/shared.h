#include <metal_stdlib>
using namespace metal;

static inline float added(float a, float b) {
  return a + b;
}
