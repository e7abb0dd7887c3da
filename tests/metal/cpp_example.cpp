// A host in C++ in the way of Apple's metal-cpp, whose headers the user gives: devices, libraries, constants,
// heaps, events, handlers. Prints what it computes; ends with 1 and a sentence where something is wrong.
#define NS_PRIVATE_IMPLEMENTATION
#define MTL_PRIVATE_IMPLEMENTATION
#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const char *const kSource = R"(
#include <metal_stdlib>
using namespace metal;
constant uint kPower [[function_constant(0)]];
kernel void polynomial(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
                       constant float &scale [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float product = scale;
  for (uint n = 0; n < kPower; ++n)
    product *= x[i];
  y[i] = product;
}
kernel void total(device const float *x [[buffer(0)]], device float *sum [[buffer(1)]],
                  threadgroup float *room [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]],
                  uint n [[threads_per_threadgroup]]) {
  room[i] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) {
    float all = 0;
    for (uint k = 0; k < n; ++k)
      all += room[k];
    *sum = all;
  }
}
kernel void past_the_end(device float *x [[buffer(0)]]) { x[1000000] = 1; }
)";

NS::String *text(const char *utf8) {
  return NS::String::string(utf8, NS::UTF8StringEncoding);
}

void need(bool holds, const char *what, NS::Error *error = nullptr) {
  if (holds)
    return;
  std::fprintf(stderr, "wrong: %s\n%s", what, error ? error->localizedDescription()->utf8String() : "");
  std::exit(1);
}

struct Host {
  MTL::Device *device = MTL::CreateSystemDefaultDevice();
  MTL::CommandQueue *queue = device->newCommandQueue();
  MTL::Library *library = nullptr;

  Host() {
    NS::Error *error = nullptr;
    MTL::CompileOptions *options = MTL::CompileOptions::alloc()->init();
    options->setFastMathEnabled(false);
    options->setLanguageVersion(MTL::LanguageVersion3_0);
    library = device->newLibrary(text(kSource), options, &error);
    options->release();
    need(library, "the library", error);
  }
  ~Host() {
    library->release();
    queue->release();
    device->release();
  }
  MTL::ComputePipelineState *pipeline(const char *name, uint32_t power = 0) {
    NS::Error *error = nullptr;
    MTL::FunctionConstantValues *values = MTL::FunctionConstantValues::alloc()->init();
    values->setConstantValue(&power, MTL::DataTypeUInt, NS::UInteger(0));
    MTL::Function *function = library->newFunction(text(name), values, &error);
    need(function, name, error);
    MTL::ComputePipelineState *state = device->newComputePipelineState(function, &error);
    need(state, name, error);
    values->release();
    function->release();
    return state;
  }
};

void compute(Host &host) {
  constexpr uint32_t kCount = 100;
  std::vector<float> x(kCount);
  for (uint32_t i = 0; i < kCount; ++i)
    x[i] = float(i);
  MTL::Buffer *in = host.device->newBuffer(x.data(), kCount * sizeof(float), MTL::ResourceStorageModeShared);
  MTL::HeapDescriptor *descriptor = MTL::HeapDescriptor::alloc()->init();
  descriptor->setSize(1 << 16);
  descriptor->setStorageMode(MTL::StorageModeShared);
  MTL::Heap *heap = host.device->newHeap(descriptor);
  MTL::Buffer *out = heap->newBuffer(kCount * sizeof(float), heap->resourceOptions());
  MTL::Buffer *sum = heap->newBuffer(sizeof(float), heap->resourceOptions());
  MTL::ComputePipelineState *cubes = host.pipeline("polynomial", 3), *total = host.pipeline("total");
  need(cubes->threadExecutionWidth() == 32 && cubes->maxTotalThreadsPerThreadgroup() == 1024,
       "limits of a pipeline");

  MTL::SharedEvent *event = host.device->newSharedEvent();
  std::atomic<int> handled{0};
  MTL::CommandBuffer *commands = host.queue->commandBuffer();
  MTL::ComputeCommandEncoder *encoder = commands->computeCommandEncoder();
  const float scale = 2;
  encoder->setComputePipelineState(cubes);
  encoder->setBuffer(in, 0, 0);
  encoder->setBuffer(out, 0, 1);
  encoder->setBytes(&scale, sizeof scale, 2);
  encoder->dispatchThreads(MTL::Size(kCount, 1, 1), MTL::Size(32, 1, 1));
  encoder->setComputePipelineState(total);
  encoder->setBuffer(out, 0, 0);
  encoder->setBuffer(sum, 0, 1);
  encoder->setThreadgroupMemoryLength(kCount * sizeof(float), 0);
  encoder->dispatchThreadgroups(MTL::Size(1, 1, 1), MTL::Size(kCount, 1, 1));
  encoder->endEncoding();
  MTL::BlitCommandEncoder *blit = commands->blitCommandEncoder();
  blit->fillBuffer(in, NS::Range(0, 8), 0);
  blit->endEncoding();
  commands->encodeSignalEvent(event, 1);
  commands->addCompletedHandler([&](MTL::CommandBuffer *buffer) {
    need(buffer->status() == MTL::CommandBufferStatusCompleted, "a handler runs after the commands");
    ++handled;
  });
  commands->commit();
  commands->waitUntilCompleted();
  need(commands->error() == nullptr, "commands", commands->error());
  need(handled == 1, "the handler is called once");
  need(event->signaledValue() == 1, "the event is signalled");
  need(commands->GPUEndTime() >= commands->GPUStartTime(), "time goes on");
  for (uint32_t i = 0; i < kCount; ++i)
    need(static_cast<float *>(out->contents())[i] == 2.f * i * i * i, "twice the cube");
  // 2 (99 * 100 / 2)^2 = 49005000, and all partial sums are integers below 2^26 that are even:
  // floats hold them.
  need(*static_cast<float *>(sum->contents()) == 49005000.f, "the sum of cubes");
  need(static_cast<float *>(in->contents())[1] == 0 && static_cast<float *>(in->contents())[2] == 2,
       "the blit");
  std::printf("the sum of twice the first cubes is %.0f\n", *static_cast<float *>(sum->contents()));
  for (NS::Object *object :
       {static_cast<NS::Object *>(in), static_cast<NS::Object *>(out), static_cast<NS::Object *>(sum),
        static_cast<NS::Object *>(heap), static_cast<NS::Object *>(descriptor),
        static_cast<NS::Object *>(cubes), static_cast<NS::Object *>(total), static_cast<NS::Object *>(event)})
    object->release();
}

