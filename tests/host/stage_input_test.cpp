// Kernels with [[stage_in]]: what each thread gets, on every engine, and what is refused. Expected values are
// computed here from the buffers by the rules of host/stage_input.h.
#include "every_way.h"
#include "host/assay.h"
#include "shared_shims.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace assay {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_support;

constexpr const char *kStageSource = R"(#include <metal_stdlib>
using namespace metal;

struct Vertex {
  float3 position [[attribute(0)]];
  float scale [[attribute(4)]];
  uint2 id [[attribute(2)]];
  short4 small [[attribute(9)]];
};
kernel void all(Vertex in [[stage_in]], device float *out [[buffer(0)]],
                uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  device float *to = out + 10 * (at.y * size.x + at.x);
  for (int i = 0; i < 3; ++i)
    to[i] = in.position[i];
  to[3] = in.scale;
  to[4] = in.id.x;
  to[5] = in.id.y;
  for (int i = 0; i < 4; ++i)
    to[6 + i] = in.small[i];
}

struct Value { float4 v [[attribute(0)]]; };
kernel void value(Value in [[stage_in]], device float4 *out [[buffer(0)]],
                  uint at [[thread_position_in_grid]]) {
  out[at] = in.v;
}
struct Index { uint v [[attribute(1)]]; };
kernel void element(Index in [[stage_in]], device uint *out [[buffer(0)]],
                    uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  out[at.y * size.x + at.x] = in.v;
}
kernel void region(Index in [[stage_in]], device uint *out [[buffer(0)]], uint origin [[grid_origin]],
                   uint size [[grid_size]], uint at [[thread_position_in_grid]]) {
  out[at] = at >= size ? 1000 : in.v + 100 * origin;
}

// The structure is the thread's own: it can be written, copied and handed on.
float sumOf(Value in) { in.v *= 2; return in.v.x + in.v.y + in.v.z + in.v.w; }
template <typename T> T same(T in) { return in; }
kernel void changed(Value in [[stage_in]], device float *out [[buffer(0)]],
                    uint at [[thread_position_in_grid]]) {
  thread Value &own = in;
  own.v.x += 1;
  Value other = same(in);
  out[at] = sumOf(in) + other.v.x;
}

constant bool wide [[function_constant(0)]];
struct Optional {
  float a [[attribute(0)]];
  float2 b [[attribute(1), function_constant(wide)]];
};
kernel void optional(Optional in [[stage_in]], device float *out [[buffer(0)]],
                     uint at [[thread_position_in_grid]]) {
  out[at] = wide ? in.a + in.b.y : in.a;
}

constant uint place [[function_constant(1)]];
kernel void placed(Index in [[stage_in]], device uint *out [[buffer(place)]],
                   uint at [[thread_position_in_grid]]) {
  out[at] = in.v;
}

// What its threads share makes lanes wait for each other.
kernel void reversed(Index in [[stage_in]], device uint *out [[buffer(0)]],
                     uint at [[thread_position_in_threadgroup]], uint grid [[thread_position_in_grid]],
                     uint threads [[threads_per_threadgroup]]) {
  threadgroup uint all[64];
  all[at] = in.v;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[grid] = all[threads - 1 - at] + simd_sum(in.v);
}
)";

class StageInput : public EveryWay {
protected:
  StageInput() : EveryWay(kStageSource) {}

  Result<ComputePipeline> pipelineOf(const char *kernel, const std::optional<StageInputDescriptor> &input,
                                     const FunctionConstantValues &constants = {}) {
    PipelineOptions options;
    options.stageInput = input;
    return pipelineWith(options, kernel, constants);
  }

  Result<DispatchReport> run(const char *kernel, const StageInputDescriptor &input, const Bindings &bindings,
                             Size threads, Size group = {1, 1, 1}) {
    return EveryWay::run(pipelineOf(kernel, input), bindings, threads, group);
  }

  template <class T> static std::string said(const Result<T> &result) {
    return result ? "it succeeded" : renderDiagnostics(result.error().diagnostics);
  }

