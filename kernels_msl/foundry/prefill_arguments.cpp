#include "prefill_arguments.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace assay::kernels::foundry {
namespace {

/// Row numbers are ints in the kernels, and so is the place of the last query.
constexpr int64_t kMostRows = int64_t(1) << 30;

Result<void> checkRank(std::string_view name, const TensorView &t, size_t least, size_t most,
                       std::string_view layouts) {
  if (!t.given() || (t.sizes.size() >= least && t.sizes.size() <= most && t.strides.size() == t.sizes.size()))
    return {}; // checkTensor says what is missing
  if (t.strides.size() != t.sizes.size())
    return Error::usage(Rule::own("stride"),
                        fmt::format("{} has {} strides for {} axes", name, t.strides.size(), t.sizes.size()));
  return Error::usage(Rule::own("tensor-rank"),
                      fmt::format("{} has {} axes, {} are understood", name, t.sizes.size(), layouts));
}

/// A tensor without its first axis is the one batch.
TensorView withBatch(TensorView t, size_t rank) {
  if (t.given() && t.sizes.size() + 1 == rank && t.strides.size() + 1 == rank) {
    t.strides.insert(t.strides.begin(), t.sizes.front() * t.strides.front());
    t.sizes.insert(t.sizes.begin(), 1);
  }
  return t;
}

Result<void> checkCount(std::string_view name, int64_t count, int64_t capacity, std::string_view tensor) {
  if (count < 1 || count > capacity)
    return Error::usage(Rule::own("row-count"),
                        fmt::format("{} is {}, {} has room for 1 to {}", name, count, tensor, capacity));
  if (count > kMostRows)
    return Error::usage(Rule::own("too-large"),
                        fmt::format("{} is {}, the kernels count to {}", name, count, kMostRows));
  return {};
}

Result<void> checkTokenMajor(std::string_view name, const TensorView &t) {
  if (t.size(1) > 1 && t.stride(1) != t.size(2))
    return Error::usage(
        Rule::own("stride"),
        fmt::format("{} is [batch, M_cap, d_model] with {} elements between rows, d_model is {}", name,
                    t.stride(1), t.size(2)));
  return {};
}

PrefillParams::Strides strides4(const TensorView &t) {
  return {t.stride(0), t.stride(1), t.stride(2)};
}

/// A mask's axis of one serves all.
int64_t maskStride(const TensorView &t, size_t axis) {
  return t.size(axis) == 1 ? 0 : t.stride(axis);
}

#define FOUNDRY_CHECK(call)                                                                                  \
  if (Result<void> checked_ = (call); !checked_)                                                             \
  return checked_.error()

Result<void> readQ(const PrefillArguments &a, int64_t headDim, DataType type, PrefillProblem &problem) {
  PrefillParams &p = problem.params;
  FOUNDRY_CHECK(checkRank("Q", a.q, 3, 4, "[batch, heads, m, head_dim] and [batch, M_cap, d_model]"));
  const bool tokenMajor = a.q.sizes.size() == 3;
  FOUNDRY_CHECK(tokenMajor ? checkTensor("Q", a.q, type, {-1, -1, -1})
                           : checkTensor("Q", a.q, type, {-1, -1, -1, headDim}));
  problem.batches = a.q.size(0);

  if (tokenMajor && !a.queries)
    return Error::usage(
        Rule::own("row-count"),
        fmt::format("queries is not given, and Q [batch, M_cap, d_model] only says that there "
                    "are at most {}",
                    a.q.size(1)),
        "set queries to the number of tokens that were written");
  const int64_t capacity = a.q.size(tokenMajor ? 1 : 2), queries = a.queries.value_or(capacity);
  FOUNDRY_CHECK(checkCount("queries", queries, capacity, "Q"));
  if (tokenMajor) {
    FOUNDRY_CHECK(checkTokenMajor("Q", a.q));
    if (a.q.size(2) % headDim != 0)
      return Error::usage(
          Rule::own("shape-mismatch"),
          fmt::format("Q has a d_model of {}, which head_dim {} does not divide", a.q.size(2), headDim));
    p.heads = a.q.size(2) / headDim;
    p.q = {a.q.stride(0), queries * headDim,
           headDim}; // head-major over the tokens that there are, not over M_cap
  } else {
    p.heads = a.q.size(1);
    p.q = strides4(a.q);
  }
  p.queries = queries;
  return {};
}

Result<void> readOut(const PrefillArguments &a, DataType type, PrefillProblem &problem) {
  PrefillParams &p = problem.params;
  FOUNDRY_CHECK(checkRank("Out", a.out, 2, 4,
                          "[batch, heads, m, head_dim], [batch, M_cap, d_model] and [M_cap, d_model]"));
  const int64_t batches = problem.batches;
  if (a.out.sizes.size() == 4) {
    FOUNDRY_CHECK(checkTensor("Out", a.out, type, {batches, p.heads, -1, p.headDim}, TensorUse::Output));
    FOUNDRY_CHECK(checkCount("queries", p.queries, a.out.size(2), "Out"));
    p.out = strides4(a.out);
    return {};
  }
  const TensorView out = withBatch(a.out, 3);
  FOUNDRY_CHECK(
      checkTensor("Out", out, type, {batches, -1, int64_t(p.heads) * p.headDim}, TensorUse::Output));
  FOUNDRY_CHECK(checkCount("queries", p.queries, out.size(1), "Out"));
  p.out = {out.stride(0), p.headDim, out.stride(1)};
  return {};
}

Result<void> readMasks(const PrefillArguments &a, DataType type, PrefillProblem &problem) {
  PrefillParams &p = problem.params;
  if (a.mask.given()) {
    FOUNDRY_CHECK(checkRank("mask", a.mask, 4, 4, "[batch, heads, m, keys]"));
    const int64_t batches = a.mask.size(0) == 1 ? 1 : problem.batches,
                  heads = a.mask.size(1) == 1 ? 1 : p.heads;
    FOUNDRY_CHECK(checkTensor("mask", a.mask, type, {batches, heads, p.queries, p.keys}));
    p.mask = {maskStride(a.mask, 0), maskStride(a.mask, 1), a.mask.stride(2)};
  }
  if (a.padding.given()) {
    FOUNDRY_CHECK(checkRank("padding", a.padding, 2, 2, "[batch, keys]"));
    const int64_t batches = a.padding.size(0) == 1 ? 1 : problem.batches;
    FOUNDRY_CHECK(checkTensor("padding", a.padding, DataType::UChar, {batches, p.keys}));
    p.paddingBatch = maskStride(a.padding, 0);
  }
  return {};
}

/// Keys or values in whichever of the two forms they came.
KvTensor cacheOf(const TensorView &typed, const std::optional<KvTensor> &quantised) {
  if (quantised)
    return *quantised;
  KvTensor t;
  t.rows = withBatch(typed, 4);
  return t;
}

Result<void> checkSource(std::string_view name, const TensorView &typed,
                         const std::optional<KvTensor> &quantised) {
  if (!quantised)
    return checkRank(name, typed, 3, 4,
                     "[batch, key heads, capacity, head_dim] and [key heads, capacity, head_dim]");
  if (typed.given())
    return Error::usage(Rule::own("kv-format"),
                        fmt::format("{} is given both as elements and as a quantised cache", name));
  if (!quantised->format)
    return Error::usage(Rule::own("kv-format"),
                        fmt::format("{} is given as a quantised cache without a format", name));
  return {};
}

Result<void> checkCache(std::string_view name, const KvTensor &t, KvUse use, DataType type,
                        const KvShape &shape) {
  if (t.format) // online prefill moves four elements at once
    return checkKvCache(name, t, use, use == KvUse::Materialised ? 1 : 4, type, shape);
  return checkTensor(name, t.rows, type, {shape.batches, shape.heads, shape.capacity, shape.headDim});
}

PrefillParams::Strides scaleStrides(const KvTensor &t) {
  const KvScaleStrides s = kvScaleStrides(t);
  return {int64_t(s.batch), int64_t(s.head), int64_t(s.block)};
}

} // namespace

