// Tensors over device memory, and their products by matmul2d: in every execution scope, transposed or not,
// with edges, with operands and destinations in memory and spread over the lanes of a simdgroup.
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

// Of each matrix as it is stored.
struct Sizes {
  int leftColumns, leftRows, leftStride;
  int rightColumns, rightRows, rightStride;
  int columns, rows, stride;
};

enum Place { kMemory, kCooperative, kFragments };

template <typename T> auto matrixOf(device T *data, int columns, int rows, int stride) {
  return tensor(data, dextents<int, 2>(columns, rows), array<int, 2>({1, stride}));
}

// All threads load from the only row or column of a tensor, so none may write it before all have.
template <typename Held, typename From> void loadForAll(thread Held &held, thread const From &from) {
  held.load(from);
  threadgroup_barrier(mem_flags::mem_device);
}

// Each threadgroup computes the tile of M x N at its position. D: memory, or a cooperative destination that
// is loaded and stored; fragments: the operands are cooperative, too.
template <typename L, typename R, typename D, int M, int N, int K, bool TL, bool TR, bool Accumulate,
          typename Scope, int Where>
kernel void product(device L *left [[buffer(0)]], device R *right [[buffer(1)]],
                    device D *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                    uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = matmul2d_descriptor(
      M, N, K, TL, TR, false,
      Accumulate ? matmul2d_descriptor::mode::multiply_accumulate : matmul2d_descriptor::mode::multiply);
  matmul2d<descriptor, Scope> op;
  const int row = group.y * M, column = group.x * N;
  auto a = matrixOf(left, s.leftColumns, s.leftRows, s.leftStride).slice(TL ? row : 0, TL ? 0 : row);
  auto b =
      matrixOf(right, s.rightColumns, s.rightRows, s.rightStride).slice(TR ? 0 : column, TR ? column : 0);
  auto c = matrixOf(destination, s.columns, s.rows, s.stride).slice(column, row);
  if constexpr (Where == kMemory) {
    op.run(a, b, c);
  } else if constexpr (Where == kCooperative) {
    auto sum = op.template get_destination_cooperative_tensor<decltype(a), decltype(b), D>();
    if (Accumulate)
      loadForAll(sum, c);
    op.run(a, b, sum);
    sum.store(c);
  } else {
    auto x = op.template get_left_input_cooperative_tensor<L, R, D>();
    auto y = op.template get_right_input_cooperative_tensor<L, R, D>();
    auto sum = op.template get_destination_cooperative_tensor<decltype(x), decltype(y), D>();
    x.load(a);
    y.load(b);
    if (Accumulate)
      loadForAll(sum, c);
    op.run(x, y, sum);
    sum.store(c);
  }
}

#define PRODUCT(name, L, R, D, ...)                                                                          \
  template [[host_name(name)]] kernel void product<L, R, D, __VA_ARGS__>(                                    \
      device L * left, device R * right, device D * destination, constant Sizes & s, uint2 group);

constant constexpr int kDynamic = static_cast<int>(dynamic_extent);
typedef execution_simdgroups<4> four_simdgroups;

PRODUCT("thread_nn", float, float, float, 16, 16, kDynamic, false, false, false, execution_thread, kMemory)
PRODUCT("thread_tt_add", float, float, float, 16, 16, kDynamic, true, true, true, execution_thread, kMemory)
PRODUCT("thread_small", float, float, float, 2, 4, kDynamic, false, true, true, execution_thread, kMemory)
PRODUCT("simdgroup_nn", float, float, float, 32, 16, kDynamic, false, false, false, execution_simdgroup,
        kMemory)
PRODUCT("simdgroup_nt_add", float, float, float, 16, 32, kDynamic, false, true, true, execution_simdgroup,
        kCooperative)
PRODUCT("simdgroup_tn_add", float, float, float, 16, 8, kDynamic, true, false, true, execution_simdgroup,
        kCooperative)
PRODUCT("four_nn", float, float, float, 64, 32, kDynamic, false, false, false, four_simdgroups, kMemory)
PRODUCT("four_nt_add", float, float, float, 32, 64, kDynamic, false, true, true, four_simdgroups,
        kCooperative)
