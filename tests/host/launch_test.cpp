// From a source to results in one call for each part of the way, and what each call hands on.
#include "host/launch.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kLaunchSource = R"(#include <metal_stdlib>
using namespace metal;
constant int scale [[function_constant(0)]];
struct Tables { device int *far; };
kernel void combine(device int *out [[buffer(0)]], constant int &add [[buffer(1)]],
                    constant Tables &tables [[buffer(2)]], threadgroup int *tile [[threadgroup(0)]],
                    texture2d<uint> image [[texture(0)]], sampler nearest [[sampler(0)]],
                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  tile[t] = int(i) * scale + add;
  out[i] = tile[t] + tables.far[0] + int(image.sample(nearest, float2(0.5)).x);
}
kernel void other(device int *out [[buffer(0)]]) { out[0] = 1; }
)";

class Launch : public testing::Test {
protected:
  Launch() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    request.source = kLaunchSource;
    request.kernel = "combine";
    const int scale = 3;
    request.constants.setConstantValue(&scale, DataType::Int, "scale");
  }
  BuiltKernel built() {
    Result<BuiltKernel> kernel = buildKernel(device, request);
    EXPECT_TRUE(kernel) << (kernel ? "" : renderDiagnostics(kernel.error().diagnostics));
    return *kernel;
  }
  Bindings everything() {
    Bindings bindings;
    bindings.buffers[0] = device.newBuffer(8 * sizeof(int));
    const int add = 100, far = 1000;
    const auto *bytes = reinterpret_cast<const std::byte *>(&add);
    bindings.bytes[1].assign(bytes, bytes + sizeof add);
    const Buffer reached = device.newBuffer(&far, sizeof far);
    const uint64_t address = reached.gpuAddress();
    bindings.buffers[2] = device.newBuffer(&address, sizeof address);
    bindings.usedBuffers = {reached};
    bindings.threadgroupMemory[0] = 16;
    const uint32_t texel = 10000;
    Texture image =
        *device.newTexture(TextureDescriptor::texture2DDescriptor(PixelFormat::R32Uint, 1, 1, false));
    EXPECT_TRUE(image.replaceRegion(Region::Make2D(0, 0, 1, 1), 0, &texel, 0));
    bindings.textures[0] = image;
    bindings.samplers[0] = *device.newSamplerState({});
    return bindings;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  KernelRequest request;
};

} // namespace

TEST_F(Launch, GoesFromASourceToResults) {
  const Bindings bindings = everything();
  const Result<DispatchReport> report =
      launch(device, built().pipeline, bindings, DispatchSize::threads({6}, {4}));
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_EQ(report->threads, 6u);
  EXPECT_THAT(bindings.buffers.at(0).as<int>(),
              testing::ElementsAre(11100, 11103, 11106, 11109, 11112, 11115, 0, 0));
}

TEST_F(Launch, CountsThreadgroupsOrThreads) {
  const Result<DispatchReport> report =
      launch(device, built().pipeline, everything(), DispatchSize::threadgroups({2}, {4}));
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_EQ(report->threads, 8u);
  EXPECT_EQ(report->threadgroups, 2u);
}

TEST_F(Launch, AnEncoderDispatchesAgainAndTakesMore) {
  request.kernel = "other";
  DispatchOptions options;
  options.workers = 1;
  const BuiltKernel kernel = built();
  ComputeCommandEncoder encoder = encoderFor(device, kernel.pipeline, {}, options);
  EXPECT_EQ(dispatch(encoder, DispatchSize::threads({1}, {1})).error().rule(), "missing-binding");
  const Buffer out = device.newBuffer(sizeof(int));
  encoder.setBuffer(out, 0, 0);
  for (int i = 0; i < 2; ++i) {
    const Result<DispatchReport> report = dispatch(encoder, DispatchSize::threads({1}, {1}));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->workers, 1u);
  }
  EXPECT_EQ(out.as<int>()[0], 1);
}

// Nothing is said about what is missing: the code may not need it.
TEST_F(Launch, TheDeclarationAloneShowsSomeMistakes) {
  const Result<Library> library = compileLibrary(device, request);
  ASSERT_TRUE(library);
  const Result<Function> combine = library->newFunction("combine", request.constants);
  ASSERT_TRUE(combine);
  const auto rule = [&](const Bindings &bindings, DispatchSize size) {
    const Result<void> checked = checkDeclared(device, *combine, bindings, size);
    return checked ? std::string() : checked.error().rule();
  };
  const DispatchSize size = DispatchSize::threads({6}, {4});
  EXPECT_EQ(rule(everything(), size), "");
  EXPECT_EQ(rule({}, size), "");
  Bindings bindings;
  bindings.bytes[1].resize(2);
  EXPECT_EQ(rule(bindings, size), "buffer-too-small");
  bindings.bytes[1].resize(4097);
  EXPECT_EQ(rule(bindings, size), "inline-bytes");
  EXPECT_EQ(rule({}, DispatchSize::threads({6}, {1025})), "threadgroup-size");
}

TEST_F(Launch, TheLibraryIsCompiledForThePipeline) {
  request.pipeline.numerics.contract = Contraction::Fast;
  EXPECT_EQ(built().pipeline.options().numerics.contract, Contraction::Fast);
}

TEST_F(Launch, TheRequestCanBeCompletedFromItsLibrary) {
  request.constants.reset();
  const Result<Library> library = compileLibrary(device, request);
  ASSERT_TRUE(library);
  EXPECT_EQ(buildKernel(device, *library, request).error().rule(), "missing-function-constant");
  const int scale = 1;
  request.constants.setConstantValue(&scale, DataType::Int,
                                     library->reflection().functionConstants.at(0).index);
  EXPECT_TRUE(buildKernel(device, *library, request));
  request.kernel = "combin";
  EXPECT_EQ(buildKernel(device, *library, request).error().rule(), "unknown-kernel");
}

TEST_F(Launch, ReadsAFileAndSaysWhichIsMissing) {
  request.source.reset();
  request.file = folder / "k.metal";
  EXPECT_EQ(buildKernel(device, request).error().rule(), "no-such-file");
  folder.write("k.metal", kLaunchSource);
  EXPECT_EQ(built().pipeline.label(), "combine");
}

TEST_F(Launch, AMemoCompilesEachSourceOnceForEachSetOfOptions) {
  request.source.reset();
  request.file = folder.write("k.metal", kLaunchSource);
  const LibraryMemo memo;
  ASSERT_TRUE(memo.compile(device, request));
  folder.write("k.metal", "kernel void changed(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  EXPECT_THAT(memo.compile(device, request)->functionNames(), testing::ElementsAre("combine", "other"));
  const LibraryMemo copy = memo;
  EXPECT_THAT(copy.compile(device, request)->functionNames(), testing::ElementsAre("combine", "other"));
  KernelRequest another = request;
  another.compile.mathMode = MathMode::Safe;
  EXPECT_THAT(memo.compile(device, another)->functionNames(), testing::ElementsAre("changed"));
  another = request;
  another.pipeline.numerics.contract = Contraction::Fast;
  EXPECT_THAT(memo.compile(device, another)->functionNames(), testing::ElementsAre("changed"));
  another = request;
  another.compile.cache = false;
  EXPECT_THAT(memo.compile(device, another)->functionNames(), testing::ElementsAre("changed"));
}

} // namespace assay
