// error: reduce_rows: the destination is not that of the rows of a matrix
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
  auto c = op.get_destination_cooperative_tensor<decltype(a), decltype(a), float>();
  auto rows = op.get_row_reduction_destination_cooperative_tensor<decltype(a), decltype(a), float>();
  auto columns = op.get_column_reduction_destination_cooperative_tensor<decltype(a), decltype(a), float>();
#ifdef MISUSE
  reduce_rows(c, columns);
#else
  reduce_columns(c, columns);
#endif
  reduce_rows(c, rows);
  p[0] = rows[0] + columns[0];
}
