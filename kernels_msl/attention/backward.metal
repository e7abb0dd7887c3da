// The backward pass of attention over tiles, small: gradients of queries stay in registers, gradients of keys and
// values are shared by threadgroups and added atomically.
//
// A threadgroup owns QueryTile rows of one head and walks over the keys, KeyTile rows at a time. Lanes share a
// row: `kShare` consecutive threads own the same query, each kept to its own columns of dQ, and the first of them
// adds for all. Arrays are contiguous: Q, dO, dQ [batch, head, query, Size]; K, V, dK, dV [batch, key head, key, Size].
//
// Grid: threadgroups (ceil(queries / QueryTile), heads, batches) of Simdgroups * 32 threads.
#include <metal_atomic>
#include <metal_stdlib>
using namespace metal;

#define UNROLL _Pragma("clang loop unroll(full)")

constant bool has_mask [[function_constant(0)]];
constant bool causal_given [[function_constant(1)]];
constant bool causal = is_function_constant_defined(causal_given) ? causal_given : false;

struct AttentionShape {
  int heads, headsPerKeyHead, queries, keys;
  float scale;
};

// Rows of device memory into a tile; rows past the end become zeros.
template <typename T, int Rows, int Size, int Threads> struct TileLoader {
  static_assert(Rows * Size % Threads == 0, "every thread moves the same number of elements");
  threadgroup T *tile;
  ushort thread_;

  METAL_FUNC void load(const device T *rows, int valid) const {
    UNROLL
    for (int i = 0; i < Rows * Size / Threads; ++i) {
      const int element = i * Threads + thread_;
      tile[element] = element / Size < valid ? rows[element] : T(0);
    }
  }
};

template <typename T, int Size, typename U> METAL_FUNC float row_dot(const U a, const threadgroup T *b) {
  float sum = 0;
  UNROLL
  for (int d = 0; d < Size; ++d)
    sum += float(a[d]) * float(b[d]);
  return sum;
}

METAL_FUNC void add_to(device float *place, float value) {
  atomic_fetch_add_explicit((device atomic_float *)place, value, memory_order_relaxed);
}

template <typename T, int QueryTile, int KeyTile, int Size, int Simdgroups>
[[kernel, max_total_threads_per_threadgroup(Simdgroups * 32)]] void attention_backward(
    const device T *Q [[buffer(0)]],
    const device T *K [[buffer(1)]],
    const device T *V [[buffer(2)]],
    const device T *dO [[buffer(3)]],
    const device float *logSumExp [[buffer(4)]],
    const device float *rowDot [[buffer(5)]],
    device float *dQ [[buffer(6)]],
    device float *dK [[buffer(7)]],
    device float *dV [[buffer(8)]],
    constant AttentionShape &shape [[buffer(9)]],
    const device T *mask [[buffer(10), function_constant(has_mask)]],
    ushort thread_ [[thread_index_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  constexpr int kThreads = Simdgroups * 32;
  constexpr int kShare = kThreads / QueryTile;
  constexpr int kColumns = Size / kShare;
  static_assert(kThreads % QueryTile == 0 && Size % kShare == 0, "threads divide the tile");

  threadgroup T queryTile[QueryTile * Size];
  threadgroup T keyTile[KeyTile * Size];
  threadgroup T valueTile[KeyTile * Size];

  const int row = thread_ / kShare, part = thread_ % kShare;
  const int firstQuery = int(group.x) * QueryTile, query = firstQuery + row;
  const long head = long(group.z) * shape.heads + group.y;
  const long keyHead = long(group.z) * (shape.heads / shape.headsPerKeyHead) + group.y / shape.headsPerKeyHead;
  const bool live = query < shape.queries;

  const TileLoader<T, QueryTile, Size, kThreads> queries{queryTile, thread_};
  const TileLoader<T, KeyTile, Size, kThreads> keys{keyTile, thread_};
  const TileLoader<T, KeyTile, Size, kThreads> values{valueTile, thread_};
  queries.load(Q + (head * shape.queries + firstQuery) * Size, shape.queries - firstQuery);

  const long queryRow = head * shape.queries + query;
  const float L = live ? logSumExp[queryRow] : 0.0f;
  const float D = live ? rowDot[queryRow] : 0.0f;
  float gradient[kColumns] = {};

  for (int firstKey = 0; firstKey < shape.keys; firstKey += KeyTile) {
    if (causal && firstKey >= firstQuery + QueryTile)
      break;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const long keyRow = keyHead * shape.keys + firstKey;
    keys.load(K + keyRow * Size, shape.keys - firstKey);
    values.load(V + keyRow * Size, shape.keys - firstKey);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (!live)
      continue;

    const device T *outGradient = dO + queryRow * Size;
    float sum[kColumns] = {};
    for (int k = 0; k < KeyTile; ++k) {
      const int key = firstKey + k;
      float score = shape.scale * row_dot<T, Size>(queryTile + row * Size, keyTile + k * Size);
      if (key >= shape.keys || (causal && key > query))
        score = -INFINITY;
      if (has_mask && key < shape.keys)
        score = score + float(mask[queryRow * shape.keys + key]);
      const float P = exp(score - L);
      const float dP = row_dot<T, Size>(outGradient, valueTile + k * Size);
      const float dS = P * (dP - D);
      UNROLL
      for (int d = 0; d < kColumns; ++d)
        sum[d] += dS * float(keyTile[k * Size + part * kColumns + d]);
      if (part != 0 || key >= shape.keys)
        continue;
      UNROLL
      for (int d = 0; d < Size; ++d) {
        add_to(&dK[(keyRow + k) * Size + d], shape.scale * dS * float(queryTile[row * Size + d]));
        add_to(&dV[(keyRow + k) * Size + d], P * float(outGradient[d]));
      }
    }
    UNROLL
    for (int d = 0; d < kColumns; ++d)
      gradient[d] += shape.scale * sum[d];
  }

  if (!live)
    return;
  UNROLL
  for (int d = 0; d < kColumns; ++d)
    dQ[queryRow * Size + part * kColumns + d] = gradient[d];
}

#define instantiate_backward(name, type, queryTile, keyTile, size, simdgroups)                                        \
  template [[host_name(name)]] [[kernel]]                                                                             \
  decltype(attention_backward<type, queryTile, keyTile, size, simdgroups>)                                            \
  attention_backward<type, queryTile, keyTile, size, simdgroups>;

instantiate_backward("attention_backward_bf16_d32", bfloat, 16, 8, 32, 2)
instantiate_backward("attention_backward_bf16_d16", bfloat, 32, 16, 16, 1)

// float to bfloat, nearest even.
kernel void narrow_to_bfloat(device const float *source [[buffer(0)]], device bfloat *target [[buffer(1)]],
                             constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i < count)
    target[i] = bfloat(source[i]);
}