void fault(Host &host) {
  MTL::ComputePipelineState *state = host.pipeline("past_the_end");
  MTL::Buffer *buffer = host.device->newBuffer(16, MTL::ResourceStorageModePrivate);
  need(buffer->contents() == nullptr, "a private buffer has no contents");
  MTL::CommandBuffer *commands = host.queue->commandBufferWithUnretainedReferences();
  MTL::ComputeCommandEncoder *encoder = commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  encoder->setComputePipelineState(state);
  encoder->setBuffer(buffer, 0, 0);
  encoder->dispatchThreadgroups(MTL::Size(1, 1, 1), MTL::Size(1, 1, 1));
  encoder->endEncoding();
  commands->commit();
  commands->waitUntilCompleted();
  need(commands->status() == MTL::CommandBufferStatusError, "a fault is an error");
  need(commands->error()->code() == MTL::CommandBufferErrorPageFault, "a page fault");
  std::printf("%s", commands->error()->localizedDescription()->utf8String());
  buffer->release();
  state->release();
}

// What metal-cpp asks of a device that may be older than its headers, and how it makes strings.
void ask(Host &host) {
  MTL::Device *device = host.device;
  need(device->supports32BitFloatFiltering() || device->supportsFamily(MTL::GPUFamilyApple7),
       "what the device answers");
  need(!device->supportsRaytracingFromRender() && !device->supportsPrimitiveMotionBlur() &&
           !device->supportsRasterizationRateMap(1) && !device->supportsVertexAmplificationCount(2) &&
           !device->programmableSamplePositionsSupported() && !device->rasterOrderGroupsSupported(),
       "what a device of compute alone lacks is lacked, in words");
  need(device->maxThreadsPerThreadgroup().width == 1024, "a structure by memory");
  need(device->heapBufferSizeAndAlign(100, MTL::ResourceStorageModeShared).size == 256,
       "a structure in registers");
  NS::String *made = MTLSTR("of a literal");
  need(made->isEqualToString(text("of a literal")) && made->length() == 12, "MTLSTR");
  need(made->rangeOfString(MTLSTR("a lit"), NS::LiteralSearch).location == 3, "a range");
  need(NS::CocoaErrorDomain && NS::LocalizedDescriptionKey && MTL::CommandBufferEncoderInfoErrorKey,
       "constants that are there");
  NS::SharedPtr<MTL::Buffer> shared = NS::TransferPtr(device->newBuffer(16, MTL::ResourceStorageModeShared));
  {
    const NS::SharedPtr<MTL::Buffer> other = NS::RetainPtr(shared.get());
    need(shared->retainCount() == 2, "two hold it");
  }
  need(shared->retainCount() == 1, "one holds it");
  NS::Error *error = nullptr;
  MTL::Library *none = device->newLibrary(MTLSTR("kernel void broken( {"), nullptr, &error);
  need(!none && error->code() == MTL::LibraryErrorCompileFailure, "a library that does not compile");
  NS::ProcessInfo *process = NS::ProcessInfo::processInfo();
  need(process->processorCount() > 0 && !process->isMacCatalystApp() && !process->isLowPowerModeEnabled(),
       "the process");
}

} // namespace

int main() {
  NS::AutoreleasePool *pool = NS::AutoreleasePool::alloc()->init();
  {
    Host host;
    std::printf("device %s, %s\n", host.device->name()->utf8String(),
                host.device->supportsFamily(MTL::GPUFamilyMetal3) ? "Metal 3" : "no Metal 3");
    NS::Array *names = host.library->functionNames();
    std::printf("%lu kernels\n", names->count());
    ask(host);
    compute(host);
    fault(host);
  }
  pool->release();
  return 0;
}