PRODUCT("four_tt_odd", float, float, float, 48, 24, kDynamic, true, true, false, four_simdgroups,
        kCooperative)
PRODUCT("fragments_nn", float, float, float, 16, 32, 16, false, false, true, execution_simdgroup, kFragments)
PRODUCT("fragments_nt", float, float, float, 16, 32, 16, false, true, true, execution_simdgroup, kFragments)
PRODUCT("fragments_tn", float, float, float, 16, 32, 16, true, false, true, execution_simdgroup, kFragments)
PRODUCT("fragments_tt", float, float, float, 32, 16, 32, true, true, false, execution_simdgroup, kFragments)
PRODUCT("fragments_deep", float, float, float, 16, 16, 32, false, false, true, execution_simdgroup,
        kFragments)
PRODUCT("fixed_depth", float, float, float, 16, 16, 16, false, true, false, execution_simdgroup, kMemory)

PRODUCT("half_to_float", half, half, float, 16, 32, kDynamic, false, true, true, execution_simdgroup, kMemory)
PRODUCT("half_to_half", half, half, half, 16, 32, kDynamic, false, true, true, execution_simdgroup, kMemory)
PRODUCT("half_to_half_fragments", half, half, half, 16, 32, 16, false, true, true, execution_simdgroup,
        kFragments)
PRODUCT("bfloat_to_bfloat", bfloat, bfloat, bfloat, 16, 32, kDynamic, false, true, true, execution_simdgroup,
        kCooperative)
PRODUCT("bfloat_float_to_float", bfloat, float, float, 16, 32, kDynamic, false, false, true,
        execution_simdgroup, kMemory)
PRODUCT("char_to_int", int8_t, int8_t, int, 16, 32, kDynamic, false, true, true, execution_simdgroup, kMemory)
PRODUCT("char_to_int_fragments", int8_t, int8_t, int, 16, 32, 16, false, true, true, execution_simdgroup,
        kFragments)

// Weights of four bits: rows of the right operand, two elements to a byte.
template <typename L, typename F, typename D, bool Strides>
kernel void packed_product(device L *left [[buffer(0)]], device uchar *right [[buffer(1)]],
                           device D *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                           uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 32, kDynamic, false, true, false,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  typedef tensor<device F, dextents<int, 2>, tensor_inline> Weights;
  const dextents<int, 2> extents(s.rightColumns, s.rightRows);
  const Weights w =
      Strides ? Weights(right, extents, array<int, 2>({1, s.rightStride})) : Weights(right, extents);
  const int row = group.y * 16, column = group.x * 32;
  auto a = matrixOf(left, s.leftColumns, s.leftRows, s.leftStride).slice(0, row);
  auto b = w.slice(0, column);
  auto c = matrixOf(destination, s.columns, s.rows, s.stride).slice(column, row);
  auto sum = op.template get_destination_cooperative_tensor<decltype(a), decltype(b), D>();
  loadForAll(sum, c);
  op.run(a, b, sum);
  sum.store(c);
}

#define PACKED(name, L, F, D, strides)                                                                       \
  template [[host_name(name)]] kernel void packed_product<L, F, D, strides>(                                 \
      device L * left, device uchar * right, device D * destination, constant Sizes & s, uint2 group);
PACKED("half_int4_to_float", half, int4b_format, float, true)
PACKED("half_uint4_to_half", half, uint4b_format, half, true)
PACKED("bfloat_int4_to_bfloat", bfloat, int4b_format, bfloat, true)
PACKED("bfloat_uint4_to_float", bfloat, uint4b_format, float, true)
PACKED("char_int4_to_int", int8_t, int4b_format, int, true)
PACKED("uchar_uint4_to_int", uint8_t, uint4b_format, int, true)
PACKED("half_int4_packed_rows", half, int4b_format, float, false)