  template <class T> Buffer bufferOf(const std::vector<T> &data) {
    return device.newBuffer(data.data(), data.size() * sizeof(T));
  }
  template <class T> static std::vector<T> contentsOf(const Buffer &buffer) {
    std::vector<T> data(buffer.length() / sizeof(T));
    std::memcpy(data.data(), buffer.contents(), buffer.length());
    return data;
  }
};

constexpr StepFunction kX = StepFunction::ThreadPositionInGridX, kY = StepFunction::ThreadPositionInGridY,
                       kXIndexed = StepFunction::ThreadPositionInGridXIndexed,
                       kYIndexed = StepFunction::ThreadPositionInGridYIndexed;

// Attribute 1 is a uint at the beginning of each element of buffer 3.
StageInputDescriptor counted(BufferLayoutDescriptor layout) {
  StageInputDescriptor input;
  input.attributes[1] = {AttributeFormat::UInt, 0, 3};
  input.layouts[3] = layout;
  return input;
}

FunctionConstantValues constantAt(uint32_t index, uint32_t value, DataType type) {
  FunctionConstantValues constants;
  constants.setConstantValue(&value, type, index);
  return constants;
}

std::vector<uint32_t> counting(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = i;
  return numbers;
}

} // namespace

TEST_P(StageInput, EachAttributeComesFromItsBufferAlongItsAxis) {
  struct Place {
    float position[3];
    uint16_t id[2];
  };
  std::vector<Place> places;
  for (int x = 0; x < 37; ++x)
    places.push_back({{x + 0.5f, x * 2.f, -x * 1.f}, {uint16_t(60000 + x), uint16_t(x)}});
  const std::vector<float> scales{3, 0.25f, -7};
  const std::vector<int8_t> small{-128, 5, 127};
  StageInputDescriptor input;
  input.attributes[0] = {AttributeFormat::Float3, 0, 1};
  input.attributes[2] = {AttributeFormat::UShort2, 12, 1};
  input.attributes[4] = {AttributeFormat::Float, 0, 2};
  input.attributes[9] = {AttributeFormat::Char3, 0, 5};
  input.layouts[1] = {sizeof(Place), kX};
  input.layouts[2] = {4, kY};
  input.layouts[5].stepFunction = StepFunction::Constant;
  Bindings bindings;
  bindings.buffers = {
      {0, device.newBuffer(37 * 3 * 40)}, {1, bufferOf(places)}, {2, bufferOf(scales)}, {5, bufferOf(small)}};
  const auto report = run("all", input, bindings, {37, 3}, {16, 2});
  ASSERT_TRUE(report) << said(report);
  const auto out = contentsOf<float>(bindings.buffers[0]);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 37; ++x) {
      const float *at = &out[size_t(y * 37 + x) * 10];
      const Place &p = places[size_t(x)];
      EXPECT_THAT(std::vector<float>(at, at + 10),
                  ElementsAre(p.position[0], p.position[1], p.position[2], scales[size_t(y)], p.id[0],
                              p.id[1], -128, 5, 127, 1))
          << x << ", " << y;
    }
}

TEST_P(StageInput, ComponentsThatTheFormatLacksAreZerosAndAOne) {
  const struct {
    AttributeFormat format;
    std::vector<float> expected;
  } rows[] = {{AttributeFormat::Float, {2, 0, 0, 1}},
              {AttributeFormat::Float2, {2, 3, 0, 1}},
              {AttributeFormat::Float3, {2, 3, 4, 1}},
              {AttributeFormat::Float4, {2, 3, 4, 5}}};
  for (const auto &[format, expected] : rows) {
    StageInputDescriptor input;
    input.attributes[0] = {format, 4, 1};
    input.layouts[1] = {0, StepFunction::Constant, 0};
    Bindings bindings;
    bindings.buffers = {{0, device.newBuffer(16)}, {1, bufferOf<float>({-1, 2, 3, 4, 5})}};
    const auto report = run("value", input, bindings, {1});
    ASSERT_TRUE(report) << said(report);
    EXPECT_EQ(contentsOf<float>(bindings.buffers[0]), expected);
  }
}

