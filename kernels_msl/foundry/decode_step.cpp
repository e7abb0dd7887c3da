#include "decode_step.h"

#include "compare_log.h"

#include "emulator/support/numbers/float_bits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace assay::kernels::foundry {
namespace {

std::string shapeText(const TensorView &t) {
  return fmt::format("{} [{}] strides [{}] offset {}", t.type.name(), fmt::join(t.sizes, ", "),
                     fmt::join(t.strides, ", "), t.offset);
}

std::string cacheText(const KvTensor &t) {
  std::string text = shapeText(t.rows);
  if (t.format)
    text += fmt::format(" as {}, scales {}", t.format->name(), shapeText(t.scales));
  if (t.format && t.zeros.given())
    text += fmt::format(", zero points {}", shapeText(t.zeros));
  if (t.format && t.outliers.given())
    text += fmt::format(", outliers {}", shapeText(t.outliers));
  return text;
}

std::vector<std::string> verboseLines(const FlashDecodeArguments &a) {
  std::vector<std::string> lines = {"decode: q " + shapeText(a.q), "decode: k " + cacheText(a.k),
                                    "decode: v " + cacheText(a.v), "decode: out " + shapeText(a.out)};
  if (a.padding.given())
    lines.push_back("decode: padding " + shapeText(a.padding));
  if (a.mask.given())
    lines.push_back("decode: mask " + shapeText(a.mask));
  if (a.rope)
    lines.push_back("decode: rope tables " + shapeText(a.rope->cosines));
  return lines;
}

} // namespace

DecodeVariant selectDecode(const Knobs &knobs, int64_t headDim, int64_t kvLength) {
  const int warps = kvLength < 512 || headDim >= 256 ? 8 : 16;
  const auto round = uint64_t(std::clamp<int64_t>(kvLength / warps, 1, 32));
  DecodeVariant v;
  v.warps = knobs.decodeWarps.value_or(warps);
  v.keysPerWarp = knobs.decodeKeysPerWarp.value_or(int(std::bit_floor(round)));
  v.scalar = knobs.decodeScalar.value_or(headDim <= 64 ? 2 : 4);
  v.halfPartials = knobs.decodeTgOut.value_or(0) == 1;
  return v;
}

Result<FlashDecodeReport> dispatchFlashDecode(KernelSet &kernels, const FlashDecodeArguments &arguments,
                                              const DecodeVariant &variant) {
  const Result<DecodeProblem> problem = checkDecode(arguments, variant);
  if (!problem)
    return problem.error();
  FlashDecodeReport report;
  report.variant = variant;
  report.kernel = fmt::format("flash_decode_{}{}_d{}", arguments.rope ? "rope_" : "",
                              problem->bfloat ? "bf16" : "f16", problem->headDim);
  report.threadgroups = {problem->params.heads, uint64_t(problem->batches)};
  report.threads = {uint64_t(variant.warps) * 32};
  report.threadgroupBytes = problem->threadgroupBytes();
  const Result<ComputePipeline> pipeline =
      kernels.pipeline("foundry/decode_kernels.metal", report.kernel, decodeConstants(arguments, variant));
  if (!pipeline)
    return pipeline.error();
  if (report.threads.width > pipeline->maxTotalThreadsPerThreadgroup())
    return Error::usage(Rule::own("decode-variant"),
                        fmt::format("{} warps are {} threads, {} takes {}", variant.warps,
                                    report.threads.width, report.kernel,
                                    pipeline->maxTotalThreadsPerThreadgroup()));
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bindDecode(encoder, arguments, *problem);
  encoder.setBuffer(arguments.out.buffer, arguments.out.byteOffset(), 3);
  const Result<DispatchReport> ran = encoder.dispatchThreadgroups(report.threadgroups, report.threads);
  if (!ran)
    return ran.error();
  report.dispatch = *ran;
  return report;
}

void FlashDecodeStep::say(std::string line) {
  if (listener_)
    listener_(line);
  log_.push_back(std::move(line));
}