// Who holds what: for each thread and place {column, row, valid}. As MLX, of relaxed precision.
template <int M, int N, typename Scope>
kernel void places(device int *out [[buffer(0)]], uint index [[thread_index_in_threadgroup]]) {
  matmul2d<matmul2d_descriptor(M, N, 16, false, false, true), Scope> op;
  typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
  auto sum = op.template get_destination_cooperative_tensor<Matrix, Matrix, float>();
  for (ushort i = 0; i < sum.get_capacity(); ++i) {
    const auto at = sum.get_multidimensional_index(i);
    device int *to = out + 3 * (index * sum.get_capacity() + i);
    to[0] = at[0];
    to[1] = at[1];
    to[2] = sum.is_valid_element(i);
  }
}
template [[host_name("places_16_32")]] kernel void
places<16, 32, execution_simdgroup>(device int *out, uint index);
template [[host_name("places_48_24_four")]] kernel void
places<48, 24, four_simdgroups>(device int *out, uint index);

// The elements of a cooperative tensor by every way there is: index, iterator, get and set.
kernel void walk(device float *out [[buffer(0)]], uint index [[thread_index_in_threadgroup]]) {
  matmul2d<matmul2d_descriptor(16, 24, 16, false, false, true), execution_simdgroup> op;
  typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
  auto sum = op.get_destination_cooperative_tensor<Matrix, Matrix, float>();
  for (ushort i = 0; i < sum.get_capacity(); ++i)
    sum.set(i, 1); // only of valid elements
  for (auto it = sum.begin(); it != sum.end(); ++it) {
    const auto at = it.get_multidimensional_index();
    *it += it.is_valid_element() ? 100 * at[1] + at[0] : 1e6f;
  }
  float rest = 0;
  for (ushort i = 0; i < sum.get_capacity(); ++i)
    rest += sum.get(i) != sum[i] && !sum.get_mask(i); // what is not valid reads as zero
  sum.store(Matrix(out, dextents<int, 2>(24, 16)));
  out[16 * 24 + index] = rest;
}

// What a cooperative tensor of 16 rows and 24 columns loads from a tensor of one row, of one column, of one
// element, and of 16 rows and 23 columns.
kernel void repeated(device float *in [[buffer(0)]], device float *out [[buffer(1)]]) {
  matmul2d<matmul2d_descriptor(16, 24, 16), execution_simdgroup> op;
  typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
  for (int i = 0; i < 4; ++i) {
    auto held = op.get_destination_cooperative_tensor<Matrix, Matrix, float>();
    held.load(Matrix(in, dextents<int, 2>(i == 0 ? 24 : i == 3 ? 23 : 1, i % 2 == 1 ? 16 : 1)));
    held.store(Matrix(out + i * 16 * 24, dextents<int, 2>(24, 16)));
  }
}

// What a tensor of 3 columns has after a cooperative tensor of 16 rows and one column, which has the rows'
// numbers.
kernel void repeated_column(device float *out [[buffer(0)]]) {
  matmul2d<matmul2d_descriptor(16, 1, 16), execution_simdgroup> op;
  typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
  auto held = op.get_destination_cooperative_tensor<Matrix, Matrix, float>();
  for (auto it = held.begin(); it != held.end(); ++it)
    held.set(it, it.get_multidimensional_index()[1] + 0.5f);
  held.store(Matrix(out, dextents<int, 2>(3, 16)));
}

