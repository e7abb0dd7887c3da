// Host dispatch of attention training. See flash_attn_train.h.
#include "flash_attn_train.h"

#include "kernels_msl/attention/attention_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace assay::kernels {
namespace {

constexpr const char *kComputeDFile = "training/flash_attn_train_bwd_compute_d.metal";
constexpr const char *kCastFile = "training/flash_attn_train_bwd.metal";
/// BQ, BK and WM of all head sizes.
constexpr int kTileQueries = 32, kTileKeys = 16, kSimdgroups = 4;
constexpr Size kThreads{32, kSimdgroups, 1};

int64_t tilesOf(int64_t rows, int64_t tileRows) {
  return (rows + tileRows - 1) / tileRows;
}

/// Sizes that q, k and v agree on.
struct Sizes {
  int64_t batches, heads, keyHeads, queries, keys, size;
};

Result<void> checkHeadSize(int64_t size) {
  if (size == 64 || size == 256)
    return {};
  return Error::usage(Rule::own("head-dim"),
                      fmt::format("the head size is {}, kernels exist for 64 and 256", size));
}

Result<void> checkPacked(std::string_view name, const TensorView &tensor) {
  const TensorView packed = TensorView::contiguous(tensor.buffer, tensor.type, tensor.sizes);
  for (size_t axis = 0; axis < tensor.sizes.size(); ++axis)
    if (tensor.sizes[axis] > 1 && tensor.strides[axis] != packed.strides[axis])
      return Error::usage(
          Rule::own("packed"),
          fmt::format("{} has stride {} on axis {}, the kernel knows it packed, with stride {}", name,
                      tensor.strides[axis], axis, packed.strides[axis]));
  return {};
}

Result<void> checkPackedTensor(std::string_view name, const TensorView &tensor, DataType type,
                               std::initializer_list<int64_t> sizes, TensorUse use) {
  if (auto ok = checkTensor(name, tensor, type, sizes, use); !ok)
    return ok;
  return checkPacked(name, tensor);
}

/// The kernels count in ints, and up to a tile past the last query.
Result<void> checkLength(std::string_view name, int64_t length) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 2 * kTileQueries;
  if (length <= kMost)
    return {};
  return Error::usage(Rule::own("too-long"),
                      fmt::format("{} is {}, the kernel counts to {}", name, length, kMost));
}

/// Hands an error on.
#define ASSAY_TRY(expression)                                                                                \
  if (auto checked = (expression); !checked)                                                                 \
  return checked.error()

Result<void> checkQueries(const Sizes &s) {
  ASSAY_TRY(checkLength("qL", s.queries));
  ASSAY_TRY(checkLength("B", s.batches));
  ASSAY_TRY(checkLength("H", s.heads));
  return checkLength("B * H", s.batches * s.heads);
}

Result<Sizes> checkInputs(const FlashAttnTrainInputs &in) {
  ASSAY_TRY(checkTensor("q", in.q, DataType::BFloat, {-1, -1, -1, -1}));
  const int64_t batches = in.q.size(0), size = in.q.size(3);
  ASSAY_TRY(checkHeadSize(size));
  ASSAY_TRY(checkTensor("k", in.k, DataType::BFloat, {batches, -1, -1, size}));
  const Sizes s{batches, in.q.size(1), in.k.size(1), in.q.size(2), in.k.size(2), size};
  ASSAY_TRY(checkTensor("v", in.v, DataType::BFloat, {batches, s.keyHeads, s.keys, size}));
  if (s.heads % s.keyHeads != 0)
    return Error::usage(
        Rule::own("gqa"),
        fmt::format("q has {} heads, k and v have {}, which does not divide them", s.heads, s.keyHeads));
  if (in.mask.given()) {
    if (in.mask.type != DataType::BFloat && in.mask.type != DataType::Bool)
      return Error::usage(
          Rule::own("mask-type"),
          fmt::format("the mask has type {}, the kernel takes bfloat or bool", in.mask.type.name()));
    ASSAY_TRY(checkTensor("mask", in.mask, in.mask.type, {batches, s.heads, s.queries, s.keys}));
  }
  if (!std::isfinite(in.scale))
    return Error::usage(Rule::own("scale"), fmt::format("scale is {}, which is not finite", in.scale));
  if (in.queryOffset < 0)
    return Error::usage(Rule::own("query-offset"),
                        fmt::format("queryOffset is {}, which is negative", in.queryOffset));
  ASSAY_TRY(checkLength("queryOffset", in.queryOffset));
  ASSAY_TRY(checkLength("kL", s.keys));
  ASSAY_TRY(checkQueries(s));
  ASSAY_TRY(checkLength("queryOffset + qL", in.queryOffset + s.queries));
  return s;
}

