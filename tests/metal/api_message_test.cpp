// Metal by C functions alone: objc_msgSend cast to the method's type, as metal-cpp and other bindings send.
// Compiled by the project's C++ compiler, which knows nothing of Objective-C.
#include <objc/message.h>
#include <objc/runtime.h>

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

extern "C" id MTLCreateSystemDefaultDevice();

namespace {

struct Size {
  unsigned long width, height, depth;
};
struct SizeAndAlign {
  unsigned long size, align;
};

template <class R, class... A> R send(id object, const char *selector, A... arguments) {
  return reinterpret_cast<R (*)(id, SEL, A...)>(&objc_msgSend)(object, sel_registerName(selector),
                                                               arguments...);
}
/// What is too large for registers comes by way of another function on x86-64.
template <class R, class... A> R sendLarge(id object, const char *selector, A... arguments) {
#if defined(__x86_64__)
  return reinterpret_cast<R (*)(id, SEL, A...)>(&objc_msgSend_stret)(object, sel_registerName(selector),
                                                                     arguments...);
#else
  return send<R>(object, selector, arguments...);
#endif
}

id classNamed(const char *name) {
  return reinterpret_cast<id>(objc_lookUpClass(name));
}
id text(const char *utf8) {
  return send<id>(classNamed("NSString"), "stringWithUTF8String:", utf8);
}
const char *utf8(id string) {
  return send<const char *>(string, "UTF8String");
}

} // namespace

TEST(MetalMessages, RunAKernel) {
  id pool = send<id>(send<id>(classNamed("NSAutoreleasePool"), "alloc"), "init");
  id device = MTLCreateSystemDefaultDevice();
  EXPECT_STREQ(utf8(send<id>(device, "name")), "Apple M1");
  EXPECT_EQ(sendLarge<Size>(device, "maxThreadsPerThreadgroup").width, 1024u);
  const auto align = send<SizeAndAlign>(device, "heapBufferSizeAndAlignWithLength:options:", 100ul, 0ul);
  EXPECT_EQ(align.size, 256u); // in two registers
  EXPECT_EQ(send<bool>(device, "supportsFamily:", long(5001)), true);

  id error = nullptr;
  id library =
      send<id>(device, "newLibraryWithSource:options:error:",
               text("kernel void half_of(device float *x [[buffer(0)]], constant float &by [[buffer(1)]],"
                    " uint i [[thread_position_in_grid]]) { x[i] *= by; }"),
               id(nullptr), &error);
  ASSERT_NE(library, nullptr) << utf8(send<id>(error, "localizedDescription"));
  id function = send<id>(library, "newFunctionWithName:", text("half_of"));
  id state = send<id>(device, "newComputePipelineStateWithFunction:error:", function, &error);
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(send<unsigned long>(state, "threadExecutionWidth"), 32u);
  const float values[] = {2, 4, 6}, by = 0.5f;
  id buffer = send<id>(device, "newBufferWithBytes:length:options:", static_cast<const void *>(values),
                       sizeof values, 0ul);
  id queue = send<id>(device, "newCommandQueue");
  id commands = send<id>(queue, "commandBuffer");
  id encoder = send<id>(commands, "computeCommandEncoder");
  send<void>(encoder, "setComputePipelineState:", state);
  send<void>(encoder, "setBuffer:offset:atIndex:", buffer, 0ul, 0ul);
  send<void>(encoder, "setBytes:length:atIndex:", static_cast<const void *>(&by), sizeof by, 1ul);
  // Structs of 24 bytes go by memory.
  send<void>(encoder, "dispatchThreads:threadsPerThreadgroup:", Size{3, 1, 1}, Size{2, 1, 1});
  send<void>(encoder, "endEncoding");
  send<void>(commands, "commit");
  send<void>(commands, "waitUntilCompleted");
  EXPECT_EQ(send<unsigned long>(commands, "status"), 4u);
  EXPECT_GT(send<double>(commands, "GPUEndTime"), send<double>(commands, "GPUStartTime"));
  const float *out = static_cast<const float *>(send<void *>(buffer, "contents"));
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(out[2], 3);
  for (id object : {buffer, state, function, library, queue})
    send<void>(object, "release");
  send<void>(pool, "drain");
}

// What comes by memory is nobody's promise: compilers of Objective-C do not even send it.
TEST(MetalMessages, NilAnswersZero) {
  EXPECT_EQ(send<id>(nullptr, "newCommandQueue"), nullptr);
  EXPECT_EQ(send<unsigned long>(nullptr, "length"), 0u);
  EXPECT_EQ(send<double>(nullptr, "GPUEndTime"), 0);
  const auto none = send<SizeAndAlign>(nullptr, "heapBufferSizeAndAlignWithLength:options:", 1ul, 0ul);
  EXPECT_EQ(none.size + none.align, 0u);
}

// What the classes promise by protocol, bindings ask for by name.
TEST(MetalMessages, ClassesKnowTheirProtocols) {
  id device = MTLCreateSystemDefaultDevice();
  for (const char *name : {"MTLDevice", "NSObject"}) {
    Protocol *protocol = objc_getProtocol(name);
    ASSERT_NE(protocol, nullptr) << name;
    EXPECT_TRUE(send<bool>(device, "conformsToProtocol:", reinterpret_cast<id>(protocol))) << name;
  }
  EXPECT_TRUE(send<bool>(device, "respondsToSelector:", sel_registerName("newFence")));
  EXPECT_FALSE(
      send<bool>(device, "respondsToSelector:", sel_registerName("newAccelerationStructureWithSize:")));
  for (const char *name :
       {"MTLCompileOptions", "MTLFunctionConstantValues", "MTLComputePipelineDescriptor", "MTLHeapDescriptor",
        "MTLTextureDescriptor", "MTLSamplerDescriptor", "MTLSharedEventListener", "MTLCaptureManager",
        "MTLCaptureDescriptor", "MTLResidencySetDescriptor", "MTLLinkedFunctions", "MTLFunctionDescriptor",
        "MTLLogStateDescriptor", "MTLCommandQueueDescriptor", "MTLCommandBufferDescriptor",
        "MTLArgumentDescriptor", "NSAutoreleasePool", "NSProcessInfo"})
    EXPECT_NE(objc_lookUpClass(name), nullptr) << name;
}

// metal-cpp asks in this way before it sends what an older system may lack: the answer is no, not the end.
TEST(MetalMessages, WhatADeviceMayLackIsAskedFor) {
  id device = MTLCreateSystemDefaultDevice();
  const auto has = [&](const char *selector) {
    return send<id>(device, "methodSignatureForSelector:", sel_registerName(selector)) != nullptr;
  };
  EXPECT_TRUE(has("supportsFamily:"));
  EXPECT_FALSE(has("supportsPrimitiveMotionBlur"));
  EXPECT_FALSE(has("supportsRasterizationRateMapWithLayerCount:"));
}

TEST(MetalMessages, AnUnknownSelectorStopsWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // A program in C++ cannot catch it by its type, and gtest must not.
  const auto ask = []() noexcept {
    send<id>(MTLCreateSystemDefaultDevice(), "newRasterizationRateMapWithDescriptor:", id(nullptr));
  };
  EXPECT_DEATH(ask(), "uncaught NSException: NSInvalidArgumentException: -\\[AssayDevice "
                      "newRasterizationRateMapWithDescriptor:\\]: unrecognized selector sent to instance");
}
