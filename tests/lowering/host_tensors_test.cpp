// From the record of a tensor to its buffer: which code an argument's becomes, and which another one's.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

const std::string kFunctions = R"(
declare ptr addrspace(6) @__assay_tensor(i32)
declare i64 @__assay_tensor_field(ptr addrspace(6), i32)
declare ptr addrspace(5) @__assay_tensor_device(ptr addrspace(6))
)";

// Element 1 becomes the sum of the second extent and the first stride.
std::string kernelOf(const std::string &record) {
  return kFunctions + "define void @k() {\n" + record + R"(
  %e = call i64 @__assay_tensor_field(ptr addrspace(6) %t, i32 1)
  %s = call i64 @__assay_tensor_field(ptr addrspace(6) %t, i32 16)
  %d = call ptr addrspace(5) @__assay_tensor_device(ptr addrspace(6) %t)
  %at = getelementptr i64, ptr addrspace(5) %d, i64 1
  %v = add i64 %e, %s
  store i64 %v, ptr addrspace(5) %at
  ret void
})";
}

struct HostTensors : Kernel {
  explicit HostTensors(const std::string &record) : Kernel(kernelOf(record)) {
    ArgumentInfo argument;
    argument.kind = ArgumentKind::Tensor;
    argument.name = "weights";
    argument.index = 3;
    info.arguments.push_back(argument);
    tensor.first = reinterpret_cast<uint8_t *>(data.data());
    tensor.extents[1] = 40;
    tensor.strides[0] = 2;
    bind(3, data);
    dispatch.tensors[3] = &tensor;
  }
  std::vector<uint64_t> data = std::vector<uint64_t>(2);
  TensorAbi tensor;
};

const std::string kArgument = "%t = call ptr addrspace(6) @__assay_tensor(i32 3)";
// The record's address in a buffer.
const std::string kLoaded = "%b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
                            "%t = load ptr addrspace(6), ptr addrspace(5) %b";

} // namespace

TEST(HostTensors, OfAnArgumentTheElementsAreItsBuffer) {
  HostTensors k(kArgument);
  EXPECT_TRUE(k.run());
  EXPECT_EQ(k.data[1], 42u);
  EXPECT_TRUE(k.calls.empty()) << "a field has a place that is known";
  EXPECT_EQ(k.code().usedBuffers, 8u);
  k.dispatch.buffers[3].bytes = 8;
  EXPECT_FALSE(k.run());
  ASSERT_EQ(k.callNames(), std::vector<std::string>{"out_of_bounds"});
  const SiteInfo &site = k.siteOf(k.calls[0]);
  EXPECT_EQ(site.memory, MemoryKind::Buffer);
  EXPECT_EQ(site.slot, 3u);
  EXPECT_EQ(site.memoryName, "weights");
}

TEST(HostTensors, OfAnotherRecordTheRuntimeIsAsked) {
  HostTensors k(kLoaded);
  std::vector<uint64_t> addresses{reinterpret_cast<uintptr_t>(&k.tensor)};
  k.bind(0, addresses);
  EXPECT_TRUE(k.run());
  EXPECT_EQ(k.data[1], 42u);
  EXPECT_EQ(k.callNames(), std::vector<std::string>(4, "check_access"));
  EXPECT_EQ(k.calls.back().address, reinterpret_cast<uintptr_t>(k.data.data() + 1));
}

// The vector engine sees a buffer, and the same extents in every lane.
TEST(HostTensors, KernelsStayVectors) {
  HostTensors k(kArgument);
  const std::string code = k.vectorCodeAfter("vectorize");
  for (const char *call : {"call i64 @__assay_tensor_field", "call ptr addrspace(5) @__assay_tensor_device"})
    EXPECT_EQ(code.find(call), std::string::npos) << code;
  EXPECT_EQ(code.find("check_access"), std::string::npos) << code;
}

TEST(HostTensors, FieldsThatAreNotInTheRecordAreOutOfBounds) {
  Kernel k(kFunctions + R"(define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = load i32, ptr addrspace(5) %b
  %t = call ptr addrspace(6) @__assay_tensor(i32 3)
  %e = call i64 @__assay_tensor_field(ptr addrspace(6) %t, i32 %n)
  store i64 %e, ptr addrspace(5) %b
  ret void
})");
  TensorAbi tensor;
  tensor.strides[15] = 77;
  k.dispatch.tensors[3] = &tensor;
  std::vector<uint64_t> data{31};
  k.bind(0, data);
  EXPECT_TRUE(k.run());
  EXPECT_EQ(data[0], 77u);
  data[0] = 32;
  EXPECT_FALSE(k.run());
  EXPECT_EQ(k.siteOf(k.calls.back()).memory, MemoryKind::Constant);
}

} // namespace assay::lowering::test