Result<PrefillProblem> checkPrefill(const PrefillArguments &a, KvUse use) {
  PrefillProblem problem;
  PrefillParams &p = problem.params;
  const KvTensor k = cacheOf(a.k, a.kCache), v = cacheOf(a.v, a.vCache);
  FOUNDRY_CHECK(checkSource("K", a.k, a.kCache));
  FOUNDRY_CHECK(checkSource("V", a.v, a.vCache));
  const DataType type = k.format ? a.q.type : k.rows.type;
  if ((k.format ? a.q : k.rows).given() && type != DataType::Half && type != DataType::BFloat)
    return Error::usage(Rule::own("tensor-type"), fmt::format("{} has type {}, prefill takes half and bfloat",
                                                              k.format ? "Q" : "K", type.name()));
  problem.bfloat = type == DataType::BFloat;
  FOUNDRY_CHECK(checkCache("K", k, use, problem.type(), {}));

  const int64_t headDim = headDimOf(k), keyHeads = k.rows.size(1);
  p.headDim = uint32_t(std::min<int64_t>(headDim, kMostRows));
  FOUNDRY_CHECK(readQ(a, headDim, problem.type(), problem));
  FOUNDRY_CHECK(checkCache("K", k, use, problem.type(), {problem.batches, -1, -1, headDim}));
  FOUNDRY_CHECK(checkCache("V", v, use, problem.type(), {problem.batches, keyHeads, -1, headDim}));
  if (p.heads % keyHeads != 0)
    return Error::usage(Rule::own("gqa"), fmt::format("Q has {} heads, which the {} heads of K do not divide",
                                                      p.heads, keyHeads));
  p.group = p.heads / keyHeads;

  const int64_t keys = a.keys.value_or(k.rows.size(2));
  FOUNDRY_CHECK(checkCount("keys", keys, k.rows.size(2), "K"));
  FOUNDRY_CHECK(checkCount("keys", keys, v.rows.size(2), "V"));
  p.keys = keys;
  const int64_t start = a.queryStart.value_or(keys - p.queries);
  if (start < -kMostRows || start > kMostRows)
    return Error::usage(
        Rule::own("too-large"),
        fmt::format("queryStart is {}, the kernels count from {} to {}", start, -kMostRows, kMostRows));
  p.queryStart = start;
  p.scale = a.scale.value_or(1.0f / std::sqrt(float(p.headDim)));
  p.k = strides4(k.rows), p.v = strides4(v.rows);
  p.kRuns = kvRuns(k), p.vRuns = kvRuns(v);
  if (k.format)
    p.kScales = scaleStrides(k);
  if (v.format)
    p.vScales = scaleStrides(v);

  FOUNDRY_CHECK(readOut(a, problem.type(), problem));
  FOUNDRY_CHECK(readMasks(a, problem.type(), problem));
  return problem;
}

