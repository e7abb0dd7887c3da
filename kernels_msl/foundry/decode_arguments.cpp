#include "decode_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::kernels::foundry {
namespace {

constexpr std::array<int64_t, 6> kHeadDims = {32, 64, 80, 96, 128, 256};

/// Stride of an axis, 0 where it has one element: those are broadcast, whatever their stride says.
uint64_t step(const TensorView &t, size_t axis) {
  return t.size(axis) == 1 ? 0 : uint64_t(t.stride(axis));
}

/// Whether every row of a tensor begins at a multiple of `width` elements.
Result<void> checkAlignment(std::string_view name, const TensorView &t, int width) {
  const auto error = [&](std::string what) {
    return Error::usage(Rule::own("alignment"),
                        fmt::format("{} has {}, which half{} does not divide", name, what, width),
                        width == 4 ? "METALLIC_FA_DECODE_SCALAR=half2 reads two elements at once" : "");
  };
  if (t.offset % width != 0)
    return error(fmt::format("offset {}", t.offset));
  for (size_t axis = 0; axis + 1 < t.sizes.size(); ++axis)
    if (t.size(axis) > 1 && t.stride(axis) % width != 0)
      return error(fmt::format("stride {} on axis {}", t.stride(axis), axis));
  return {};
}

/// Keys or values, typed or quantised.
Result<void> checkCache(std::string_view name, const KvTensor &t, const FlashDecodeArguments &a,
                        const KvShape &shape, int width) {
  if (t.format)
    return checkKvCache(name, t, KvUse::Decode, width, a.q.type, shape);
  if (auto checked =
          checkTensor(name, t.rows, a.q.type, {shape.batches, shape.heads, shape.capacity, shape.headDim});
      !checked)
    return checked;
  if (auto checked = checkAlignment(name, t.rows, width); !checked)
    return checked;
  return checkNoFormat(name, t);
}

/// Axis 0 (and 1) may be one for all.
int64_t oneOr(const TensorView &t, size_t axis, int64_t size) {
  return t.sizes.size() > axis && t.size(axis) == 1 ? 1 : size;
}

Result<void> checkKeysOf(std::string_view name, const TensorView &t, int64_t length) {
  if (t.sizes.back() < length)
    return Error::usage(Rule::own("shape-mismatch"),
                        fmt::format("{} covers {} keys, {} are attended to", name, t.sizes.back(), length));
  return {};
}

Result<void> checkMasks(const FlashDecodeArguments &a, int64_t batches, int64_t heads) {
  if (a.padding.given()) {
    if (auto checked = checkTensor("padding", a.padding, DataType::UChar, {oneOr(a.padding, 0, batches), -1});
        !checked)
      return checked;
    if (auto checked = checkKeysOf("padding", a.padding, a.kvLength); !checked)
      return checked;
  }
  if (a.mask.given()) {
    const DataType type = a.mask.type == DataType::Float ? DataType::Float : a.q.type;
    if (auto checked =
            checkTensor("mask", a.mask, type, {oneOr(a.mask, 0, batches), oneOr(a.mask, 1, heads), -1});
        !checked)
      return checked;
    return checkKeysOf("mask", a.mask, a.kvLength);
  }
  return {};
}

/// Element i of a vector of uint.
uint32_t numberAt(const TensorView &t, int64_t i) {
  return t.buffer.as<uint32_t>()[t.offset + i * (t.size(0) == 1 ? 0 : t.stride(0))];
}

Result<void> checkLengths(const FlashDecodeArguments &a, int64_t batches) {
  if (!a.kvLengths.given())
    return {};
  if (auto checked = checkTensor("kvLengths", a.kvLengths, DataType::UInt, {batches}); !checked)
    return checked;
  for (int64_t b = 0; b < batches; ++b)
    if (numberAt(a.kvLengths, b) > a.kvLength)
      return Error::usage(Rule::own("kv-length"), fmt::format("batch {} has {} keys, kvLength is {}", b,
                                                              numberAt(a.kvLengths, b), a.kvLength));
  return {};
}

bool among(int value, std::initializer_list<int> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Result<void> checkVariant(const DecodeVariant &v) {
  const auto error = [](std::string_view what, int value, std::string_view can) {
    return Error::usage(Rule::own("decode-variant"), fmt::format("{} is {}, it can be {}", what, value, can));
  };
  if (!among(v.warps, {1, 2, 4, 8, 16, 32}))
    return error("warps", v.warps, "1, 2, 4, 8, 16, 32");
  if (!among(v.keysPerWarp, {1, 2, 4, 8, 16, 32}))
    return error("keysPerWarp", v.keysPerWarp, "1, 2, 4, 8, 16, 32");
  if (!among(v.scalar, {2, 4}))
    return error("scalar", v.scalar, "2, 4");
  return {};
}

uint32_t rounded16(int64_t bytes) {
  return uint32_t((bytes + 15) / 16 * 16);
}

FlashDecodeParams::Rows rowsOf(const TensorView &t) {
  return {step(t, 0), step(t, 1), step(t, 2)};
}

} // namespace

std::string DecodeVariant::text() const {
  return fmt::format("{} warps, {} keys per warp, half{}, partials in {}", warps, keysPerWarp, scalar,
                     halfPartials ? "half" : "float");
}

Result<int64_t> headDimOf(const FlashDecodeArguments &a) {
  const DataType type = a.q.given() ? a.q.type : DataType::Half;
  if (a.q.given() && type != DataType::Half && type != DataType::BFloat)
    return Error::usage(Rule::own("tensor-type"),
                        fmt::format("q has type {}, decode takes half and bfloat", type.name()));
  if (auto checked = checkTensor("q", a.q, type, {-1, -1, -1}); !checked)
    return checked.error();
  if (a.k.format)
    if (auto checked = checkKvFormat("k", *a.k.format, KvUse::Decode, 1); !checked)
      return checked.error();
  if (auto checked = checkTensor("k", a.k.rows, rowTypeOf(a.k, type), {-1, -1, -1, -1}); !checked)
    return checked.error();
  const int64_t headDim = headDimOf(a.k);
  if (std::find(kHeadDims.begin(), kHeadDims.end(), headDim) == kHeadDims.end())
    return Error::usage(
        Rule::own("head-dim"),
        fmt::format("head_dim is {}, decode has kernels for 32, 64, 80, 96, 128 and 256", headDim),
        "no other path is taken instead; the materialised step takes any");
  if (a.kvLength < 1 || a.kvLength > a.k.rows.size(2))
    return Error::usage(Rule::own("kv-length"),
                        fmt::format("kvLength is {}, the cache has {} keys", a.kvLength, a.k.rows.size(2)));
  return headDim;
}

Result<DecodeProblem> checkDecode(const FlashDecodeArguments &a, const DecodeVariant &variant) {
  const Result<int64_t> known = headDimOf(a);
  if (!known)
    return known.error();
  if (auto checked = checkVariant(variant); !checked)
    return checked.error();
  if (const int64_t rows = a.queries.value_or(a.q.size(1)); rows != 1)
    return Error::usage(Rule::own("decode-rows"), fmt::format("decode given {} rows, it takes one", rows),
                        "prefill takes several; of a buffer of fixed capacity, say that queries is 1");
  const int64_t headDim = *known, batches = a.q.size(0), modelDim = a.q.size(2);
  const int64_t kvHeads = a.k.rows.size(1), capacity = a.k.rows.size(2);
  if (modelDim % headDim != 0)
    return Error::usage(Rule::own("shape-mismatch"),
                        fmt::format("a row of q has {} elements, heads have {}", modelDim, headDim));
  const int64_t heads = modelDim / headDim;
  if (heads % kvHeads != 0)
    return Error::usage(Rule::own("gqa"),
                        fmt::format("{} heads of q cannot share {} heads of k", heads, kvHeads));
  if (std::max({batches, heads, capacity}) > std::numeric_limits<uint32_t>::max())
    return Error::usage(
        Rule::own("too-large"),
        fmt::format("{} batches, {} heads, {} keys: counts have 32 bits", batches, heads, capacity));
  if (auto checked = checkTensor("out", a.out, a.q.type, {batches, -1, modelDim}, TensorUse::Output);
      !checked)
    return checked.error();
  for (const auto &[name, tensor] : {std::pair("k", &a.k), std::pair("v", &a.v)})
    if (auto checked = checkCache(name, *tensor, a, {batches, kvHeads, capacity, headDim}, variant.scalar);
        !checked)
      return checked.error();
  if (auto checked = checkLengths(a, batches); !checked)
    return checked.error();
  if (auto checked = checkMasks(a, batches, heads); !checked)
    return checked.error();
  if (a.rope)
    if (auto checked = checkRope(*a.rope, {batches}, headDim); !checked)
      return checked.error();
  if (a.scale && !std::isfinite(*a.scale))
    return Error::usage(Rule::own("scale"), fmt::format("scale is {}, scores need a finite one", *a.scale));

  DecodeProblem problem;
  problem.batches = batches, problem.headDim = headDim, problem.bfloat = a.q.type == DataType::BFloat;
  if (problem.bfloat && variant.halfPartials)
    return Error::usage(Rule::own("partials"), "partials in half reach 65504, bfloat values reach 3.4e38",
                        "METALLIC_FA_DECODE_TG_OUT=float keeps them");
  problem.queryBytes = rounded16(headDim * 2);
  problem.partialBytes = rounded16(variant.warps * headDim * (variant.halfPartials ? 2 : 4));
  problem.statBytes = rounded16(variant.warps * 2 * 4);
  if (problem.threadgroupBytes() > kMaxThreadgroupMemory)
    return Error::usage("threadgroup-memory",
                        fmt::format("{} with head_dim {} needs {} bytes of threadgroup memory, there are {}",
                                    variant.text(), headDim, problem.threadgroupBytes(),
                                    kMaxThreadgroupMemory),
                        "fewer METALLIC_FA_DECODE_WARPS, or METALLIC_FA_DECODE_TG_OUT=half");

  FlashDecodeParams &p = problem.params;
  p.heads = uint32_t(heads), p.kvHeads = uint32_t(kvHeads), p.length = uint32_t(a.kvLength);
  p.scale = a.scale.value_or(float(1 / std::sqrt(double(headDim))));
  p.qBatch = step(a.q, 0), p.outBatch = step(a.out, 0);
  p.k = rowsOf(a.k.rows), p.v = rowsOf(a.v.rows);
  p.kRuns = kvRuns(a.k), p.vRuns = kvRuns(a.v);
  if (a.k.format)
    p.kScales = rowsOf(a.k.scales);
  if (a.v.format)
    p.vScales = rowsOf(a.v.scales);
  if (a.padding.given())
    p.paddingBatch = step(a.padding, 0);
  if (a.mask.given())
    p.maskBatch = step(a.mask, 0), p.maskHead = step(a.mask, 1);
  if (a.rope)
    p.ropeSize = uint32_t(2 * a.rope->cosines.size(1)), p.tableRow = step(a.rope->cosines, 0);
  return problem;
}

FunctionConstantValues decodeConstants(const FlashDecodeArguments &a, const DecodeVariant &variant) {
  FunctionConstantValues constants;
  const auto number = [&](uint32_t index, uint32_t value) {
    constants.setConstantValue(&value, DataType::UInt, index);
  };
  const auto truth = [&](uint32_t index, bool value) {
    constants.setConstantValue(&value, DataType::Bool, index);
  };
  number(500, uint32_t(variant.warps));
  number(501, uint32_t(variant.keysPerWarp));
  number(502, uint32_t(variant.scalar));
  truth(503, variant.halfPartials);
  truth(504, a.kvLengths.given());
  truth(505, a.padding.given());
  number(506, !a.mask.given() ? 0 : a.mask.type == DataType::Float ? 2 : 1);
  truth(511, a.rope && a.rope->pairs == RopePairs::Neighbours);
  setKvConstants(constants, a.k.format, 520);
  setKvConstants(constants, a.v.format, 530);
  return constants;
}

void bindDecode(ComputeCommandEncoder &encoder, const FlashDecodeArguments &a, const DecodeProblem &problem) {
  const auto bind = [&](const TensorView &t, uint32_t index) {
    encoder.setBuffer(t.buffer, t.byteOffset(), index);
  };
  bind(a.q, 0);
  encoder.setBytes(&problem.params, sizeof problem.params, 4);
  a.k.format ? bindKv(encoder, a.k, {5, 6, 18, 19}) : bind(a.k.rows, 1);
  a.v.format ? bindKv(encoder, a.v, {7, 8, 20, 21}) : bind(a.v.rows, 2);
  if (a.kvLengths.given())
    bind(a.kvLengths, 9);
  if (a.padding.given())
    bind(a.padding, 10);
  if (a.mask.given())
    bind(a.mask, 11);
  if (a.rope) {
    bind(a.rope->cosines, 12);
    bind(a.rope->sines, 13);
    bind(a.rope->positions, 14);
  }
  encoder.setThreadgroupMemoryLength(problem.queryBytes, 0);
  encoder.setThreadgroupMemoryLength(problem.partialBytes, 1);
  encoder.setThreadgroupMemoryLength(problem.statBytes, 2);
}

} // namespace assay::kernels::foundry
