// Textures and samplers in argument buffers: the host writes their numbers, the kernel uses them.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <cstring>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char *kArgumentTextureSource = R"(#include <metal_stdlib>
using namespace metal;
struct Inner { sampler filter; array<texture2d<float, access::read>, 3> layers; };
struct Args {
  texture2d<float> photo [[id(0)]];
  device float *out [[id(1)]];
  Inner inner [[id(2)]];
  texture2d<uint, access::read_write> counts [[id(6)]];
};
kernel void use(constant Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const Args copy = a; // handles are values
  a.out[i] = copy.photo.read(uint2(i, 0)).x + 10 * a.inner.layers[i % 3].read(uint2(0, 1)).x;
  a.out[4 + i] = a.photo.sample(a.inner.filter, float2((i + 1) / 4.0f, 0.25f)).x;
  a.counts.write(a.counts.read(uint2(i, 0)) + i, uint2(i, 0));
}
kernel void each(device Args *all [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  all[0].out[i] = is_null_texture(all[i].photo) ? -1.0f : all[i].photo.get_width();
}
kernel void sampled(constant Args &a [[buffer(0)]]) {
  a.out[0] = a.photo.sample(a.inner.filter, float2(0.5f)).x;
}
kernel void read(constant Args &a [[buffer(0)]], constant uint2 &at [[buffer(1)]]) {
  a.out[0] = a.photo.read(at).x;
}
kernel void bump(constant Args &a [[buffer(0)]]) { a.counts.write(uint4(1), uint2(0)); }
)";

// As the kernel declares it.
struct Args {
  uint64_t photo = 0, out = 0, filter = 0, layers[3] = {}, counts = 0;
};

class ArgumentTexture : public testing::TestWithParam<bool> {
protected:
  ArgumentTexture() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    CompileOptions options;
    options.debug = GetParam();
    auto result = device.newLibraryWithSource(kArgumentTextureSource, options);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    library = *result;
  }

  Texture make(PixelFormat format, uint64_t width, uint64_t height, std::vector<float> texels = {},
               TextureUsage usage = TextureUsage::ShaderReadWrite) {
    TextureDescriptor d = TextureDescriptor::texture2DDescriptor(format, width, height, false);
    d.usage = usage;
    Texture t = *device.newTexture(d);
    t.poison();
    if (!texels.empty())
      EXPECT_TRUE(t.replaceRegion(Region::Make2D(0, 0, width, height), 0, texels.data(), width * 4));
    return t;
  }

  Result<DispatchReport> run(const char *kernel, const Args &args, std::vector<Texture> used,
                             uint32_t threads = 1, std::array<uint32_t, 2> at = {}) {
    PipelineOptions options;
    options.debug = GetParam();
    const auto pipeline = device.newComputePipelineState(*library->newFunction(kernel), options);
    if (!pipeline)
      return pipeline.error();
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBytes(&args, sizeof args, 0);
    if (std::string_view(kernel) == "read")
      encoder.setBytes(&at, sizeof at, 1);
    encoder.useResource(out, ResourceUsage::Write);
    for (const Texture &texture : used)
      encoder.useResource(texture, ResourceUsage::ReadWrite);
    return encoder.dispatchThreads({threads}, {threads});
  }
  std::string message(const char *kernel, const Args &args, std::vector<Texture> used,
                      std::array<uint32_t, 2> at = {}) {
    const Result<DispatchReport> result = run(kernel, args, std::move(used), 1, at);
    return result ? "it succeeded" : renderDiagnostics(result.error().diagnostics);
  }
  std::vector<float> written(size_t count) {
    std::vector<float> values(count);
    std::memcpy(values.data(), out.contents(), count * sizeof(float));
    return values;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  std::optional<Library> library;
  Buffer out = device.newBuffer(64);
};

INSTANTIATE_TEST_SUITE_P(Builds, ArgumentTexture, testing::Bool(),
                         [](const auto &info) { return info.param ? "debug" : "release"; });

TEST_P(ArgumentTexture, IsReadSampledAndWritten) {
  const Texture photo = make(PixelFormat::R32Float, 4, 2, {1, 2, 3, 4, 5, 6, 7, 8});
  const Texture layers[] = {make(PixelFormat::R32Float, 1, 2, {0, 100}),
                            make(PixelFormat::R32Float, 1, 2, {0, 200}),
                            make(PixelFormat::R32Float, 1, 2, {0, 300})};
  const uint32_t zeros[4] = {};
  Texture counts = make(PixelFormat::R32Uint, 4, 1);
  ASSERT_TRUE(counts.replaceRegion(Region::Make2D(0, 0, 4, 1), 0, zeros, 16));
  SamplerDescriptor linear;
  linear.minFilter = linear.magFilter = SamplerMinMagFilter::Linear;
  Args args{photo.gpuResourceID(),
            out.gpuAddress(),
            device.newSamplerState(linear)->gpuResourceID(),
            {},
            counts.gpuResourceID()};
  for (int i = 0; i < 3; ++i)
    args.layers[i] = layers[i].gpuResourceID();
  const Result<DispatchReport> done = run("use", args, {photo, layers[0], layers[1], layers[2], counts}, 4);
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  // The samples lie between two texels of the first row: x = i + 1 is the middle of texels i and i + 1.
  EXPECT_EQ(written(8), (std::vector<float>{1001, 2002, 3003, 1004, 1.5f, 2.5f, 3.5f, 4}));
  uint32_t counted[4];
  ASSERT_TRUE(counts.getBytes(counted, 16, Region::Make2D(0, 0, 4, 1), 0));
  EXPECT_THAT(counted, testing::ElementsAre(0, 1, 2, 3));
}