void bindPrefill(ComputeCommandEncoder &encoder, const PrefillArguments &a, const PrefillProblem &problem) {
  bindPrefillScores(encoder, a, problem);
  bindPrefillValues(encoder, a);
}

void bindPrefillScores(ComputeCommandEncoder &encoder, const PrefillArguments &a,
                       const PrefillProblem &problem) {
  encoder.setBuffer(a.q.buffer, a.q.byteOffset(), 0);
  if (a.kCache)
    bindKv(encoder, *a.kCache, {10, 11, 12, 13});
  else
    encoder.setBuffer(a.k.buffer, a.k.byteOffset(), 1);
  encoder.setBytes(&problem.params, sizeof problem.params, 4);
  if (a.mask.given())
    encoder.setBuffer(a.mask.buffer, a.mask.byteOffset(), 5);
  if (a.padding.given())
    encoder.setBuffer(a.padding.buffer, a.padding.byteOffset(), 6);
}

void bindPrefillValues(ComputeCommandEncoder &encoder, const PrefillArguments &a) {
  if (a.vCache)
    bindKv(encoder, *a.vCache, {14, 15, 16, 17});
  else
    encoder.setBuffer(a.v.buffer, a.v.byteOffset(), 2);
}

FunctionConstantValues prefillConstants(const PrefillArguments &a) {
  const bool mask = a.mask.given(), padding = a.padding.given();
  FunctionConstantValues constants;
  constants.setConstantValue(&mask, DataType::Bool, 300);
  constants.setConstantValue(&a.causal, DataType::Bool, 301);
  constants.setConstantValue(&padding, DataType::Bool, 302);
  if (a.kCache)
    setKvConstants(constants, a.kCache->format, 520);
  if (a.vCache)
    setKvConstants(constants, a.vCache->format, 530);
  return constants;
}

} // namespace assay::kernels::foundry