void setStrides(int64_t (&to)[3], const TensorView &tensor) {
  for (size_t axis = 0; axis < 3; ++axis)
    to[axis] = tensor.strides[axis];
}

AttnParams paramsOf(const FlashAttnTrainInputs &in, const Sizes &s, const TensorView &outputs) {
  AttnParams p{};
  p.B = int32_t(s.batches), p.H = int32_t(s.heads), p.D = int32_t(s.size);
  p.qL = int32_t(s.queries), p.kL = int32_t(s.keys), p.gqa_factor = int32_t(s.heads / s.keyHeads);
  p.scale = in.scale, p.softcapping = 1;
  p.NQ = int32_t(tilesOf(s.queries, kTileQueries)), p.NK = int32_t(tilesOf(s.keys, kTileKeys));
  p.NQ_aligned = p.qL / kTileQueries, p.NK_aligned = p.kL / kTileKeys;
  p.qL_rem = p.qL % kTileQueries, p.kL_rem = p.kL % kTileKeys;
  p.qL_off = int32_t(in.queryOffset);
  setStrides(p.Q_strides, in.q);
  setStrides(p.K_strides, in.k);
  setStrides(p.V_strides, in.v);
  setStrides(p.O_strides, outputs);
  return p;
}

FunctionConstantValues constantsOf(const FlashAttnTrainInputs &in, const Sizes &s) {
  FunctionConstantValues constants;
  const auto set = [&](uint32_t index, bool value) {
    constants.setConstantValue(&value, DataType::Bool, index);
  };
  set(200, s.queries % kTileQueries == 0);
  set(201, s.keys % kTileKeys == 0);
  set(300, in.mask.given());
  set(301, in.causal);
  return constants;
}

std::string entryPoint(std::string_view stem, const Sizes &s, const FlashAttnTrainInputs &in) {
  const bool boolMask = in.mask.given() && in.mask.type == DataType::Bool;
  return fmt::format("{}_bf16_d{}{}", stem, s.size, boolMask ? "_boolmask" : "");
}

void bind(ComputeCommandEncoder &encoder, const TensorView &tensor, uint32_t index) {
  encoder.setBuffer(tensor.buffer, tensor.byteOffset(), index);
}

void bindMask(ComputeCommandEncoder &encoder, const TensorView &mask, uint32_t paramsIndex) {
  if (!mask.given())
    return;
  AttnMaskParams params;
  setStrides(params.M_strides, mask);
  encoder.setBytes(&params, sizeof params, paramsIndex);
  bind(encoder, mask, paramsIndex + 1);
}

Size gridOf(const Sizes &s, int64_t rowsOfThreadgroup) {
  return {uint64_t(tilesOf(s.queries, rowsOfThreadgroup)), uint64_t(s.heads), uint64_t(s.batches)};
}

/// A packed tensor becomes zeros.
void zero(const TensorView &tensor) {
  Buffer buffer = tensor.buffer; // a handle
  std::memset(static_cast<std::byte *>(buffer.contents()) + tensor.byteOffset(), 0,
              size_t(tensor.count()) * tensor.type.bytes());
}

// ---- steps ----
// What can be refused is refused in the function that makes a step, so that several can be prepared first.

struct ComputeD {
  ComputePipeline pipeline;
  Sizes sizes;
  AttnParams params{};

