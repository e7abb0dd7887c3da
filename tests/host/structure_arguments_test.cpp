// Structures of what the host binds, passed to a kernel by value.
// source: MSL specification, section 5.2.1; metalchat, whose kernels take nested ones without indices.
#include "host/assay.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kStructureArgumentsSource = R"(#include <metal_stdlib>
using namespace metal;
struct Shape { uint count; float factor; };
template <typename T> struct view {
  constant Shape &shape;
  device T *data;
};
template <typename T> struct parameters {
  view<T> output;
  view<const T> input;
  texture2d<float, access::read> picture [[texture(3)]];
  device uint *visits [[buffer(1)]];
};
kernel void k(device float *before [[buffer(0)]], parameters<float> p,
              threadgroup float *shared [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
  shared[i] = p.input.data[i] * p.input.shape.factor;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < p.output.shape.count)
    p.output.data[i] = shared[p.input.shape.count - 1 - i] + before[i] + p.picture.read(uint2(i, 0)).x;
  p.visits[i] = i + 1;
}
)";

struct Shape {
  uint32_t count;
  float factor;
};

Result<Library> libraryOf(const std::string &source, bool debug = false) {
  CompileOptions options;
  options.debug = debug;
  return Device::systemDefault().newLibraryWithSource(source, options);
}

std::string messageOf(const std::string &source) {
  const Result<Library> library = libraryOf("#include <metal_stdlib>\nusing namespace metal;\n" + source);
  return library ? "" : library.error().message();
}

} // namespace

TEST(StructureArguments, AreBoundMemberByMember) {
  const Device device = Device::systemDefault();
  for (const bool debug : {false, true}) {
    const Result<Library> library = libraryOf(kStructureArgumentsSource, debug);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    PipelineOptions options;
    options.debug = debug;
    const auto pipeline = device.newComputePipelineState(*library->newFunction("k"), options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);

    const std::vector<float> before = {1000, 2000, 3000, 4000}, input = {1, 2, 3, 4}, zeros(4);
    const Buffer first = device.newBuffer(before.data(), 16), in = device.newBuffer(input.data(), 16),
                 out = device.newBuffer(zeros.data(), 16), visits = device.newBuffer(zeros.data(), 16);
    const Shape outShape = {3, 0}, inShape = {4, 10};
    const std::vector<float> texels = {100, 200, 300, 400};
    TextureDescriptor descriptor = TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 4, 1, false);
    descriptor.usage = TextureUsage::ShaderRead;
    Texture picture = *device.newTexture(descriptor);
    ASSERT_TRUE(picture.replaceRegion({{0, 0, 0}, {4, 1, 1}}, 0, texels.data(), 16));

    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(first, 0, 0);
    encoder.setBuffer(visits, 0, 1);
    encoder.setBytes(&outShape, sizeof outShape, 2); // the next free indices, in order
    encoder.setBuffer(out, 0, 3);
    encoder.setBytes(&inShape, sizeof inShape, 4);
    encoder.setBuffer(in, 0, 5);
    encoder.setTexture(picture, 3);
    encoder.setThreadgroupMemoryLength(16, 0);
    const auto done = encoder.dispatchThreads({4}, {4});
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
    EXPECT_THAT(out.as<float>(), ElementsAre(1140, 2230, 3320, 0));
    EXPECT_THAT(visits.as<uint32_t>(), ElementsAre(1, 2, 3, 4));
  }
}

TEST(StructureArguments, OfPlainValuesAreRefusedAtTheirLine) {
  EXPECT_THAT(messageOf("struct S { uint n; };\nkernel void k(S s, device uint *o) { *o = s.n; }\n"),
              HasSubstr("kernel argument 's' of type 'S' is not supported"));
  EXPECT_THAT(messageOf("struct S { uint n; device uint *o; };\nkernel void k(S s) { *s.o = s.n; }\n"),
              HasSubstr("kernel argument 'n' of type 'uint' is not supported"));
  EXPECT_THAT(messageOf("struct V { device uint *o; uint n; }; struct S { V v; };\n"
                        "kernel void k(S s) { *s.v.o = s.v.n; }\n"),
              HasSubstr("kernel argument 'v.n' of type 'uint' is not supported"));
  EXPECT_THAT(messageOf("struct S { device uint *a [[buffer(2)]]; device uint *b [[buffer(2)]]; };\n"
                        "kernel void k(S s) { *s.a = *s.b; }\n"),
              HasSubstr("buffer(2) is already used by argument 'a'"));
}

} // namespace assay
