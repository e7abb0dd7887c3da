// Matrices of 8 by 8 elements that a simdgroup holds together: moved, filled, multiplied, and taken apart by
// lane. Every kernel runs one simdgroup a threadgroup, on tiles of 64 elements that follow one another.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

// d = a * b + c
template <typename D, typename A, typename B, typename C>
kernel void tile_multiply_accumulate(device const A *a [[buffer(0)]], device const B *b [[buffer(1)]],
                                     device const C *c [[buffer(2)]], device D *d [[buffer(3)]],
                                     uint tile [[threadgroup_position_in_grid]]) {
  simdgroup_matrix<A, 8, 8> left;
  simdgroup_matrix<B, 8, 8> right;
  simdgroup_matrix<C, 8, 8> sum;
  simdgroup_matrix<D, 8, 8> result;
  simdgroup_load(left, a + 64 * tile);
  simdgroup_load(right, b + 64 * tile);
  simdgroup_load(sum, c + 64 * tile);
  simdgroup_multiply_accumulate(result, left, right, sum);
  simdgroup_store(result, d + 64 * tile);
}

#define INSTANTIATE(name, D, A, B, C)                                                                        \
  template [[host_name("tile_multiply_accumulate_" name)]] [[kernel]] decltype(                              \
      tile_multiply_accumulate<D, A, B, C>) tile_multiply_accumulate<D, A, B, C>;
INSTANTIATE("f32", float, float, float, float)
INSTANTIATE("f16", half, half, half, half)
INSTANTIATE("bf16", bfloat, bfloat, bfloat, bfloat)
INSTANTIATE("f16_f16_into_f32", float, half, half, float)
INSTANTIATE("f16_bf16_into_f32", float, half, bfloat, float)
INSTANTIATE("bf16_f32_into_f16", half, bfloat, float, half)
INSTANTIATE("f16_f16_f32_into_f16", half, half, half, float)

// a * b, by the function into the first half of d and by the operator into the second.
template <typename T>
kernel void tile_multiply(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]],
                          device T *d [[buffer(2)]], uint tile [[threadgroup_position_in_grid]],
                          uint tiles [[threadgroups_per_grid]]) {
  simdgroup_matrix<T, 8, 8> left, right, product;
  simdgroup_load(left, a, 8, ulong2(0, 8 * tile));
  simdgroup_load(right, b, 8, ulong2(0, 8 * tile));
  simdgroup_multiply(product, left, right);
  simdgroup_store(product, d, 8, ulong2(0, 8 * tile));
  simdgroup_store(left * right, d, 8, ulong2(0, 8 * (tiles + tile)));
}
template [[host_name("tile_multiply_f32")]] [[kernel]] decltype(tile_multiply<float>) tile_multiply<float>;
template [[host_name("tile_multiply_f16")]] [[kernel]] decltype(tile_multiply<half>) tile_multiply<half>;
template [[host_name("tile_multiply_bf16")]] [[kernel]] decltype(tile_multiply<bfloat>) tile_multiply<bfloat>;

// ---- places in memory ----

// What a load or store names: the distance of rows, a corner, and whether rows and columns change places.
struct Place {
  ulong elements_per_row, column, row;
  uint transposed;
};

// Which memory a tile comes from and goes to: 0 device, 1 threadgroup.
constant uint from_space [[function_constant(0)]];
constant uint to_space [[function_constant(1)]];

// Loads one tile of `from` and stores it in `to`. Threadgroup memory holds copies of `from` and `to`.
template <typename T>
kernel void tile_move(
    device const T *from [[buffer(0)]], device T *to [[buffer(1)]], constant Place &source [[buffer(2)]],
    constant Place &target [[buffer(3)]], constant uint &length [[buffer(4)]],
    threadgroup T *from_shared [[threadgroup(0)]], threadgroup T *to_shared [[threadgroup(1)]],
    ushort lane [[thread_index_in_simdgroup]]) {
  for (uint i = lane; i < length; i += 32) {
    from_shared[i] = from[i];
    to_shared[i] = to[i];
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup); // lanes store to what others read

  simdgroup_matrix<T, 8, 8> tile;
  const ulong2 source_origin(source.column, source.row), target_origin(target.column, target.row);
  if (from_space == 0)
    simdgroup_load(tile, from, source.elements_per_row, source_origin, source.transposed);
  else
    simdgroup_load(tile, from_shared, source.elements_per_row, source_origin, source.transposed);

  if (to_space == 0) {
    simdgroup_store(tile, to, target.elements_per_row, target_origin, target.transposed);
    return;
  }
  simdgroup_store(tile, to_shared, target.elements_per_row, target_origin, target.transposed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = lane; i < length; i += 32)
    to[i] = to_shared[i];
}
template [[host_name("tile_move_f32")]] [[kernel]] decltype(tile_move<float>) tile_move<float>;
template [[host_name("tile_move_f16")]] [[kernel]] decltype(tile_move<half>) tile_move<half>;
template [[host_name("tile_move_bf16")]] [[kernel]] decltype(tile_move<bfloat>) tile_move<bfloat>;

// ---- lanes ----

// The two elements of each lane of a loaded tile; then tiles that are filled, diagonal, and written by lane.
kernel void tile_elements(device const float *from [[buffer(0)]], device float2 *by_lane [[buffer(1)]],
                          device float *made [[buffer(2)]], ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 tile;
  simdgroup_load(tile, from);
  by_lane[lane] = reinterpret_cast<thread float2 &>(tile.thread_elements());

  simdgroup_store(make_filled_simdgroup_matrix<float, 8, 8>(2.5f), made);
  simdgroup_store(simdgroup_float8x8(-3), made + 64);
  thread auto &elements = tile.thread_elements();
  elements[0] = 2 * lane;
  elements[1] = 2 * lane + 1;
  simdgroup_store(tile, made + 128);
}

// ---- a product of long rows ----

// One tile of A * transpose(B) for each threadgroup: its eight rows of A and of B, `columns` long.
kernel void strip_products(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                           device float *d [[buffer(2)]], constant uint &columns [[buffer(3)]],
                           uint strip [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 sum(0);
  device const float *left = a + 8 * columns * strip;
  device const float *right = b + 8 * columns * strip;
  for (uint k = 0; k < columns; k += 8) {
    simdgroup_float8x8 left_tile, right_tile;
    simdgroup_load(left_tile, left + k, columns);
    simdgroup_load(right_tile, right, columns, ulong2(k, 0), true);
    simdgroup_multiply_accumulate(sum, left_tile, right_tile, sum);
  }
  simdgroup_store(sum, d + 64 * strip);
}
