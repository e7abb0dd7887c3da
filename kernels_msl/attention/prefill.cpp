#include "prefill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::kernels {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();

/// The last tile may reach past the end, and its places are ints in the kernel.
Result<void> checkLength(const char *name, int64_t length, int64_t more) {
  if (length <= kIntMax - more)
    return {};
  return Error::usage(Rule::own("too-long"),
                      fmt::format("{} is {}, the kernel counts to {}", name, length, kIntMax - more));
}

Result<void> checkMaskType(const TensorView &mask, DataType additive) {
  if (mask.type == additive || mask.type == DataType::Bool)
    return {};
  return Error::usage(Rule::own("mask-type"), fmt::format("the mask has type {}, the kernel takes {} or bool",
                                                          mask.type.name(), additive.name()));
}

/// One plane [qL, kL] as the mask of every head.
TensorView forAllHeads(TensorView mask, int64_t batches, int64_t heads) {
  if (mask.sizes.size() == 2 && mask.strides.size() == 2) {
    mask.sizes.insert(mask.sizes.begin(), {batches, heads});
    mask.strides.insert(mask.strides.begin(), {0, 0});
  }
  return mask;
}

struct Shape {
  int64_t batches, heads, keyHeads, queries, keys, size;
  PrefillTiles tiles;
  int simdgroups;
};

Result<int> checkSimdgroups(int given, int64_t size) {
  if (size != 512 && (given == 0 || given == 4))
    return 4;
  if (size == 512 && (given == 0 || given == 1 || given == 4 || given == 8))
    return given == 0 ? 8 : given;
  return Error::usage(Rule::own("simdgroups"),
                      fmt::format("{} simdgroups are asked for, the kernels for D = {} have {}", given, size,
                                  size == 512 ? "8, 4 or 1" : "4"));
}

Result<Shape> checkShape(const PrefillArguments &a) {
  const DataType type = a.q.type;
  if (a.q.given() && type != DataType::BFloat && type != DataType::Half)
    return Error::usage(Rule::own("element-type"),
                        fmt::format("Q has type {}, the kernels take bfloat or half", type.name()),
                        "float tiles of D = 256 would not fit into threadgroup memory");
  if (auto q = checkTensor("Q", a.q, type, {-1, -1, -1, -1}); !q)
    return q.error();
  const int64_t batches = a.q.size(0), heads = a.q.size(1), queries = a.q.size(2), size = a.q.size(3);
  const Result<PrefillTiles> tiles = prefillTiles(size);
  if (!tiles)
    return tiles.error();
  const Result<int> simdgroups = checkSimdgroups(a.simdgroups, size);
  if (!simdgroups)
    return simdgroups.error();
  if (auto k = checkTensor("K", a.k, type, {batches, -1, -1, size}); !k)
    return k.error();
  const int64_t keyHeads = a.k.size(1), keys = a.k.size(2);
  if (heads % keyHeads != 0)
    return Error::usage(Rule::own("gqa"),
                        fmt::format("Q has {} heads, which {} heads of K do not divide", heads, keyHeads));
  if (auto v = checkTensor("V", a.v, type, {batches, keyHeads, keys, size}); !v)
    return v.error();
  if (auto o = checkTensor("O", a.o, type, {batches, heads, queries, size}, TensorUse::Output); !o)
    return o.error();
  return Shape{batches, heads, keyHeads, queries, keys, size, *tiles, *simdgroups};
}

Result<void> checkNumbers(const PrefillArguments &a, const Shape &s) {
  if (!std::isfinite(a.scale))
    return Error::usage(Rule::own("scale"), fmt::format("scale is {}, which is not finite", a.scale));
  if (a.queryOffset < 0)
    return Error::usage(Rule::own("query-offset"),
                        fmt::format("queryOffset is {}, which is negative", a.queryOffset));
  if (auto heads = checkLength("B * H", s.batches * s.heads, 0); !heads)
    return heads;
  if (auto keys = checkLength("kL", s.keys, s.tiles.keys); !keys)
    return keys;
  return checkLength("queryOffset + qL", a.queryOffset > kIntMax ? a.queryOffset : a.queryOffset + s.queries,
                     s.tiles.queries + s.tiles.keys);
}

