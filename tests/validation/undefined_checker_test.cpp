// Findings about values that nobody has written: by events. Kernels are in pairs/uninitialised_*.metal.
#include "emulator/validation/undefined_checker.h"

#include "emulator/testing/check_matchers.h"
#include "emulator/testing/testing.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

using ::testing::HasSubstr;

/// A dispatch of one threadgroup with 16 bytes of threadgroup memory, a variable x and a buffer b.
class Dispatch {
public:
  explicit Dispatch(const std::string &rules = "all", bool poisoned = true)
      : findings_(*CheckRules::parse(rules)),
        checker_({findings_, arguments_}, poisoned ? std::vector{UnwrittenMemory{2, shadow_.data()}}
                                                   : std::vector<UnwrittenMemory>()) {
    arguments_[0].name = "b";
    arguments_[0].kind = ArgumentKind::Buffer;
    arguments_[0].index = 2;
    arguments_[0].pointeeBytes = 4;
    abi_.buffers[2] = {reinterpret_cast<uint8_t *>(memory_.data()), sizeof memory_};
    code_.births.push_back({"x", {"k.metal", 3, 9}});
    code_.births.push_back({"", {"k.metal", 4, 5}, BirthKind::Division});
    SiteInfo branch;
    branch.kind = SiteKind::Decision;
    branch.decision = Decision::Branch;
    branch.where = {"k.metal", 8, 3};
    SiteInfo load;
    load.where = {"k.metal", 5, 7};
    load.bytes = 4;
    code_.sites = {branch, load};
    code_.threadgroupVariables.push_back({"tile", "k::tile", 0, 16, {4}});
    code_.writtenThreadgroupBytes = {{12, 4}};
    checker_.dispatchBegin({&code_, &abi_, {32, 1, 1}, {32, 1, 1}});
    checker_.groupBegin(group_);
  }

  void decide(uint64_t origin, uint32_t thread = 1) {
    checker_.undefined(group_, {&code_.sites[0], thread, origin, 0});
  }
  uint64_t loadOf(uint32_t slot, uint64_t offset) const { return ValueOrigin::ofLoad(1, slot) | offset; }
  std::vector<Finding> findings() { return findings_.take(); }
  UndefinedChecker &checker() { return checker_; }
  uint8_t arenaShadow(uint32_t byte) {
    return *reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(arena_.data()) + byte +
                                        uint64_t(checker_.shadows()->arena));
  }
  std::array<uint8_t, 32> shadow_ = [] {
    std::array<uint8_t, 32> all;
    all.fill(0xff);
    return all;
  }();
  std::array<uint32_t, 8> memory_{};
  GroupEvent group() const { return group_; }

private:
  std::vector<ArgumentInfo> arguments_ = std::vector<ArgumentInfo>(1);
  Findings findings_;
  KernelCodeInfo code_;
  DispatchAbi abi_{};
  alignas(16) std::array<uint8_t, 16> arena_{};
  GroupEvent group_{{0, 0, 0}, {32, 1, 1}, arena_, &abi_};
  UndefinedChecker checker_;
};

TEST(UndefinedChecker, NamesTheVariableAndItsDeclaration) {
  Dispatch d;
  d.decide(1, 5);
  d.decide(1, 6);
  const std::vector<Finding> found = d.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_THAT(found, testing::HasFinding("uninitialised-thread", 8, 3));
  EXPECT_EQ(found[0].warning.message,
            "which way thread 5 (lane 5 of simdgroup 0) of threadgroup (0,0,0) goes "
            "here depends on x, which nobody has written");
  EXPECT_THAT(found[0].notes[0].message, HasSubstr("x is declared here without a value"));
}

TEST(UndefinedChecker, NamesTheElementOfMemoryAndTheRead) {
  Dispatch d;
  d.decide(d.loadOf(ValueOrigin::kArena, 8));
  std::vector<Finding> found = d.findings();
  EXPECT_THAT(found, testing::HasFinding("uninitialised-threadgroup", 8, 5));
  EXPECT_THAT(found[0].warning.message, HasSubstr("depends on tile[2], which nobody has written"));
  d.decide(d.loadOf(2, 12));
  found = d.findings();
  EXPECT_THAT(found, testing::HasFinding("uninitialised-device", 8, 5));
  EXPECT_THAT(found[0].warning.message, HasSubstr("depends on b[3], which nobody has written"));
}

TEST(UndefinedChecker, AnUnknownOriginIsAVariable) {
  Dispatch d;
  d.decide(0);
  const std::vector<Finding> found = d.findings();
  EXPECT_THAT(found, testing::HasFinding("uninitialised-thread"));
  EXPECT_TRUE(found[0].notes.empty());
}

TEST(UndefinedChecker, SaysWhichOperationHasNoDefinedResult) {
  Dispatch d;
  d.decide(2);
  const std::vector<Finding> found = d.findings();
  EXPECT_THAT(found, testing::HasFinding("undefined-result", 8, 4));
  EXPECT_THAT(found[0].warning.message,
              HasSubstr("which way thread 1 (lane 1 of simdgroup 0) of threadgroup (0,0,0) goes here depends "
                        "on an integer division, which Metal does not define"));
  EXPECT_EQ(found[0].notes[0].message, "the divisor is zero here, or the quotient does not fit");
}

