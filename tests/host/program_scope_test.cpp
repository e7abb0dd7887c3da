// What built-ins and bindings at program scope hold (MSL 5.9). Their declarations are tested in
// tests/frontend/global_bindings_test.cpp.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr const char *kProgramScopeSource = R"(#include <metal_stdlib>
using namespace metal;
uint2 gid [[thread_position_in_grid]];
const uint lane [[thread_index_in_simdgroup]];
namespace inner {
namespace {
ushort3 grid [[threads_per_grid]];
}
}
device int *constant result [[buffer(0)]];
constant int *constant input [[buffer(1)]];
extern constant int *constant same [[buffer(1)]];
threadgroup int *constant shared [[threadgroup(0)]];
texture2d<float, access::read> constant photo [[texture(3)]];
constant array<texture2d<float>, 2> layers [[texture(4)]];
sampler constant smooth [[sampler(1)]];
static int at(thread const uint2 &where) { return input[where.x + where.y * 8]; }
struct Sum {
  int of(int v) const { return v + same[gid.x] + int(gid.y); }
};
kernel void buffers() {
  shared[gid.x] = at(gid) + Sum().of(1000);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint2 next = gid;
  next.x = inner::grid.x - 1 - next.x;
  result[gid.x] = shared[next.x] * 100 + int(lane);
}
kernel void textures(device float *out [[buffer(2)]]) {
  out[gid.x] = photo.read(uint2(gid.x, 0)).x + layers[1].sample(smooth, float2(0.5f)).x;
}
kernel void neither(device int *out, uint i [[thread_position_in_grid]]) { out[i] = 7; }
)";

