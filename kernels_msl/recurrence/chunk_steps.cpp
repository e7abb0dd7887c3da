#include "chunk_steps.h"

#include "launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace assay::kernels {
namespace {

using namespace recurrence;

constexpr uint32_t kChunk = kDeltaChunkSize, kTile = 64, kRows = 32;

/// The sizes that the kernels have in common; each takes those that its parameters name.
struct Sizes {
  uint32_t batches = 0, tokens = 0, keyHeads = 1, heads = 0, keySize = 0, valueSize = 0;
  uint32_t chunks() const { return tokens / kChunk; }
};

// The parameters as the kernels declare them.
struct RepeatShape {
  uint32_t tokens, keyHeads, valueHeads, keySize;
};
struct NormParameters {
  float epsilon, size;
};
struct SumShape {
  uint32_t batches, tokens, heads, chunkSize, chunks;
};
struct KktShape {
  uint32_t batches, tokens, keyHeads, heads, keySize, chunkSize, chunks, tileSize;
};
struct SolveShape {
  uint32_t batches, tokens, heads, chunkSize;
};
struct WuShape { // also of the states
  uint32_t batches, tokens, keyHeads, heads, keySize, valueSize, chunkSize, chunks;
};
struct OutputShape {
  uint32_t batches, tokens, keyHeads, heads, keySize, valueSize, chunkSize, chunks, tileK, tileV;
  float scale;
};
static_assert(sizeof(RepeatShape) == 16 && sizeof(NormParameters) == 8 && sizeof(SolveShape) == 16);
static_assert(sizeof(SumShape) == 20 && offsetof(SumShape, chunks) == 16);
static_assert(sizeof(KktShape) == 32 && offsetof(KktShape, keySize) == 16 &&
              offsetof(KktShape, tileSize) == 28);
static_assert(sizeof(WuShape) == 32 && offsetof(WuShape, valueSize) == 20 && offsetof(WuShape, chunks) == 28);
static_assert(sizeof(OutputShape) == 44 && offsetof(OutputShape, scale) == 40);

Result<void> checkChunks(int64_t tokens) {
  if (tokens % kChunk == 0)
    return {};
  return Error::usage(Rule::own("chunk-size"),
                      fmt::format("{} tokens are not a multiple of the chunk of {}", tokens, kChunk),
                      "pad with tokens of beta 0 and log gate 0, which change nothing");
}

Result<void> checkHeadDim(const char *name, int64_t size, int64_t multiple, int64_t most = INT32_MAX) {
  if (size % multiple)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("{} is {}, the kernel takes multiples of {}", name, size, multiple));
  if (size > most)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("{} is {}, the kernel takes at most {}", name, size, most));
  return {};
}

Result<void> checkGates(const char *name, const TensorView &view, const Sizes &s) {
  return checkDense(name, view, DataType::Float, {s.batches, s.tokens, s.heads});
}

/// B, T, Hg and K from the keys, H from the gates.
Result<Sizes> sizesOf(const TensorView &k, const TensorView &sums) {
  ASSAY_CHECK(checkDense("k", k, DataType::BFloat, {-1, -1, -1, -1}));
  ASSAY_CHECK(checkChunks(k.size(1)));
  ASSAY_CHECK(checkDense("sums", sums, DataType::Float, {k.size(0), k.size(1), -1}));
  ASSAY_CHECK(checkHeads(sums.size(2), k.size(2)));
  return Sizes{uint32_t(k.size(0)),    uint32_t(k.size(1)), uint32_t(k.size(2)),
               uint32_t(sums.size(2)), uint32_t(k.size(3)), 0};
}

} // namespace

Result<DispatchReport> dispatchRepeatTiled(KernelSet &set, const TensorView &in, const TensorView &out) {
  const bool bfloat = in.type == DataType::BFloat;
  const DataType type = bfloat ? DataType::BFloat : DataType::Float;
  ASSAY_CHECK(checkDense("in", in, type, {-1, -1, -1}));
  ASSAY_CHECK(checkDense("out", out, type, {in.size(0), -1, in.size(2)}, TensorUse::Output));
  ASSAY_CHECK(checkHeads(out.size(1), in.size(1)));
  const RepeatShape shape{uint32_t(in.size(0)), uint32_t(in.size(1)), uint32_t(out.size(1)),
                          uint32_t(in.size(2))};
  return Launch(set, "recurrence/repeat_tiled.metal", bfloat ? "repeat_tiled_bf16" : "repeat_tiled_f32")
      .tensor(in, 0)
      .tensor(out, 1)
      .bytes(shape, 2)
      .threads({shape.keySize, shape.valueHeads, shape.tokens}, {std::min(shape.keySize, 256u)});
}

