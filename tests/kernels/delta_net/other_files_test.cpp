// Files of the same names that others wrote, through these dispatchers: the original of the recurrence, and
// mlx-native's kernels where a checkout is given. Where both compute in one order, the bits are equal.
#include "tensors.h"

#include "kernels_msl/recurrence/chunk_steps.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/within.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace assay::kernels::delta_net {
namespace {

namespace fs = std::filesystem;

/// A folder in which `recurrence` holds another's kernels.
class OtherKernels {
public:
  explicit OtherKernels(const fs::path &kernels)
      : folder_(fs::path(::testing::TempDir()) /
                fmt::format("assay-{}-{}", getpid(),
                            ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "recurrence");
    for (const auto &file : fs::directory_iterator(fs::absolute(kernels)))
      if (file.path().extension() == ".metal")
        fs::create_symlink(file.path(), folder_ / "recurrence" / file.path().filename());
  }
  ~OtherKernels() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  KernelSet set(const NumericsProfile &numerics = kAppleNumerics) const {
    PipelineOptions options;
    options.numerics = numerics;
    return KernelSet(folder_, options);
  }
  /// A copy of the file instead, with a barrier before the loop around `statement`.
  void insertBarrier(const std::string &file, const std::string &statement) {
    const fs::path path = folder_ / "recurrence" / file;
    std::string text(std::istreambuf_iterator<char>(std::ifstream(path).rdbuf()), {});
    const size_t loop = text.rfind("for (", text.find(statement));
    ASSERT_NE(loop, std::string::npos) << file << " has no loop around " << statement;
    text.insert(loop, "threadgroup_barrier(mem_flags::mem_threadgroup); ");
    fs::remove(path);
    std::ofstream(path) << text;
  }

private:
  fs::path folder_;
};

fs::path nativeShaders() {
  const char *folder = std::getenv("ASSAY_MLX_NATIVE_DIR");
  return folder && *folder ? fs::path(folder) / "src/shaders" : fs::path();
}

#define ASSAY_NEEDS_MLX_NATIVE()                                                                             \
  if (nativeShaders().empty())                                                                               \
  GTEST_SKIP() << "set ASSAY_MLX_NATIVE_DIR to a checkout of mlx-native to run its kernels"

using Dispatcher = Result<GatedDeltaNetReport> (*)(KernelSet &, const GatedDeltaNetArguments &);

void expectSameBits(Dispatcher dispatch, const OtherKernels &others, const DeltaNetShape &s, uint64_t seed) {
  for (const NumericsProfile &numerics : {kAppleNumerics, kIeeeNumerics}) {
    const DeltaNetInputs in = makeDeltaNetCase(s, seed);
    GatedDeltaNetArguments a = arguments(s, in);
    KernelSet own = ownKernels(numerics), theirs = others.set(numerics);
    ASSERT_TRUE(ran(dispatch(own, a)));
    const std::vector<float> output = values<float>(a.output), state = values<float>(a.stateOut);
    a.output.buffer.poison();
    a.stateOut.buffer.poison();
    ASSERT_TRUE(ran(dispatch(theirs, a)));
    EXPECT_TRUE(bitsEqual(output, values<float>(a.output)));
    EXPECT_TRUE(bitsEqual(state, values<float>(a.stateOut)));
  }
}

TEST(OtherFiles, OriginalOfTheRecurrenceHasTheSameBits) {
  ASSAY_NEEDS_ORIGINAL("gated_delta_net.metal");
  const OtherKernels originals(sharedFolder() / "originals");
  expectSameBits(dispatchGatedDeltaNet, originals, {24, 40, 2, 6, 9, 2}, 101);
  expectSameBits(dispatchGatedDeltaNet, originals, {128, 22, 1, 2, 5, 1}, 102);
  expectSameBits(dispatchGatedDeltaNet, originals, {128, 128, 2, 4, 3, 1}, 103);
}

TEST(OtherFiles, RecurrenceAndDecodingOfMlxNativeHaveTheSameBits) {
  ASSAY_NEEDS_MLX_NATIVE();
  const OtherKernels native(nativeShaders());
  expectSameBits(dispatchGatedDeltaNet, native, {32, 40, 2, 6, 9, 2}, 104);
  expectSameBits(dispatchGatedDeltaNetDecode, native, {32, 5, 2, 6, 1, 2}, 105);
  expectSameBits(dispatchGatedDeltaNetDecode, native, {64, 6, 2, 6, 3, 2}, 106);
  expectSameBits(dispatchGatedDeltaNetDecode, native, {128, 16, 1, 2, 3, 1}, 107);
}

// mlx-native b30e508, gated_delta_net_chunk.metal: a simdgroup scales its share of `bh`, which is cells of
// all rows, as soon as it has itself read the whole of it; nothing makes it wait for the other three, which
// may still be reading. Run one simdgroup after the other, as may happen, and three quarters of a chunk's
// writes see a state that has decayed too early. With a barrier there, the file has the bits of ours;
// that is the file tested below.
constexpr const char *kRacingFile = "gated_delta_net_chunk.metal", *kRacingWrite = "bh[flat] *=";

// Theirs take K = 128 alone.
TEST(OtherFiles, ChunkPipelineOfMlxNativeHasTheSameBits) {
  ASSAY_NEEDS_MLX_NATIVE();
  OtherKernels native(nativeShaders());
  native.insertBarrier(kRacingFile, kRacingWrite);
  const DeltaChunkShape s{1, 128, 1, 2, 128, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 108);
  for (const NumericsProfile &numerics : {kAppleNumerics, kIeeeNumerics}) {
    ChunkGatedDeltaRuleArguments a = arguments(s, in), b = arguments(s, in);
    a.scale = b.scale = 0.0883883f;
    a.normalise = b.normalise = true;
    KernelSet own = ownKernels(numerics), theirs = native.set(numerics);
    const auto ours = dispatchChunkGatedDeltaRule(own, a), other = dispatchChunkGatedDeltaRule(theirs, b);
    ASSERT_TRUE(ran(ours));
    ASSERT_TRUE(ran(other));
    EXPECT_TRUE(bitsEqual(values<uint16_t>(ours->q), values<uint16_t>(other->q))) << "q";
    EXPECT_TRUE(bitsEqual(values<float>(ours->sums), values<float>(other->sums))) << "sums";
    EXPECT_TRUE(bitsEqual(values<float>(ours->a), values<float>(other->a))) << "A";
    EXPECT_TRUE(bitsEqual(values<float>(ours->inverse), values<float>(other->inverse))) << "inverse";
    EXPECT_TRUE(bitsEqual(values<uint16_t>(ours->w), values<uint16_t>(other->w))) << "w";
    EXPECT_TRUE(bitsEqual(values<uint16_t>(ours->u), values<uint16_t>(other->u))) << "u";
    EXPECT_TRUE(bitsEqual(values<uint16_t>(ours->h), values<uint16_t>(other->h))) << "h";
    EXPECT_TRUE(bitsEqual(values<uint16_t>(ours->writes), values<uint16_t>(other->writes))) << "writes";
    EXPECT_TRUE(bitsEqual(values<float>(a.finalState), values<float>(b.finalState))) << "final state";
    EXPECT_TRUE(bitsEqual(values<uint16_t>(a.o), values<uint16_t>(b.o))) << "o";
  }
}

// Theirs against the reference, without ours between.
TEST(OtherFiles, ChunkPipelineOfMlxNativeIsTheRecurrence) {
  ASSAY_NEEDS_MLX_NATIVE();
  OtherKernels native(nativeShaders());
  native.insertBarrier(kRacingFile, kRacingWrite);
  const DeltaChunkShape s{1, 128, 1, 2, 128, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 109);
  ChunkGatedDeltaRuleArguments a = arguments(s, in);
  KernelSet set = native.set();
  ASSERT_TRUE(ran(dispatchChunkGatedDeltaRule(set, a)));
  const auto reference = deltaChunkPipeline(s, in, 1);
  EXPECT_TRUE(within(values<uint16_t>(a.o), reference.o));
  EXPECT_TRUE(within(values<float>(a.finalState), reference.last));
}

TEST(OtherFiles, RepeatOfMlxNativeHasTheSameBits) {
  ASSAY_NEEDS_MLX_NATIVE();
  const OtherKernels native(nativeShaders());
  const std::vector<float> in = uniformFloats(3 * 2 * 40, 110);
  KernelSet set = native.set();
  const TensorView out = poisoned<float>({3, 6, 40});
  ASSERT_TRUE(ran(dispatchRepeatTiled(set, tensor(in, {3, 2, 40}), out)));
  EXPECT_TRUE(bitsEqual(repeatTiled(in, 2, 6, 40), values<float>(out)));
}

} // namespace
} // namespace assay::kernels::delta_net