/// All that is refused whether there are classes or not, and the mask with four axes.
struct Checked {
  Shape shape;
  TensorView mask;
};
Result<Checked> checkArguments(const PrefillArguments &a) {
  const Result<Shape> shape = checkShape(a);
  if (!shape)
    return shape.error();
  if (auto numbers = checkNumbers(a, *shape); !numbers)
    return numbers.error();
  const Shape &s = *shape;
  TensorView mask = forAllHeads(a.mask, s.batches, s.heads);
  if (mask.given()) {
    if (auto type = checkMaskType(mask, a.q.type); !type)
      return type.error();
    if (auto fits = checkTensor("mask", mask, mask.type, {s.batches, s.heads, s.queries, s.keys}); !fits)
      return fits.error();
  }
  return Checked{s, std::move(mask)};
}

Result<void> checkClasses(const TensorView &classes, int64_t down, int64_t across, TensorUse use) {
  if (auto given = checkTensor("classes", classes, DataType::Char, {down, across}, use); !given)
    return given;
  if (down > 1 && classes.stride(0) != across)
    return Error::usage(Rule::own("stride"),
                        fmt::format("classes has stride {} on axis 0, the kernel expects rows of {}",
                                    classes.stride(0), across));
  return {};
}

/// The tiles of keys that a causal walk of a tile of queries reaches.
int64_t tilesVisited(const PrefillArguments &a, const Shape &s, int64_t queryTile) {
  const int64_t all = s.tiles.across(s.keys);
  return a.causal ? std::min(all, s.tiles.across(a.queryOffset + (queryTile + 1) * s.tiles.queries)) : all;
}

/// visited(row): how many tiles of a row count by their class.
template <class Visited> Result<TileCounts> countTiles(const TensorView &classes, Visited visited) {
  TileCounts counts;
  const int64_t across = classes.size(1);
  const int8_t *bytes = static_cast<const int8_t *>(classes.buffer.contents()) + classes.offset;
  for (int64_t i = 0; i < classes.count(); ++i) {
    if (bytes[i] < 0 || bytes[i] > 2)
      return Error::usage(Rule::own("tile-class"),
                          fmt::format("classes has {} for tile ({}, {}), where 0, 1 and 2 have a meaning",
                                      bytes[i], i / across, i % across),
                          "let dispatchPrefillClassifier write them, with the tiles of this D");
    if (i % across >= visited(i / across))
      ++counts.beyondDiagonal;
    else
      ++(bytes[i] == 0 ? counts.masked : bytes[i] == 1 ? counts.mixed : counts.attended);
  }
  return counts;
}

void setStrides(int64_t (&to)[3], const TensorView &from) {
  for (size_t axis = 0; axis < 3; ++axis)
    to[axis] = from.stride(axis);
}

AttnParams paramsOf(const PrefillArguments &a, const Shape &s) {
  AttnParams p{};
  p.B = int32_t(s.batches), p.H = int32_t(s.heads), p.D = int32_t(s.size);
  p.qL = int32_t(s.queries), p.kL = int32_t(s.keys);
  p.gqa_factor = int32_t(s.heads / s.keyHeads);
  p.scale = a.scale, p.softcapping = 1;
  p.NQ = int32_t(s.tiles.down(s.queries)), p.NK = int32_t(s.tiles.across(s.keys));
  p.NQ_aligned = int32_t(s.queries / s.tiles.queries), p.NK_aligned = int32_t(s.keys / s.tiles.keys);
  p.qL_rem = int32_t(s.queries % s.tiles.queries), p.kL_rem = int32_t(s.keys % s.tiles.keys);
  p.qL_off = int32_t(a.queryOffset);
  setStrides(p.Q_strides, a.q), setStrides(p.K_strides, a.k);
  setStrides(p.V_strides, a.v), setStrides(p.O_strides, a.o);
  return p;
}

/// Whether the simdgroups of a threadgroup share its queries.
bool shared(const Shape &s) {
  return s.size == 512 && s.simdgroups > 1;
}