TEST(UndefinedChecker, AsksForWhatItsRulesNeed) {
  EXPECT_EQ(Dispatch("default").checker().tracksUndefined(), TrackUndefined::WithDevice);
  EXPECT_EQ(Dispatch("default", false).checker().tracksUndefined(), TrackUndefined::Local);
  EXPECT_EQ(Dispatch("all").checker().tracksUndefined(), TrackUndefined::WithDeviceAndResults);
  EXPECT_EQ(Dispatch("undefined-result", false).checker().tracksUndefined(), TrackUndefined::LocalAndResults);
  EXPECT_EQ(Dispatch("uninitialised-thread").checker().tracksUndefined(), TrackUndefined::Local);
  EXPECT_EQ(Dispatch("uninitialised-device", false).checker().tracksUndefined(), TrackUndefined::No);
}

TEST(UndefinedChecker, ThreadgroupMemoryIsUndefinedInEachThreadgroupButForPadding) {
  Dispatch d;
  for (uint32_t byte = 0; byte < 12; ++byte)
    EXPECT_EQ(d.arenaShadow(byte), 0xff);
  EXPECT_EQ(d.arenaShadow(12), 0);
  d.checker().written(reinterpret_cast<uintptr_t>(d.group().arena.data()) + 4, 4);
  EXPECT_EQ(d.arenaShadow(3), 0xff);
  EXPECT_EQ(d.arenaShadow(4), 0);
  d.checker().groupBegin(d.group());
  EXPECT_EQ(d.arenaShadow(4), 0xff);
}

TEST(UndefinedChecker, WhatIsWrittenThroughAnyPointerIsDefined) {
  Dispatch d;
  d.checker().written(reinterpret_cast<uintptr_t>(d.memory_.data()) + 8, 100); // past the end
  EXPECT_EQ(d.shadow_[7], 0xff);
  for (size_t byte = 8; byte < 32; ++byte)
    EXPECT_EQ(d.shadow_[byte], 0);
}

// ---- whole kernels ----

constexpr const char *kKernels = R"(#include <metal_stdlib>
using namespace metal;
kernel void components(device float4 *out [[buffer(0)]], device const float4 *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
  float4 v;
  v.x = in[i].w; v.y = 2; v.zw = in[i].xy;
  out[i] = v;
}
struct Padded { float3 position; uchar tag; float weight; };
kernel void padding(device Padded *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup Padded shared[8];
  Padded p;
  p.position = float3(i, 1, 2);
  p.tag = 3;
  p.weight = 4;
  shared[i] = p;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = shared[7 - i];
}
kernel void zeros(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float b[8] = {0};
  out[i] = b[i];
}
kernel void unused(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                   uint i [[thread_index_in_simdgroup]]) {
  float v;
  if (i < 16)
    v = in[i];
  const float other = simd_shuffle_xor(v, ushort(16));
  out[i] = i < 16 ? v : other;
}
kernel void matrices(device float *out [[buffer(0)]], device const float *in [[buffer(1)]]) {
  simdgroup_float8x8 a, b, c;
  simdgroup_load(a, in);
  simdgroup_load(b, in + 64);
  simdgroup_multiply(c, a, b);
  simdgroup_store(c, out);
}
)";

std::vector<Finding> check(const char *kernel, uint32_t threads) {
  testing::Kernel k = testing::Kernel::fromSource(kKernels, kernel);
  k.output<float>(0, 256);
  k.input(1, std::vector<float>(256, 1.0f));
  k.options().surplusBindings = true;
  return k.check(1, threads);
}

TEST(UndefinedChecker, SaysNothingWhereAllThatIsUsedIsWritten) {
  EXPECT_THAT(check("components", 8), testing::NoFindings());
  EXPECT_THAT(check("padding", 8), testing::NoFindings());
  EXPECT_THAT(check("zeros", 8), testing::NoFindings());
  EXPECT_THAT(check("unused", 32), testing::NoFindings());
  EXPECT_THAT(check("matrices", 32), testing::NoFindings());
}

TEST(UndefinedChecker, WhatADispatchWroteIsWrittenInTheNext) {
  const Device device = Device::systemDefault();
  Result<Library> library = device.newLibraryWithSource(R"(#include <metal_stdlib>
using namespace metal;
kernel void put(device float *b [[buffer(0)]], uint i [[thread_position_in_grid]]) { b[i] = i; }
kernel void add(device float *b [[buffer(0)]], uint i [[thread_position_in_grid]]) { b[i] += 1; }
)");
  ASSERT_TRUE(library);
  Buffer buffer = device.newBuffer(64);
  const auto run = [&](const char *name) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*device.newComputePipelineState(*library->newFunction(name)));
    encoder.setBuffer(buffer, 0, 0);
    DispatchOptions options;
    options.checks = CheckRules::byDefault();
    encoder.setOptions(options);
    return encoder.dispatchThreads(8, 8)->findings;
  };
  EXPECT_THAT(run("add"), testing::NoFindings()) << "nobody has poisoned it";
  buffer.poison();
  EXPECT_THAT(run("add"), testing::HasFinding("uninitialised-device"));
  buffer.poison();
  EXPECT_THAT(run("put"), testing::NoFindings());
  EXPECT_THAT(run("add"), testing::NoFindings());
  buffer.poison();
  std::fill_n(buffer.as<float>().begin(), 8, 2.0f);
  EXPECT_THAT(run("add"), testing::NoFindings()) << "the host has written it";
}

} // namespace
} // namespace assay::validation::test
