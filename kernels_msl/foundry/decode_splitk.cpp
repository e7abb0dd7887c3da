#include "decode_step.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {

Result<FlashDecodeSplitReport> dispatchFlashDecodeSplitK(KernelSet &kernels,
                                                         const FlashDecodeArguments &arguments,
                                                         const DecodeVariant &variant, int splits) {
  constexpr char kFile[] = "foundry/decode_splitk.metal";
  constexpr int kMostSplits = 64;
  if (splits < 1 || splits > kMostSplits)
    return Error::usage(Rule::own("decode-splits"),
                        fmt::format("{} splits of the keys, there can be 1 to {}", splits, kMostSplits));
  Result<DecodeProblem> problem = checkDecode(arguments, variant);
  if (!problem)
    return problem.error();
  problem->params.splits = uint32_t(splits);
  const std::string suffix = fmt::format("{}_d{}", problem->bfloat ? "bf16" : "f16", problem->headDim);
  FlashDecodeSplitReport report;
  report.part = "flash_decode_splitk_part_" + suffix;
  report.reduce = "flash_decode_splitk_reduce_" + suffix;

  FunctionConstantValues constants = decodeConstants(arguments, variant);
  const bool rope = arguments.rope.has_value();
  constants.setConstantValue(&rope, DataType::Bool, 512);
  const Result<ComputePipeline> part = kernels.pipeline(kFile, report.part, constants);
  if (!part)
    return part.error();
  const Result<ComputePipeline> reduce = kernels.pipeline(kFile, report.reduce);
  if (!reduce)
    return reduce.error();
  const Size threads{uint64_t(variant.warps) * 32};
  if (threads.width > part->maxTotalThreadsPerThreadgroup())
    return Error::usage(Rule::own("decode-variant"),
                        fmt::format("{} warps are {} threads, {} takes {}", variant.warps, threads.width,
                                    report.part, part->maxTotalThreadsPerThreadgroup()));

  const Device &device = kernels.device();
  const size_t rows = size_t(problem->batches) * problem->params.heads * size_t(splits);
  Buffer means = device.newBuffer(rows * size_t(problem->headDim) * sizeof(float));
  Buffer maxima = device.newBuffer(rows * sizeof(float)), sums = device.newBuffer(rows * sizeof(float));
  report.scratchBytes = means.length() + maxima.length() + sums.length();
  const auto bindScratch = [&](ComputeCommandEncoder &encoder) {
    encoder.setBuffer(means, 0, 15);
    encoder.setBuffer(maxima, 0, 16);
    encoder.setBuffer(sums, 0, 17);
  };
  for (Buffer *buffer : {&means, &maxima, &sums})
    buffer->poison();

  ComputeCommandEncoder first = kernels.encoder(*part);
  bindDecode(first, arguments, *problem);
  bindScratch(first);
  const auto parts = first.dispatchThreadgroups(
      {problem->params.heads, uint64_t(problem->batches), uint64_t(splits)}, threads);
  if (!parts)
    return parts.error();
  ComputeCommandEncoder second = kernels.encoder(*reduce);
  second.setBuffer(arguments.out.buffer, arguments.out.byteOffset(), 3);
  second.setBytes(&problem->params, sizeof problem->params, 4);
  bindScratch(second);
  const auto reduced = second.dispatchThreadgroups({problem->params.heads, uint64_t(problem->batches)}, {32});
  if (!reduced)
    return reduced.error();
  report.partDispatch = *parts, report.reduceDispatch = *reduced;
  return report;
}

} // namespace assay::kernels::foundry
