// --attribute, --layout, --index-buffer and --stage-in-region: what they say.
#include "cli/stage_spec.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

Result<std::optional<StageInputDescriptor>> parse(std::vector<std::string> attributes,
                                                  std::vector<std::string> layouts = {},
                                                  std::string indexBuffer = {}) {
  StageInputArguments arguments;
  arguments.attributes = std::move(attributes);
  arguments.layouts = std::move(layouts);
  arguments.indexBuffer = std::move(indexBuffer);
  return parseStageInput(arguments);
}

std::string refusal(const Result<std::optional<StageInputDescriptor>> &result) {
  return result ? "accepted" : renderDiagnostics(result.error().diagnostics);
}

} // namespace

TEST(StageSpec, ElementsWithoutALayoutLieNextToEachOther) {
  const auto input = parse({"0=float3:2", "1=UChar4Normalized:2+12", "3=half:4+2"});
  ASSERT_TRUE(input && *input) << refusal(input);
  const StageInputDescriptor &d = **input;
  EXPECT_EQ(d.attributes.at(1).format, AttributeFormat::UChar4Normalized);
  EXPECT_EQ(d.attributes.at(1).offset, 12u);
  EXPECT_EQ(d.attributes.at(1).bufferIndex, 2u);
  EXPECT_EQ(d.layouts.at(2).stride, 16u);
  EXPECT_EQ(d.layouts.at(2).stepFunction, StepFunction::ThreadPositionInGridX);
  EXPECT_EQ(d.layouts.at(4).stride, 4u);
}

TEST(StageSpec, LayoutsHaveAStrideAStepAndARate) {
  const auto input = parse({"0=uint:0", "1=uint:1", "2=uint:2", "3=uint:3"},
                           {"0=20,y", "1=8,rate=3,x-indexed", "2=0,constant"}, "7=u32");
  ASSERT_TRUE(input && *input) << refusal(input);
  const StageInputDescriptor &d = **input;
  EXPECT_EQ(d.layouts.at(0).stride, 20u);
  EXPECT_EQ(d.layouts.at(0).stepFunction, StepFunction::ThreadPositionInGridY);
  EXPECT_EQ(d.layouts.at(0).stepRate, 1u);
  EXPECT_EQ(d.layouts.at(1).stepFunction, StepFunction::ThreadPositionInGridXIndexed);
  EXPECT_EQ(d.layouts.at(1).stepRate, 3u);
  EXPECT_EQ(d.layouts.at(2).stepFunction, StepFunction::Constant);
  EXPECT_EQ(d.indexBufferIndex, 7u);
  EXPECT_EQ(d.indexType, IndexType::UInt32);
  EXPECT_FALSE(*parse({}));
}

TEST(StageSpec, EveryMistakeHasItsMessage) {
  const struct {
    std::vector<std::string> attributes, layouts;
    std::string indexBuffer, message;
  } rows[] = {
      {{"float3:2"}, {}, "", "--attribute float3:2: it should be INDEX=FORMAT:BUFFER[+OFFSET]"},
      {{"31=float3:2"},
       {},
       "",
       "--attribute 31=float3:2: index 31 is more than the largest, 30 [buffer-index]"},
      {{"0=float3"}, {}, "", "--attribute 0=float3: it should be INDEX=FORMAT:BUFFER[+OFFSET]"},
      {{"0=flot3:1"},
       {},
       "",
       "--attribute 0=flot3:1: there is no format 'flot3' [bad-option]\n  did you mean float3?"},
      {{"0=float3:x"}, {}, "", "it should be INDEX=FORMAT:BUFFER[+OFFSET]"},
      {{"0=float3:1+"}, {}, "", "it should be INDEX=FORMAT:BUFFER[+OFFSET]"},
      {{"0=float3:31"}, {}, "", "index 31 is more than the largest, 30 [buffer-index]"},
      {{"0=float3:1", "0=float:2"}, {}, "", "--attribute 0=float:2: attribute 0 is given twice"},
      {{"0=float3:1"}, {"1=many"}, "", "--layout 1=many: 'many' is not a number of bytes"},
      {{"0=float3:1"}, {"1="}, "", "--layout 1=: '' is not a number of bytes"},
      {{"0=float3:1"}, {"1=12,z"}, "", "--layout 1=12,z: 'z' says nothing about a layout"},
      {{"0=float3:1"}, {"1=12,rate=0"}, "", "'rate=0' says nothing about a layout"},
      {{"0=float3:1"}, {"2=12"}, "", "--layout 2=12: no --attribute is in buffer 2"},
      {{"0=float3:1"}, {"1=12", "1=8"}, "", "--layout 1=8: the layout of buffer 1 is given twice"},
      {{}, {"1=12"}, "", "--layout is about attributes, and there is no --attribute"},
      {{}, {}, "1=u16", "--index-buffer is about attributes, and there is no --attribute"},
      {{"0=float3:1"}, {}, "1=i32", "--index-buffer 1=i32: indices are u16 or u32, not 'i32'"},
      {{"0=float3:1"}, {}, "u16", "--index-buffer u16: it should be INDEX=u16 or INDEX=u32"},
  };
  for (const auto &[attributes, layouts, indexBuffer, message] : rows)
    EXPECT_THAT(refusal(parse(attributes, layouts, indexBuffer)), testing::HasSubstr(message));
}

TEST(StageSpec, ARegionHasAPlaceAndASize) {
  const auto region = parseStageInRegion("5,4294967295:10");
  ASSERT_TRUE(region);
  EXPECT_THAT(region->origin, testing::ElementsAre(5, 4294967295u, 0));
  EXPECT_THAT(region->size, testing::ElementsAre(10, 1, 1));
  for (const char *wrong : {"", "5", ":1", "1:", "1,:2", "1,2,3,4:5", "-1:4", "4294967296:1", "1:4294967296",
                            "1:2:3", "1: 2", "1,2,:3"})
    EXPECT_FALSE(parseStageInRegion(wrong)) << wrong;
}

} // namespace assay::cli
