#include "chunk_gated_delta_rule.h"

#include "chunk_steps.h"
#include "launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace assay::kernels {
namespace {

using namespace recurrence;

constexpr float kNormEpsilon = 1e-6f;

Result<void> check(const ChunkGatedDeltaRuleArguments &a) {
  ASSAY_CHECK(checkDense("q", a.q, DataType::BFloat, {-1, -1, -1, -1}));
  const int64_t batches = a.q.size(0), tokens = a.q.size(1), keyHeads = a.q.size(2), keySize = a.q.size(3);
  ASSAY_CHECK(checkDense("k", a.k, DataType::BFloat, {batches, tokens, keyHeads, keySize}));
  ASSAY_CHECK(checkDense("v", a.v, DataType::BFloat, {batches, tokens, -1, -1}));
  const int64_t heads = a.v.size(2), valueSize = a.v.size(3);
  ASSAY_CHECK(checkHeads(heads, keyHeads));
  ASSAY_CHECK(checkDense("logGates", a.logGates, DataType::Float, {batches, tokens, heads}));
  ASSAY_CHECK(checkDense("beta", a.beta, DataType::Float, {batches, tokens, heads}));
  ASSAY_CHECK(checkDense("h0", a.h0, DataType::Float, {batches, heads, valueSize, keySize}));
  ASSAY_CHECK(checkDense("o", a.o, DataType::BFloat, {batches, tokens, heads, valueSize}, TensorUse::Output));
  ASSAY_CHECK(checkDense("finalState", a.finalState, DataType::Float, {batches, heads, valueSize, keySize},
                         TensorUse::Output));
  if (tokens % kDeltaChunkSize)
    return Error::usage(
        Rule::own("chunk-size"),
        fmt::format("{} tokens are not a multiple of the chunk of {}", tokens, kDeltaChunkSize),
        "pad with tokens of beta 0 and log gate 0, which change nothing");
  if (keySize != 64 && keySize != 128)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("K is {}, the chunk kernels take 64 and 128", keySize));
  if (valueSize % 64)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("V is {}, the chunk kernels take multiples of 64", valueSize));
  if (!std::isfinite(a.scale))
    return Error::usage(Rule::own("scale"), fmt::format("the scale is {}, it must be finite", a.scale));
  return {};
}

/// The same elements under other sizes; the view has no gaps.
TensorView reshaped(const TensorView &view, std::vector<int64_t> sizes) {
  TensorView out = TensorView::contiguous(view.buffer, view.type, std::move(sizes));
  out.offset = view.offset;
  return out;
}

uint16_t roundedToBfloat(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// A copy [sequences, `tokens`, ...] of a float tensor with fewer tokens, zeros after them.
template <class T, class Convert>
TensorView padded(const Device &device, const TensorView &in, int64_t tokens, DataType type,
                  Convert convert) {
  std::vector<int64_t> sizes = in.sizes;
  sizes[1] = tokens;
  TensorView out = TensorView::poisoned(device, type, std::move(sizes));
  const int64_t row = in.count() / in.size(0) / in.size(1);
  const float *from = in.buffer.as<float>().data() + in.offset;
  T *to = out.buffer.as<T>().data();
  for (int64_t sequence = 0; sequence < in.size(0); ++sequence, to += (tokens - in.size(1)) * row) {
    for (int64_t i = 0; i < in.size(1) * row; ++i)
      *to++ = convert(*from++);
    std::fill_n(to, (tokens - in.size(1)) * row, T(0));
  }
  return out;
}

} // namespace

