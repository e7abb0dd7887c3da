#include "prefill_step.h"

#include "compare_log.h"
#include "sdpa_step.h"

#include "emulator/support/numbers/float_bits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::kernels::foundry {
namespace {

constexpr char kSplitKFile[] = "foundry/prefill_splitk.metal";
constexpr std::array<uint32_t, 6> kHeadDims = {32, 64, 80, 96, 128, 256};
constexpr int64_t kMostScratchBytes = int64_t(1) << 34;
constexpr int kMostSplits = 64;

struct Form {
  const char *file, *entry;
  int rowsPerSimdgroup;
  uint32_t largestHeadDim;
};
Form formOf(const PrefillPlan &plan) {
  switch (plan.form) {
  case PrefillForm::Tiled: break;
  case PrefillForm::Buffered: return {"foundry/prefill_pipelined.metal", "flash_prefill_buffered", 4, 128};
  case PrefillForm::Matrix: return {"foundry/prefill_pipelined.metal", "flash_prefill_matrix", 8, 128};
  }
  return {"foundry/prefill_online.metal", "flash_prefill_tiled", 4, 256};
}

Result<void> checkAlignment(std::string_view name, const TensorView &t,
                            const PrefillParams::Strides &strides) {
  for (const auto &[what, elements] : {std::pair("begins at element", t.offset),
                                       {"has batches apart by", strides.batch},
                                       {"has heads apart by", strides.head},
                                       {"has rows apart by", strides.row}})
    if (elements % 4 != 0)
      return Error::usage(Rule::own("alignment"),
                          fmt::format("{} {} {}, the kernels read 4 elements at once", name, what, elements),
                          "place rows at multiples of 4 elements");
  return {};
}

/// Everything that a dispatch of online attention asks for.
Result<PrefillProblem> checkOnline(const PrefillArguments &a, const PrefillPlan &plan) {
  Result<PrefillProblem> problem = checkPrefill(a);
  if (!problem)
    return problem;
  PrefillParams &p = problem->params;
  if (std::find(kHeadDims.begin(), kHeadDims.end(), p.headDim) == kHeadDims.end())
    return Error::usage(
        Rule::own("head-dim"),
        fmt::format("head_dim is {}, prefill has kernels for {}", p.headDim, fmt::join(kHeadDims, ", ")),
        "SdpaReferenceStep takes any");
  if (const Form form = formOf(plan); p.headDim > form.largestHeadDim)
    return Error::usage(
        Rule::own("head-dim"),
        fmt::format("head_dim is {}, {} has kernels up to {}: two tiles of keys and values are "
                    "all the threadgroup memory there is",
                    p.headDim, form.entry, form.largestHeadDim),
        "flash_prefill_tiled takes it");
  if (plan.form != PrefillForm::Tiled && plan.splitK > 1)
    return Error::usage(Rule::own("prefill-plan"), fmt::format("{} splits of the keys, {} takes them whole",
                                                               plan.splitK, formOf(plan).entry));
  if (plan.warps != 4 && plan.warps != 8)
    return Error::usage(Rule::own("prefill-plan"),
                        fmt::format("{} simdgroups, prefill has kernels for 4 and 8", plan.warps));
  if (plan.splitK < 1 || plan.splitK > kMostSplits)
    return Error::usage(Rule::own("prefill-plan"),
                        fmt::format("{} splits of the keys, there can be 1 to {}", plan.splitK, kMostSplits));
  if (plan.form == PrefillForm::Matrix && (a.kCache || a.vCache))
    return Error::usage(Rule::own("prefill-plan"),
                        fmt::format("{} is quantised, {} loads simdgroup matrices of elements",
                                    a.kCache ? "K" : "V", formOf(plan).entry),
                        "flash_prefill_tiled and flash_prefill_buffered take it");
  for (const auto &[name, tensor, strides] : {std::tuple("Q", &a.q, p.q), {"K", &a.k, p.k}, {"V", &a.v, p.v}})
    if (Result<void> aligned = checkAlignment(name, *tensor, strides); tensor->given() && !aligned)
      return aligned.error();
  p.splitK = plan.splitK;
  return problem;
}

std::string entryName(const PrefillProblem &problem, const PrefillPlan &plan, std::string_view stem) {
  return problem.entry(fmt::format("{}_d{}_w{}", stem, problem.params.headDim, plan.warps));
}

Size tiles(const PrefillProblem &problem, const PrefillPlan &plan, uint64_t splits) {
  const uint64_t tileRows = plan.warps * formOf(plan).rowsPerSimdgroup;
  return {(problem.params.queries + tileRows - 1) / tileRows, problem.params.heads, problem.batches * splits};
}

Result<PrefillReport> reportOf(const Result<DispatchReport> &done, const PrefillPlan &plan,
                               size_t scratchBytes) {
  if (!done)
    return done.error();
  return PrefillReport{plan, scratchBytes, done->threadgroups};
}

Result<PrefillReport> dispatchWhole(KernelSet &kernels, const PrefillArguments &a, const PrefillPlan &plan) {
  const Result<PrefillProblem> problem = checkOnline(a, plan);
  if (!problem)
    return problem.error();
  const Result<ComputePipeline> pipeline =
      kernels.pipeline(formOf(plan).file, entryName(*problem, plan, formOf(plan).entry), prefillConstants(a));
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bindPrefill(encoder, a, *problem);
  encoder.setBuffer(a.out.buffer, a.out.byteOffset(), 3);
  return reportOf(encoder.dispatchThreadgroups(tiles(*problem, plan, 1), {uint64_t(plan.warps) * 32}), plan,
                  0);
}

void bindScratch(ComputeCommandEncoder &encoder, const SplitKScratch &scratch) {
  encoder.setBuffer(scratch.o, 0, 7);
  encoder.setBuffer(scratch.m, 0, 8);
  encoder.setBuffer(scratch.l, 0, 9);
}

} // namespace