TEST_P(StageInput, StepsRatesIndicesAndOriginsChooseTheElement) {
  Buffer elements = bufferOf(counting(64));
  const std::vector<uint32_t> indices{5, 1, 9, 0, 7, 7, 2, 3};
  std::vector<uint16_t> narrow(indices.begin(), indices.end());
  for (const StepFunction step : {kX, kY, kXIndexed, kYIndexed, StepFunction::Constant})
    for (const uint64_t rate : {1, 3})
      for (const IndexType type : {IndexType::UInt16, IndexType::UInt32})
        for (const bool moved : {false, true}) {
          StageInputDescriptor input = counted({4, step, rate});
          input.indexType = type;
          input.indexBufferIndex = 30;
          Bindings bindings;
          bindings.buffers = {{0, device.newBuffer(8 * 4 * 4)}, {3, elements}};
          const bool indexed = step == kXIndexed || step == kYIndexed;
          if (indexed)
            bindings.buffers[30] = type == IndexType::UInt16 ? bufferOf(narrow) : bufferOf(indices);
          if (moved)
            bindings.stageInRegion = {{20, 40, 0}, {8, 4, 1}};
          const auto report = run("element", input, bindings, {8, 4}, {4, 2});
          ASSERT_TRUE(report) << said(report);
          const auto out = contentsOf<uint32_t>(bindings.buffers[0]);
          for (uint32_t y = 0; y < 4; ++y)
            for (uint32_t x = 0; x < 8; ++x) {
              const bool alongY = step == kY || step == kYIndexed;
              const uint32_t at = uint32_t((alongY ? y : x) / rate);
              const uint32_t expected = step == StepFunction::Constant
                                            ? 0
                                            : (indexed ? indices[at] : at) + (moved ? alongY ? 40 : 20 : 0);
              EXPECT_EQ(out[y * 8 + x], expected)
                  << int(step) << ", rate " << rate << ", at " << x << ", " << y;
            }
        }
}

TEST_P(StageInput, AnOriginMayBeNegative) {
  StageInputDescriptor input = counted({4, kXIndexed});
  Bindings bindings;
  bindings.buffers = {{0, bufferOf<uint16_t>({7, 9})}, {3, bufferOf(counting(8))}};
  input.indexBufferIndex = 4;
  bindings.buffers[4] = bindings.buffers[0];
  bindings.buffers[0] = device.newBuffer(8);
  bindings.stageInRegion = {{uint32_t(-5), 0, 0}, {2, 1, 1}};
  const auto report = run("element", input, bindings, {2});
  ASSERT_TRUE(report) << said(report);
  EXPECT_THAT(contentsOf<uint32_t>(bindings.buffers[0]), ElementsAre(2, 4));
}

TEST_P(StageInput, TheRegionIsWhatTheKernelReadsAndOutsideNothingIsFetched) {
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(40)}, {3, bufferOf(counting(5))}};
  bindings.stageInRegion = {{2, 0, 0}, {3, 1, 1}};
  const auto report = run("region", counted({4, kX}), bindings, {10}, {8});
  ASSERT_TRUE(report) << said(report);
  EXPECT_THAT(contentsOf<uint32_t>(bindings.buffers[0]),
              ElementsAre(202, 203, 204, 1000, 1000, 1000, 1000, 1000, 1000, 1000));
}