Result<DispatchReport> dispatchL2Norm(KernelSet &set, const TensorView &in, const TensorView &out,
                                      float epsilon) {
  ASSAY_CHECK(checkDense("in", in, DataType::BFloat, {-1, -1}));
  ASSAY_CHECK(checkDense("out", out, DataType::BFloat, {in.size(0), in.size(1)}, TensorUse::Output));
  ASSAY_CHECK(checkHeadDim("the size of a row", in.size(1), 1, 1 << 24)); // a float holds it
  if (!std::isfinite(epsilon) || epsilon < 0)
    return Error::usage(Rule::own("epsilon"),
                        fmt::format("epsilon is {}, it must be a number of at least 0", epsilon));
  const uint32_t threads = std::min(256u, std::bit_ceil(uint32_t(in.size(1))));
  return Launch(set, "recurrence/l2_norm.metal", "l2_norm_bf16")
      .tensor(in, 0)
      .tensor(out, 1)
      .bytes(NormParameters{epsilon, float(in.size(1))}, 2)
      .threadgroupMemory(threads * 4, 0)
      .threadgroups({uint64_t(in.size(0))}, {threads});
}

Result<DispatchReport> dispatchChunkGateSums(KernelSet &set, const TensorView &logGates,
                                             const TensorView &sums) {
  ASSAY_CHECK(checkDense("logGates", logGates, DataType::Float, {-1, -1, -1}));
  const int64_t batches = logGates.size(0), tokens = logGates.size(1), heads = logGates.size(2);
  ASSAY_CHECK(checkChunks(tokens));
  ASSAY_CHECK(checkDense("sums", sums, DataType::Float, {batches, tokens, heads}, TensorUse::Output));
  const SumShape shape{uint32_t(batches), uint32_t(tokens), uint32_t(heads), kChunk,
                       uint32_t(tokens / kChunk)};
  return Launch(set, "recurrence/chunk_local_cumsum_g.metal", "chunk_local_cumsum_g_f32")
      .tensor(logGates, 0)
      .tensor(sums, 1)
      .bytes(shape, 2)
      .threadgroups({1, shape.heads, uint64_t(shape.batches) * shape.chunks}, {kChunk});
}

Result<DispatchReport> dispatchChunkKkt(KernelSet &set, const TensorView &k, const TensorView &beta,
                                        const TensorView &sums, const TensorView &a) {
  const Result<Sizes> s = sizesOf(k, sums);
  if (!s)
    return s.error();
  ASSAY_CHECK(checkGates("beta", beta, *s));
  ASSAY_CHECK(
      checkDense("A", a, DataType::Float, {s->batches, s->tokens, s->heads, kChunk}, TensorUse::Output));
  ASSAY_CHECK(checkHeadDim("K", s->keySize, kTile));
  return Launch(set, "recurrence/gated_delta_net_kkt.metal", "gated_delta_net_kkt_bf16")
      .tensor(k, 0)
      .tensor(beta, 1)
      .tensor(sums, 2)
      .tensor(a, 3)
      .bytes(KktShape{s->batches, s->tokens, s->keyHeads, s->heads, s->keySize, kChunk, s->chunks(), kTile},
             4)
      .threadgroupMemory(kChunk * kTile * 2, 0)
      .threadgroupMemory(kChunk * kChunk * 4, 1)
      .threadgroups({s->chunks(), s->heads, s->batches}, {256});
}

Result<DispatchReport> dispatchChunkInverse(KernelSet &set, const TensorView &a, const TensorView &x) {
  ASSAY_CHECK(checkDense("A", a, DataType::Float, {-1, -1, -1, kChunk}));
  const int64_t batches = a.size(0), tokens = a.size(1), heads = a.size(2);
  ASSAY_CHECK(checkChunks(tokens));
  ASSAY_CHECK(checkDense("X", x, DataType::Float, {batches, tokens, heads, kChunk}, TensorUse::Output));
  return Launch(set, "recurrence/chunk_gated_delta_rule_tri_solve_invert.metal", "chunk_tri_solve_invert_f32")
      .tensor(a, 0)
      .tensor(x, 1)
      .bytes(SolveShape{uint32_t(batches), uint32_t(tokens), uint32_t(heads), kChunk}, 2)
      .threadgroupMemory(2 * kChunk * kChunk * 4, 0)
      .threadgroups({uint64_t(tokens / kChunk), uint64_t(heads), uint64_t(batches)}, {kChunk});
}

Result<DispatchReport> dispatchChunkWu(KernelSet &set, const ChunkWuArguments &a) {
  const Result<Sizes> s = sizesOf(a.k, a.sums);
  if (!s)
    return s.error();
  ASSAY_CHECK(checkDense("v", a.v, DataType::BFloat, {s->batches, s->tokens, s->heads, -1}));
  const uint32_t valueSize = uint32_t(a.v.size(3));
  ASSAY_CHECK(checkGates("beta", a.beta, *s));
  ASSAY_CHECK(checkDense("X", a.x, DataType::Float, {s->batches, s->tokens, s->heads, kChunk}));
  ASSAY_CHECK(checkDense("w", a.w, DataType::BFloat, {s->batches, s->tokens, s->heads, s->keySize},
                         TensorUse::Output));
  ASSAY_CHECK(checkDense("u", a.u, DataType::BFloat, {s->batches, s->tokens, s->heads, valueSize},
                         TensorUse::Output));
  ASSAY_CHECK(checkHeadDim("K", s->keySize, kTile));
  ASSAY_CHECK(checkHeadDim("V", valueSize, kTile));
  return Launch(set, "recurrence/gated_delta_net_recompute_wu.metal", "gated_delta_net_recompute_wu_bf16")
      .tensor(a.k, 0)
      .tensor(a.v, 1)
      .tensor(a.beta, 2)
      .tensor(a.sums, 3)
      .tensor(a.x, 4)
      .tensor(a.w, 5)
      .tensor(a.u, 6)
      .bytes(
          WuShape{s->batches, s->tokens, s->keyHeads, s->heads, s->keySize, valueSize, kChunk, s->chunks()},
          7)
      .threadgroupMemory(kChunk * kChunk * 4, 0)
      .threadgroupMemory(kChunk * kTile * 2, 1)
      .threadgroups({s->chunks(), s->heads, s->batches}, {256});
}

