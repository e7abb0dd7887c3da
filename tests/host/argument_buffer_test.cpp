// Argument buffers through the public API: a struct of addresses, written by the host, followed by a kernel.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kArgumentBufferSource = R"(#include <metal_stdlib>
using namespace metal;
struct Scaled { constant float *x [[id(0)]]; float factor [[id(1)]]; };
struct Args {
  device const int *in [[id(0)]];
  uint count [[id(1)]];
  metal::array<device int *, 2> outs [[id(2)]];
  Scaled scaled [[id(4)]];
};
kernel void spread(constant Args &args [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i < args.count)
    args.outs[i % 2][i / 2] = args.in[i] + int(args.scaled.x[i] * args.scaled.factor);
}
kernel void second(device Args *args [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  args[1].outs[0][i] = args[0].in[i];
}
struct Node { device Node *next; int value; };
kernel void walk(device Node *first [[buffer(0)]], device int *sum [[buffer(1)]]) {
  int total = 0;
  for (device Node *node = first; node; node = node->next)
    total += node->value;
  *sum = total;
}
)";

// As the kernel declares it, in C++: addresses of eight bytes, everything else as in C.
struct Args {
  uint64_t in;
  uint32_t count;
  uint64_t outs[2];
  uint64_t x;
  float factor;
};

class ArgumentBufferTest : public testing::Test {
protected:
  ArgumentBufferTest() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    auto result = device.newLibraryWithSource(kArgumentBufferSource);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    library = *result;
  }

  ComputeCommandEncoder encoder(const char *kernel) {
    const auto pipeline = device.newComputePipelineState(*library->newFunction(kernel));
    EXPECT_TRUE(pipeline) << (pipeline ? "" : renderDiagnostics(pipeline.error().diagnostics));
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    return encoder;
  }
  template <class T> Buffer bufferOf(std::vector<T> values) {
    return device.newBuffer(values.data(), values.size() * sizeof(T));
  }
  static std::string message(const Result<DispatchReport> &result) {
    return result ? "it succeeded" : renderDiagnostics(result.error().diagnostics);
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  std::optional<Library> library;
};

} // namespace

TEST_F(ArgumentBufferTest, AKernelFollowsTheAddressesOfUsedBuffers) {
  const Buffer in = bufferOf<int>({1, 2, 3, 4}), x = bufferOf<float>({0.5, 1, 1.5, 2});
  Buffer even = bufferOf<int>({0, 0}), odd = bufferOf<int>({0, 0});
  const Args args = {in.gpuAddress(), 4, {even.gpuAddress(), odd.gpuAddress()}, x.gpuAddress(), 10};
  ComputeCommandEncoder encode = encoder("spread");
  encode.setBytes(&args, sizeof args, 0);
  encode.useResource(in, ResourceUsage::Read);
  encode.useResource(x, ResourceUsage::Read);
  const Buffer outs[] = {even, odd};
  encode.useResources(outs, ResourceUsage::Write);
  const auto report = encode.dispatchThreads(Size(4), Size(2));
  ASSERT_TRUE(report) << message(report);
  EXPECT_THAT(even.as<int>(), testing::ElementsAre(6, 18));
  EXPECT_THAT(odd.as<int>(), testing::ElementsAre(12, 24));
}

