// assay verify: what a result depends on. The kernels are such that the dependence follows from their text.
#include "program.h"

#include <nlohmann/json.hpp>

namespace assay::cli_test {
namespace {

class Verify : public Program {
protected:
  // `body` stores to `device uint *out`; `in` are four times 64 random floats.
  Outcome verify(const std::string &body, const std::string &options = "", uint32_t groups = 4) {
    write("k.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "kernel void k(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],\n"
          "              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],\n"
          "              uint g [[threadgroup_position_in_grid]]) {\n  " +
              body + "\n}\n");
    return assay("verify k.metal --kernel k --threads 64 --threadgroups " + std::to_string(groups) +
                 " --buffer 0=zeros:u32[256] --buffer 1=rand:f32[256] " + options);
  }
};

} // namespace

TEST_F(Verify, AKernelOfIntegersDependsOnNothing) {
  const Outcome outcome = verify("out[i] = i * 3;");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, testing::HasSubstr("schedules same bits in 65 orders of threadgroups\n"
                                              "engines   same bits on fiber and reference\n"
                                              "lockstep  same bits with and without it\n"
                                              "numerics  same bits whatever flush_f32, "));
  EXPECT_THAT(outcome.out, testing::EndsWith("check     no findings\n"
                                             "verdict   no findings, and the same bits in every way\n"));
}

// The last threadgroup to store decides; each stores another number.
TEST_F(Verify, TheOrderOfThreadgroups) {
  const Outcome outcome = verify("out[t] = g;", "--schedules 8 --junit verdict.xml");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("schedules different bits in [1-9] of 9 orders of threadgroups"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("[0]\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("depends on the order of threadgroups\n"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("[race-grid]"));
  const std::string xml = read("verdict.xml");
  EXPECT_THAT(
      xml, testing::ContainsRegex("name=\"schedules\">\n *<failure message=\"different bits in [1-9] of 9"));
  EXPECT_THAT(xml, testing::ContainsRegex("name=\"race-grid\">\n *<failure"));
  EXPECT_THAT(xml, testing::HasSubstr("name=\"lockstep\"/>"));
}

// A lane reads what its neighbour stores next: right only if all lanes store before one reads.
TEST_F(Verify, TheLockstepOfLanes) {
  const Outcome outcome = verify("threadgroup uint s[64]; s[t] = i; out[i] = s[t ^ 1];", "--schedules 1", 1);
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("lockstep  the result depends on it: lanes of a simdgroup race"));
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("depends on the order")));
  EXPECT_THAT(outcome.err, testing::HasSubstr("[race-lanes]"));
}

// A sum of floats by another order, and the sign of a subnormal: 2^-140 is not zero unless it is flushed.
TEST_F(Verify, FieldsOfTheProfileByName) {
  Outcome outcome = verify("out[i] = as_type<uint>(simd_prefix_inclusive_sum(in[i]));", "--schedules 2");
  EXPECT_EQ(outcome.exitCode, 0) << "numerics are reported only";
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("simd_prefix=sequential: buffer 0 out: [0-9]+ of 256 values"));
  EXPECT_THAT(outcome.out, testing::EndsWith("the result depends on simd_prefix (assumed)\n"));
  outcome = verify("out[i] = as_type<uint>(ldexp(1.0f, -140) * (2.0f + in[i]));", "--schedules 2 --json");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["dependsOn"]["numerics"], nlohmann::json::parse(R"(["flush_f32"])"));
  EXPECT_EQ(json["stable"], true);
  EXPECT_EQ(json["dependsOn"]["schedule"], false);
}

TEST_F(Verify, AFaultEndsIt) {
  const Outcome outcome = verify("out[i + 1] = 1;", "--junit verdict.xml");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, testing::HasSubstr("k.metal:6:"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("[out-of-bounds]"));
  EXPECT_THAT(read("verdict.xml"), testing::HasSubstr("type=\"out-of-bounds\">k.metal:6:"));
}

TEST_F(Verify, AcceptedFindingsAreGivenWithoutRules) {
  write("accepted.txt", "race-grid k.metal  all store one value\n");
  Outcome outcome = verify("out[t] = 1;", "--schedules 2 --suppress accepted.txt");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("verdict   no findings"));
  outcome = verify("out[t] = 1;", "--schedules 2");
  EXPECT_EQ(outcome.exitCode, 3) << "nothing was accepted";
  outcome = verify("out[t] = 1;", "--schedules 2 --suppress missing.txt");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.out, "") << "mistakes of the command line come first";
}

TEST_F(Verify, WritesNoFiles) {
  EXPECT_EQ(verify("out[i] = 1;", "--texture-out 0=x.npy").exitCode, 2);
  EXPECT_EQ(verify("out[i] = 1;", "--out 0=x.npy").exitCode, 2);
}

} // namespace assay::cli_test
