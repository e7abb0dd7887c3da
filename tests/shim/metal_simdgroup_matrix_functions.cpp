// Simdgroup matrices for metal_simdgroup_matrix_test.cpp, which plays the engine;
// and every form of call that must compile.
#include <metal_stdlib>

using namespace metal;

extern "C" void shim_multiply_accumulate(const half *a, const bfloat *b, const float *c, float *d) {
  simdgroup_half8x8 left;
  simdgroup_bfloat8x8 right;
  simdgroup_float8x8 sum, result;
  left.thread_elements() = half2(a[0], a[1]);
  right.thread_elements() = vec<bfloat, 2>(b[0], b[1]);
  sum.thread_elements() = float2(c[0], c[1]);
  simdgroup_multiply_accumulate(result, left, right, sum);
  d[0] = result.thread_elements()[0];
  d[1] = result.thread_elements()[1];
}
extern "C" void shim_multiply_half(const half *a, const half *b, half *d) {
  simdgroup_half8x8 left, right;
  left.thread_elements() = half2(a[0], a[1]);
  right.thread_elements() = half2(b[0], b[1]);
  const simdgroup_half8x8 product = left * right;
  d[0] = product.thread_elements()[0];
  d[1] = product.thread_elements()[1];
}
extern "C" void shim_diagonal(float value, float *d) {
  simdgroup_float8x8 m(value);
  d[0] = m.thread_elements()[0];
  d[1] = m.thread_elements()[1];
}
extern "C" void shim_matrix_load(device const float *from, ulong elements_per_row, ulong x, ulong y,
                                 bool transposed, float *d) {
  simdgroup_float8x8 m;
  simdgroup_load(m, from, elements_per_row, ulong2(x, y), transposed);
  d[0] = m.thread_elements()[0];
  d[1] = m.thread_elements()[1];
}

// ---- forms of calls ----

template <class T> struct Tile {
  simdgroup_matrix<T, 8, 8> parts[2][3];
  T scale;
};

template <class T>
void forms(device T *d, device const T *dc, threadgroup T *t, threadgroup const T *tc, int n, ushort s) {
  simdgroup_matrix<T, 8, 8> m, array[4] = {simdgroup_matrix<T, 8, 8>(0), simdgroup_matrix<T, 8, 8>(1)};
  simdgroup_load(m, d);
  simdgroup_load(m, dc, n);
  simdgroup_load(m, dc, s, 0);
  simdgroup_load(m, t, 2 * n, 0, true);
  simdgroup_load(m, tc, 8u, ulong2(1, 2), false);
  simdgroup_load(array[1], dc + n, 16ul, ulong2(n, s));
  simdgroup_store(m, d);
  simdgroup_store(m, t, n);
  simdgroup_store(array[0], d, s, 0);
  simdgroup_store(m, t, n, ulong2(0), true);
  simdgroup_store(simdgroup_matrix<T, 8, 8>(T(2)), d + n, 8, 0, false);

  m = make_filled_simdgroup_matrix<T, 8>((T)0.0f);
  m = make_filled_simdgroup_matrix<T, 8, 8>(T(1));
  simdgroup_multiply(array[0], m, array[1]);
  simdgroup_multiply_accumulate(array[0], m, array[1], array[0]);
  m = (array[0] * m) * array[1];

  Tile<T> tile;
  tile.parts[1][2] = m;
  Tile<T> copy = tile;
  thread auto &elements = copy.parts[1][2].thread_elements();
  elements[0] = elements[1];
  thread const auto &read = tile.parts[0][0].thread_elements();
  reinterpret_cast<thread vec<T, 2> &>(m.thread_elements()) = vec<T, 2>(read[0], read[1]);
  const simdgroup_matrix<T, 8, 8> constant_matrix = m;
  d[0] = constant_matrix.thread_elements()[0] + elements[0];
}
template void forms<float>(device float *, device const float *, threadgroup float *,
                           threadgroup const float *, int, ushort);
template void forms<half>(device half *, device const half *, threadgroup half *, threadgroup const half *,
                          int, ushort);
template void forms<bfloat>(device bfloat *, device const bfloat *, threadgroup bfloat *,
                            threadgroup const bfloat *, int, ushort);

static_assert(is_same_v<simdgroup_float8x8, simdgroup_matrix<float, 8, 8>>);
static_assert(is_same_v<simdgroup_half8x8, simdgroup_matrix<half, 8, 8>>);
static_assert(is_same_v<simdgroup_bfloat8x8, simdgroup_matrix<bfloat, 8, 8>>);
static_assert(__is_trivial(simdgroup_float8x8) && __is_trivially_copyable(simdgroup_bfloat8x8));
static_assert(sizeof(simdgroup_half8x8) == 4 && sizeof(simdgroup_float8x8) == 8, "two elements a lane");
