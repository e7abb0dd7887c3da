// error: must not have more than 1,073,741,824 elements
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

typedef convolution2d_descriptor Descriptor;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 4>(8, 4, 4, 1));
  auto w = tensor(p, dextents<int, 4>(16, 8, 3, 3));
  auto c = tensor(p, dextents<int, 4>(16, 4, 4, 1));
#ifdef MISUSE
  constexpr auto d = Descriptor(int4(16, 16384, 16384, 1), int4(8, 4, 4, 1), int2(3, 3));
  convolution2d<d, execution_simdgroup> op;
#else
  constexpr auto d = Descriptor(int4(4, 16384, 16384, 1), int4(8, 4, 4, 1), int2(3, 3));
  convolution2d<d, execution_simdgroup> op;
#endif
  op.run(a, w, c);
}