PrefillPlan selectPrefill(const Knobs &knobs, int64_t queries, int64_t keys) {
  PrefillPlan plan;
  plan.warps = knobs.prefillWarps.value_or(queries > 16 ? 8 : 4);
  const int byShape = int(std::clamp<int64_t>(keys / (4 * std::max<int64_t>(16, queries)), 1, 8));
  plan.splitK = knobs.disablePrefillSplitK ? 1 : std::max(1, knobs.prefillSplitK.value_or(byShape));
  return plan;
}

Result<PrefillReport> dispatchSplitKPart(KernelSet &kernels, const PrefillArguments &a,
                                         const PrefillPlan &plan, SplitKScratch &scratch) {
  const Result<PrefillProblem> problem = checkOnline(a, plan);
  if (!problem)
    return problem.error();
  const __int128 partials = __int128(problem->rows()) * plan.splitK;
  const __int128 bytes = partials * (problem->params.headDim + 2) * sizeof(float);
  if (bytes > kMostScratchBytes)
    return Error::usage(Rule::own("scratch"),
                        fmt::format("{} rows in {} splits need more than {} bytes of partial results",
                                    problem->rows(), plan.splitK, kMostScratchBytes),
                        "fewer splits need less");
  const Result<ComputePipeline> pipeline = kernels.pipeline(
      kSplitKFile, entryName(*problem, plan, "flash_prefill_splitk_part"), prefillConstants(a));
  if (!pipeline)
    return pipeline.error();
  const Device &device = kernels.device();
  scratch.o = device.newBuffer(size_t(partials) * problem->params.headDim * sizeof(float));
  scratch.m = device.newBuffer(size_t(partials) * sizeof(float));
  scratch.l = device.newBuffer(size_t(partials) * sizeof(float));
  for (Buffer *buffer : {&scratch.o, &scratch.m, &scratch.l})
    buffer->poison();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  bindPrefill(encoder, a, *problem);
  bindScratch(encoder, scratch);
  return reportOf(
      encoder.dispatchThreadgroups(tiles(*problem, plan, plan.splitK), {uint64_t(plan.warps) * 32}), plan,
      size_t(bytes));
}

Result<PrefillReport> dispatchSplitKReduce(KernelSet &kernels, const PrefillArguments &a,
                                           const PrefillPlan &plan, const SplitKScratch &scratch) {
  const Result<PrefillProblem> problem = checkOnline(a, plan);
  if (!problem)
    return problem.error();
  const Result<ComputePipeline> pipeline =
      kernels.pipeline(kSplitKFile, entryName(*problem, plan, "flash_prefill_splitk_reduce"));
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = kernels.encoder(*pipeline);
  encoder.setBuffer(a.out.buffer, a.out.byteOffset(), 3);
  encoder.setBytes(&problem->params, sizeof problem->params, 4);
  bindScratch(encoder, scratch);
  return reportOf(encoder.dispatchThreadgroups(tiles(*problem, plan, 1), {uint64_t(plan.warps) * 32}), plan,
                  0);
}

Result<PrefillReport> dispatchFlashPrefill(KernelSet &kernels, const PrefillArguments &a,
                                           const PrefillPlan &plan) {
  if (plan.splitK == 1)
    return dispatchWhole(kernels, a, plan);
  SplitKScratch scratch;
  Result<PrefillReport> part = dispatchSplitKPart(kernels, a, plan, scratch);
  if (!part)
    return part;
  const Result<PrefillReport> reduce = dispatchSplitKReduce(kernels, a, plan, scratch);
  if (!reduce)
    return reduce;
  part->threadgroups += reduce->threadgroups;
  return part;
}