  static Result<ComputeD> prepare(KernelSet &kernels, const FlashAttnTrainComputeD &in) {
    ASSAY_TRY(checkTensor("o", in.o, DataType::BFloat, {-1, -1, -1, -1}));
    const Sizes s{in.o.size(0), in.o.size(1), in.o.size(1), in.o.size(2), 0, in.o.size(3)};
    ASSAY_TRY(checkHeadSize(s.size));
    ASSAY_TRY(checkTensor("dO", in.dO, DataType::BFloat, {s.batches, s.heads, s.queries, s.size}));
    for (size_t axis = 0; axis < 3; ++axis)
      if (in.o.size(axis) > 1 && in.o.stride(axis) != in.dO.stride(axis))
        return Error::usage(
            Rule::own("stride"),
            fmt::format("o has stride {} on axis {}, dO has {}: the kernels take one for both",
                        in.o.stride(axis), axis, in.dO.stride(axis)));
    ASSAY_TRY(checkPackedTensor("rowDot", in.rowDot, DataType::Float, {s.batches, s.heads, s.queries},
                                TensorUse::Output));
    ASSAY_TRY(checkQueries(s));
    const Result<ComputePipeline> pipeline =
        kernels.pipeline(kComputeDFile, fmt::format("flash_attn_train_bwd_compute_d_bf16_d{}", s.size));
    if (!pipeline)
      return pipeline.error();
    ComputeD step{*pipeline, s};
    step.params.B = int32_t(s.batches), step.params.H = int32_t(s.heads), step.params.D = int32_t(s.size);
    step.params.qL = int32_t(s.queries);
    setStrides(step.params.O_strides, in.o);
    return step;
  }

  Result<DispatchReport> run(KernelSet &kernels, const FlashAttnTrainComputeD &in) const {
    ComputeCommandEncoder encoder = kernels.encoder(pipeline);
    bind(encoder, in.o, 0);
    bind(encoder, in.dO, 1);
    bind(encoder, in.rowDot, 2);
    encoder.setBytes(&params, sizeof params, 3);
    return encoder.dispatchThreadgroups(gridOf(sizes, kSimdgroups), kThreads);
  }
};

struct Gradients {
  ComputePipeline pipeline;
  Sizes sizes;
  AttnParams params{};

  static Result<Gradients> prepare(KernelSet &kernels, const FlashAttnTrainGradients &in) {
    const Result<Sizes> sizes = checkInputs(in);
    if (!sizes)
      return sizes.error();
    const Sizes &s = *sizes;
    ASSAY_TRY(checkTensor("dO", in.dO, DataType::BFloat, {s.batches, s.heads, s.queries, s.size}));
    for (const auto &[name, tensor] : {std::pair{"logSumExp", &in.logSumExp}, {"rowDot", &in.rowDot}})
      ASSAY_TRY(checkPackedTensor(name, *tensor, DataType::Float, {s.batches, s.heads, s.queries},
                                  TensorUse::Input));
    ASSAY_TRY(checkPackedTensor("dQ", in.dQ, DataType::Float, {s.batches, s.heads, s.queries, s.size},
                                TensorUse::Output));
    for (const auto &[name, tensor] : {std::pair{"dK", &in.dK}, {"dV", &in.dV}})
      ASSAY_TRY(checkPackedTensor(name, *tensor, DataType::Float, {s.batches, s.keyHeads, s.keys, s.size},
                                  TensorUse::Output));
    const Result<ComputePipeline> pipeline =
        kernels.pipeline(in.file, entryPoint("flash_attn_train_bwd", s, in), constantsOf(in, s));
    if (!pipeline)
      return pipeline.error();
    return Gradients{*pipeline, s, paramsOf(in, s, in.dO)};
  }

  Result<DispatchReport> run(KernelSet &kernels, const FlashAttnTrainGradients &in) const {
    for (const TensorView *gradient : {&in.dQ, &in.dK, &in.dV})
      zero(*gradient);
    ComputeCommandEncoder encoder = kernels.encoder(pipeline);
    bind(encoder, in.q, 0);
    bind(encoder, in.k, 1);
    bind(encoder, in.v, 2);
    bind(encoder, in.logSumExp, 4);
    bind(encoder, in.dO, 5);
    bind(encoder, in.rowDot, 6);
    bind(encoder, in.dQ, 7);
    bind(encoder, in.dK, 8);
    bind(encoder, in.dV, 9);
    encoder.setBytes(&params, sizeof params, 10);
    bindMask(encoder, in.mask, 11);
    return encoder.dispatchThreadgroups(gridOf(sizes, kTileQueries), kThreads);
  }
};

struct Cast {
  ComputePipeline pipeline;

