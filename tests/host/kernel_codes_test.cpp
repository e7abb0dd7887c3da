// One kernel in threadgroups of every shape: on vectors each needs code of its own.
#include "host/assay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace assay {
namespace {

constexpr const char *kKernelCodesSource = R"(
#include <metal_stdlib>
using namespace metal;
kernel void places(device uint4 *out [[buffer(0)]], device uint4 *more [[buffer(1)]],
                   uint3 grid [[thread_position_in_grid]], uint3 size [[threads_per_grid]],
                   uint3 local [[thread_position_in_threadgroup]], uint index [[thread_index_in_threadgroup]],
                   uint3 group [[threadgroup_position_in_grid]]) {
  uint at = (grid.z * size.y + grid.y) * size.x + grid.x;
  out[at] = uint4(local, index);
  more[at] = uint4(grid.x & 7u, grid.x >> 2, grid.y / 3u, local.x | group.x << 8);
}
)";

ComputePipeline pipelineOf(Engine engine) {
  const Device device = Device::systemDefault();
  PipelineOptions options;
  options.engine = engine;
  options.cache = false;
  return *device.newComputePipelineState(
      *device.newLibraryWithSource(kKernelCodesSource)->newFunction("places"), options);
}

using Words = std::array<uint32_t, 4>;

// The results of a dispatch: of `out`, then of `more`.
std::vector<Words> run(const ComputePipeline &pipeline, Size grid, Size group, DispatchOptions how = {}) {
  const Device device = Device::systemDefault();
  const size_t threads = grid.width * grid.height * grid.depth;
  const Buffer out = device.newBuffer(threads * 16), more = device.newBuffer(threads * 16);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline);
  encoder.setBuffer(out, 0, 0);
  encoder.setBuffer(more, 0, 1);
  encoder.setOptions(how);
  const auto done = encoder.dispatchThreads(grid, group);
  EXPECT_TRUE(done) << (done ? "" : renderDiagnostics(done.error().diagnostics));
  std::vector<Words> words;
  for (const Buffer &buffer : {out, more}) {
    const auto all = buffer.as<Words>();
    words.insert(words.end(), all.begin(), all.end());
  }
  return words;
}

std::vector<Words> expected(Size grid, Size group) {
  std::vector<Words> out, more;
  const auto size = [](uint64_t grid, uint64_t group, uint64_t at) {
    return std::min(group, grid - at / group * group);
  };
  for (uint64_t z = 0; z < grid.depth; ++z)
    for (uint64_t y = 0; y < grid.height; ++y)
      for (uint64_t x = 0; x < grid.width; ++x) {
        const uint64_t lx = x % group.width, ly = y % group.height, lz = z % group.depth;
        const uint64_t wide = size(grid.width, group.width, x), high = size(grid.height, group.height, y);
        out.push_back({uint32_t(lx), uint32_t(ly), uint32_t(lz), uint32_t((lz * high + ly) * wide + lx)});
        more.push_back(
            {uint32_t(x & 7), uint32_t(x >> 2), uint32_t(y / 3), uint32_t(lx | x / group.width << 8)});
      }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

} // namespace

TEST(KernelCodes, ToMakeACodeIsNoPartOfTheTimeOfADispatch) {
  using Clock = std::chrono::steady_clock;
  const Device device = Device::systemDefault();
  const ComputePipeline pipeline = pipelineOf(Engine::Vector);
  const Buffer out = device.newBuffer(64 * 16), more = device.newBuffer(64 * 16);
  std::chrono::nanoseconds recorded{0}, wall{0};
  DispatchOptions how;
  how.finished = [&](const DispatchRecord &record) { recorded = record.time; };
  const auto dispatch = [&](Size group, CheckRules checks) {
    how.checks = checks;
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline);
    encoder.setBuffer(out, 0, 0);
    encoder.setBuffer(more, 0, 1);
    encoder.setOptions(how);
    const auto begin = Clock::now();
    const Result<DispatchReport> done = encoder.dispatchThreads({64, 1, 1}, group);
    wall = Clock::now() - begin;
    EXPECT_TRUE(done);
    return done ? *done : DispatchReport{};
  };
  EXPECT_FALSE(pipeline.madeCode());
  for (const CheckRules checks : {CheckRules(), CheckRules::all()}) {
    const DispatchReport first = dispatch({64, 1, 1}, checks);
    EXPECT_TRUE(pipeline.madeCode());
    EXPECT_LE((recorded + first.codeTime).count(), wall.count());
    EXPECT_GE(recorded, first.runTime);
    const DispatchReport second = dispatch({64, 1, 1}, checks);
    EXPECT_LT(second.codeTime * 10, first.codeTime) << "there is nothing left to make";
  }
}

TEST(KernelCodes, ThreadsKnowTheirPlacesInThreadgroupsOfEveryShape) {
  const ComputePipeline pipeline = pipelineOf(Engine::Vector);
  ASSERT_TRUE(pipeline.isVectorised()) << pipeline.onFibers();
  const Size groups[] = {{64, 1, 1}, {16, 16, 1}, {8, 8, 1},  {4, 4, 4}, {8, 2, 8},   {1, 64, 1}, {10, 10, 1},
                         {48, 2, 1}, {100, 1, 1}, {32, 4, 2}, {2, 2, 2}, {1, 1, 100}, {6, 5, 4},  {3, 1, 1}};
  for (const Size &group : groups)
    for (const Size &grid : {group, Size{group.width * 3, group.height * 2, group.depth * 2},
                             Size{group.width * 2 + 1, group.height, group.depth},
                             Size{group.width * 2 + group.width / 2, group.height + group.height / 4 + 1, 3},
                             Size{1, 1, 1}, Size{5, 7, 3}}) {
      SCOPED_TRACE(testing::Message()
                   << grid.width << " " << grid.height << " " << grid.depth << " in groups of " << group.width
                   << " " << group.height << " " << group.depth);
      ASSERT_EQ(run(pipeline, grid, group), expected(grid, group));
    }
}

TEST(KernelCodes, ADispatchThatIsShuffledRunsOnFibers) {
  const ComputePipeline pipeline = pipelineOf(Engine::Vector);
  DispatchOptions shuffled;
  shuffled.schedule = {ScheduleKind::Shuffle, 1};
  EXPECT_EQ(run(pipeline, {100, 3, 1}, {16, 2, 1}, shuffled), expected({100, 3, 1}, {16, 2, 1}));
}

TEST(KernelCodes, BothEnginesAreComparedInEveryShape) {
  const ComputePipeline pipeline = pipelineOf(Engine::Both);
  EXPECT_TRUE(pipeline.isVectorised());
  for (const Size &group : {Size{64, 1, 1}, Size{16, 2, 1}, Size{7, 5, 1}})
    EXPECT_EQ(run(pipeline, {100, 9, 1}, group), expected({100, 9, 1}, group));
}

} // namespace assay
