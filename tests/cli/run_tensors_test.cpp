// assay run and assay check of kernels that take tensors of the host.
#include "program.h"

namespace assay::cli_test {
namespace {

constexpr const char *kTensors = R"(#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
kernel void transpose(tensor<const device float, dextents<int, 2>> a [[buffer(0)]],
                      tensor<device float, dextents<int, 2>> b [[buffer(1)]],
                      uint2 at [[thread_position_in_grid]]) {
  b[at.y, at.x] = a[at.x, at.y];
}
kernel void fixed(tensor<device int, extents<int, 3, 2>> t [[buffer(4)]],
                  uint i [[thread_position_in_grid]]) {
  t[i, 1] += t[i, 0];
}
struct Args { float gain; tensor<device float, dextents<int, 1>> x; };
kernel void gain(constant Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.x[i] *= a.gain; }
kernel void race(tensor<device int, dextents<int, 1>> t [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  t[0] = i;
}
)";

class Tensors : public Program {
protected:
  Tensors() { write("t.metal", kTensors); }
  static constexpr const char *kTranspose = "run t.metal --kernel transpose --grid 3,2 --threads 3,2 ";
};

} // namespace

TEST_F(Tensors, HaveTheShapeOfTheirSpecInCsOrder) {
  for (const char *way : {"", "--engine fiber", "--engine reference", "--engine both", "--debug"}) {
    const Outcome outcome = assay(std::string(kTranspose) +
                                  "--buffer '0=f32[2,3]:1,2,3,4,5,6' "
                                  "--buffer '1=zeros:f32[3,2]' " +
                                  way);
    EXPECT_EQ(outcome.exitCode, 0) << way << outcome.err;
    EXPECT_THAT(outcome.out, testing::HasSubstr("buffer 1  b float[3,2] digest ")) << way;
    EXPECT_THAT(outcome.out, testing::HasSubstr("\n          1 4 2 5 3 6\n")) << way;
  }
}

TEST_F(Tensors, OfFilesHaveTheShapeOfTheArray) {
  ASSERT_EQ(assay(std::string(kTranspose) + "--buffer '0=f32[2,3]:1,2,3,4,5,6' --buffer '1=zeros:f32[3,2]' "
                                            "--out 1=b.npy")
                .exitCode,
            0);
  const Outcome back = assay("run t.metal --kernel transpose --grid 2,3 --threads 2,3 --buffer 0=b.npy "
                             "--buffer '1=zeros:f32[2,3]'");
  EXPECT_THAT(back.out, testing::HasSubstr("buffer 1  b float[2,3] digest ")) << back.err;
  EXPECT_THAT(back.out, testing::HasSubstr("\n          1 2 3 4 5 6\n"));
}

TEST_F(Tensors, OfAKnownSizeTakePlainValues) {
  const Outcome outcome =
      assay("run t.metal --kernel fixed --grid 3 --threads 3 --buffer 4=i32:1,2,3,10,20,30");
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          1 2 3 11 22 33\n")) << outcome.err;
}

TEST_F(Tensors, InArgumentBuffersAreNamed) {
  const Outcome outcome = assay("run t.metal --kernel gain --grid 3 --threads 3 --buffer 0=f32:2,0,0,0 "
                                "--buffer a.x=f32:1,2,3");
  EXPECT_THAT(outcome.out, testing::HasSubstr("buffer a.x float[3] digest ")) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          2 4 6\n"));
}

TEST_F(Tensors, MistakesAreNamed) {
  const std::string needs = "error: kernel 'transpose' needs a tensor at buffer index 0 "
                            "(tensor<const device float, dextents<int, 2>> a), ";
  const auto said = [&](const char *options) { return complaint(std::string(kTranspose) + options); };
  EXPECT_EQ(said("--buffer 0=f32:1,2,3,4,5,6 --buffer '1=zeros:f32[3,2]'"),
            "2 " + needs + "one of 1 dimensions, (6), is bound [tensor]\n  it has 2\n");
  EXPECT_THAT(said("--buffer '0=zeros:f16[2,3]' --buffer '1=zeros:f32[3,2]'"),
              testing::EndsWith(needs + "one of half is bound [tensor]\n  its elements are float\n"));
  EXPECT_THAT(said("--buffer 0=null --buffer '1=zeros:f32[3,2]'"),
              testing::StartsWith("2 " + needs + "none is bound [missing-binding]\n"));
  EXPECT_EQ(
      said("--buffer '0=zeros:f32[2,0]' --buffer '1=zeros:f32[3,2]'"),
      "2 error: --buffer 0: a tensor with dimensions (0, 2) [tensor-descriptor]\n  each is at least 1\n");
  EXPECT_THAT(complaint("run t.metal --kernel transpose --grid 4,2 --threads 4,2 --buffer "
                        "'0=f32[2,3]:1,2,3,4,5,6' --buffer '1=zeros:f32[3,2]'"),
              testing::AllOf(testing::StartsWith("1 t.metal:7:"),
                             testing::HasSubstr("of buffer(0) 'a', which has 24 bytes [out-of-bounds]")));
}

TEST_F(Tensors, AreCheckedForRaces) {
  const Outcome outcome = assay("run t.metal --kernel race --grid 2 --threads 2 --buffer 0=i32:0,0 --check");
  EXPECT_EQ(outcome.exitCode, 3) << outcome.err;
  EXPECT_THAT(outcome.err + outcome.out,
              testing::HasSubstr("t.metal:16:8: warning: write of t[0] by thread 1"));
}

// Each row of the right operand has 256 elements of four bits: 128 bytes.
TEST_F(Tensors, OfPackedFormatsAreGivenAsBytes) {
  write("p.metal", R"(#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;
kernel void multiply(tensor<device half, dextents<int, 2>> a [[buffer(0)]],
                     tensor<device uint4b_format, dextents<int, 2>> b [[buffer(1)]],
                     tensor<device float, dextents<int, 2>> c [[buffer(2)]]) {
  constexpr auto descriptor = matmul2d_descriptor(16, 16, static_cast<int>(dynamic_extent), false, true);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = a.slice(0, 0);
  auto right = b.slice(0, 0);
  auto product = c.slice(0, 0);
  op.run(left, right, product);
}
)");
  std::string ones = "1";
  for (int i = 1; i < 256; ++i)
    ones += ",1";
  const std::string run =
      "run p.metal --kernel multiply --grid 32 --threads 32 --buffer '0=f16[1,256]:" + ones + "' ";
  const Outcome outcome = assay(run + "--buffer '1=poison:u8[2,128]' --buffer '2=zeros:f32[1,2]'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          1920 1920\n")) << "128 times 5 and 10";
  const Outcome rows = assay(run + "--buffer '1=poison:u8[2,64]' --buffer '2=zeros:f32[1,2]'");
  EXPECT_EQ(rows.exitCode, 2);
  EXPECT_THAT(rows.err, testing::HasSubstr("takes 192 bytes from offset 0 on, the buffer has 128"))
      << "rows begin at multiples of 128 bytes";
}