  static Result<Cast> prepare(KernelSet &kernels, std::string_view fromName, const TensorView &from,
                              std::string_view toName, const TensorView &to) {
    ASSAY_TRY(checkPackedTensor(fromName, from, DataType::Float, {-1, -1, -1, -1}, TensorUse::Input));
    ASSAY_TRY(checkPackedTensor(toName, to, DataType::BFloat,
                                {from.size(0), from.size(1), from.size(2), from.size(3)}, TensorUse::Output));
    ASSAY_TRY(checkLength(fmt::format("the number of elements of {}", toName), to.count()));
    const Result<ComputePipeline> pipeline = kernels.pipeline(kCastFile, "f32_to_bf16_cast");
    if (!pipeline)
      return pipeline.error();
    return Cast{*pipeline};
  }

  Result<DispatchReport> run(KernelSet &kernels, const TensorView &from, const TensorView &to) const {
    constexpr uint64_t kCastThreads = 256;
    const uint32_t count = uint32_t(to.count());
    ComputeCommandEncoder encoder = kernels.encoder(pipeline);
    bind(encoder, from, 0);
    bind(encoder, to, 1);
    encoder.setBytes(&count, sizeof count, 2);
    return encoder.dispatchThreadgroups({(count + kCastThreads - 1) / kCastThreads}, {kCastThreads});
  }
};

} // namespace

Result<FlashAttnTrainForwardReport> dispatchFlashAttnTrainForward(KernelSet &kernels,
                                                                  const FlashAttnTrainForward &in) {
  const Result<Sizes> sizes = checkInputs(in);
  if (!sizes)
    return sizes.error();
  const Sizes &s = *sizes;
  ASSAY_TRY(
      checkTensor("o", in.o, DataType::BFloat, {s.batches, s.heads, s.queries, s.size}, TensorUse::Output));
  ASSAY_TRY(checkPackedTensor("logSumExp", in.logSumExp, DataType::Float, {s.batches, s.heads, s.queries},
                              TensorUse::Output));
  const Result<ComputePipeline> pipeline =
      kernels.pipeline(in.file, entryPoint("flash_attn_train_fwd", s, in), constantsOf(in, s));
  if (!pipeline)
    return pipeline.error();

  const AttnParams params = paramsOf(in, s, in.o);
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bind(encoder, in.q, 0);
  bind(encoder, in.k, 1);
  bind(encoder, in.v, 2);
  bind(encoder, in.o, 3);
  encoder.setBytes(&params, sizeof params, 4);
  bindMask(encoder, in.mask, 5);
  bind(encoder, in.logSumExp, 8);
  Result<DispatchReport> report = encoder.dispatchThreadgroups(gridOf(s, kTileQueries), kThreads);
  if (!report)
    return report.error();
  return FlashAttnTrainForwardReport{*report};
}

Result<DispatchReport> dispatchFlashAttnTrainComputeD(KernelSet &kernels, const FlashAttnTrainComputeD &in) {
  const Result<ComputeD> step = ComputeD::prepare(kernels, in);
  return step ? step->run(kernels, in) : step.error();
}

Result<DispatchReport> dispatchFlashAttnTrainComputeDPacked(KernelSet &kernels,
                                                            const FlashAttnTrainComputeD &in) {
  constexpr uint64_t kMostThreads = 256;
  ASSAY_TRY(checkPackedTensor("o", in.o, DataType::BFloat, {-1, -1, -1, -1}, TensorUse::Input));
  const Sizes s{in.o.size(0), in.o.size(1), in.o.size(1), in.o.size(2), 0, in.o.size(3)};
  ASSAY_TRY(checkPackedTensor("dO", in.dO, DataType::BFloat, {s.batches, s.heads, s.queries, s.size},
                              TensorUse::Input));
  ASSAY_TRY(checkPackedTensor("rowDot", in.rowDot, DataType::Float, {s.batches, s.heads, s.queries},
                              TensorUse::Output));
  ASSAY_TRY(checkQueries(s));
  ASSAY_TRY(checkLength("D", s.size));
  const Result<ComputePipeline> pipeline =
      kernels.pipeline(kComputeDFile, "flash_attn_train_bwd_compute_d_bf16");
  if (!pipeline)
    return pipeline.error();
  const uint32_t params[] = {uint32_t(s.batches), uint32_t(s.heads), uint32_t(s.queries), uint32_t(s.size)};
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bind(encoder, in.o, 0);
  bind(encoder, in.dO, 1);
  bind(encoder, in.rowDot, 2);
  encoder.setBytes(params, sizeof params, 3);
  return encoder.dispatchThreadgroups({uint64_t(s.queries), 1, uint64_t(s.batches * s.heads)},
                                      {std::min(kMostThreads, std::bit_ceil(uint64_t(s.size)))});
}

