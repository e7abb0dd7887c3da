// The device: what it reports about itself, and what it makes.
#import "objects.h"

#import "heap.h"
#import "host/undefined_symbols.h"
#import "identity.h"
#import "library_file.h"
#import "resource_finder.h"
#import "settings.h"
#import "stage_input.h"
#import "translate.h"

using namespace assay::metal;

MTLDeviceNotificationName const MTLDeviceWasAddedNotification = @"MTLDeviceWasAddedNotification";
MTLDeviceNotificationName const MTLDeviceRemovalRequestedNotification =
    @"MTLDeviceRemovalRequestedNotification";
MTLDeviceNotificationName const MTLDeviceWasRemovedNotification = @"MTLDeviceWasRemovedNotification";

@implementation AssayObject
- (instancetype)initWithDevice:(AssayDevice *)device {
  if ((self = [super init]))
    _device = device;
  return self;
}
- (id<MTLDevice>)device {
  return _device;
}
- (NSString *)description {
  return [NSString stringWithFormat:@"<%@ %p label = %@>", [self class], (void *)self, self.label];
}
@end

@implementation MTLArchitecture {
@public
  NSString *_text;
}
- (NSString *)name {
  return _text;
}
- (id)copyWithZone:(NSZone *)zone {
  return self;
}
@end

static NSError *tooManyThreads(NSString *what, NSUInteger count) {
  NSString *text =
      [NSString stringWithFormat:@"%@ for threadgroups of %lu threads: the device has at most %u", what,
                                 (unsigned long)count, assay::kMaxThreadsPerThreadgroup];
  return [NSError errorWithDomain:MTLLibraryErrorDomain
                             code:MTLLibraryErrorUnsupported
                         userInfo:@{NSLocalizedDescriptionKey : text}];
}
static bool isGiven(MTLSize size) {
  return size.width || size.height || size.depth;
}
static bool areEqual(MTLSize a, MTLSize b) {
  return a.width == b.width && a.height == b.height && a.depth == b.depth;
}

@implementation AssayDevice

- (instancetype)init {
  if ((self = [super init])) {
    _identity = &deviceIdentity();
    settings(); // mistakes in them are reported before anything runs
    _allocated = std::make_shared<AllocatedBytes>(0);
    _resources = std::make_shared<ResourceFinder>();
  }
  return self;
}

// What it is.