TEST_P(StageInput, ARegionAndAGridMayComeFromBuffersThatTheGpuWrote) {
  const Result<ComputePipeline> pipeline = pipelineOf("region", counted({4, kX}));
  const Result<ComputePipeline> filling = pipelineOf("region", counted({4, kX}));
  ASSERT_TRUE(pipeline && filling) << said(pipeline);
  Buffer elements = device.newBuffer(20), out = device.newBuffer(24), arguments = device.newBuffer(28 + 12);
  CommandQueue queue = device.newCommandQueue();
  CommandBuffer commands = queue.commandBuffer();
  // The first dispatch writes the elements: 0 to 4.
  ComputeCommandEncoder encoder = commands.computeCommandEncoder();
  encoder.setComputePipelineState(*filling);
  encoder.setBuffer(elements, 0, 0);
  encoder.setBuffer(bufferOf(counting(5)), 0, 3);
  ASSERT_TRUE(encoder.dispatchThreads({5}, {5}));
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(elements, 0, 3);
  encoder.setStageInRegion(arguments, 4);
  ASSERT_TRUE(encoder.dispatchThreadgroups(arguments, 28, {2}));
  encoder.endEncoding();
  const uint32_t region[] = {77, 1, 0, 0, 4, 1, 1}, groups[] = {3, 1, 1};
  std::memcpy(arguments.contents(), region, sizeof region);
  std::memcpy(static_cast<char *>(arguments.contents()) + 28, groups, sizeof groups);
  ASSERT_TRUE(commands.commit());
  commands.waitUntilCompleted();
  ASSERT_FALSE(commands.error()) << renderDiagnostics(commands.error()->diagnostics);
  EXPECT_THAT(contentsOf<uint32_t>(out), ElementsAre(101, 102, 103, 104, 1000, 1000));
}

TEST_P(StageInput, TheStructureIsTheThreadsOwn) {
  StageInputDescriptor input;
  input.attributes[0] = {AttributeFormat::Float4, 0, 1};
  input.layouts[1] = {16, kX};
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(8)}, {1, bufferOf<float>({1, 2, 3, 4, 10, 20, 30, 40})}};
  const auto report = run("changed", input, bindings, {2}, {2});
  ASSERT_TRUE(report) << said(report);
  EXPECT_THAT(contentsOf<float>(bindings.buffers[0]), ElementsAre(22 + 2, 202 + 11));
}

TEST_P(StageInput, AMemberExistsIfItsFunctionConstantIsTrue) {
  StageInputDescriptor input;
  input.attributes[0] = {AttributeFormat::Float, 0, 1};
  input.layouts[1] = {4, kX};
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(8)}, {1, bufferOf<float>({1, 2})}};
  for (const bool wide : {false, true}) {
    const FunctionConstantValues constants = constantAt(0, wide, DataType::Bool);
    if (wide) {
      const auto missing = pipelineOf("optional", input, constants);
      EXPECT_THAT(said(missing), HasSubstr("kernel 'optional' has attribute 1 'in.b' (float2), the stage "
                                           "input descriptor has no format for it [stage-input]"));
      input.attributes[1] = {AttributeFormat::Half2, 0, 2};
      input.layouts[2] = {4, kX};
      bindings.buffers[2] = bufferOf<uint16_t>({0, 0x3c00, 0, 0x4000}); // 1 and 2
    }
    const auto pipeline = pipelineOf("optional", input, constants);
    ASSERT_TRUE(pipeline) << said(pipeline);
    const auto report = launch(device, *pipeline, bindings, DispatchSize::threads({2}, {2}));
    ASSERT_TRUE(report) << said(report);
    EXPECT_THAT(contentsOf<float>(bindings.buffers[0]), ElementsAre(wide ? 2 : 1, wide ? 4 : 2));
  }
}

TEST_P(StageInput, NeedsNoSlotOfTheKernels) {
  for (const uint32_t slot : {0u, 29u, 30u}) {
    const auto pipeline = pipelineOf("placed", counted({4, kX}), constantAt(1, slot, DataType::UInt));
    ASSERT_TRUE(pipeline) << said(pipeline);
    Bindings bindings;
    bindings.buffers = {{slot, device.newBuffer(8)}, {3, bufferOf<uint32_t>({8, 9})}};
    const auto report = launch(device, *pipeline, bindings, DispatchSize::threads({2}, {2}));
    ASSERT_TRUE(report) << said(report);
    EXPECT_THAT(contentsOf<uint32_t>(bindings.buffers[slot]), ElementsAre(8, 9));
  }
  // One buffer may be an argument and hold attributes.
  const auto pipeline = pipelineOf("placed", counted({4, kX}), constantAt(1, 3, DataType::UInt));
  Bindings bindings;
  bindings.buffers = {{3, bufferOf<uint32_t>({8, 9})}};
  ASSERT_TRUE(launch(device, *pipeline, bindings, DispatchSize::threads({2}, {2})));
}