void FlashPrefillStep::say(std::string line) {
  if (listener_)
    listener_(line);
  log_.push_back(std::move(line));
}

Result<PrefillReport> FlashPrefillStep::run(const PrefillArguments &a) {
  Result<PrefillReport> report = runOnline(a);
  if (!report && knobs_.debug)
    say(fmt::format("prefill refused: {} [{}]", report.error().message(), report.error().rule()));
  return report;
}

Result<PrefillReport> FlashPrefillStep::runOnline(const PrefillArguments &a) {
  constexpr char kInstead[] =
      "run SdpaReferenceStep for the materialised path: no step takes another's by itself";
  if (knobs_.disableFlashAttention)
    return Error::usage(Rule::own("flash-attention-disabled"),
                        "METALLIC_DISABLE_FA is 1: FlashAttention does not run", kInstead);
  if (knobs_.forceMaterialized)
    return Error::usage(Rule::own("flash-attention-materialized"),
                        "METALLIC_SDPA_FORCE_MATERIALIZED is 1: FlashAttention does not run", kInstead);
  const Result<PrefillProblem> problem = checkPrefill(a);
  if (!problem)
    return problem.error();
  const PrefillParams &p = problem->params;
  const auto formatOf = [](const std::optional<KvTensor> &t) { return t ? t->format : std::nullopt; };
  const Result<KvPath> path =
      selectKvPath(formatOf(a.kCache), formatOf(a.vCache), capability_, KvUse::Prefill, p.keys);
  if (!path)
    return path.error();
  const PrefillPlan plan = selectPrefill(knobs_, p.queries, p.keys);
  if (knobs_.debug)
    say(fmt::format("prefill m {}, kv_len {}, head_dim {}, {}: online, {} simdgroups, {} splits", p.queries,
                    p.keys, p.headDim, problem->bfloat ? "bf16" : "f16", plan.warps, plan.splitK));
  if (knobs_.debug && *path == KvPath::Quantised)
    say("prefill " + formatsText(formatOf(a.kCache), formatOf(a.vCache)));
  if (knobs_.debug && knobs_.debugVerbose)
    say(fmt::format("prefill batches {}, heads {}, {} to a key head, query_start {}, causal {}, mask {}, "
                    "padding {}, strides of Q {}, {}, {}",
                    problem->batches, p.heads, p.group, p.queryStart, a.causal, a.mask.given(),
                    a.padding.given(), p.q.batch, p.q.head, p.q.row));
  const Result<PrefillReport> report = dispatchFlashPrefill(kernels_, a, plan);
  if (report && (knobs_.compareOnline || knobs_.compareOnlinePrefill) && !comparison_)
    if (Result<void> compared = compare(a); !compared)
      return compared.error();
  return report;
}

/// Runs the materialised path into memory of its own. The step's output is left alone.
Result<void> FlashPrefillStep::compare(const PrefillArguments &a) {
  const Result<PrefillProblem> problem = checkPrefill(a);
  if (!problem)
    return problem.error();
  const PrefillParams &p = problem->params;
  PrefillArguments again = a;
  again.out =
      TensorView::poisoned(kernels_.device(), a.out.type, {problem->batches, p.heads, p.queries, p.headDim});
  const Result<SdpaReport> done = dispatchSdpaReference(kernels_, again);
  if (!done)
    return done.error();

  const auto value = [&](uint16_t bits) {
    return problem->bfloat ? floatFromBfloat(bits) : floatFromHalf(bits);
  };
  const std::span<const uint16_t> online = a.out.buffer.as<uint16_t>(),
                                  whole = again.out.buffer.as<uint16_t>();
  OnlineComparison worst;
  size_t i = 0;
  for (int64_t batch = 0; batch < problem->batches; ++batch)
    for (int64_t head = 0; head < p.heads; ++head)
      for (int64_t query = 0; query < p.queries; ++query)
        for (int64_t column = 0; column < p.headDim; ++column, ++i) {
          const int64_t place =
              a.out.offset + batch * p.out.batch + head * p.out.head + query * p.out.row + column;
          const float x = value(online[place]), y = value(whole[i]);
          const bool same = x == y || (std::isnan(x) && std::isnan(y)); // also of infinities
          const double difference = same ? 0 : std::fabs(double(x) - y);
          const bool first = i == 0,
                     worse = !(difference <= worst.maxAbsDiff) && !std::isnan(worst.maxAbsDiff);
          if (first || worse)
            worst = {difference, batch, head, query, column, x, y};
        }
  comparison_ = worst;
  const std::string where = fmt::format("batch {}, head {}, query {}, column {}", worst.batch, worst.head,
                                        worst.query, worst.column);
  say("prefill " + comparisonText(worst.maxAbsDiff, where, worst.online, worst.materialized));
  return {};
}

} // namespace assay::kernels::foundry
