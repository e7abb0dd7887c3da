// error: an operand is made of the destination of another matmul2d, not of an operand
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
  constexpr auto d = Descriptor(int4(16, 4, 4, 1), int4(8, 4, 4, 1), int2(3, 3));
  convolution2d<d, execution_simdgroup> op;
  constexpr auto m = matmul2d_descriptor(16, 16, 16);
  matmul2d<m, execution_simdgroup> product;
  auto s = op.get_destination_cooperative_tensor<decltype(a), decltype(w), float>();
#ifdef MISUSE
  auto x = product.get_left_input_cooperative_tensor<float, float, float>(s);
#else
  auto x = product.get_left_input_cooperative_tensor<float, float, float>();
#endif
  p[0] = x[0] + s[0];
}
