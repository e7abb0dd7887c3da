// Every thread-position attribute, in one and three dimensions, in full and in edge threadgroups.
// source: MSL specification, section 5.2.3.6.
#include "tests/runtime/test_kernel.h"

namespace assay::runtime::test {
namespace {

constexpr uint32_t kWords = kBuiltinCount * 3;

ASSAY_TEST_KERNEL dump(LaneAbi *lane) {
  const uint32_t sizeX = builtin(lane, Builtin::ThreadsPerGrid, 0),
                 sizeY = builtin(lane, Builtin::ThreadsPerGrid, 1);
  const uint32_t x = builtin(lane, Builtin::ThreadPositionInGrid, 0),
                 y = builtin(lane, Builtin::ThreadPositionInGrid, 1);
  const uint32_t z = builtin(lane, Builtin::ThreadPositionInGrid, 2);
  uint32_t *out = buffer<uint32_t>(lane, 0) + size_t((z * sizeY + y) * sizeX + x) * kWords;
  for (uint32_t b = 0; b < kBuiltinCount; ++b)
    for (uint32_t c = 0; c < 3; ++c)
      out[b * 3 + c] = builtin(lane, Builtin(b), c);
}

ASSAY_TEST_KERNEL dumpAfterBarrier(LaneAbi *lane) {
  barrier(lane, 0);
  dump(lane);
}

void check(KernelEntry entry, Size3 grid, Size3 group) {
  TestKernel kernel(entry);
  if (entry == dumpAfterBarrier)
    kernel.barrier(1);
  std::vector<uint32_t> out(grid.count() * kWords, kPoison);
  DispatchRequest request = kernel.request(1, 1);
  request.gridThreads = grid;
  request.threadsPerThreadgroup = group;
  request.workers = 2;
  request.buffers[0] = bind(out);
  runWell(request);

  auto up = [](uint32_t a, uint32_t b) { return (a + b - 1) / b; };
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) {
        const uint32_t *values = out.data() + size_t((z * grid.y + y) * grid.x + x) * kWords;
        auto expect = [&](Builtin b, std::vector<uint32_t> expected) {
          for (size_t c = 0; c < expected.size(); ++c)
            EXPECT_EQ(values[size_t(b) * 3 + c], expected[c])
                << builtinInfo(b).metalName << " component " << c << " of thread " << x << "," << y << ","
                << z;
        };
        const uint32_t gx = x / group.x, gy = y / group.y, gz = z / group.z;
        const uint32_t nx = std::min(group.x, grid.x - gx * group.x),
                       ny = std::min(group.y, grid.y - gy * group.y);
        const uint32_t nz = std::min(group.z, grid.z - gz * group.z), n = nx * ny * nz;
        const uint32_t lx = x % group.x, ly = y % group.y, lz = z % group.z, index = (lz * ny + ly) * nx + lx;
        const uint32_t full = group.x * group.y * group.z;
        expect(Builtin::ThreadPositionInGrid, {x, y, z});
        expect(Builtin::ThreadPositionInThreadgroup, {lx, ly, lz});
        expect(Builtin::ThreadIndexInThreadgroup, {index});
        expect(Builtin::ThreadIndexInSimdgroup, {index % 32});
        expect(Builtin::ThreadIndexInQuadgroup, {index % 4});
        expect(Builtin::SimdgroupIndexInThreadgroup, {index / 32});
        expect(Builtin::QuadgroupIndexInThreadgroup, {index / 4});
        expect(Builtin::ThreadgroupPositionInGrid, {gx, gy, gz});
        expect(Builtin::ThreadsPerGrid, {grid.x, grid.y, grid.z});
        expect(Builtin::ThreadsPerThreadgroup, {nx, ny, nz});
        expect(Builtin::ThreadgroupsPerGrid, {up(grid.x, group.x), up(grid.y, group.y), up(grid.z, group.z)});
        expect(Builtin::ThreadsPerSimdgroup, {32});
        expect(Builtin::ThreadExecutionWidth, {32});
        expect(Builtin::SimdgroupsPerThreadgroup, {up(n, 32)});
        expect(Builtin::QuadgroupsPerThreadgroup, {up(n, 4)});
        expect(Builtin::DispatchThreadsPerThreadgroup, {group.x, group.y, group.z});
        expect(Builtin::DispatchSimdgroupsPerThreadgroup, {up(full, 32)});
        expect(Builtin::DispatchQuadgroupsPerThreadgroup, {up(full, 4)});
        expect(Builtin::GridOrigin, {0, 0, 0});
        expect(Builtin::GridSize, {grid.x, grid.y, grid.z});
      }
  EXPECT_EQ(kBuiltinCount, 20u) << "a built-in that is not checked here";
}

TEST(Builtins, InOneDimension) {
  check(dump, {128, 1, 1}, {64, 1, 1});
}
TEST(Builtins, InThreeDimensions) {
  check(dump, {8, 6, 4}, {4, 3, 2});
}
TEST(Builtins, InNonUniformThreadgroups) {
  check(dump, {11, 7, 5}, {4, 3, 2});
}
TEST(Builtins, TheRegionOfStageInIsTheHosts) {
  TestKernel kernel(dump);
  std::vector<uint32_t> out(4 * kWords, kPoison);
  DispatchRequest request = kernel.request(4, 2);
  request.buffers[0] = bind(out);
  request.stageInRegion = {{7, 4294967295u, 3}, {11, 12, 13}};
  runWell(request);
  for (uint32_t thread = 0; thread < 4; ++thread) {
    const uint32_t *origin = &out[thread * kWords + size_t(Builtin::GridOrigin) * 3];
    const uint32_t *size = &out[thread * kWords + size_t(Builtin::GridSize) * 3];
    EXPECT_EQ(std::vector(origin, origin + 3), (std::vector<uint32_t>{7, 4294967295u, 3}));
    EXPECT_EQ(std::vector(size, size + 3), (std::vector<uint32_t>{11, 12, 13}));
  }
}
TEST(Builtins, InFibers) {
  check(dumpAfterBarrier, {8, 6, 4}, {4, 3, 2});
}
TEST(Builtins, InFibersOfNonUniformThreadgroups) {
  check(dumpAfterBarrier, {21, 7, 5}, {8, 3, 2});
}

} // namespace
} // namespace assay::runtime::test