TEST_F(Tensors, AreListedByCheck) {
  const Outcome outcome = assay("check t.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("tensor 0 +a +tensor<const device float, dextents<int, 2>> +read\n"));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("tensor 4 +t +tensor<device int, extents<int, 3, 2>> +read-write\n"));
  const auto json = nlohmann::json::parse(assay("check t.metal --json").out);
  EXPECT_EQ(json.at("entryPoints").at(1).at("arguments").at(0),
            nlohmann::json::parse(
                R"({"name":"t","kind":"tensor","type":"tensor<device int, extents<int, 3, 2>>",)"
                R"("index":4,"element":"int","scales":false,"space":"device","access":"read-write",)"
                R"("indexType":"int","rank":2,"extents":[3,2],"condition":null})"));
  EXPECT_EQ(json.at("entryPoints").at(0).at("arguments").at(1).at("extents"),
            nlohmann::json::parse("[null,null]"));
  const auto &member = json.at("entryPoints").at(2).at("arguments").at(0).at("members").at(1);
  EXPECT_EQ(member.at("tensor").at("rank"), 1);
  EXPECT_EQ(member.at("access"), "read-write");
}

TEST_F(Tensors, AreComparedByDiffAndVerify) {
  write("u.metal", std::string(kTensors).replace(std::string(kTensors).find("= a[at.x"), 2, "= 2 *"));
  const std::string buffers =
      " --kernel transpose --grid 3,2 --threads 3,2 --buffer '0=f32[2,3]:0,2,0,4,5,6' "
      "--buffer '1=zeros:f32[3,2]'";
  const Outcome outcome = assay("diff t.metal u.metal" + buffers);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("b f32[3,2]: 6 elements, 2 with equal bits, 4 different"));
  EXPECT_EQ(assay("verify t.metal" + buffers).exitCode, 0);
}

} // namespace assay::cli_test