// The destination of one product as the left operand of the next: out = (a * b) * b.
kernel void chained(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
                    device float *out [[buffer(2)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = tensor(a, dextents<int, 2>(16, 16)), right = tensor(b, dextents<int, 2>(16, 16));
  auto once = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, once);
  if (!op.is_compatible_as_left_input<float, float, float>(once))
    return;
  auto again = op.get_left_input_cooperative_tensor<float, float, float>(once);
  auto twice = op.get_destination_cooperative_tensor<decltype(again), decltype(right), float>();
  op.run(again, right, twice);
  twice.store(tensor(out, dextents<int, 2>(16, 16)));
}

// As an example of the specification has it.
kernel void no_depth(device float *a [[buffer(0)]]) {
  matmul2d<matmul2d_descriptor(16, 16, 0), execution_simdgroup> op;
  auto t = tensor(a, dextents<int, 2>(16, 16));
  op.run(t, t, t);
}

// Only the lanes below 20 come.
kernel void some_lanes(device float *a [[buffer(0)]], device float *out [[buffer(1)]],
                       uint index [[thread_index_in_threadgroup]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, 32);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = op.get_left_input_cooperative_tensor<float, float, float>();
  auto right = op.get_right_input_cooperative_tensor<float, float, float>();
  auto sum = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  if (index < 20)
    op.run(left, right, sum);
  out[index] = sum[0] + a[0];
}

// A product of floats that is not of relaxed precision, whose places the kernel fills and reads by number:
// runs of two columns, eight columns apart, then the row that is eight rows below. Afterwards the sums of the
// columns of the product.
kernel void strict(device const float *left [[buffer(0)]], device const bfloat *right [[buffer(1)]],
                   device float *out [[buffer(2)]], device float *sums [[buffer(3)]],
                   device float *indices [[buffer(4)]], uint lane [[thread_index_in_simdgroup]]) {
  matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> op;
  auto a = op.get_left_input_cooperative_tensor<float, bfloat, float>();
  auto b = op.get_right_input_cooperative_tensor<float, bfloat, float>();
  auto c = op.get_destination_cooperative_tensor<decltype(a), decltype(b), float>();
  const uint row = (lane >> 1 & 3) | (lane >> 2 & 4), column = (lane & 1) << 1 | (lane & 8) >> 1;
  for (uint i = 0; i < 8; ++i)
    a[i] = left[(row + i / 4 * 8) * 16 + column + i % 4 / 2 * 8 + i % 2];
  for (uint i = 0; i < 16; ++i)
    b[i] = right[(row + i / 8 * 8) * 32 + column + i % 8 / 2 * 8 + i % 2];
  op.run(a, b, c);
  for (uint i = 0; i < 16; ++i) {
    const uint at = (row + i / 8 * 8) * 32 + column + i % 8 / 2 * 8 + i % 2;
    const auto position = c.get_multidimensional_index(i);
    out[at] = c[i];
    indices[at] = position[1] * 32 + position[0];
  }
  auto total = op.get_column_reduction_destination_cooperative_tensor<decltype(a), decltype(b), float>();
  reduce_columns(c, total);
  for (ushort i = 0; i < total.get_capacity() && row == 0; ++i) // the lanes of a column hold the same sum
    sums[total.get_multidimensional_index(i)[0]] = total[i];
}

// An operand that is made of a destination with another layout, where the kernel does not ask whether it can.
kernel void another_layout(device float *out [[buffer(0)]]) {
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> strict;
  matmul2d<matmul2d_descriptor(16, 16, 16, false, false, true), execution_simdgroup> relaxed;
  auto a = strict.get_left_input_cooperative_tensor<float, float, float>();
  auto b = strict.get_right_input_cooperative_tensor<float, float, float>();
  auto c = strict.get_destination_cooperative_tensor<decltype(a), decltype(b), float>();
  out[0] = strict.is_compatible_as_left_input<float, float, float>(c);
  out[1] = relaxed.is_compatible_as_left_input<float, float, float>(c);
  auto again = relaxed.get_left_input_cooperative_tensor<float, float, float>(c);
  out[2] = again[0];
}

// Iterators that lead from a matrix to the sums of its columns, which are those of a matrix with another
// layout, where the kernel does not ask whether they can.
kernel void another_reduction(device float *out [[buffer(0)]]) {
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> strict;
  matmul2d<matmul2d_descriptor(16, 16, 16, false, false, true), execution_simdgroup> relaxed;
  typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
  auto c = relaxed.get_destination_cooperative_tensor<Matrix, Matrix, float>();
  auto same = relaxed.get_column_reduction_destination_cooperative_tensor<Matrix, Matrix, float>();
  auto other = strict.get_column_reduction_destination_cooperative_tensor<Matrix, Matrix, float>();
  out[0] = is_iterator_compatible(c, same);
  out[1] = is_iterator_compatible(c, other);
  out[2] = *other.map_iterator(c.begin());
}
