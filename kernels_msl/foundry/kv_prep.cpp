#include "kv_prep.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

namespace assay::kernels::foundry {
namespace {

constexpr char kFile[] = "foundry/kv_prep.metal";
constexpr int64_t kMostHeadDim = 1024;
constexpr uint64_t kThreads = 32;

#define FOUNDRY_CHECK(call)                                                                                  \
  if (Result<void> checked_ = (call); !checked_)                                                             \
  return checked_.error()

Error error(const char *rule, std::string message, std::string hint = {}) {
  return Error::usage(Rule::own(rule), std::move(message), std::move(hint));
}

/// Stride of an axis; one element needs none.
uint64_t step(const TensorView &t, size_t axis) {
  return t.size(axis) == 1 ? 0 : uint64_t(t.stride(axis));
}

/// The type of what a kernel prepares.
Result<DataType> elementType(std::string_view name, const TensorView &t) {
  if (t.given() && t.type != DataType::Half && t.type != DataType::BFloat)
    return error("tensor-type",
                 fmt::format("{} has type {}, preparation takes half and bfloat", name, t.type.name()));
  return t.type == DataType::BFloat ? DataType::BFloat : DataType::Half;
}

Result<int64_t> checkedRows(std::string_view name, const TensorView &t, std::optional<int64_t> m) {
  const int64_t rows = m.value_or(t.size(1));
  if (rows < 1 || rows > t.size(1))
    return error("row-count", fmt::format("m is {}, {} has room for 1 to {}", rows, name, t.size(1)));
  if (rows > std::numeric_limits<uint32_t>::max())
    return error("too-large", fmt::format("m is {}, counts have 32 bits", rows));
  return rows;
}

Result<void> checkHeadDim(int64_t headDim) {
  if (headDim < 1 || headDim > kMostHeadDim)
    return error("head-dim", fmt::format("head_dim is {}, preparation takes 1 to {}", headDim, kMostHeadDim));
  return {};
}

/// From its first element to its last. Strides are not negative once checkTensor has seen them.
struct Range {
  std::string_view name;
  const std::byte *begin, *end;
};
Range rangeOf(std::string_view name, const TensorView &t) {
  int64_t last = 0;
  for (size_t axis = 0; axis < t.sizes.size(); ++axis)
    last += t.stride(axis) * (t.size(axis) - 1);
  const std::byte *begin = static_cast<const std::byte *>(t.buffer.contents()) + t.byteOffset();
  return {name, begin, begin + size_t(last + 1) * t.type.bytes()};
}

Result<void> checkApart(const Range &a, const Range &b) {
  if (a.begin < b.end && b.begin < a.end)
    return error("overlap",
                 fmt::format("{} and {} share memory: bytes {} to {} of {} are in both", a.name, b.name,
                             std::max(a.begin, b.begin) - a.begin, std::min(a.end, b.end) - a.begin, a.name),
                 "the kernel's threadgroups read and write in any order");
  return {};
}

/// Rotates, or not.
Result<void> readRope(const std::optional<RopeArguments> &rope, int64_t batches, int64_t m, KvPrepParams &p) {
  if (!rope)
    return {};
  FOUNDRY_CHECK(checkRope(*rope, {batches, m}, p.headDim));
  p.ropeSize = uint32_t(2 * rope->cosines.size(1));
  p.tableRow = step(rope->cosines, 0);
  return {};
}

struct Preparation {
  KvPrepParams params;
  int64_t batches = 1, heads = 1;
  bool bfloat = false;
};

Result<Preparation> checkPackQueries(const PackQueriesArguments &a) {
  const Result<DataType> type = elementType("q", a.q);
  if (!type)
    return type.error();
  FOUNDRY_CHECK(checkTensor("q", a.q, *type, {-1, -1, -1}));
  FOUNDRY_CHECK(checkHeadDim(a.headDim));
  const int64_t batches = a.q.size(0), model = a.q.size(2);
  if (model % a.headDim != 0)
    return error("shape-mismatch",
                 fmt::format("a row of q has {} elements, heads have {}", model, a.headDim));
  const Result<int64_t> m = checkedRows("q", a.q, a.m);
  if (!m)
    return m.error();
  FOUNDRY_CHECK(checkTensor("packed", a.packed, *type, {batches, -1, model}, TensorUse::Output));
  if (*m > a.packed.size(1))
    return error("row-count", fmt::format("m is {}, packed has room for {}", *m, a.packed.size(1)));
  if (a.packed.size(1) > 1 && a.packed.stride(1) != model)
    return error("stride", fmt::format("packed has {} elements between rows, d_model is {}",
                                       a.packed.stride(1), model));
  FOUNDRY_CHECK(checkApart(rangeOf("packed", a.packed), rangeOf("q", a.q)));

  Preparation made;
  made.batches = batches, made.heads = model / a.headDim, made.bfloat = *type == DataType::BFloat;
  KvPrepParams &p = made.params;
  p.tokens = uint32_t(*m), p.headDim = uint32_t(a.headDim);
  p.rowBatch = step(a.q, 0), p.rowToken = step(a.q, 1);
  p.outBatch = step(a.packed, 0), p.outHead = uint64_t(*m) * p.headDim, p.outRow = p.headDim;
  FOUNDRY_CHECK(readRope(a.rope, batches, *m, p));
  return made;
}

/// Row `starts[b] + m - 1` is in the cache, for every batch.
Result<void> checkStarts(const WriteKvArguments &a, int64_t batches, int64_t m, int64_t capacity) {
  FOUNDRY_CHECK(checkTensor("starts", a.starts, DataType::UInt, {batches}));
  const std::span<const uint32_t> starts =
      a.starts.buffer.as<const uint32_t>().subspan(size_t(a.starts.offset));
  for (int64_t b = 0; b < batches; ++b)
    if (int64_t(starts[b]) + m > capacity)
      return error("kv-capacity", fmt::format("batch {} writes rows {} to {}, the cache has {}", b, starts[b],
                                              int64_t(starts[b]) + m - 1, capacity));
  return {};
}

Result<Preparation> checkWriteKv(const WriteKvArguments &a) {
  const Result<DataType> type = elementType("newK", a.newK);
  if (!type)
    return type.error();
  FOUNDRY_CHECK(checkTensor("newK", a.newK, *type, {-1, -1, -1}));
  const int64_t batches = a.newK.size(0), model = a.newK.size(2);
  FOUNDRY_CHECK(checkTensor("k", a.k, *type, {batches, -1, -1, -1}, TensorUse::Output));
  const int64_t heads = a.k.size(1), capacity = a.k.size(2), headDim = a.k.size(3);
  FOUNDRY_CHECK(checkHeadDim(headDim));
  if (model != heads * headDim)
    return error("shape-mismatch", fmt::format("a row of newK has {} elements, the cache has {} heads of {}",
                                               model, heads, headDim));
  FOUNDRY_CHECK(checkTensor("v", a.v, *type, {batches, heads, capacity, headDim}, TensorUse::Output));
  FOUNDRY_CHECK(checkTensor("newV", a.newV, *type, {batches, -1, model}));
  const Result<int64_t> m = checkedRows("newK", a.newK, a.m);
  if (!m)
    return m.error();
  if (a.m ? *m > a.newV.size(1) : *m != a.newV.size(1))
    return error("row-count", fmt::format("m is {}, newV has {} rows", *m, a.newV.size(1)));
  FOUNDRY_CHECK(checkStarts(a, batches, *m, capacity));
  const Range k = rangeOf("k", a.k), v = rangeOf("v", a.v);
  FOUNDRY_CHECK(checkApart(k, v));
  for (const Range &written : {k, v})
    for (const Range &read : {rangeOf("newK", a.newK), rangeOf("newV", a.newV)})
      FOUNDRY_CHECK(checkApart(written, read));

  Preparation made;
  made.batches = batches, made.heads = heads, made.bfloat = *type == DataType::BFloat;
  KvPrepParams &p = made.params;
  p.tokens = uint32_t(*m), p.headDim = uint32_t(headDim);
  p.rowBatch = step(a.newK, 0), p.rowToken = step(a.newK, 1);
  p.valueBatch = step(a.newV, 0), p.valueToken = step(a.newV, 1);
  p.outBatch = step(a.k, 0), p.outHead = step(a.k, 1), p.outRow = step(a.k, 2);
  p.vBatch = step(a.v, 0), p.vHead = step(a.v, 1), p.vRow = step(a.v, 2);
  FOUNDRY_CHECK(readRope(a.rope, batches, *m, p));
  return made;
}

/// Everything but what `bind` adds.
template <class Bind>
Result<KvPrepReport> dispatch(KernelSet &kernels, const Preparation &made, std::string_view stem,
                              const std::optional<RopeArguments> &rope, Bind bind) {
  KvPrepReport report;
  report.kernel = fmt::format("{}{}_{}", stem, rope ? "_rope" : "", made.bfloat ? "bf16" : "f16");
  report.threadgroups = {made.params.tokens, uint64_t(made.heads), uint64_t(made.batches)};
  FunctionConstantValues constants;
  const bool interleaved = rope && rope->pairs == RopePairs::Neighbours;
  if (rope)
    constants.setConstantValue(&interleaved, DataType::Bool, 511);
  const Result<ComputePipeline> pipeline = kernels.pipeline(kFile, report.kernel, constants);
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  const auto set = [&](const TensorView &t, uint32_t index) {
    encoder.setBuffer(t.buffer, t.byteOffset(), index);
  };
  encoder.setBytes(&made.params, sizeof made.params, 4);
  bind(set);
  if (rope) {
    set(rope->cosines, 12);
    set(rope->sines, 13);
    set(rope->positions, 14);
    encoder.setThreadgroupMemoryLength((made.params.headDim * 2 + 15) / 16 * 16, 0);
  }
  const Result<DispatchReport> done = encoder.dispatchThreadgroups(report.threadgroups, {kThreads});
  if (!done)
    return done.error();
  report.dispatch = *done;
  return report;
}

} // namespace

Result<KvPrepReport> dispatchPackQueries(KernelSet &kernels, const PackQueriesArguments &a) {
  const Result<Preparation> made = checkPackQueries(a);
  if (!made)
    return made.error();
  return dispatch(kernels, *made, "flash_pack_q", a.rope, [&](const auto &set) {
    set(a.q, 0);
    set(a.packed, 3);
  });
}

Result<KvPrepReport> dispatchWriteKv(KernelSet &kernels, const WriteKvArguments &a) {
  const Result<Preparation> made = checkWriteKv(a);
  if (!made)
    return made.error();
  return dispatch(kernels, *made, "flash_write_kv", a.rope, [&](const auto &set) {
    set(a.k, 1);
    set(a.v, 2);
    set(a.newK, 5);
    set(a.newV, 6);
    set(a.starts, 7);
  });
}

} // namespace assay::kernels::foundry
