// Scales an image to the size of its output, with whatever filter the sampler has.
#include <metal_stdlib>
using namespace metal;

kernel void resize(texture2d<float> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]],
                   sampler scaling [[sampler(0)]], uint2 gid [[thread_position_in_grid]]) {
  if (gid.x >= out.get_width() || gid.y >= out.get_height())
    return;
  const float2 size = float2(out.get_width(), out.get_height());
  out.write(in.sample(scaling, (float2(gid) + 0.5f) / size), gid);
}