- (NSString *)name {
  return fromText(_identity->name);
}
- (NSString *)description {
  return [NSString stringWithFormat:@"<AssayDevice: %@>", self.name];
}
- (uint64_t)registryID {
  return 0x4153534159; // of the only device
}
- (MTLArchitecture *)architecture {
  MTLArchitecture *architecture = [MTLArchitecture new];
  architecture->_text = [NSString stringWithFormat:@"applegpu_g%ug", _identity->generation];
  return architecture;
}
- (MTLSize)maxThreadsPerThreadgroup {
  const assay::Size size = _native.maxThreadsPerThreadgroup();
  return MTLSizeMake(size.width, size.height, size.depth);
}
- (BOOL)isLowPower {
  return NO;
}
- (BOOL)isHeadless {
  return NO;
}
- (BOOL)isRemovable {
  return NO;
}
- (BOOL)hasUnifiedMemory {
  return _identity->unifiedMemory;
}
- (uint64_t)recommendedMaxWorkingSetSize {
  return _identity->workingSetBytes();
}
- (MTLDeviceLocation)location {
  return MTLDeviceLocationBuiltIn;
}
- (NSUInteger)locationNumber {
  return 0;
}
- (uint64_t)maxTransferRate {
  return 0;
}
- (MTLReadWriteTextureTier)readWriteTextureSupport {
  return MTLReadWriteTextureTier2;
}
- (MTLArgumentBuffersTier)argumentBuffersSupport {
  return MTLArgumentBuffersTier2;
}
- (BOOL)supports32BitFloatFiltering {
  return YES;
}
- (BOOL)supports32BitMSAA {
  return YES;
}
- (BOOL)supportsQueryTextureLOD {
  return NO;
}
- (BOOL)supportsBCTextureCompression {
  return NO;
}
- (BOOL)supportsFunctionPointers {
  return YES;
}
- (BOOL)supportsDynamicLibraries {
  return NO;
}
- (BOOL)supportsRaytracing {
  return NO;
}
- (uint64_t)peerGroupID {
  return 0;
}
- (uint32_t)peerIndex {
  return 0;
}
- (uint32_t)peerCount {
  return 0;
}
- (NSUInteger)currentAllocatedSize {
  return _allocated->load();
}
- (NSUInteger)maxThreadgroupMemoryLength {
  return _native.maxThreadgroupMemoryLength();
}
- (NSUInteger)maxArgumentBufferSamplerCount {
  return 1024;
}
- (NSUInteger)maxBufferLength {
  return _identity->maxBufferBytes();
}
- (NSUInteger)maximumConcurrentCompilationTaskCount {
  return 2;
}
- (NSArray<id<MTLCounterSet>> *)counterSets {
  return @[];
}
- (BOOL)supportsFamily:(MTLGPUFamily)family {
  return _identity->supportsFamily(family);
}
- (BOOL)supportsFeatureSet:(MTLFeatureSet)featureSet {
  return featureSet >= MTLFeatureSet_macOS_GPUFamily1_v1 && featureSet <= MTLFeatureSet_macOS_GPUFamily2_v1;
}
- (BOOL)supportsTextureSampleCount:(NSUInteger)sampleCount {
  return sampleCount == 1 || sampleCount == 2 || sampleCount == 4 || sampleCount == 8;
}
- (BOOL)supportsCounterSampling:(MTLCounterSamplingPoint)point {
  return NO;
}
- (void)sampleTimestamps:(MTLTimestamp *)cpuTimestamp gpuTimestamp:(MTLTimestamp *)gpuTimestamp {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  *cpuTimestamp = *gpuTimestamp = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Queues and memory.

- (id<MTLCommandQueue>)newCommandQueue {
  return [[AssayQueue alloc] initWithDevice:self logState:nil];
}
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count {
  return [self newCommandQueue]; // as many command buffers as are asked for
}
- (id<MTLCommandQueue>)newCommandQueueWithDescriptor:(MTLCommandQueueDescriptor *)descriptor {
  return [[AssayQueue alloc] initWithDevice:self logState:descriptor.logState];
}
- (id<MTLHeap>)newHeapWithDescriptor:(MTLHeapDescriptor *)descriptor {
  if (![self mayHaveLength:descriptor.size])
    return nil;
  if (descriptor.type == MTLHeapTypeSparse) {
    NSLog(@"a sparse heap is not supported by Assay [unsupported]");
    return nil;
  }
  const HeapStretch stretch(descriptor.size,
                            descriptor.type == MTLHeapTypeAutomatic ? settings().bufferSlack : 0);
  const assay::Buffer memory = [self memoryOfLength:stretch.bytes() room:0];
  return memory.contents()
             ? [[AssayHeap alloc] initWithDevice:self descriptor:descriptor memory:memory stretch:stretch]
             : nil;
}
- (MTLSizeAndAlign)heapTextureSizeAndAlignWithDescriptor:(MTLTextureDescriptor *)descriptor {
  const assay::PixelFormatInfo *format = assay::pixelFormatInfo(assay::PixelFormat(descriptor.pixelFormat));
  const NSUInteger texels =
      descriptor.width * descriptor.height * descriptor.depth * descriptor.arrayLength *
      descriptor.sampleCount *
      (descriptor.textureType == MTLTextureTypeCube || descriptor.textureType == MTLTextureTypeCubeArray ? 6
                                                                                                         : 1);
  return {texels * (format ? format->bytes : 0) * (descriptor.mipmapLevelCount > 1 ? 2 : 1), 256};
}
- (MTLSizeAndAlign)heapBufferSizeAndAlignWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  return {(length + 255) / 256 * 256, 256};
}
// A length of 0, or one beyond the limit, gives nil, as in Metal.
- (BOOL)mayHaveLength:(NSUInteger)length {
  return length != 0 && length <= self.maxBufferLength;
}
// No buffer if the machine has no such memory.
- (assay::Buffer)memoryOfLength:(NSUInteger)length room:(NSUInteger)room {
  try {
    return _native.newBufferWithRoom(length, room);
  } catch (const std::bad_alloc &) {
    NSLog(@"there is no memory for %lu bytes", (unsigned long)length);
    return {};
  }
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  const assay::Buffer memory = [self mayHaveLength:length]
                                   ? [self memoryOfLength:length room:settings().bufferSlack]
                                   : assay::Buffer();
  return memory.contents() ? [[AssayBuffer alloc] initWithDevice:self buffer:memory options:options] : nil;
}
- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes
                             length:(NSUInteger)length
                            options:(MTLResourceOptions)options {
  AssayBuffer *buffer = (AssayBuffer *)[self newBufferWithLength:length options:options];
  if (buffer && bytes)
    memcpy(buffer->_native.contents(), bytes, length); // contents of a private one is nil
  return buffer;
}
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *pointer, NSUInteger length))deallocator {
  if (!bytes || !length)
    return nil;
  std::function<void(void *, size_t)> call;
  if (deallocator)
    call = [deallocator](void *pointer, size_t size) {
      @autoreleasepool {
        deallocator(pointer, size);
      }
    };
  return [[AssayBuffer alloc] initWithDevice:self
                                      buffer:_native.newBufferWithBytesNoCopy(bytes, length, std::move(call))
                                     options:options];
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor {
  assay::Result<assay::Texture> texture = _native.newTexture(textureDescriptorOf(descriptor));
  if (!texture) {
    NSLog(@"%@", fromText(renderDiagnostics(texture.error().diagnostics)));
    return nil;
  }
  return [[AssayTexture alloc] initWithDevice:self
                                      texture:*texture
                                      options:descriptor.resourceOptions
                                         size:[self heapTextureSizeAndAlignWithDescriptor:descriptor].size];
}
- (id<MTLSamplerState>)newSamplerStateWithDescriptor:(MTLSamplerDescriptor *)descriptor {
  if (descriptor.lodBias != 0 || descriptor.reductionMode != MTLSamplerReductionModeWeightedAverage) {
    NSLog(@"a sampler with %@ is not supported by Assay [unsupported]",
          descriptor.lodBias != 0 ? @"a lodBias" : @"reductionMode minimum or maximum");
    return nil;
  }
  assay::Result<assay::SamplerState> sampler = _native.newSamplerState(samplerDescriptorOf(descriptor));
  if (!sampler) {
    NSLog(@"%@", fromText(renderDiagnostics(sampler.error().diagnostics)));
    return nil;
  }
  AssaySampler *result = [[AssaySampler alloc] initWithDevice:self];
  result->_native = *sampler;
  result->_descriptor = samplerDescriptorOf(descriptor);
  _resources->enter(*sampler);
  result.label = descriptor.label;
  return result;
}
- (NSUInteger)minimumLinearTextureAlignmentForPixelFormat:(MTLPixelFormat)format {
  return 16;
}
- (NSUInteger)minimumTextureBufferAlignmentForPixelFormat:(MTLPixelFormat)format {
  return 16;
}
- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor
                                               error:(NSError **)error {
  give(error, nil);
  return [[AssayResidencySet alloc] initWithDevice:self descriptor:descriptor];
}

// Libraries.

- (id<MTLLibrary>)newDefaultLibrary {
  NSError *why = nil;
  const id<MTLLibrary> library = [self newDefaultLibraryWithBundle:[NSBundle mainBundle] error:&why];
  if (!library) // the caller has no other way to learn the reason
    NSLog(@"newDefaultLibrary: %@", why.localizedDescription);
  return library;
}
- (id<MTLLibrary>)newDefaultLibraryWithBundle:(NSBundle *)bundle error:(NSError **)error {
  NSString *path = [bundle pathForResource:@"default" ofType:@"metallib"];
  if (path)
    return [self newLibraryWithFile:path error:error];
  give(error,
       [NSError errorWithDomain:MTLLibraryErrorDomain
                           code:MTLLibraryErrorFileNotFound
                       userInfo:@{
                         NSLocalizedDescriptionKey : [NSString
                             stringWithFormat:@"there is no default.metallib in '%@'", bundle.bundlePath]
                       }]);
  return nil;
}
- (id<MTLLibrary>)newLibraryWithFile:(NSString *)path error:(NSError **)error {
  assay::Result<std::vector<assay::Library>> libraries =
      loadLibraryFile(_native, toText(path), settings().pipeline);
  if (!libraries) {
    const assay::Error &why = libraries.error();
    const bool missing = why.is("bad-file") || why.is("no-such-file") || why.is("unreadable-file");
    give(error, errorOf(libraries.error(), MTLLibraryErrorDomain,
                        missing ? MTLLibraryErrorFileNotFound : MTLLibraryErrorCompileFailure));
    return nil;
  }
  give(error, nil);
  return [[AssayLibrary alloc] initWithDevice:self libraries:*std::move(libraries)];
}
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error {
  return [self newLibraryWithFile:url.path error:error];
}
- (id<MTLLibrary>)newLibraryWithData:(dispatch_data_t)data error:(NSError **)error {
  const void *bytes = nullptr;
  size_t size = 0;
  // Holds the bytes until the text is loaded.
  __attribute__((objc_precise_lifetime)) const dispatch_data_t whole =
      dispatch_data_create_map(data, &bytes, &size);
  assay::Result<std::vector<assay::Library>> libraries = loadLibraryText(
      _native, std::string_view(static_cast<const char *>(bytes), size), "data", settings().pipeline);
  if (!libraries) {
    give(error, errorOf(libraries.error(), MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure));
    return nil;
  }
  give(error, nil);
  return [[AssayLibrary alloc] initWithDevice:self libraries:*std::move(libraries)];
}
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError **)error {
  if (!source) { // an empty library would fail later, and not say why
    give(error, [NSError errorWithDomain:MTLLibraryErrorDomain
                                    code:MTLLibraryErrorInternal
                                userInfo:@{NSLocalizedDescriptionKey : @"the source is nil"}]);
    return nil;
  }
  assay::Result<assay::Library> library =
      _native.newLibraryWithSource(toText(source), compileOptionsOf(options));
  if (!library) {
    give(error, errorOf(library.error(), MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure));
    return nil;
  }
  const std::optional<assay::Error> undefined = assay::undefinedSymbols(library->warnings());
  if (undefined && !options.allowReferencingUndefinedSymbols) {
    give(error, errorOf(*undefined, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure));
    return nil;
  }
  if (options.maxTotalThreadsPerThreadgroup > assay::kMaxThreadsPerThreadgroup) {
    give(error, tooManyThreads(@"a library", options.maxTotalThreadsPerThreadgroup));
    return nil;
  }
  give(error, nil);
  AssayLibrary *made = [[AssayLibrary alloc] initWithDevice:self libraries:{*library}];
  made->_limits = {options.maxTotalThreadsPerThreadgroup, options.requiredThreadsPerThreadgroup};
  return made;
}
- (void)newLibraryWithSource:(NSString *)source
                     options:(MTLCompileOptions *)options
           completionHandler:(MTLNewLibraryCompletionHandler)handler {
  dispatch_async(dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    NSError *error = nil;
    id<MTLLibrary> library = [self newLibraryWithSource:source options:options error:&error];
    handler(library, error);
  });
}
- (id<MTLDynamicLibrary>)newDynamicLibrary:(id<MTLLibrary>)library error:(NSError **)error {
  give(error, unsupported(@"a dynamic library", MTLDynamicLibraryDomain, MTLDynamicLibraryErrorUnsupported));
  return nil;
}
- (id<MTLDynamicLibrary>)newDynamicLibraryWithURL:(NSURL *)url error:(NSError **)error {
  return [self newDynamicLibrary:nil error:error];
}
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error {
  give(error, unsupported(@"a binary archive", MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError));
  return nil;
}