Result<FlashDecodeReport> FlashDecodeStep::run(const FlashDecodeArguments &arguments) {
  const auto refused = [&](Error error) {
    if (knobs_.debug)
      say(fmt::format("decode: refused: {} [{}]", error.message(), error.rule()));
    return error;
  };
  if (knobs_.disableFlashAttention)
    return refused(Error::usage(Rule::own("flash-attention-disabled"),
                                "METALLIC_DISABLE_FA is 1: FlashAttention does not run",
                                "run SdpaReferenceStep instead, or unset it"));
  if (knobs_.forceMaterialized)
    return refused(Error::usage(Rule::own("flash-attention-materialized"),
                                "METALLIC_SDPA_FORCE_MATERIALIZED is 1: FlashAttention does not run",
                                "run SdpaReferenceStep: no step takes another's path by itself"));
  if (knobs_.compareOnline && !comparison_ && !materialized_)
    return refused(
        Error::usage(Rule::own("no-materialized-step"),
                     "METALLIC_SDPA_DEBUG_ONLINE_COMPARE is 1, and this step was given none to compare with",
                     "compareWith(...) gives it one"));
  const Result<int64_t> headDim = headDimOf(arguments);
  if (!headDim)
    return refused(headDim.error());
  const Result<KvPath> path =
      selectKvPath(arguments.k.format, arguments.v.format, capability_, KvUse::Decode, arguments.kvLength);
  if (!path)
    return refused(path.error());
  const DecodeVariant variant = selectDecode(knobs_, *headDim, arguments.kvLength);
  if (knobs_.debug) {
    say(fmt::format("decode: head_dim {}, kv_len {}: {}", *headDim, arguments.kvLength, variant.text()));
    if (*path == KvPath::Quantised)
      say("decode: " + formatsText(arguments.k.format, arguments.v.format));
    if (knobs_.debugVerbose)
      for (std::string &line : verboseLines(arguments))
        say(std::move(line));
  }
  Result<FlashDecodeReport> report = dispatchFlashDecode(kernels_, arguments, variant);
  if (!report)
    return refused(report.error());
  if (knobs_.debug)
    say(fmt::format("decode: ran {}, {} x {} threadgroups of {} threads, {} bytes of threadgroup memory",
                    report->kernel, report->threadgroups.width, report->threadgroups.height,
                    report->threads.width, report->threadgroupBytes));
  if (knobs_.compareOnline && !comparison_)
    if (auto compared = compare(arguments); !compared)
      return refused(compared.error());
  return report;
}

Result<void> FlashDecodeStep::compare(const FlashDecodeArguments &arguments) {
  const TensorView &online = arguments.out;
  const TensorView other =
      TensorView::poisoned(kernels_.device(), online.type, {online.size(0), 1, online.size(2)});
  if (auto done = materialized_(arguments, other); !done)
    return done;
  const auto at = [](const TensorView &t, int64_t batch, int64_t column) {
    const uint16_t bits = t.buffer.as<uint16_t>()[t.offset + batch * t.stride(0) + column];
    return t.type == DataType::Half ? floatFromHalf(bits) : floatFromBfloat(bits);
  };
  DecodeComparison worst;
  for (int64_t b = 0; b < online.size(0); ++b)
    for (int64_t c = 0; c < online.size(2); ++c) {
      const float x = at(online, b, c), y = at(other, b, c);
      const bool same = x == y || (std::isnan(x) && std::isnan(y));
      const double difference = same ? 0 : std::fabs(double(x) - y);
      if (difference > worst.maxAbsDiff || (std::isnan(difference) && !std::isnan(worst.maxAbsDiff)))
        worst = {difference, b, c, x, y};
    }
  comparison_ = worst;
  say("decode: " + comparisonText(worst.maxAbsDiff,
                                  fmt::format("batch {}, column {}", worst.batch, worst.column), worst.online,
                                  worst.materialized));
  return {};
}

RopeTables ropeTables(const Device &device, int64_t count, int64_t size, double base) {
  RopeTables tables;
  for (TensorView *t : {&tables.cosines, &tables.sines})
    *t = TensorView::contiguous(device.newBuffer(size_t(count * (size / 2)) * sizeof(float)), DataType::Float,
                                {count, size / 2});
  for (int64_t p = 0; p < count; ++p)
    for (int64_t i = 0; i < size / 2; ++i) {
      const double angle = double(p) * std::pow(base, -2.0 * double(i) / double(size));
      tables.cosines.buffer.as<float>()[p * (size / 2) + i] = float(std::cos(angle));
      tables.sines.buffer.as<float>()[p * (size / 2) + i] = float(std::sin(angle));
    }
  return tables;
}

} // namespace assay::kernels::foundry