Result<DispatchReport> dispatchChunkStates(KernelSet &set, const ChunkStatesArguments &a) {
  const Result<Sizes> s = sizesOf(a.k, a.sums);
  if (!s)
    return s.error();
  ASSAY_CHECK(checkDense("w", a.w, DataType::BFloat, {s->batches, s->tokens, s->heads, s->keySize}));
  ASSAY_CHECK(checkDense("u", a.u, DataType::BFloat, {s->batches, s->tokens, s->heads, -1}));
  const uint32_t valueSize = uint32_t(a.u.size(3));
  ASSAY_CHECK(checkDense("h0", a.h0, DataType::Float, {s->batches, s->heads, valueSize, s->keySize}));
  ASSAY_CHECK(checkDense("h", a.h, DataType::BFloat,
                         {s->batches, s->chunks(), s->heads, valueSize, s->keySize}, TensorUse::Output));
  ASSAY_CHECK(checkDense("writes", a.writes, DataType::BFloat, {s->batches, s->tokens, s->heads, valueSize},
                         TensorUse::Output));
  ASSAY_CHECK(checkDense("finalState", a.finalState, DataType::Float,
                         {s->batches, s->heads, valueSize, s->keySize}, TensorUse::Output));
  ASSAY_CHECK(checkHeadDim("K", s->keySize, 8, 128));
  ASSAY_CHECK(checkHeadDim("V", valueSize, kRows));
  return Launch(set, "recurrence/gated_delta_net_chunk.metal", "gated_delta_net_chunk_inter_state_bf16")
      .tensor(a.k, 0)
      .tensor(a.w, 1)
      .tensor(a.u, 2)
      .tensor(a.sums, 3)
      .tensor(a.h0, 4)
      .tensor(a.h, 5)
      .tensor(a.writes, 6)
      .tensor(a.finalState, 7)
      .bytes(
          WuShape{s->batches, s->tokens, s->keyHeads, s->heads, s->keySize, valueSize, kChunk, s->chunks()},
          8)
      .threadgroupMemory(kRows * s->keySize * 4 + kRows * kChunk * 2, 0)
      .threadgroups({valueSize / kRows, s->heads, s->batches}, {128});
}

Result<DispatchReport> dispatchChunkOutputs(KernelSet &set, const ChunkOutputsArguments &a) {
  const Result<Sizes> s = sizesOf(a.k, a.sums);
  if (!s)
    return s.error();
  ASSAY_CHECK(checkDense("q", a.q, DataType::BFloat, {s->batches, s->tokens, s->keyHeads, s->keySize}));
  ASSAY_CHECK(checkDense("writes", a.writes, DataType::BFloat, {s->batches, s->tokens, s->heads, -1}));
  const uint32_t valueSize = uint32_t(a.writes.size(3));
  ASSAY_CHECK(
      checkDense("h", a.h, DataType::BFloat, {s->batches, s->chunks(), s->heads, valueSize, s->keySize}));
  ASSAY_CHECK(checkDense("o", a.o, DataType::BFloat, {s->batches, s->tokens, s->heads, valueSize},
                         TensorUse::Output));
  ASSAY_CHECK(checkHeadDim("K", s->keySize, 8));
  ASSAY_CHECK(checkHeadDim("V", valueSize, kRows));
  if (!std::isfinite(a.scale))
    return Error::usage(Rule::own("scale"), fmt::format("the scale is {}, it must be finite", a.scale));
  return Launch(set, "recurrence/gated_delta_net_chunk_o.metal", "gated_delta_net_chunk_o_bf16")
      .tensor(a.q, 0)
      .tensor(a.k, 1)
      .tensor(a.writes, 2)
      .tensor(a.h, 3)
      .tensor(a.sums, 4)
      .tensor(a.o, 5)
      .bytes(OutputShape{s->batches, s->tokens, s->keyHeads, s->heads, s->keySize, valueSize, kChunk,
                         s->chunks(), kTile, kRows, a.scale},
             6)
      .threadgroupMemory(kChunk * kChunk * 2, 0)
      .threadgroups({valueSize / kRows, s->chunks(), uint64_t(s->batches) * s->heads}, {256});
}

} // namespace assay::kernels
