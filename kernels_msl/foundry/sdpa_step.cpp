#include "sdpa_step.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::kernels::foundry {
namespace {

constexpr char kFile[] = "foundry/sdpa_reference.metal";
constexpr int64_t kMostScratchBytes = int64_t(1) << 34;

Size rowOfThreads(uint64_t most) {
  return {std::min<uint64_t>(most, 64)};
}

} // namespace

Result<SdpaReport> dispatchSdpaReference(KernelSet &kernels, const PrefillArguments &a) {
  const Result<PrefillProblem> problem = checkPrefill(a, KvUse::Materialised);
  if (!problem)
    return problem.error();
  const PrefillParams &p = problem->params;
  const __int128 bytes = __int128(problem->rows()) * p.keys * sizeof(float);
  if (bytes > kMostScratchBytes)
    return Error::usage(Rule::own("scratch"),
                        fmt::format("scores of {} rows and {} keys need more than {} bytes", problem->rows(),
                                    p.keys, kMostScratchBytes),
                        "run FlashPrefillStep, which keeps none");

  const Result<ComputePipeline> scores =
      kernels.pipeline(kFile, problem->entry("sdpa_scores"), prefillConstants(a));
  if (!scores)
    return scores.error();
  const Result<ComputePipeline> softmax = kernels.pipeline(kFile, "sdpa_softmax");
  if (!softmax)
    return softmax.error();
  const Result<ComputePipeline> output =
      kernels.pipeline(kFile, problem->entry("sdpa_output"), prefillConstants(a));
  if (!output)
    return output.error();

  SdpaReport report;
  report.scratchBytes = size_t(bytes);
  const Buffer scratch = kernels.device().newBuffer(report.scratchBytes);
  const uint64_t z = uint64_t(problem->batches) * p.heads;

  ComputeCommandEncoder encoder = kernels.encoder(*scores);
  bindPrefillScores(encoder, a, *problem);
  encoder.setBuffer(scratch, 0, 7);
  Result<DispatchReport> done = encoder.dispatchThreads({p.keys, p.queries, z}, rowOfThreads(p.keys));
  if (!done)
    return done.error();
  report.threadgroups += done->threadgroups;

  encoder = kernels.encoder(*softmax);
  encoder.setBytes(&p, sizeof p, 4);
  encoder.setBuffer(scratch, 0, 7);
  done = encoder.dispatchThreadgroups({p.queries, 1, z}, {32});
  if (!done)
    return done.error();
  report.threadgroups += done->threadgroups;

  encoder = kernels.encoder(*output);
  bindPrefillValues(encoder, a);
  encoder.setBuffer(a.out.buffer, a.out.byteOffset(), 3);
  encoder.setBytes(&p, sizeof p, 4);
  if (a.padding.given())
    encoder.setBuffer(a.padding.buffer, a.padding.byteOffset(), 6);
  encoder.setBuffer(scratch, 0, 7);
  done = encoder.dispatchThreads({p.headDim, p.queries, z}, rowOfThreads(p.headDim));
  if (!done)
    return done.error();
  report.threadgroups += done->threadgroups;
  return report;
}

} // namespace assay::kernels::foundry