// Pipelines.

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError **)error {
  return [self newComputePipelineStateWithFunction:function
                                           options:MTLPipelineOptionNone
                                        reflection:nil
                                             error:error];
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                           options:(MTLPipelineOption)options
                                                        reflection:(MTLComputePipelineReflection **)reflection
                                                             error:(NSError **)error {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function;
  return [self newComputePipelineStateWithDescriptor:descriptor
                                             options:options
                                          reflection:reflection
                                               error:error];
}
- (id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:(MTLComputePipelineReflection **)reflection
                                    error:(NSError **)error {
  AssayFunction *function = (AssayFunction *)descriptor.computeFunction;
  NSString *missing = nil;
  if (!function)
    missing = @"a pipeline without a compute function";
  else if (descriptor.linkedFunctions.privateFunctions.count)
    missing = @"a pipeline with private linked functions";
  else if (descriptor.supportIndirectCommandBuffers)
    missing = @"a pipeline for indirect command buffers";
  else if (descriptor.insertLibraries.count || descriptor.preloadedLibraries.count)
    missing = @"a pipeline with dynamic libraries";
  if (missing) {
    give(error, unsupported(missing, MTLLibraryErrorDomain, MTLLibraryErrorUnsupported));
    return nil;
  }
  NSUInteger most = descriptor.maxTotalThreadsPerThreadgroup;
  if (most > assay::kMaxThreadsPerThreadgroup) {
    give(error, tooManyThreads(@"a pipeline", most));
    return nil;
  }
  if (const NSUInteger compiled = function->_limits.maxTotalThreads)
    most = most ? std::min(most, compiled) : compiled;
  assay::PipelineOptions pipelineOptions = settings().pipeline;
  pipelineOptions.maxTotalThreadsPerThreadgroup = uint32_t(most);
  pipelineOptions.stageInput = stageInputOf(descriptor.stageInputDescriptor);
  // Constants are zero where a host leaves some out, and not where it gives none at all, as on a Mac.
  if ([function lacksConstants])
    pipelineOptions.zeroMissingConstants = false;
  // A size of 0 in every dimension disables the property (Apple's documentation of it).
  MTLSize required = descriptor.requiredThreadsPerThreadgroup;
  const MTLSize compiled = function->_limits.requiredThreads;
  if (isGiven(required) && isGiven(compiled) && !areEqual(required, compiled)) {
    give(error, unsupported(@"a pipeline that requires other threadgroups than its library was compiled for",
                            MTLLibraryErrorDomain, MTLLibraryErrorUnsupported));
    return nil;
  }
  if (isGiven(compiled))
    required = compiled;
  if (isGiven(required))
    pipelineOptions.requiredThreadsPerThreadgroup = {required.width, required.height, required.depth};
  // Whether a function is compiled when it is made or with the pipeline makes no difference here. Groups only
  // narrow what a call may be, for the optimiser.
  for (NSArray<id<MTLFunction>> *functions in
       @[ descriptor.linkedFunctions.functions ?: @[], descriptor.linkedFunctions.binaryFunctions ?: @[] ])
    for (id<MTLFunction> linked in functions)
      pipelineOptions.linkedFunctions.functions.push_back(((AssayFunction *)linked)->_native);
  assay::Result<assay::ComputePipeline> pipeline =
      _native.newComputePipelineState(function->_native, pipelineOptions);
  if (!pipeline) {
    assay::Error why = pipeline.error();
    if (why.is("missing-function-constant"))
      why.diagnostics.front().hint =
          "function " + function->_native.name() +
          " cannot be used to build a pipeline state; use newFunctionWithName:constantValues:error:";
    give(error, errorOf(why, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure));
    return nil;
  }
  give(error, nil);
  if (reflection)
    *reflection = [[MTLComputePipelineReflection alloc] initWithPipeline:*pipeline];
  return [[AssayPipeline alloc] initWithDevice:self
                                      pipeline:*pipeline
                                         label:descriptor.label ?: function.label];
}
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                          completionHandler:(MTLNewComputePipelineStateCompletionHandler)handler {
  dispatch_async(dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    NSError *error = nil;
    id<MTLComputePipelineState> state = [self newComputePipelineStateWithFunction:function error:&error];
    handler(state, error);
  });
}
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                    options:(MTLPipelineOption)options
                          completionHandler:
                              (MTLNewComputePipelineStateWithReflectionCompletionHandler)handler {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function;
  [self newComputePipelineStateWithDescriptor:descriptor options:options completionHandler:handler];
}
- (void)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                      options:(MTLPipelineOption)options
                            completionHandler:
                                (MTLNewComputePipelineStateWithReflectionCompletionHandler)handler {
  MTLComputePipelineDescriptor *own = [descriptor copy];
  dispatch_async(dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    NSError *error = nil;
    MTLComputePipelineReflection *reflection = nil;
    id<MTLComputePipelineState> state = [self newComputePipelineStateWithDescriptor:own
                                                                            options:options
                                                                         reflection:&reflection
                                                                              error:&error];
    handler(state, reflection, error);
  });
}