FunctionConstantValues constantsOf(const AttnParams &p, const Shape &s, bool masked, bool causal,
                                   bool classified) {
  FunctionConstantValues constants;
  const auto set = [&](uint32_t index, bool value) {
    constants.setConstantValue(&value, DataType::Bool, index);
  };
  set(200, p.qL_rem == 0);
  set(201, p.kL_rem == 0);
  set(300, masked);
  set(301, causal);
  set(303, classified);
  if (shared(s))
    constants.setConstantValue(&s.simdgroups, DataType::Int, 322);
  return constants;
}

} // namespace

Result<PrefillTiles> prefillTiles(int64_t headDim) {
  switch (headDim) {
  case 64:
  case 256: return PrefillTiles{32, 16};
  case 512: return PrefillTiles{8, 8};
  }
  return Error::usage(Rule::own("head-dim"),
                      fmt::format("D is {}, flash_attn_prefill has kernels for 64, 256 and 512", headDim));
}

Result<PrefillClassifyReport> dispatchPrefillClassifier(KernelSet &kernels,
                                                        const PrefillClassifyArguments &a) {
  const DataType type = a.mask.type;
  if (a.mask.given() && type != DataType::BFloat && type != DataType::Half && type != DataType::Bool)
    return Error::usage(
        Rule::own("mask-type"),
        fmt::format("the mask has type {}, the classifiers take bfloat, half or bool", type.name()));
  for (const int32_t side : {a.tiles.queries, a.tiles.keys})
    if (side < 1 || side > 1024)
      return Error::usage(
          Rule::own("tile-size"),
          fmt::format("tiles are {} by {}, each side must be 1 to 1024", a.tiles.queries, a.tiles.keys));
  if (auto mask = checkTensor("mask", a.mask, type, {-1, -1}); !mask)
    return mask.error();
  const int64_t queries = a.mask.size(0), keys = a.mask.size(1), stride = a.mask.stride(0);
  for (const auto &[name, length] : {std::pair{"qL", queries}, std::pair{"kL", keys}})
    if (auto fits = checkLength(name, length, 1024); !fits)
      return fits.error();
  if (stride > kIntMax)
    return Error::usage(
        Rule::own("mask-stride"),
        fmt::format("the mask's rows are {} elements apart, the kernel counts to {}", stride, kIntMax));
  if (auto classes = checkClasses(a.classes, a.tiles.down(queries), a.tiles.across(keys), TensorUse::Output);
      !classes)
    return classes.error();

  FunctionConstantValues constants;
  constants.setConstantValue(&a.tiles.queries, DataType::Int, 400);
  constants.setConstantValue(&a.tiles.keys, DataType::Int, 401);
  const char *kernel = type == DataType::BFloat ? "flash_attn_prefill_blk_bf16"
                       : type == DataType::Half ? "flash_attn_prefill_blk_f16"
                                                : "flash_attn_prefill_blk_bool";
  const auto pipeline = kernels.pipeline(a.file, kernel, constants);
  if (!pipeline)
    return pipeline.error();
  const PrefillBlkParams params{int32_t(queries), int32_t(keys), int32_t(stride), 0};
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  encoder.setBuffer(a.mask.buffer, a.mask.byteOffset(), 0);
  encoder.setBuffer(a.classes.buffer, a.classes.byteOffset(), 1);
  encoder.setBytes(&params, sizeof params, 2);
  const auto dispatch = encoder.dispatchThreadgroups(
      {uint64_t(a.tiles.across(keys)), uint64_t(a.tiles.down(queries)), 1}, {32, 1, 1});
  if (!dispatch)
    return dispatch.error();
  const Result<TileCounts> counts = countTiles(a.classes, [&](int64_t) { return a.classes.size(1); });
  if (!counts)
    return counts.error();
  return PrefillClassifyReport{*dispatch, *counts};
}