TEST_P(StageInput, ThreadsShareWhatTheyGot) {
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(128 * 4)}, {3, bufferOf(counting(128))}};
  const auto report = run("reversed", counted({4, kX}), bindings, {128}, {64});
  ASSERT_TRUE(report) << said(report);
  const auto out = contentsOf<uint32_t>(bindings.buffers[0]);
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t first = i / 32 * 32, group = i / 64 * 64;
    EXPECT_EQ(out[i], group + 63 - i % 64 + 32 * first + 496) << i;
  }
}

TEST_P(StageInput, WhatIsOutsideOfABufferIsAnErrorWithTheThread) {
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(40)}, {3, bufferOf(counting(7))}};
  const auto report = run("element", counted({4, kX}), bindings, {10});
  EXPECT_THAT(said(report),
              HasSubstr("error: [[stage_in]] of kernel 'element': read of 4 bytes at byte 28 of buffer(3), "
                        "which has 28 bytes: attribute 1 'in.v' of threads whose x in the grid is 7 "
                        "[out-of-bounds]\n  setStageInRegion says which threads have [[stage_in]] data"));
  StageInputDescriptor far = counted({UINT64_MAX, kX});
  EXPECT_THAT(said(run("element", far, bindings, {10})), HasSubstr("at byte 18446744073709551615 of"));
  far.attributes[1].offset = UINT64_MAX;
  EXPECT_THAT(said(run("element", far, bindings, {10})), HasSubstr("at byte 18446744073709551615 of"));
  StageInputDescriptor indexed = counted({4, kYIndexed});
  indexed.indexBufferIndex = 2;
  bindings.buffers[2] = bufferOf<uint16_t>({1, 7});
  EXPECT_THAT(said(run("element", indexed, bindings, {1, 2})),
              HasSubstr("attribute 1 'in.v' of threads whose y in the grid is 1"));
  bindings.buffers[2] = bufferOf<uint16_t>({1});
  EXPECT_THAT(said(run("element", indexed, bindings, {1, 2})),
              HasSubstr("read of 2 bytes at byte 2 of buffer(2), which has 2 bytes: the index of threads "
                        "whose y in the grid is 1 [out-of-bounds]"));
  // A grid for whose values there is no memory ends at the first thread without any.
  bindings.buffers.erase(2);
  EXPECT_THAT(said(run("element", counted({4, kX}), bindings, {UINT32_MAX}, {1024})), HasSubstr("grid is 7"));
}

TEST_P(StageInput, MistakesOfTheDescriptorAreToldWhenThePipelineIsMade) {
  const auto refused = [&](const char *kernel, const StageInputDescriptor &input) {
    return said(pipelineOf(kernel, input));
  };
  EXPECT_THAT(said(pipelineOf("element", std::nullopt)),
              HasSubstr("kernel 'element' takes [[stage_in]] (attribute 1 'in.v'), and the pipeline has no "
                        "descriptor of it [stage-input]"));
  StageInputDescriptor input = counted({4, kX});
  const auto with = [&](AttributeFormat format) {
    input.attributes[1].format = format;
    return refused("element", input);
  };
  EXPECT_THAT(with(AttributeFormat::Int), HasSubstr("has attribute 1 'in.v' (uint), which cannot be read "
                                                    "from Int [stage-input]\n  signed integers stay signed"));
  EXPECT_THAT(with(AttributeFormat::Float), HasSubstr("a format of floats becomes a float or a half"));
  EXPECT_THAT(with(AttributeFormat::UCharNormalized), HasSubstr("a normalized format becomes"));
  EXPECT_THAT(with(AttributeFormat(44)), HasSubstr("there is no such MTLAttributeFormat"));
  EXPECT_EQ(with(AttributeFormat::UChar), "it succeeded");
  input.attributes[1].bufferIndex = 31;
  EXPECT_THAT(refused("element", input), HasSubstr("buffers have indices 0 to 30"));
  EXPECT_THAT(
      refused("element", counted({4, StepFunction::PerVertex})),
      HasSubstr("kernel 'element': attribute 1 'in.v' comes from buffer index 3, whose layout has the "
                "step function 1, of vertex functions [stage-input]"));
  EXPECT_THAT(refused("element", counted({4, kX, 0})), HasSubstr("whose layout has the step rate 0"));
  StageInputDescriptor indexed = counted({4, kXIndexed});
  indexed.indexBufferIndex = 31;
  EXPECT_THAT(refused("element", indexed), HasSubstr("whose indices come from buffer index 31"));
  StageInputDescriptor truncated;
  for (const uint32_t attribute : {0, 2, 4, 9})
    truncated.attributes[attribute] = {attribute == 2 ? AttributeFormat::UChar4 : AttributeFormat::Int, 0, 1};
  truncated.layouts[1] = {4, kX};
  EXPECT_THAT(refused("all", truncated), HasSubstr("'in.small' (short4), which cannot be read from Int "
                                                   "[stage-input]\n  integers cannot become smaller"));
}