// Synchronisation and the rest.

- (id<MTLFence>)newFence {
  return [[AssayFence alloc] initWithDevice:self];
}
- (id<MTLEvent>)newEvent {
  return [self newSharedEvent];
}
- (id<MTLSharedEvent>)newSharedEvent {
  return [[AssayEvent alloc] initWithDevice:self event:_native.newSharedEvent()];
}
- (id<MTLSharedEvent>)newSharedEventWithHandle:(MTLSharedEventHandle *)handle {
  return [handle performSelector:@selector(event)];
}
- (id<MTLArgumentEncoder>)newArgumentEncoderWithArguments:(NSArray<MTLArgumentDescriptor *> *)arguments {
  return [[AssayArgumentEncoder alloc] initWithDevice:self descriptors:arguments];
}
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferBinding:(id<MTLBufferBinding>)binding {
  return [[AssayArgumentEncoder alloc] initWithDevice:self argument:((AssayBinding *)binding)->_argument];
}
- (id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor *)descriptor error:(NSError **)error {
  give(error, nil);
  AssayLogState *state = [AssayLogState new];
  assay::LogStateDescriptor native;
  // Metal numbers the levels from 1; undefined means all.
  native.level = assay::LogLevel(std::max<NSInteger>(descriptor.level, 1) - 1);
  state->_native = _native.newLogState(native);
  return state;
}
- (id<MTLCounterSampleBuffer>)newCounterSampleBufferWithDescriptor:
                                  (MTLCounterSampleBufferDescriptor *)descriptor
                                                             error:(NSError **)error {
  give(error,
       unsupported(@"a counter sample buffer", MTLCounterErrorDomain, MTLCounterSampleBufferErrorInvalid));
  return nil;
}
@end

// One device for the process: hosts compare devices by their addresses.
static AssayDevice *theDevice() {
  static AssayDevice *const device = [AssayDevice new];
  return device;
}

id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
  return theDevice();
}
NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) {
  return [[NSArray alloc] initWithObjects:theDevice(), nil];
}
NSArray<id<MTLDevice>> *MTLCopyAllDevicesWithObserver(id<NSObject> *observer,
                                                      MTLDeviceNotificationHandler handler) {
  if (observer)
    *observer = [NSObject new]; // nothing ever changes
  return MTLCopyAllDevices();
}
void MTLRemoveDeviceObserver(id<NSObject> observer) {}
