// A set of kernels compiles once, keeps what differs apart, and hands errors on.
#include "kernels_msl/dispatch/kernel_set.h"

#include "tests/support/kernel_files.h"

#include <gmock/gmock.h>

namespace assay::kernels {
namespace {

using ::testing::HasSubstr;
using testing_support::ownKernelFolder;

TEST(KernelSet, RunsAKernelOfItsFolder) {
  KernelSet set(ownKernelFolder());
  const auto pipeline = set.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
  const float a = 2, x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
  const uint32_t count = 3;
  Buffer in = set.device().newBuffer(x, sizeof x), out = set.device().newBuffer(y, sizeof y);
  ComputeCommandEncoder encoder = set.encoder(*pipeline);
  encoder.setBytes(&a, sizeof a, 0);
  encoder.setBytes(&count, sizeof count, 1);
  encoder.setBuffer(in, 0, 2);
  encoder.setBuffer(out, 0, 3);
  ASSERT_TRUE(encoder.dispatchThreads({3}, {32}));
  EXPECT_THAT(out.as<float>(), ::testing::ElementsAre(12, 24, 36));
}

TEST(KernelSet, KeepsOnePipelineForEachChoiceOfConstants) {
  KernelSet set(ownKernelFolder());
  const auto with = [](bool masked) {
    FunctionConstantValues constants;
    const bool no = false;
    for (const uint32_t index : {200, 201, 301})
      constants.setConstantValue(&no, DataType::Bool, index);
    constants.setConstantValue(&masked, DataType::Bool, 300);
    return constants;
  };
  const auto arguments = [&](bool masked) {
    const auto pipeline =
        set.pipeline("training/flash_attn_train_bwd.metal", "flash_attn_train_bwd_bf16_d64", with(masked));
    return pipeline ? pipeline->activeArguments().size() : 0;
  };
  const size_t plain = arguments(false);
  ASSERT_GT(plain, 0u);
  EXPECT_EQ(arguments(true), plain + 2); // a mask and its strides
  EXPECT_EQ(arguments(false), plain);
}

TEST(KernelSet, SaysWhichKernelIsMissing) {
  KernelSet set(ownKernelFolder());
  const auto pipeline = set.pipeline("basics/saxpy.metal", "saxpi");
  ASSERT_FALSE(pipeline);
  EXPECT_THAT(renderDiagnostics(pipeline.error().diagnostics), HasSubstr("saxpi"));
  EXPECT_FALSE(set.pipeline("basics/nothing.metal", "saxpy"));
}

} // namespace
} // namespace assay::kernels
