// assay run and assay check of kernels with [[stage_in]].
#include "program.h"

#include <nlohmann/json.hpp>

namespace assay::cli_test {
namespace {

constexpr const char *kMesh = R"(#include <metal_stdlib>
using namespace metal;
struct Vertex {
  float3 position [[attribute(0)]];
  half4 colour [[attribute(1)]];
};
kernel void bake(Vertex in [[stage_in]], device float4 *out [[buffer(0)]],
                 uint i [[thread_position_in_grid]]) {
  out[i] = float4(in.position, 1) * float4(in.colour);
}
)";

class RunStageInput : public Program {
protected:
  RunStageInput() { write("mesh.metal", kMesh); }
};

} // namespace

TEST_F(RunStageInput, AKernelRunsOnEveryEngine) {
  for (const char *way :
       {"", "--engine fiber", "--engine reference", "--engine both", "--debug", "--check"}) {
    const Outcome outcome =
        assay(std::string("run mesh.metal --kernel bake --grid 3 --threads 3 --buffer 0=poison:f32[12] "
                          "--buffer 1=f32:1,2,3,4,5,6 --buffer 2=u8:255,0,51,255 --buffer 3=u16:1,0,1 "
                          "--attribute 0=float3:1 --layout 1=12,x-indexed --index-buffer 3=u16 "
                          "--attribute 1=uchar4normalized:2 --layout 2=4,y ") +
              way);
    EXPECT_EQ(outcome.exitCode, 0) << way << outcome.err;
    // 51/255 as a half is 0.199951171875.
    EXPECT_THAT(outcome.out, testing::HasSubstr("\n          4 0 1.199707 1 1 0 0.5998535 1 ...\n"))
        << way << outcome.out;
  }
}

TEST_F(RunStageInput, ARegionIsOfTheDispatch) {
  const Outcome outcome = assay("run mesh.metal --kernel bake --grid 2 --threads 2 --buffer 0=poison:f32[8] "
                                "--buffer 1=f32:1,2,3,4,5,6 --buffer 2=f32:1,1,1,1 --attribute 0=float3:1 "
                                "--attribute 1=float4:2 --layout 2=0,constant --stage-in-region 1:1");
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          4 5 6 1 0 0 0 1\n")) << outcome.err;
}

TEST_F(RunStageInput, CheckListsAttributesAndCompilesTheKernel) {
  const Outcome outcome = assay("check mesh.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("  attribute 0  in.position  float3\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("  attribute 1  in.colour    half4\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("1 entry points, 1 compiled"));
  const nlohmann::json kernel = nlohmann::json::parse(assay("check mesh.metal --json").out)["entryPoints"][0];
  EXPECT_EQ(kernel["arguments"][1],
            nlohmann::json::parse(R"({"name": "in.colour", "kind": "attribute", "type": "half4",
    "index": 1, "element": "half", "components": 4, "condition": null})"));
}

TEST_F(RunStageInput, ARunWithoutADescriptorSaysWhatToDo) {
  EXPECT_EQ(complaint("run mesh.metal --kernel bake --grid 2 --threads 2 --buffer 0=poison:f32[8]"),
            "2 error: kernel 'bake' takes [[stage_in]] (attribute 0 'in.position'), and the pipeline has no "
            "descriptor of it [stage-input]\n"
            "  MTLComputePipelineDescriptor.stageInputDescriptor, PipelineOptions::stageInput or --attribute "
            "say where attributes come from\n");
  EXPECT_EQ(
      complaint("run mesh.metal --kernel bake --grid 2 --threads 2 --buffer 0=poison:f32[8] "
                "--buffer 1=f32:1,2,3 --buffer 2=f32:1,1,1,1 --attribute 0=float3:1 "
                "--attribute 1=float4:2 --layout 2=0,constant"),
      "1 mesh.metal:7:13: error: [[stage_in]] of kernel 'bake': read of 12 bytes at byte 12 of buffer(1), "
      "which has 12 bytes: attribute 0 'in.position' of threads whose x in the grid is 1 "
      "[out-of-bounds]\n  setStageInRegion says which threads have [[stage_in]] data\n");
}

} // namespace assay::cli_test