Result<PrefillReport> dispatchPrefill(KernelSet &kernels, const PrefillArguments &a) {
  const Result<Checked> checked = checkArguments(a);
  if (!checked)
    return checked.error();
  const auto &[shape, mask] = *checked;
  const bool masked = mask.given(), classified = a.classes.given();
  const int64_t down = shape.tiles.down(shape.queries), across = shape.tiles.across(shape.keys);
  PrefillReport report;
  if (classified) {
    if (!masked)
      return Error::usage(Rule::own("classes-without-mask"),
                          "there are classes and no mask that they could be of");
    if (auto fits = checkClasses(a.classes, down, across, TensorUse::Input); !fits)
      return fits.error();
    const auto visited = [&, &s = shape](int64_t row) { return tilesVisited(a, s, row); };
    Result<TileCounts> counts = countTiles(a.classes, visited);
    if (!counts)
      return counts.error();
    report.tiles = *counts;
  }

  const std::string kernel = fmt::format("flash_attn_prefill_{}{}_d{}{}", shared(shape) ? "llamacpp_" : "",
                                         a.q.type == DataType::BFloat ? "bf16" : "f16", shape.size,
                                         masked && mask.type == DataType::Bool ? "_boolmask" : "");
  const AttnParams params = paramsOf(a, shape);
  const std::string file = !a.file.empty() ? a.file
                           : shared(shape) ? "attention/flash_attn_prefill_d512.metal"
                                           : "attention/flash_attn_prefill.metal";
  const auto pipeline =
      kernels.pipeline(file, kernel, constantsOf(params, shape, masked, a.causal, classified));
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  encoder.setBuffer(a.q.buffer, a.q.byteOffset(), 0);
  encoder.setBuffer(a.k.buffer, a.k.byteOffset(), 1);
  encoder.setBuffer(a.v.buffer, a.v.byteOffset(), 2);
  encoder.setBuffer(a.o.buffer, a.o.byteOffset(), 3);
  encoder.setBytes(&params, sizeof params, 4);
  if (masked) {
    AttnMaskParams maskParams{};
    setStrides(maskParams.M_strides, mask);
    encoder.setBytes(&maskParams, sizeof maskParams, 5);
    encoder.setBuffer(mask.buffer, mask.byteOffset(), 6);
  }
  if (classified)
    encoder.setBuffer(a.classes.buffer, a.classes.byteOffset(), 7);
  const auto dispatch = encoder.dispatchThreadgroups(
      {uint64_t(down), uint64_t(shape.heads), uint64_t(shape.batches)}, {32, uint64_t(shape.simdgroups), 1});
  if (!dispatch)
    return dispatch.error();
  report.dispatch = *dispatch;
  return report;
}

Result<PrefillReport> prefillAttention(KernelSet &kernels, const PrefillArguments &a) {
  if (a.classes.given())
    return Error::usage(Rule::own("surplus-classes"),
                        "there are classes, and prefillAttention makes them itself",
                        "give yours to dispatchPrefill");
  const Result<Checked> checked = checkArguments(a); // before the classifier runs
  if (!checked)
    return checked.error();
  const auto &[shape, mask] = *checked;
  if (!mask.given())
    return dispatchPrefill(kernels, a);
  for (const size_t axis : {0, 1})
    if (mask.size(axis) > 1 && mask.stride(axis) != 0)
      return Error::usage(
          Rule::own("mask-plane"),
          fmt::format("the mask has stride {} on axis {} of {}, and the classes are for all heads",
                      mask.stride(axis), axis, mask.size(axis)),
          "give one mask [qL, kL], or call dispatchPrefill without classes");

  PrefillClassifyArguments classify;
  classify.mask = {
      mask.buffer, mask.type, {mask.size(2), mask.size(3)}, {mask.stride(2), mask.stride(3)}, mask.offset};
  classify.tiles = shape.tiles;
  classify.classes = TensorView::poisoned(kernels.device(), DataType::Char,
                                          {shape.tiles.down(shape.queries), shape.tiles.across(shape.keys)});
  const auto classified = dispatchPrefillClassifier(kernels, classify);
  if (!classified)
    return classified.error();
  PrefillArguments attend = a;
  attend.classes = classify.classes;
  Result<PrefillReport> report = dispatchPrefill(kernels, attend);
  if (report)
    report->classifier = classified->dispatch;
  return report;
}

} // namespace assay::kernels
