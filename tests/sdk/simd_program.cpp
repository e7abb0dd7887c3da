// A host's program as C++ hosts are written, for simd_headers_test.cmake: with `using namespace simd`, beside
// the standard library's names.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <simd/simd.h>
#include <string>
#include <vector>

using namespace simd;

namespace {

struct Vertex {
  float3 position;
  float3 normal;
};

float4x4 translation(float3 by) {
  return float4x4(float4{1, 0, 0, 0}, float4{0, 1, 0, 0}, float4{0, 0, 1, 0}, make<float4>(by, 1.0f));
}

} // namespace

int main() {
  const std::vector<Vertex> vertices = {{{0, 0, 0}, {}}, {{3, 0, 0}, {}}, {{3, 4, 0}, {}}};
  const float3 normal = normalize(cross(vertices[1].position, vertices[2].position - vertices[1].position));
  const float far = std::max(length(vertices[2].position), 1.0f);
  float4x4 transform = translation(float3{0, 0, 0.5f}) * 2.0f;
  transform *= inverse(transform);
  transform += float4x4(0.0f);
  const float4 moved = translation(float3{-1, 2, 3}) * transform * float4{2, 0, 0, 1};
  const double turned = quatd(M_PI / 2, double3{0, 0, 1})(double3{1, 0, 0}).y;
  const float mixed = mix(float2{3, 0}, 4.0f, 0.5f).x;
  std::printf("%g (%g %g %g) %g (%g %g %g %g) %g\n", far, normal.x, normal.y, normal.z, mixed, moved.x,
              moved.y, moved.z, moved.w + 3, std::round(1000 * turned));
  return all(abs(float2{-1, 1}) == 1.0f) ? 0 : 1;
}
