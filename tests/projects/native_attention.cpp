// mlx-native: scaled dot-product attention, causal, with shared key heads and a cache that is larger than
// what it holds.
// source: src/ops/{sdpa,sdpa_sliding,sdpa_decode}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

struct Case {
  uint32_t batches, heads, keyHeads, dim, queries, keys, capacity;
};
constexpr Case kCases[] = {{1, 1, 1, 4, 1, 1, 1}, {2, 4, 2, 16, 5, 9, 12}, {1, 2, 2, 32, 40, 40, 40}};
constexpr uint32_t kQueriesPerGroup = 32;

struct Tensors {
  Reals q, k, v;
};

/// Query i sits at position keys - queries + i and sees the keys up to it, `window` before it at most.
Reals attention(const Case &c, const Tensors &t, double scale, uint32_t window) {
  Reals out;
  for (uint32_t b = 0; b < c.batches; ++b)
    for (uint32_t h = 0; h < c.heads; ++h) {
      const uint32_t keyHead = b * c.keyHeads + h / (c.heads / c.keyHeads);
      const Reals k = row(t.k, keyHead, c.capacity * c.dim), v = row(t.v, keyHead, c.capacity * c.dim);
      const Attention head{k, v, c.dim, scale};
      for (uint32_t i = 0; i < c.queries; ++i) {
        const uint32_t at = c.keys - c.queries + i;
        append(out, head(row(t.q, (b * c.heads + h) * c.queries + i, c.dim), at > window ? at - window : 0,
                         std::min(at + 1, c.keys)));
      }
    }
  return out;
}

struct Sdpa {
  uint32_t heads, keyHeads, dim, queries, keys;
  float scale;
  uint32_t capacity;
};
struct SdpaSliding {
  uint32_t heads, keyHeads, dim, queries, keys, window;
  float scale;
  uint32_t capacity;
};

template <class T, bool kSliding> void sdpa(KernelRun &run) {
  for (const Case &c : kCases) {
    const float scale = 1 / std::sqrt(float(c.dim));
    const uint32_t window = kSliding ? 4 : c.keys;
    const auto q = uniform<T>(c.batches * c.heads * c.queries * c.dim, 1, -2, 2);
    const auto k = uniform<T>(c.batches * c.keyHeads * c.capacity * c.dim, 2, -2, 2);
    const auto v = uniform<T>(k.size(), 3);
    run.output<T>(3, q.size()).input(0, q).input(1, k).input(2, v);
    if (kSliding)
      run.input(4, std::vector<SdpaSliding>{
                       {c.heads, c.keyHeads, c.dim, c.queries, c.keys, window, scale, c.capacity}});
    else
      run.input(4, std::vector<Sdpa>{{c.heads, c.keyHeads, c.dim, c.queries, c.keys, scale, c.capacity}});
    const uint32_t tiles = (c.queries + kQueriesPerGroup - 1) / kQueriesPerGroup;
    ASSERT_TRUE(run.dispatchThreadgroups({c.batches, c.heads, tiles}, {kQueriesPerGroup}));
    EXPECT_TRUE(near(attention(c, {reals(q), reals(k), reals(v)}, scale, window), run.read<T>(3)));
  }
}

struct SdpaDecode {
  uint32_t heads, keyHeads, dim, keys, capacity;
  float scale;
  uint32_t simdgroups;
};

// One query; the keys are split over the simdgroups of a threadgroup, of which the last may get none.
void sdpaDecode(KernelRun &run) {
  for (const auto &[dim, keys, simdgroups] : {std::tuple{128u, 3u, 4u}, {128u, 50u, 2u}, {256u, 21u, 4u}}) {
    const Case c{1, 4, 2, dim, 1, keys, keys + 3};
    const float scale = 1 / std::sqrt(float(dim));
    const auto q = uniform<float>(c.heads * dim, 4, -2, 2);
    const auto k = uniform<float>(c.keyHeads * c.capacity * dim, 5, -2, 2), v = uniform<float>(k.size(), 6);
    run.input(0, q).input(1, k).input(2, v).output<float>(3, q.size());
    run.bytes(4, SdpaDecode{c.heads, c.keyHeads, dim, keys, c.capacity, scale, simdgroups});
    run.threadgroupMemory(0, 4 * simdgroups * (dim + 2));
    ASSERT_TRUE(run.dispatchThreadgroups({c.heads}, {simdgroups * 32}));
    EXPECT_TRUE(near(attention(c, {reals(q), reals(k), reals(v)}, scale, keys), run.read<float>(3)));
  }
}

ASSAY_ENTRY_POINTS(Attention, MlxNative,
                   ({{"sdpa.metal", "sdpa", sdpa<float, false>},
                     {"sdpa.metal", "sdpa_bf16", sdpa<Bfloat, false>},
                     {"sdpa_sliding.metal", "sdpa_sliding", sdpa<float, true>},
                     {"sdpa_sliding.metal", "sdpa_sliding_bf16", sdpa<Bfloat, true>},
                     {"sdpa_decode.metal", "sdpa_decode", sdpaDecode}}));

} // namespace
} // namespace assay::projects