TEST_P(StageInput, BuffersOfAttributesAreNeededAndNotSurplus) {
  Bindings bindings;
  bindings.buffers = {{0, device.newBuffer(8)}};
  const StageInputDescriptor input = counted({4, kX});
  EXPECT_THAT(said(run("element", input, bindings, {2})),
              HasSubstr("kernel 'element' needs a buffer at index 3 for attribute 1 'in.v', none is bound "
                        "[missing-binding]"));
  bindings.buffers[3] = bufferOf(counting(2));
  EXPECT_EQ(said(run("element", input, bindings, {2})), "it succeeded");
  bindings.buffers[4] = bindings.buffers[3];
  EXPECT_THAT(said(run("element", input, bindings, {2})), HasSubstr("[surplus-binding]"));
}

// Formats, offsets, strides, steps and regions by chance, against the rules written out once more.
TEST_P(StageInput, RandomDescriptorsGiveWhatTheRulesSay) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  for (int round = 0; round < (GetParam() == Way::Reference ? 4 : 25); ++round) {
    std::vector<uint8_t> bytes(4096);
    for (uint8_t &byte : bytes)
      byte = uint8_t(random());
    const StepFunction steps[] = {kX, kY, StepFunction::Constant, kXIndexed};
    const BufferLayoutDescriptor layout{4 + below(60), steps[below(4)], 1 + below(3)};
    StageInputDescriptor input = counted(layout);
    input.attributes[1].offset = below(32);
    input.indexBufferIndex = 2;
    std::vector<uint16_t> indices(16);
    for (uint16_t &index : indices)
      index = uint16_t(below(32));
    const StageInRegion region{{below(8), below(8), 0}, {1 + below(16), 1 + below(4), 1}};
    Bindings bindings;
    bindings.buffers = {{0, device.newBuffer(16 * 4 * 4)}, {3, bufferOf(bytes)}};
    if (layout.stepFunction == kXIndexed)
      bindings.buffers[2] = bufferOf(indices);
    bindings.stageInRegion = region;
    const auto report = run("element", input, bindings, {16, 4}, {1 + below(16), 1 + below(4)});
    ASSERT_TRUE(report) << said(report);
    const auto out = contentsOf<uint32_t>(bindings.buffers[0]);
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 16; ++x) {
        uint64_t element = 0;
        bool inside = true;
        if (layout.stepFunction == kY) {
          element = region.origin[1] + y / layout.stepRate;
          inside = y < region.size[1];
        } else if (layout.stepFunction != StepFunction::Constant) {
          element = x / layout.stepRate;
          element = region.origin[0] + (layout.stepFunction == kXIndexed ? indices[element] : element);
          inside = x < region.size[0];
        }
        uint32_t expected = 0;
        if (inside)
          std::memcpy(&expected, &bytes[element * layout.stride + input.attributes[1].offset], 4);
        ASSERT_EQ(out[y * 16 + x], expected) << "round " << round << " at " << x << ", " << y;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, StageInput, everyWay(), nameOfWay);

} // namespace assay