TEST_P(ArgumentTexture, MayBeNullAndDiffersByElement) {
  const Texture four = make(PixelFormat::R32Float, 4, 1), nine = make(PixelFormat::R32Float, 9, 1);
  std::vector<Args> all(3);
  all[0] = {four.gpuResourceID(), out.gpuAddress()};
  all[2].photo = nine.gpuResourceID();
  PipelineOptions options;
  options.debug = GetParam();
  const auto pipeline = device.newComputePipelineState(*library->newFunction("each"), options);
  ASSERT_TRUE(pipeline);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(device.newBuffer(all.data(), all.size() * sizeof(Args)), 0, 0);
  encoder.useResource(out, ResourceUsage::Write);
  encoder.useResource(four, ResourceUsage::Read);
  encoder.useResource(nine, ResourceUsage::Read);
  ASSERT_TRUE(encoder.dispatchThreads({3}, {3}));
  EXPECT_EQ(written(3), (std::vector<float>{4, -1, 9}));
}

TEST_P(ArgumentTexture, ThatIsNotKnownOrNullIsNamed) {
  const Texture photo = make(PixelFormat::R32Float, 4, 2);
  const Args args{photo.gpuResourceID(), out.gpuAddress()};
  EXPECT_THAT(message("read", args, {}),
              testing::AllOf(HasSubstr("read of a texture with gpuResourceID 0x"),
                             HasSubstr("which the dispatch does not know [out-of-bounds]"),
                             HasSubstr("useResource")));
  EXPECT_THAT(message("read", {0, out.gpuAddress()}, {}), HasSubstr("read of a null texture [null-texture]"));
  for (const uint64_t invented : {uint64_t(200), ~uint64_t(0), photo.gpuResourceID() + 1000})
    EXPECT_THAT(message("read", {invented, out.gpuAddress()}, {photo}),
                HasSubstr("which the dispatch does not know [out-of-bounds]"));
  EXPECT_EQ(message("read", args, {photo}, {4, 1}), "it succeeded");
  EXPECT_EQ(written(1), std::vector<float>{0});
}

TEST_P(ArgumentTexture, OfAnotherKindIsNamed) {
  const auto withPhoto = [&](const Texture &photo) {
    return message("read", {photo.gpuResourceID(), out.gpuAddress()}, {photo});
  };
  TextureDescriptor volume = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 4, 4, false);
  volume.textureType = TextureType::Type3D;
  EXPECT_THAT(withPhoto(*device.newTexture(volume)),
              HasSubstr("is of type Type3D, texture2d<float> needs one of type Type2D [texture-type]"));
  EXPECT_THAT(
      withPhoto(make(PixelFormat::R32Uint, 4, 4)),
      HasSubstr("has format R32Uint, texture2d<float> cannot read or write it as float [texture-format]"));
  EXPECT_THAT(withPhoto(make(PixelFormat::R32Float, 4, 4, {}, TextureUsage::ShaderWrite)),
              HasSubstr("was made without usage ShaderRead, texture2d<float> needs it [texture-usage]"));
  const Texture counts = make(PixelFormat::RG32Uint, 1, 1);
  Args args{0, out.gpuAddress()};
  args.counts = counts.gpuResourceID();
  EXPECT_THAT(message("bump", args, {counts}),
              HasSubstr("has format RG32Uint, which a kernel cannot both read and write "
                        "(texture2d<uint, access::read_write>) [texture-format]"));
}

TEST_P(ArgumentTexture, NeedsASamplerThatTheHostWrote) {
  const Texture photo = make(PixelFormat::R32Float, 1, 1, {7});
  for (const uint64_t filter : {uint64_t(0), uint64_t(99)})
    EXPECT_THAT(
        message("sampled", {photo.gpuResourceID(), out.gpuAddress(), filter}, {photo}),
        HasSubstr("a sampler that is neither bound nor constexpr nor of an argument buffer [sampler]"));
  // Whatever the other bits of an invented sampler say, the dispatch ends, and well or with a message.
  for (uint64_t bits = 1; bits < uint64_t(1) << 63; bits = bits << 1 | 1)
    EXPECT_THAT(
        message("sampled", {photo.gpuResourceID(), out.gpuAddress(), uint64_t(1) << 63 | bits}, {photo}),
        testing::AnyOf("it succeeded", HasSubstr("[sampler]")));
}

TEST_P(ArgumentTexture, IsReflected) {
  const std::vector<ArgumentInfo> arguments = library->newFunction("use")->info().arguments;
  const std::vector<MemberInfo> &members = arguments.at(0).members;
  ASSERT_EQ(members.size(), 5u);
  EXPECT_EQ(members[0].name, "photo");
  EXPECT_EQ(members[0].bytes, 8u);
  ASSERT_TRUE(members[0].texture);
  EXPECT_EQ(members[0].texture->type, TextureType::Type2D);
  EXPECT_EQ(members[0].texture->element, ScalarType::Float);
  EXPECT_EQ(members[0].texture->access, Access::Sample);
  EXPECT_EQ(members[2].name, "inner.filter");
  EXPECT_TRUE(members[2].sampler);
  EXPECT_EQ(members[2].offset, 16u);
  EXPECT_EQ(members[3].name, "inner.layers");
  EXPECT_EQ(members[3].count, 3u);
  EXPECT_EQ(members[3].id, 3u);
  EXPECT_EQ(members[3].texture->access, Access::Read);
  EXPECT_EQ(members[4].texture->access, Access::ReadWrite);
  EXPECT_EQ(members[4].texture->element, ScalarType::UInt);
  EXPECT_EQ(arguments.at(0).pointeeBytes, sizeof(Args));
}

} // namespace
} // namespace assay
