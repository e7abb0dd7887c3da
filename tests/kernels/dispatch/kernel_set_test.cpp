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

/// A kernel of generated text in the place of the file's.
TEST(KernelSet, AsksForGeneratedTextFirst) {
  KernelSet set(ownKernelFolder());
  std::vector<std::string> asked;
  set.generateFrom([&](std::string_view file, std::string_view kernel) -> Result<std::optional<std::string>> {
    asked.push_back(std::string(file) + " " + std::string(kernel));
    if (kernel != "saxpy")
      return std::optional<std::string>();
    return std::optional<std::string>("kernel void saxpy(device float *y [[buffer(0)]]) { y[0] = 7; }");
  });
  const auto generated = set.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_TRUE(generated) << renderDiagnostics(generated.error().diagnostics);
  EXPECT_EQ(generated->activeArguments().size(), 1u);
  Buffer y = set.device().newBuffer(4);
  ComputeCommandEncoder encoder = set.encoder(*generated);
  encoder.setBuffer(y, 0, 0);
  ASSERT_TRUE(encoder.dispatchThreads({1}, {1}));
  EXPECT_EQ(y.as<float>()[0], 7);
  const auto read = set.pipeline("reduce/sum.metal", "sum_f32");
  ASSERT_TRUE(read) << renderDiagnostics(read.error().diagnostics);
  EXPECT_GT(read->activeArguments().size(), 1u);
  ASSERT_TRUE(set.pipeline("basics/saxpy.metal", "saxpy")); // is kept
  EXPECT_THAT(asked, ::testing::ElementsAre("basics/saxpy.metal saxpy", "reduce/sum.metal sum_f32"));
}

// Before generated text and the file's, and instead of a pipeline that was made of either.
TEST(KernelSet, TakesRegisteredTextBeforeAnyOther) {
  KernelSet set(ownKernelFolder());
  set.generateFrom([](std::string_view, std::string_view) -> Result<std::optional<std::string>> {
    return std::optional<std::string>("kernel void saxpy(device float *y, device float *x) { y[0] = x[0]; }");
  });
  const auto generated = set.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_TRUE(generated) << renderDiagnostics(generated.error().diagnostics);
  EXPECT_EQ(generated->activeArguments().size(), 2u);
  set.registerSource("saxpy", "kernel void saxpy(device float *y [[buffer(0)]]) { y[0] = 9; }");
  for (const char *file : {"basics/saxpy.metal", "no/such.metal"}) {
    const auto registered = set.pipeline(file, "saxpy");
    ASSERT_TRUE(registered) << renderDiagnostics(registered.error().diagnostics);
    Buffer y = set.device().newBuffer(4);
    ComputeCommandEncoder encoder = set.encoder(*registered);
    encoder.setBuffer(y, 0, 0);
    ASSERT_TRUE(encoder.dispatchThreads({1}, {1}));
    EXPECT_EQ(y.as<float>()[0], 9);
  }
  set.registerSource("saxpy", "kernel void saxpy(device float *y) { y[0] = ; }");
  const auto wrong = set.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().diagnostics.front().where.file, "saxpy.metal");
}

TEST(KernelSet, HandsErrorsOfAGeneratorOnAndNamesItsText) {
  KernelSet failing(ownKernelFolder()), wrong(ownKernelFolder());
  failing.generateFrom([](std::string_view, std::string_view) -> Result<std::optional<std::string>> {
    return Error::usage(Rule::own("no-text"), "there is no text");
  });
  const auto none = failing.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().rule(), "no-text");
  wrong.generateFrom([](std::string_view, std::string_view) -> Result<std::optional<std::string>> {
    return std::optional<std::string>("kernel void saxpy(device float *y [[buffer(0)]]) { y[0] = x; }");
  });
  const auto broken = wrong.pipeline("basics/saxpy.metal", "saxpy");
  ASSERT_FALSE(broken);
  EXPECT_THAT(renderDiagnostics(broken.error().diagnostics), HasSubstr("saxpy.metal:1:"));
}

} // namespace
} // namespace assay::kernels
