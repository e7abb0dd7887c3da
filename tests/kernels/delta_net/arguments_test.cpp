// What the dispatchers refuse, before anything runs and by name.
#include "tensors.h"

#include "kernels_msl/recurrence/chunk_steps.h"

#include <functional>

namespace assay::kernels::delta_net {
namespace {

struct Refused {
  std::string rule, message;
};

template <class T> void expectRefused(const Result<T> &result, const Refused &expected) {
  ASSERT_FALSE(result) << "was not refused: " << expected.message;
  EXPECT_EQ(result.error().kind, ErrorKind::Usage);
  EXPECT_EQ(result.error().rule(), expected.rule);
  EXPECT_EQ(result.error().message(), expected.message);
}

const DeltaNetShape kShape{32, 8, 2, 4, 3, 1};

void expectRefused(const std::function<void(GatedDeltaNetArguments &)> &spoil, const Refused &expected,
                   const DeltaNetShape &shape = kShape) {
  GatedDeltaNetArguments a = arguments(shape, makeDeltaNetCase(shape, 1));
  spoil(a);
  KernelSet set("no kernels here"); // whatever is refused is refused before a kernel is looked for
  expectRefused(dispatchGatedDeltaNet(set, a), expected);
  expectRefused(dispatchGatedDeltaNetDecode(set, a), expected);
  expectRefused(dispatchGatedDeltaNetByChunks(set, a), expected);
}

TEST(GatedDeltaNetArguments, NameTheTensorAndBothNumbers) {
  expectRefused([](auto &a) { a.k = {}; }, {"missing-tensor", "k is missing: float [1, 3, 2, 32] is needed"});
  expectRefused([](auto &a) { a.v.type = DataType::BFloat; },
                {"tensor-type", "v has type bfloat, the kernel takes float"});
  expectRefused([](auto &a) { a.k.sizes[1] = 2; },
                {"shape-mismatch", "k is [1, 2, 2, 32], the other arguments ask for [1, 3, 2, 32]"});
  expectRefused([](auto &a) { a.beta.sizes[2] = 3; },
                {"shape-mismatch", "beta is [1, 3, 3], the other arguments ask for [1, 3, 4]"});
  expectRefused([](auto &a) { a.stateIn = poisoned<float>({1, 4, 32, 8}); },
                {"shape-mismatch", "stateIn is [1, 4, 32, 8], the other arguments ask for [1, 4, 8, 32]"});
  expectRefused([](auto &a) { a.q.sizes.pop_back(), a.q.strides.pop_back(); },
                {"tensor-rank", "q has 3 axes, [any, any, any, any] has 4"});
  expectRefused([](auto &a) { a.output = poisoned<float>({1, 2, 4, 8}); },
                {"shape-mismatch", "output is [1, 2, 4, 8], the other arguments ask for [1, 3, 4, 8]"});
  expectRefused([](auto &a) { a.g.offset = 1; },
                {"tensor-range", "g [1, 3, 4] ends at element 12 of its buffer, which has 12"});
}

TEST(GatedDeltaNetArguments, MustBeWithoutGaps) {
  expectRefused([](auto &a) { a.q = poisoned<float>({1, 3, 2, 64}), a.q.sizes[3] = 32; },
                {"stride", "q has stride 64 on axis 2, the kernel reads it without gaps: 32"});
  expectRefused([](auto &a) { a.v = poisoned<float>({1, 3, 4, 32}), a.v.sizes[3] = 8; },
                {"stride", "v has stride 32 on axis 2, the kernel reads it without gaps: 8"});
  expectRefused([](auto &a) { a.stateOut.strides[2] = -32; },
                {"stride", "stateOut has stride -32 on axis 2, which is negative"});
}

TEST(GatedDeltaNetArguments, MustHaveHeadsThatDivide) {
  expectRefused([](auto &) {}, {"head-count", "3 value heads are not a multiple of 2 key heads"},
                {32, 8, 2, 3, 3, 1});
}

TEST(GatedDeltaNetArguments, MustFitTheKernel) {
  KernelSet set = ownKernels();
  const auto of = [](const DeltaNetShape &s) { return arguments(s, makeDeltaNetCase(s, 1)); };
  expectRefused(dispatchGatedDeltaNet(set, of({132, 8, 1, 1, 1, 1})),
                {"head-dim", "heads of 132 keys and 8 values, the kernel takes at most 128 and 1024"});
  expectRefused(dispatchGatedDeltaNet(set, of({4, 1025, 1, 1, 1, 1})),
                {"head-dim", "heads of 4 keys and 1025 values, the kernel takes at most 128 and 1024"});
  expectRefused(dispatchGatedDeltaNetDecode(set, of({96, 6, 1, 1, 1, 1})),
                {"head-dim", "heads of 96 keys, the decode kernel takes 32, 64 or 128"});
  expectRefused(dispatchGatedDeltaNetDecode(set, of({40, 8, 1, 1, 1, 1})),
                {"head-dim", "heads of 40 keys, the decode kernel takes 32, 64 or 128"});
  expectRefused(dispatchGatedDeltaNetDecode(set, of({128, 6, 1, 1, 1, 1})),
                {"head-dim", "6 values are not a multiple of 4, the rows of a threadgroup for 128 keys"});
  expectRefused(dispatchGatedDeltaNetByChunks(set, of({32, 64, 1, 1, 1, 1})),
                {"head-dim", "K is 32, the chunk kernels take 64 and 128"});
}

TEST(ChunkArguments, AreRefusedBeforeAnythingRuns) {
  const auto refuse = [](const DeltaChunkShape &s,
                         const std::function<void(ChunkGatedDeltaRuleArguments &)> &spoil,
                         const Refused &expected) {
    ChunkGatedDeltaRuleArguments a = arguments(s, makeDeltaChunkCase(s, 1));
    spoil(a);
    KernelSet set("no kernels here");
    expectRefused(dispatchChunkGatedDeltaRule(set, a), expected);
  };
  const auto nothing = [](ChunkGatedDeltaRuleArguments &) {};
  refuse({1, 80, 1, 1, 64, 64}, nothing, {"chunk-size", "80 tokens are not a multiple of the chunk of 64"});
  refuse({1, 64, 2, 3, 64, 64}, nothing, {"head-count", "3 value heads are not a multiple of 2 key heads"});
  refuse({1, 64, 1, 1, 96, 64}, nothing, {"head-dim", "K is 96, the chunk kernels take 64 and 128"});
  refuse({1, 64, 1, 1, 64, 96}, nothing, {"head-dim", "V is 96, the chunk kernels take multiples of 64"});
  const DeltaChunkShape fine{1, 64, 1, 2, 64, 64};
  refuse(fine, [](auto &a) { a.scale = INFINITY; }, {"scale", "the scale is inf, it must be finite"});
  refuse(fine, [](auto &a) { a.q.type = DataType::Half; },
         {"tensor-type", "q has type half, the kernel takes bfloat"});
  refuse(fine, [](auto &a) { a.logGates.sizes = {1, 64, 1}; },
         {"shape-mismatch", "logGates is [1, 64, 1], the other arguments ask for [1, 64, 2]"});
  refuse(fine, [](auto &a) { a.finalState = {}; },
         {"missing-tensor", "finalState is missing: float [1, 2, 64, 64] is needed"});
  refuse(fine, [](auto &a) { a.o = poisoned<uint16_t>({1, 64, 2, 128}), a.o.sizes[3] = 64; },
         {"stride", "o has stride 128 on axis 2, the kernel reads it without gaps: 64"});
}

TEST(ChunkArguments, OfTheStepsAreCheckedToo) {
  KernelSet set("no kernels here");
  const auto f = [](std::vector<int64_t> sizes) { return poisoned<float>(std::move(sizes)); };
  const auto b = [](std::vector<int64_t> sizes) { return poisoned<uint16_t>(std::move(sizes)); };
  expectRefused(dispatchChunkGateSums(set, f({1, 65, 2}), f({1, 65, 2})),
                {"chunk-size", "65 tokens are not a multiple of the chunk of 64"});
  expectRefused(dispatchChunkKkt(set, b({1, 64, 1, 72}), f({1, 64, 2}), f({1, 64, 2}), f({1, 64, 2, 64})),
                {"head-dim", "K is 72, the kernel takes multiples of 64"});
  expectRefused(dispatchChunkInverse(set, f({1, 64, 2, 32}), f({1, 64, 2, 32})),
                {"shape-mismatch", "A is [1, 64, 2, 32], the other arguments ask for [any, any, any, 64]"});
  expectRefused(dispatchChunkWu(set, {b({1, 64, 1, 64}), b({1, 64, 2, 80}), f({1, 64, 2}), f({1, 64, 2}),
                                      f({1, 64, 2, 64}), b({1, 64, 2, 64}), b({1, 64, 2, 80})}),
                {"head-dim", "V is 80, the kernel takes multiples of 64"});
  expectRefused(dispatchChunkStates(set, {b({1, 64, 1, 136}), b({1, 64, 1, 136}), b({1, 64, 1, 32}),
                                          f({1, 64, 1}), f({1, 1, 32, 136}), b({1, 1, 1, 32, 136}),
                                          b({1, 64, 1, 32}), f({1, 1, 32, 136})}),
                {"head-dim", "K is 136, the kernel takes at most 128"});
  expectRefused(dispatchChunkOutputs(set, {b({1, 64, 1, 64}), b({1, 64, 1, 64}), b({1, 64, 1, 40}),
                                           b({1, 1, 1, 40, 64}), f({1, 64, 1}), b({1, 64, 1, 40})}),
                {"head-dim", "V is 40, the kernel takes multiples of 32"});
  expectRefused(dispatchRepeatTiled(set, b({3, 2, 8}), b({3, 5, 8})),
                {"head-count", "5 value heads are not a multiple of 2 key heads"});
  expectRefused(dispatchL2Norm(set, b({3, 8}), b({3, 8}), -1),
                {"epsilon", "epsilon is -1, it must be a number of at least 0"});
}

} // namespace
} // namespace assay::kernels::delta_net