TEST_F(ArgumentBufferTest, ABufferThatIsNeitherBoundNorUsedIsOutOfBounds) {
  const Buffer in = bufferOf<int>({1, 2, 3, 4}), x = bufferOf<float>({0, 0, 0, 0});
  const Buffer out = bufferOf<int>({0, 0});
  // Far from all the others, whatever the system's allocation does.
  const Buffer far = device.newBuffer(64 << 20);
  const uint64_t address = far.gpuAddress() + (32 << 20);
  const Args args = {in.gpuAddress(), 4, {out.gpuAddress(), address}, x.gpuAddress(), 1};
  ComputeCommandEncoder encode = encoder("spread");
  encode.setBytes(&args, sizeof args, 0);
  const Buffer used[] = {in, out, x};
  encode.useResources(used, ResourceUsage::ReadWrite);
  const auto refused = encode.dispatchThreads(Size(4), Size(2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule(), "out-of-bounds");
  char expected[200];
  snprintf(
      expected, sizeof expected,
      "source.metal:12:29: error: write of 4 bytes at address %#lx, which lies in no buffer that is bound or "
      "used [out-of-bounds]\n",
      static_cast<unsigned long>(address));
  EXPECT_THAT(message(refused), testing::HasSubstr(expected));
  encode.useResource(far, ResourceUsage::Write);
  const auto report = encode.dispatchThreads(Size(4), Size(2));
  EXPECT_TRUE(report) << message(report);
}

TEST_F(ArgumentBufferTest, AnAddressThatWasNotWrittenIsANullPointer) {
  const Buffer out = bufferOf<int>({0, 0});
  const Args args = {0, 4, {out.gpuAddress(), out.gpuAddress()}, 0, 1};
  ComputeCommandEncoder encode = encoder("spread");
  encode.setBytes(&args, sizeof args, 0);
  encode.useResource(out, ResourceUsage::Write);
  EXPECT_THAT(message(encode.dispatchThreads(Size(1), Size(1))),
              testing::HasSubstr("read of 4 bytes at address 0x0: a null pointer [out-of-bounds]"));
}

TEST_F(ArgumentBufferTest, PastTheEndOfAUsedBufferIsOutOfBounds) {
  const Buffer in = bufferOf<int>({1, 2, 3, 4}), x = bufferOf<float>({0, 0, 0, 0});
  Buffer out = bufferOf<int>({7, 7});
  const Args args = {in.gpuAddress(), 4, {out.gpuAddress() + 4, out.gpuAddress()}, x.gpuAddress(), 1};
  ComputeCommandEncoder encode = encoder("spread");
  encode.setBytes(&args, sizeof args, 0);
  const Buffer used[] = {in, out, x};
  encode.useResources(used, ResourceUsage::ReadWrite);
  EXPECT_THAT(
      message(encode.dispatchThreads(Size(4), Size(4))),
      testing::HasSubstr("write of 4 bytes outside all memory of the kernel, at byte 8 of a buffer that is "
                         "used but not bound, which is the nearest and has 8 bytes"));
}

TEST_F(ArgumentBufferTest, ArraysOfArgumentBuffersInDeviceMemory) {
  const Buffer in = bufferOf<int>({5, 6, 7});
  Buffer out = bufferOf<int>({0, 0, 0});
  const Buffer args = bufferOf<Args>({{in.gpuAddress(), 0, {}, 0, 0}, {0, 0, {out.gpuAddress(), 0}, 0, 0}});
  ComputeCommandEncoder encode = encoder("second");
  encode.setBuffer(args, 0, 3);
  encode.useResource(in, ResourceUsage::Read);
  encode.useResource(out, ResourceUsage::Write);
  const auto report = encode.dispatchThreads(Size(3), Size(3));
  ASSERT_TRUE(report) << message(report);
  EXPECT_THAT(out.as<int>(), testing::ElementsAre(5, 6, 7));
}

TEST_F(ArgumentBufferTest, AddressesMayLeadFromBufferToBuffer) {
  struct Node {
    uint64_t next;
    int32_t value;
  };
  const Buffer last = bufferOf<Node>({{0, 100}});
  const Buffer middle = bufferOf<Node>({{0, -1}, {last.gpuAddress(), 20}});
  const Buffer first = bufferOf<Node>({{middle.gpuAddress() + sizeof(Node), 3}});
  Buffer sum = bufferOf<int>({0});
  ComputeCommandEncoder encode = encoder("walk");
  encode.setBuffer(first, 0, 0);
  encode.setBuffer(sum, 0, 1);
  encode.useResource(middle, ResourceUsage::Read);
  EXPECT_EQ(encode.dispatchThreads(Size(1), Size(1)).operator bool(), false) << "the last is not known";
  encode.useResource(last, ResourceUsage::Read);
  const auto report = encode.dispatchThreads(Size(1), Size(1));
  ASSERT_TRUE(report) << message(report);
  EXPECT_EQ(sum.as<int>()[0], 123);
}

TEST_F(ArgumentBufferTest, TheMembersAreReflected) {
  const std::vector<MemberInfo> &members = library->reflection().kernels[0].arguments[0].members;
  ASSERT_EQ(members.size(), 5u);
  const auto row = [](const MemberInfo &m) {
    return m.name + " " + std::to_string(m.id) + " " + m.type + " " + std::to_string(m.offset) + " " +
           std::to_string(m.bytes) + " " + std::to_string(m.count);
  };
  EXPECT_EQ(row(members[0]), "in 0 const device int * 0 8 1");
  EXPECT_EQ(row(members[1]), "count 1 uint 8 4 1");
  EXPECT_EQ(row(members[2]), "outs 2 metal::array<device int *, 2> 16 8 2");
  EXPECT_EQ(row(members[3]), "scaled.x 4 constant float * 32 8 1");
  EXPECT_EQ(row(members[4]), "scaled.factor 5 float 40 4 1");
  EXPECT_EQ(members[0].pointsTo, AddressSpace::Device);
  EXPECT_EQ(members[0].access, Access::Read);
  EXPECT_EQ(members[1].pointsTo, std::nullopt);
  EXPECT_EQ(members[2].access, Access::ReadWrite);
  EXPECT_EQ(members[3].pointsTo, AddressSpace::Constant);
  EXPECT_EQ(members[2].offset, offsetof(Args, outs));
  EXPECT_EQ(members[4].offset, offsetof(Args, factor));
  EXPECT_EQ(library->reflection().kernels[2].arguments[0].members.size(), 2u) << "addresses need no ids";
}

} // namespace assay