Result<DispatchReport> dispatchFlashAttnTrainGradients(KernelSet &kernels,
                                                       const FlashAttnTrainGradients &in) {
  const Result<Gradients> step = Gradients::prepare(kernels, in);
  return step ? step->run(kernels, in) : step.error();
}

Result<DispatchReport> dispatchF32ToBf16Cast(KernelSet &kernels, const TensorView &from,
                                             const TensorView &to) {
  const Result<Cast> step = Cast::prepare(kernels, "from", from, "to", to);
  return step ? step->run(kernels, from, to) : step.error();
}

Result<FlashAttnTrainBackwardReport> dispatchFlashAttnTrainBackward(KernelSet &kernels,
                                                                    const FlashAttnTrainBackward &in) {
  // The inputs come first, so that what is wrong with them is said of them and not of the scratch made for
  // them.
  const Result<Sizes> sizes = checkInputs(in);
  if (!sizes)
    return sizes.error();
  const Sizes &s = *sizes;
  ASSAY_TRY(checkTensor("o", in.o, DataType::BFloat, {s.batches, s.heads, s.queries, s.size}));
  ASSAY_TRY(checkTensor("dO", in.dO, DataType::BFloat, {s.batches, s.heads, s.queries, s.size}));
  ASSAY_TRY(checkPackedTensor("logSumExp", in.logSumExp, DataType::Float, {s.batches, s.heads, s.queries},
                              TensorUse::Input));
  ASSAY_TRY(checkPackedTensor("dQ", in.dQ, DataType::BFloat, {s.batches, s.heads, s.queries, s.size},
                              TensorUse::Output));
  for (const auto &[name, tensor] : {std::pair{"dK", &in.dK}, {"dV", &in.dV}})
    ASSAY_TRY(checkPackedTensor(name, *tensor, DataType::BFloat, {s.batches, s.keyHeads, s.keys, s.size},
                                TensorUse::Output));

  const Device &device = kernels.device();
  FlashAttnTrainBackwardReport report;
  report.rowDot = TensorView::poisoned(device, DataType::Float, {s.batches, s.heads, s.queries});
  report.dQFloat = TensorView::poisoned(device, DataType::Float, in.dQ.sizes);
  report.dKFloat = TensorView::poisoned(device, DataType::Float, in.dK.sizes);
  report.dVFloat = TensorView::poisoned(device, DataType::Float, in.dV.sizes);

  const FlashAttnTrainComputeD dots{in.o, in.dO, report.rowDot};
  FlashAttnTrainGradients gradients;
  static_cast<FlashAttnTrainInputs &>(gradients) = in;
  gradients.dO = in.dO, gradients.logSumExp = in.logSumExp, gradients.rowDot = report.rowDot;
  gradients.dQ = report.dQFloat, gradients.dK = report.dKFloat, gradients.dV = report.dVFloat;

  const Result<ComputeD> computeD = ComputeD::prepare(kernels, dots);
  if (!computeD)
    return computeD.error();
  const Result<Gradients> backward = Gradients::prepare(kernels, gradients);
  if (!backward)
    return backward.error();
  const std::pair<const TensorView *, const TensorView *> narrowings[] = {
      {&report.dQFloat, &in.dQ}, {&report.dKFloat, &in.dK}, {&report.dVFloat, &in.dV}};
  const char *const names[] = {"dQ", "dK", "dV"};
  std::optional<Cast> cast;
  for (int i = 0; i < 3; ++i) {
    Result<Cast> prepared =
        Cast::prepare(kernels, names[i], *narrowings[i].first, names[i], *narrowings[i].second);
    if (!prepared)
      return prepared.error();
    cast = *prepared;
  }

  Result<DispatchReport> ran = computeD->run(kernels, dots);
  if (!ran)
    return ran.error();
  report.computeD = *ran;
  ran = backward->run(kernels, gradients);
  if (!ran)
    return ran.error();
  report.gradients = *ran;
  for (int i = 0; i < 3; ++i) {
    ran = cast->run(kernels, *narrowings[i].first, *narrowings[i].second);
    if (!ran)
      return ran.error();
    report.casts[i] = *ran;
  }
  return report;
}

} // namespace assay::kernels