class ProgramScope : public testing::Test {
protected:
  ProgramScope() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  Library make(const std::string &source) {
    const auto library = device.newLibraryWithSource(source);
    EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
    return *library;
  }
  ComputeCommandEncoder encoder(const Library &library, const char *kernel, Engine engine) {
    PipelineOptions options;
    options.engine = engine;
    const auto pipeline = device.newComputePipelineState(*library.newFunction(kernel), options);
    EXPECT_TRUE(pipeline) << (pipeline ? "" : renderDiagnostics(pipeline.error().diagnostics));
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    return encoder;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
};

std::vector<std::string> names(const Library &library, const char *kernel) {
  std::vector<std::string> all;
  for (const ArgumentInfo &argument : library.newFunction(kernel)->info().arguments)
    all.push_back(argument.name);
  return all;
}

TEST_F(ProgramScope, AreArgumentsOfTheKernelsThatReachThem) {
  const Library library = make(kProgramScopeSource);
  EXPECT_THAT(names(library, "buffers"), UnorderedElementsAre("gid", "lane", "grid", "result",
                                                              testing::AnyOf("input", "same"), "shared"));
  EXPECT_THAT(names(library, "textures"), UnorderedElementsAre("out", "gid", "photo", "layers", "smooth"));
  EXPECT_THAT(names(library, "neither"), ElementsAre("out", "i"));
}

TEST_F(ProgramScope, HoldEachThreadsOwnValues) {
  const Library library = make(kProgramScopeSource);
  for (Engine engine : {Engine::Fiber, Engine::Vector}) {
    ComputeCommandEncoder encode = encoder(library, "buffers", engine);
    Buffer out = device.newBuffer(8 * sizeof(int));
    out.poison();
    int values[8];
    std::iota(values, values + 8, 1);
    encode.setBuffer(out, 0, 0);
    encode.setBytes(values, sizeof values, 1);
    encode.setThreadgroupMemoryLength(32, 0);
    const auto done = encode.dispatchThreads({8}, {8});
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
    for (int i = 0; i < 8; ++i) {
      const int other = 7 - i, stored = 2 * values[other] + 1000;
      EXPECT_EQ(static_cast<const int *>(out.contents())[i], stored * 100 + i);
    }
  }
}

// AdaptiveCpp writes references with a second `constant`.
TEST_F(ProgramScope, ReferToWhatTheHostBinds) {
  const Library library = make("#include <metal_stdlib>\nusing namespace metal;\n"
                               "struct Scale { int factor; int2 offsets[2]; };\n"
                               "constant Scale &constant scale [[buffer(1)]];\n"
                               "device int &first [[buffer(0)]];\n"
                               "threadgroup void *constant shared [[threadgroup(0)]];\n"
                               "namespace { constant long &constant added [[buffer(2)]]; }\n"
                               "static int offset(constant int2 &o) { return o.y; }\n"
                               "kernel void k(uint i [[thread_position_in_grid]]) {\n"
                               "  threadgroup int *all = (threadgroup int *)shared;\n"
                               "  all[i] = int(i) * scale.factor + offset(scale.offsets[1]);\n"
                               "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                               "  if (i == 0) first += all[3] + int(added);\n"
                               "  else (&first)[i] = all[i - 1]; }\n");
  for (Engine engine : {Engine::Fiber, Engine::Vector, Engine::Reference}) {
    ComputeCommandEncoder encode = encoder(library, "k", engine);
    Buffer out = device.newBuffer(4 * sizeof(int));
    out.poison();
    static_cast<int *>(out.contents())[0] = 5;
    const int scale[] = {10, 0, 0, 0, 0, 7};
    const int64_t added = 1000;
    encode.setBuffer(out, 0, 0);
    encode.setBytes(scale, sizeof scale, 1);
    encode.setBytes(&added, sizeof added, 2);
    encode.setThreadgroupMemoryLength(16, 0);
    const auto done = encode.dispatchThreads({4}, {4});
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
    const auto *values = static_cast<const int *>(out.contents());
    EXPECT_THAT(std::vector<int>(values, values + 4), ElementsAre(5 + 37 + 1000, 7, 17, 27));
  }
}

TEST_F(ProgramScope, ReadTexturesByTheirSlots) {
  const Library library = make(kProgramScopeSource);
  ComputeCommandEncoder encode = encoder(library, "textures", Engine::Fiber);
  Buffer out = device.newBuffer(2 * sizeof(float));
  out.poison();
  encode.setBuffer(out, 0, 2);
  const auto texture = [&](std::vector<float> texels) {
    const uint64_t width = texels.size();
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, width, 1, false);
    d.usage = TextureUsage::ShaderRead;
    Texture made = *device.newTexture(d);
    EXPECT_TRUE(made.replaceRegion(Region::Make2D(0, 0, width, 1), 0, texels.data(), width * 4));
    return made;
  };
  encode.setTexture(texture({5, 6}), 3);
  encode.setTexture(texture({100}), 4);
  encode.setTexture(texture({200}), 5);
  encode.setSamplerState(*device.newSamplerState({}), 1);
  const auto done = encode.dispatchThreads({2}, {2});
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  EXPECT_EQ(static_cast<const float *>(out.contents())[0], 205);
  EXPECT_EQ(static_cast<const float *>(out.contents())[1], 206);
}

TEST_F(ProgramScope, ThatAreNotBoundAreNamed) {
  const Library library = make(kProgramScopeSource);
  ComputeCommandEncoder encode = encoder(library, "buffers", Engine::Fiber);
  encode.setThreadgroupMemoryLength(32, 0);
  const auto done = encode.dispatchThreads({8}, {8});
  ASSERT_FALSE(done);
  EXPECT_THAT(renderDiagnostics(done.error().diagnostics),
              HasSubstr("needs a buffer at index 0 (device int *result)"));
}

TEST_F(ProgramScope, WhoseAddressIsTakenRefuseTheirKernels) {
  const Library library = make("#include <metal_stdlib>\nusing namespace metal;\n"
                               "device int *constant p [[buffer(0)]];\n"
                               "device int *constant r [[buffer(1)]];\n"
                               "template <typename T> static int f(constant T &q) { return *q; }\n"
                               "kernel void k() { *p = f(p); }\nkernel void plain() { *r = 1; }\n");
  const auto refused = library.newFunction("k");
  ASSERT_FALSE(refused);
  EXPECT_THAT(renderDiagnostics(refused.error().diagnostics), HasSubstr("the address of 'p' is taken"));
  EXPECT_TRUE(device.newComputePipelineState(*library.newFunction("plain")));
}

} // namespace
} // namespace assay
