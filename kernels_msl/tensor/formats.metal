// Products of tensors whose elements have formats of at most eight bits, with scales and without, and packed
// numbers of the same formats.
//
// Rows of the right operand follow one another as `rightStride` says, in elements; scales are one byte for
// every 32 elements of a row.
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_packed_numeric>
#include <metal_stdlib>
#include <metal_tensor>

using namespace metal;
using namespace mpp::tensor_ops;

struct Sizes {
  int rows, columns, depth, leftStride, rightStride;
};

constexpr constant int kDynamic = static_cast<int>(dynamic_extent);

// In memory, halves are halves and a format is bytes.
template <typename F> struct Stored { typedef uchar type; };
template <> struct Stored<half> { typedef half type; };
template <> struct Stored<bfloat> { typedef bfloat type; };
template <> struct Stored<int8_t> { typedef int8_t type; };

template <typename L, typename R, typename D>
kernel void product(device typename Stored<L>::type *left [[buffer(0)]], device uchar *right [[buffer(1)]],
                    device D *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                    uint2 group [[threadgroup_position_in_grid]]) {
  matmul2d<matmul2d_descriptor(16, 32, kDynamic, false, true), execution_simdgroup> op;
  tensor<device L, dextents<int, 2>, tensor_inline> a(left, dextents<int, 2>(s.depth, s.rows),
                                                      array<int, 2>({1, s.leftStride}));
  tensor<device R, dextents<int, 2>, tensor_inline> b(right, dextents<int, 2>(s.depth, s.columns),
                                                      array<int, 2>({1, s.rightStride}));
  tensor<device D, dextents<int, 2>, tensor_inline> c(destination, dextents<int, 2>(s.columns, s.rows));
  auto tileA = a.slice(0, int(group.y) * 16);
  auto tileB = b.slice(0, int(group.x) * 32);
  auto tileC = c.slice(int(group.x) * 32, int(group.y) * 16);
  op.run(tileA, tileB, tileC);
}

#define PRODUCT(name, L, R, D)                                                                               \
  template [[host_name(name)]] kernel void product<L, R, D>(                                                 \
      device typename Stored<L>::type * left, device uchar * right, device D * destination,                  \
      constant Sizes & s, uint2 group);
PRODUCT("char_int2_int", int8_t, int2b_format, int)
PRODUCT("half_uint2_half", half, uint2b_format, half)
PRODUCT("bfloat_int2_bfloat", bfloat, int2b_format, bfloat)
PRODUCT("bfloat_uint2_float", bfloat, uint2b_format, float)
PRODUCT("half_e2m1_float", half, metal_fp4_e2m1_format, float)
PRODUCT("half_e4m3_half", half, metal_fp8_e4m3_format, half)
PRODUCT("half_e5m2_float", half, metal_fp8_e5m2_format, float)
PRODUCT("e2m1_e2m1_half", metal_fp4_e2m1_format, metal_fp4_e2m1_format, half)
PRODUCT("e4m3_e4m3_float", metal_fp8_e4m3_format, metal_fp8_e4m3_format, float)
PRODUCT("e5m2_e5m2_half", metal_fp8_e5m2_format, metal_fp8_e5m2_format, half)

// Both operands with scales, or the right one alone. Slices keep their scales; the depth is that of several
// runs of 32.
typedef tensor_blockwise<tensor_plane_scales, device metal_fp8_ue8m0_format, 32, 1> ScalePlane;
template <typename F> using Scaled = tensor<device F, dextents<int, 2>, tensor_inline, ScalePlane>;