Result<ChunkGatedDeltaRuleReport> dispatchChunkGatedDeltaRule(KernelSet &set,
                                                              const ChunkGatedDeltaRuleArguments &a) {
  ASSAY_CHECK(check(a));
  const int64_t batches = a.q.size(0), tokens = a.q.size(1), keySize = a.q.size(3);
  const int64_t heads = a.v.size(2), valueSize = a.v.size(3), chunks = tokens / kDeltaChunkSize;
  const auto fresh = [&](DataType type, std::vector<int64_t> sizes) {
    return TensorView::poisoned(set.device(), type, std::move(sizes));
  };
  ChunkGatedDeltaRuleReport report;
  std::optional<Error> error;
  const auto ran = [&](Result<DispatchReport> dispatch) {
    if (!dispatch) {
      error = dispatch.error();
      return false;
    }
    ++report.dispatches;
    report.runTime += dispatch->runTime;
    return true;
  };

  report.q = a.q, report.k = a.k;
  for (TensorView *view : {&report.q, &report.k}) {
    if (a.keyHeads == KeyHeads::Tiled && view->size(2) != heads) {
      const TensorView expanded = fresh(DataType::BFloat, {batches, tokens, heads, keySize});
      if (!ran(dispatchRepeatTiled(set, reshaped(*view, {batches * tokens, view->size(2), keySize}),
                                   reshaped(expanded, {batches * tokens, heads, keySize}))))
        return *error;
      *view = expanded;
    }
    if (a.normalise) {
      const TensorView normal = fresh(DataType::BFloat, view->sizes);
      const std::vector<int64_t> rows{batches * tokens * view->size(2), keySize};
      if (!ran(dispatchL2Norm(set, reshaped(*view, rows), reshaped(normal, rows), kNormEpsilon)))
        return *error;
      *view = normal;
    }
  }

  report.sums = fresh(DataType::Float, {batches, tokens, heads});
  report.a = fresh(DataType::Float, {batches, tokens, heads, kDeltaChunkSize});
  report.inverse = fresh(DataType::Float, {batches, tokens, heads, kDeltaChunkSize});
  report.w = fresh(DataType::BFloat, {batches, tokens, heads, keySize});
  report.u = fresh(DataType::BFloat, {batches, tokens, heads, valueSize});
  report.h = fresh(DataType::BFloat, {batches, chunks, heads, valueSize, keySize});
  report.writes = fresh(DataType::BFloat, {batches, tokens, heads, valueSize});
  if (!ran(dispatchChunkGateSums(set, a.logGates, report.sums)) ||
      !ran(dispatchChunkKkt(set, report.k, a.beta, report.sums, report.a)) ||
      !ran(dispatchChunkInverse(set, report.a, report.inverse)) ||
      !ran(dispatchChunkWu(set, {report.k, a.v, a.beta, report.sums, report.inverse, report.w, report.u})) ||
      !ran(dispatchChunkStates(
          set, {report.k, report.w, report.u, report.sums, a.h0, report.h, report.writes, a.finalState})) ||
      !ran(dispatchChunkOutputs(set,
                                {report.q, report.k, report.writes, report.h, report.sums, a.o, a.scale})))
    return *error;
  return report;
}

Result<ChunkGatedDeltaRuleReport> dispatchGatedDeltaNetByChunks(KernelSet &set,
                                                                const GatedDeltaNetArguments &a) {
  ASSAY_CHECK(checkGatedDeltaNet(a));
  const int64_t tokens = (a.q.size(1) + kDeltaChunkSize - 1) / kDeltaChunkSize * kDeltaChunkSize;
  const Device &device = set.device();
  const auto bfloats = [&](const TensorView &view) {
    return padded<uint16_t>(device, view, tokens, DataType::BFloat, roundedToBfloat);
  };
  ChunkGatedDeltaRuleArguments chunks;
  chunks.q = bfloats(a.q), chunks.k = bfloats(a.k), chunks.v = bfloats(a.v);
  chunks.logGates = padded<float>(device, a.g, tokens, DataType::Float, [](float g) { return -g; });
  chunks.beta = padded<float>(device, a.beta, tokens, DataType::Float, [](float beta) { return beta; });
  chunks.h0 = a.stateIn, chunks.finalState = a.stateOut;
  chunks.o = TensorView::poisoned(device, DataType::BFloat, chunks.v.sizes);
  chunks.keyHeads = KeyHeads::Tiled;
  Result<ChunkGatedDeltaRuleReport> report = dispatchChunkGatedDeltaRule(set, chunks);
  if (!report)
    return report;

  const int64_t row = a.v.size(2) * a.v.size(3), kept = a.v.size(1) * row;
  Buffer output = a.output.buffer;
  for (int64_t sequence = 0; sequence < a.v.size(0); ++sequence) {
    const uint16_t *from = chunks.o.buffer.as<uint16_t>().data() + sequence * tokens * row;
    float *to = output.as<float>().data() + a.output.offset + sequence * kept;
    std::transform(from, from + kept, to,
                   [](uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); });
  }
  return report;
}

} // namespace assay::kernels
