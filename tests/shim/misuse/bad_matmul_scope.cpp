// error: the scope must be execution_thread, execution_simdgroup or execution_simdgroups<N>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
#ifdef MISUSE
  matmul2d<matmul2d_descriptor(16, 16), tensor_inline> op;
#else
  matmul2d<matmul2d_descriptor(16, 16), execution_thread> op;
#endif
  op.run(a, a, a);
}