template <typename R>
kernel void scaled_right(device half *left [[buffer(0)]], device uchar *right [[buffer(1)]],
                         device float *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                         device uchar *scales [[buffer(4)]],
                         uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 32, false, true, false,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  tensor<device half, dextents<int, 2>, tensor_inline> a(left, dextents<int, 2>(s.depth, s.rows));
  Scaled<R> b(right, dextents<int, 2>(s.depth, s.columns), array<int, 2>({1, s.rightStride}),
              ScalePlane(scales));
  tensor<device float, dextents<int, 2>, tensor_inline> c(destination, dextents<int, 2>(s.columns, s.rows));
  auto tileC = c.slice(int(group.x) * 32, int(group.y) * 16);
  auto rowsOfA = a.slice(0, int(group.y) * 16);
  auto rowsOfB = b.slice(0, int(group.x) * 32);
  for (int k = 0; k < s.depth; k += 32) {
    auto tileA = rowsOfA.slice(k, 0);
    auto tileB = rowsOfB.slice(k, 0);
    op.run(tileA, tileB, tileC);
  }
}
template [[host_name("scaled_e2m1")]] kernel void
scaled_right<metal_fp4_e2m1_format>(device half *, device uchar *, device float *, constant Sizes &,
                                    device uchar *, uint2);
template [[host_name("scaled_e4m3")]] kernel void
scaled_right<metal_fp8_e4m3_format>(device half *, device uchar *, device float *, constant Sizes &,
                                    device uchar *, uint2);

kernel void scaled_both(device uchar *left [[buffer(0)]], device uchar *right [[buffer(1)]],
                        device float *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                        device uchar *scales [[buffer(4)]], device uchar *leftScales [[buffer(5)]],
                        uint2 group [[threadgroup_position_in_grid]]) {
  matmul2d<matmul2d_descriptor(16, 32, kDynamic, false, true), execution_simdgroup> op;
  Scaled<metal_fp8_e4m3_format> a(left, dextents<int, 2>(s.depth, s.rows), array<int, 2>({1, s.leftStride}),
                                  ScalePlane(leftScales));
  Scaled<metal_fp8_e4m3_format> b(right, dextents<int, 2>(s.depth, s.columns),
                                  array<int, 2>({1, s.rightStride}), ScalePlane(scales));
  tensor<device float, dextents<int, 2>, tensor_inline> c(destination, dextents<int, 2>(s.columns, s.rows));
  auto tileA = a.slice(0, int(group.y) * 16);
  auto tileB = b.slice(0, int(group.x) * 32);
  auto sum = op.get_destination_cooperative_tensor<decltype(tileA), decltype(tileB), float>();
  op.run(tileA, tileB, sum);
  auto tileC = c.slice(int(group.x) * 32, int(group.y) * 16);
  sum.store(tileC);
}

// Rows of scales follow one another, however far apart the rows of the data are; a slice has its tensor's.
kernel void strides_of_scales(device uchar *data [[buffer(0)]], device uchar *scales [[buffer(1)]],
                              device int *out [[buffer(2)]], constant Sizes &s [[buffer(3)]]) {
  Scaled<metal_fp8_e4m3_format> t(data, dextents<int, 2>(s.depth, s.rows), array<int, 2>({1, s.leftStride}),
                                  ScalePlane(scales));
  auto part = t.slice(32, 1);
  out[0] = t.get_stride(1);
  out[1] = t.get_stride<tensor_plane_scales>(0);
  out[2] = t.get_stride<tensor_plane_scales>(1);
  out[3] = part.get_stride<tensor_plane_scales>(1);
}

// Packed numbers in buffers: each thread unpacks sixteen weights of four bits and packs them as E4M3.
kernel void repack(device const packed_uint4b<16> *in [[buffer(0)]],
                   device packed_metal_fp8_e4m3<16> *out [[buffer(1)]], device half *values [[buffer(2)]],
                   uint index [[thread_position_in_grid]]) {
  const vec<half, 16> v = unpack<half>(in[index]);
  for (int i = 0; i < 16; ++i)
    values[index * 16 + i] = v[i];
  out[index] = pack<metal_fp8_e4m3_format>(vec<float, 16>(v) * 29.0f + 1);
}
