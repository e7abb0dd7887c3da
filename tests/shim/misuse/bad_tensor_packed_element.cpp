// error: elements of a packed format, such as int4b_format, are only for matmul2d
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;

kernel void k(device uchar *p, device int8_t *q, device int *o) {
#ifdef MISUSE
  tensor<device int4b_format, dextents<int, 1>, tensor_inline> t(p, dextents<int, 1>(16));
#else
  tensor<device int8_t, dextents<int, 1>, tensor_inline> t(q, dextents<int, 1>(16));
#endif
  o[0] = t[0];
}
