// assay numerics, and the options that choose a profile and a math mode.
#include "program.h"

#include "support/abi/numerics.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace assay::cli_test {

class Numerics : public Program {};

// Columns are as wide as the longest name: one space for any number.
std::string narrow(const std::string &text) {
  return std::regex_replace(text, std::regex(" +"), " ");
}

TEST_F(Numerics, PrintsEveryFieldWithItsValueAndHowItIsKnown) {
  const Outcome outcome = assay("numerics");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(
      narrow(outcome.out),
      testing::StartsWith(
          "numerics apple\n flush_f32 on measured M4 Max, all math modes (TI 1-4, 11, 20); M1 (AG)\n"));
  EXPECT_THAT(narrow(outcome.out), testing::HasSubstr("\n simd_prefix doubling assumed nothing published\n"));
  EXPECT_THAT(narrow(assay("numerics ieee").out), testing::HasSubstr("\n contract off specified IEEE 754\n"));
}

TEST_F(Numerics, SaysWhatWasSwitchedAndWhatItWasBefore) {
  const Outcome outcome = assay("numerics apple,simd_product=pairwise");
  EXPECT_THAT(outcome.out, testing::StartsWith("numerics apple,simd_product=pairwise\n"));
  EXPECT_THAT(
      narrow(outcome.out),
      testing::HasSubstr("\n simd_product pairwise chosen apple has butterfly: assumed, as simd_sum\n"));
}

TEST_F(Numerics, JsonHasEveryFieldOfTheTable) {
  const auto json = nlohmann::json::parse(assay("numerics apple,nan=propagate --json").out);
  EXPECT_EQ(json["numerics"], "apple,nan=propagate");
  ASSERT_EQ(json["fields"].size(), numericsFields().size());
  for (size_t i = 0; i < numericsFields().size(); ++i) {
    const NumericsField &field = numericsFields()[i];
    EXPECT_EQ(json["fields"][i]["field"], std::string(field.name));
    EXPECT_EQ(json["fields"][i]["status"],
              field.name == "nan" ? "chosen" : std::string(nameOf(field.apple.status)));
    EXPECT_EQ(json["fields"][i]["values"].size(), field.values.size());
  }
}

TEST_F(Numerics, AWrongProfileIsAUsageError) {
  const Outcome outcome = assay("numerics apple,flush=on");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err,
              testing::StartsWith("error: numerics 'apple,flush=on': no field 'flush' [bad-numerics]\n"));
}

constexpr const char *kRoot = "#include <metal_stdlib>\nusing namespace metal;\n"
                              "kernel void k(device float *x [[buffer(0)]]) { x[0] = tanh(x[0]); }\n";

// Metal's fast tanh overflows at 50: (inf - 1) / (inf + 1).
TEST_F(Numerics, TheMathModeIsAnOptionOfItsOwnAndAppleSpellingsAreTaken) {
  write("tanh.metal", kRoot);
  const std::string run = "run tanh.metal --kernel k --grid 1 --threads 1 --buffer 0=f32:50 ";
  const auto result = [&](const std::string &options) {
    const Outcome outcome = assay(run + options);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    return outcome.out.substr(outcome.out.rfind(' ') + 1);
  };
  EXPECT_EQ(result(""), "nan\n");
  EXPECT_EQ(result("--math-mode relaxed"), "nan\n");
  for (const char *safe : {"--math-mode safe", "-fno-fast-math", "-fmetal-math-mode=safe", "--numerics ieee",
                           "--numerics apple,fast_functions=rounded"})
    EXPECT_EQ(result(safe), "1\n") << safe;
  EXPECT_EQ(result("--numerics ieee,fast_functions=recipes -ffast-math"), "nan\n");
  EXPECT_EQ(result("-ftexture-write-rounding-mode=rte"), "nan\n");
  EXPECT_EQ(result("-ftexture-write-rounding-mode=native"), "nan\n");
  const Outcome rtz = assay(run + "-ftexture-write-rounding-mode=rtz");
  EXPECT_EQ(rtz.exitCode, 2);
  EXPECT_THAT(rtz.err, testing::HasSubstr("writes to textures do not round towards zero here"));
}

TEST_F(Numerics, ARunReportsItsProfileAndItsMode) {
  write("tanh.metal", kRoot);
  const std::string run = "run tanh.metal --kernel k --grid 1 --threads 1 --buffer 0=f32:1 "
                          "--numerics apple,simd_sum=pairwise,flush_f32=on -fno-fast-math";
  EXPECT_THAT(assay(run).out, testing::HasSubstr("\nnumerics  apple,simd_sum=pairwise, math mode safe\n"));
  const auto json = nlohmann::json::parse(assay(run + " --json").out);
  EXPECT_EQ(json["numerics"], "apple,simd_sum=pairwise");
  EXPECT_EQ(json["mathMode"], "safe");
}

} // namespace assay::cli_test
