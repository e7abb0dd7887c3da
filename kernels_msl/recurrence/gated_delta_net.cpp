#include "gated_delta_net.h"

#include "launch.h"

#include <fmt/format.h>

#include <cstddef>

namespace assay::kernels {
namespace {

using namespace recurrence;

constexpr int64_t kMaxKeySize = 128, kMaxValueSize = 1024;

/// Buffer 8 of both kernels.
struct Shape {
  uint32_t keySize, valueSize, keyHeads, valueHeads, tokens, sequences, unused0, unused1;
};
static_assert(sizeof(Shape) == 32 && offsetof(Shape, keyHeads) == 8 && offsetof(Shape, sequences) == 20);

Shape shapeOf(const GatedDeltaNetArguments &a) {
  return {uint32_t(a.q.size(3)),
          uint32_t(a.v.size(3)),
          uint32_t(a.q.size(2)),
          uint32_t(a.v.size(2)),
          uint32_t(a.q.size(1)),
          uint32_t(a.q.size(0)),
          0,
          0};
}

Launch &bind(Launch &launch, const GatedDeltaNetArguments &a, const Shape &shape) {
  return launch.tensor(a.q, 0)
      .tensor(a.k, 1)
      .tensor(a.v, 2)
      .tensor(a.g, 3)
      .tensor(a.beta, 4)
      .tensor(a.stateIn, 5)
      .tensor(a.output, 6)
      .tensor(a.stateOut, 7)
      .bytes(shape, 8);
}

Result<GatedDeltaNetReport> reported(std::string kernel, Result<DispatchReport> dispatch) {
  if (!dispatch)
    return dispatch.error();
  return GatedDeltaNetReport{std::move(kernel), *dispatch};
}

} // namespace

Result<void> checkGatedDeltaNet(const GatedDeltaNetArguments &a) {
  ASSAY_CHECK(checkDense("q", a.q, DataType::Float, {-1, -1, -1, -1}));
  const int64_t sequences = a.q.size(0), tokens = a.q.size(1), keyHeads = a.q.size(2), keySize = a.q.size(3);
  ASSAY_CHECK(checkDense("k", a.k, DataType::Float, {sequences, tokens, keyHeads, keySize}));
  ASSAY_CHECK(checkDense("v", a.v, DataType::Float, {sequences, tokens, -1, -1}));
  const int64_t heads = a.v.size(2), valueSize = a.v.size(3);
  ASSAY_CHECK(checkHeads(heads, keyHeads));
  ASSAY_CHECK(checkDense("g", a.g, DataType::Float, {sequences, tokens, heads}));
  ASSAY_CHECK(checkDense("beta", a.beta, DataType::Float, {sequences, tokens, heads}));
  ASSAY_CHECK(checkDense("stateIn", a.stateIn, DataType::Float, {sequences, heads, valueSize, keySize}));
  ASSAY_CHECK(checkDense("output", a.output, DataType::Float, {sequences, tokens, heads, valueSize},
                         TensorUse::Output));
  ASSAY_CHECK(checkDense("stateOut", a.stateOut, DataType::Float, {sequences, heads, valueSize, keySize},
                         TensorUse::Output));
  return {};
}

Result<GatedDeltaNetReport> dispatchGatedDeltaNet(KernelSet &set, const GatedDeltaNetArguments &a) {
  ASSAY_CHECK(checkGatedDeltaNet(a));
  const Shape shape = shapeOf(a);
  if (shape.keySize > kMaxKeySize || shape.valueSize > kMaxValueSize)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("heads of {} keys and {} values, the kernel takes at most {} and {}",
                                    shape.keySize, shape.valueSize, kMaxKeySize, kMaxValueSize));
  Launch launch(set, "recurrence/gated_delta_net.metal", "gated_delta_net_f32");
  bind(launch, a, shape).threadgroupMemory((2 * size_t(shape.keySize) + 2 * size_t(shape.valueSize)) * 4, 0);
  return reported("gated_delta_net_f32",
                  launch.threadgroups({shape.valueHeads, shape.sequences}, {shape.valueSize}));
}

Result<GatedDeltaNetReport> dispatchGatedDeltaNetDecode(KernelSet &set, const GatedDeltaNetArguments &a) {
  ASSAY_CHECK(checkGatedDeltaNet(a));
  const Shape shape = shapeOf(a);
  const uint32_t each = shape.keySize / 32;
  if (shape.keySize % 32 != 0 || (each != 1 && each != 2 && each != 4))
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("heads of {} keys, the decode kernel takes 32, 64 or 128", shape.keySize),
                        "dispatchGatedDeltaNet takes any size up to 128");
  if (shape.valueSize % each != 0)
    return Error::usage(Rule::own("head-dim"),
                        fmt::format("{} values are not a multiple of {}, the rows of a threadgroup for {} "
                                    "keys",
                                    shape.valueSize, each, shape.keySize));
  const std::string kernel = fmt::format("gated_delta_net_decode_f32_{}", each);
  Launch launch(set, "recurrence/gated_delta_net_decode.metal", kernel);
  bind(launch, a, shape);
  return reported(
      kernel, launch.threadgroups({shape.valueSize / each, shape.valueHeads, shape.sequences}, {32, each}));
}

} // namespace assay::kernels
