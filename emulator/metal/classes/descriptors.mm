// The descriptors: what they hold, Metal's defaults, and copies.
#import "descriptors.h"

@implementation MTLCompileOptions {
  BOOL _fastMath;
}
- (instancetype)init {
  if ((self = [super init])) {
    _mathMode = MTLMathModeFast;
    _fastMath = YES;
  }
  return self;
}
// The older switch: on is the fast mode, off the safe one.
- (BOOL)fastMathEnabled {
  return _fastMath;
}
- (void)setFastMathEnabled:(BOOL)on {
  _fastMath = on;
  _mathMode = on ? MTLMathModeFast : MTLMathModeSafe;
}
ASSAY_COPY(MTLCompileOptions,
           ASSAY_MEMBER(fastMathEnabled) ASSAY_MEMBER(preprocessorMacros) ASSAY_MEMBER(mathMode)
               ASSAY_MEMBER(mathFloatingPointFunctions) ASSAY_MEMBER(languageVersion)
                   ASSAY_MEMBER(libraryType) ASSAY_MEMBER(installName) ASSAY_MEMBER(libraries)
                       ASSAY_MEMBER(preserveInvariance) ASSAY_MEMBER(optimizationLevel)
                           ASSAY_MEMBER(compileSymbolVisibility)
                               ASSAY_MEMBER(allowReferencingUndefinedSymbols)
                                   ASSAY_MEMBER(maxTotalThreadsPerThreadgroup)
                                       ASSAY_MEMBER(requiredThreadsPerThreadgroup)
                                           ASSAY_MEMBER(enableLogging))
@end

@implementation MTLFunctionDescriptor
+ (MTLFunctionDescriptor *)functionDescriptor {
  return [self new];
}
ASSAY_COPY(MTLFunctionDescriptor,
           ASSAY_MEMBER(name) ASSAY_MEMBER(specializedName) ASSAY_MEMBER(constantValues) ASSAY_MEMBER(options)
               ASSAY_MEMBER(binaryArchives))
@end

@implementation MTLIntersectionFunctionDescriptor
@end

@implementation MTLLinkedFunctions
+ (MTLLinkedFunctions *)linkedFunctions {
  return [self new];
}
ASSAY_COPY(MTLLinkedFunctions, ASSAY_MEMBER(functions) ASSAY_MEMBER(binaryFunctions) ASSAY_MEMBER(groups)
                                   ASSAY_MEMBER(privateFunctions))
@end

@implementation MTLPipelineBufferDescriptor
ASSAY_COPY(MTLPipelineBufferDescriptor, ASSAY_MEMBER(mutability))
@end

@implementation MTLPipelineBufferDescriptorArray {
  NSMutableDictionary<NSNumber *, MTLPipelineBufferDescriptor *> *_descriptors;
}
- (MTLPipelineBufferDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
  if (!_descriptors)
    _descriptors = [NSMutableDictionary dictionary];
  MTLPipelineBufferDescriptor *descriptor = [_descriptors objectForKey:@(index)];
  if (!descriptor)
    [_descriptors setObject:(descriptor = [MTLPipelineBufferDescriptor new]) forKey:@(index)];
  return descriptor;
}
- (void)setObject:(MTLPipelineBufferDescriptor *)buffer atIndexedSubscript:(NSUInteger)index {
  [self objectAtIndexedSubscript:index].mutability = buffer.mutability;
}
@end

@implementation MTLComputePipelineDescriptor {
  MTLPipelineBufferDescriptorArray *_buffers;
}
- (instancetype)init {
  if ((self = [super init])) {
    _buffers = [MTLPipelineBufferDescriptorArray new];
    _maxCallStackDepth = 1;
  }
  return self;
}
- (MTLPipelineBufferDescriptorArray *)buffers {
  return _buffers;
}
- (void)reset {
  MTLComputePipelineDescriptor *fresh = [[[self class] alloc] init];
  [self takeFrom:fresh];
}
- (void)takeFrom:(MTLComputePipelineDescriptor *)other {
  self.label = other.label;
  self.computeFunction = other.computeFunction;
  self.threadGroupSizeIsMultipleOfThreadExecutionWidth =
      other.threadGroupSizeIsMultipleOfThreadExecutionWidth;
  self.maxTotalThreadsPerThreadgroup = other.maxTotalThreadsPerThreadgroup;
  self.requiredThreadsPerThreadgroup = other.requiredThreadsPerThreadgroup;
  self.stageInputDescriptor = other.stageInputDescriptor;
  self.supportIndirectCommandBuffers = other.supportIndirectCommandBuffers;
  self.insertLibraries = other.insertLibraries;
  self.preloadedLibraries = other.preloadedLibraries;
  self.binaryArchives = other.binaryArchives;
  self.linkedFunctions = other.linkedFunctions;
  self.supportAddingBinaryFunctions = other.supportAddingBinaryFunctions;
  self.maxCallStackDepth = other.maxCallStackDepth;
  self.shaderValidation = other.shaderValidation;
  _buffers = other->_buffers;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLComputePipelineDescriptor *copy = [[[self class] alloc] init];
  [copy takeFrom:self];
  return copy;
}
@end

@implementation MTLCommandQueueDescriptor
- (instancetype)init {
  if ((self = [super init]))
    _maxCommandBufferCount = 64;
  return self;
}
ASSAY_COPY(MTLCommandQueueDescriptor, ASSAY_MEMBER(maxCommandBufferCount) ASSAY_MEMBER(logState))
@end

@implementation MTLCommandBufferDescriptor
- (instancetype)init {
  if ((self = [super init]))
    _retainedReferences = YES;
  return self;
}
ASSAY_COPY(MTLCommandBufferDescriptor,
           ASSAY_MEMBER(retainedReferences) ASSAY_MEMBER(errorOptions) ASSAY_MEMBER(logState))
@end

@implementation MTLHeapDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _storageMode = MTLStorageModePrivate;
    _sparsePageSize = MTLSparsePageSize16;
  }
  return self;
}
- (MTLResourceOptions)resourceOptions {
  return MTLResourceOptions(_cpuCacheMode << MTLResourceCPUCacheModeShift |
                            _storageMode << MTLResourceStorageModeShift |
                            _hazardTrackingMode << MTLResourceHazardTrackingModeShift);
}
- (void)setResourceOptions:(MTLResourceOptions)options {
  _cpuCacheMode = MTLCPUCacheMode((options & MTLResourceCPUCacheModeMask) >> MTLResourceCPUCacheModeShift);
  _storageMode = MTLStorageMode((options & MTLResourceStorageModeMask) >> MTLResourceStorageModeShift);
  _hazardTrackingMode = MTLHazardTrackingMode((options & MTLResourceHazardTrackingModeMask) >>
                                              MTLResourceHazardTrackingModeShift);
}
ASSAY_COPY(MTLHeapDescriptor,
           ASSAY_MEMBER(size) ASSAY_MEMBER(storageMode) ASSAY_MEMBER(cpuCacheMode)
               ASSAY_MEMBER(sparsePageSize) ASSAY_MEMBER(hazardTrackingMode) ASSAY_MEMBER(type))
@end

@implementation MTLResidencySetDescriptor
ASSAY_COPY(MTLResidencySetDescriptor, ASSAY_MEMBER(label) ASSAY_MEMBER(initialCapacity))
@end

@implementation MTLLogStateDescriptor
ASSAY_COPY(MTLLogStateDescriptor, ASSAY_MEMBER(level) ASSAY_MEMBER(bufferSize))
@end

@implementation MTLCaptureDescriptor
- (instancetype)init {
  if ((self = [super init]))
    _destination = MTLCaptureDestinationDeveloperTools;
  return self;
}
ASSAY_COPY(MTLCaptureDescriptor,
           ASSAY_MEMBER(captureObject) ASSAY_MEMBER(destination) ASSAY_MEMBER(outputURL))
@end

@implementation MTLBinaryArchiveDescriptor
ASSAY_COPY(MTLBinaryArchiveDescriptor, ASSAY_MEMBER(url))
@end

@implementation MTLCounterSampleBufferDescriptor
ASSAY_COPY(MTLCounterSampleBufferDescriptor,
           ASSAY_MEMBER(counterSet) ASSAY_MEMBER(label) ASSAY_MEMBER(storageMode) ASSAY_MEMBER(sampleCount))
@end

@implementation MTLTextureDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _textureType = MTLTextureType2D;
    _pixelFormat = MTLPixelFormatRGBA8Unorm;
    _width = _height = _depth = 1;
    _mipmapLevelCount = _sampleCount = _arrayLength = 1;
    _usage = MTLTextureUsageShaderRead;
    _allowGPUOptimizedContents = YES;
    _swizzle = MTLTextureSwizzleChannelsMake(MTLTextureSwizzleRed, MTLTextureSwizzleGreen,
                                             MTLTextureSwizzleBlue, MTLTextureSwizzleAlpha);
  }
  return self;
}
+ (MTLTextureDescriptor *)texture2DDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                       width:(NSUInteger)width
                                                      height:(NSUInteger)height
                                                   mipmapped:(BOOL)mipmapped {
  MTLTextureDescriptor *descriptor = [self new];
  descriptor.pixelFormat = pixelFormat;
  descriptor.width = width;
  descriptor.height = height;
  if (mipmapped)
    for (NSUInteger size = width > height ? width : height; size > 1; size /= 2)
      descriptor.mipmapLevelCount += 1;
  return descriptor;
}
+ (MTLTextureDescriptor *)textureCubeDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                          size:(NSUInteger)size
                                                     mipmapped:(BOOL)mipmapped {
  MTLTextureDescriptor *descriptor = [self texture2DDescriptorWithPixelFormat:pixelFormat
                                                                        width:size
                                                                       height:size
                                                                    mipmapped:mipmapped];
  descriptor.textureType = MTLTextureTypeCube;
  return descriptor;
}
+ (MTLTextureDescriptor *)textureBufferDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                           width:(NSUInteger)width
                                                 resourceOptions:(MTLResourceOptions)options
                                                           usage:(MTLTextureUsage)usage {
  MTLTextureDescriptor *descriptor = [self new];
  descriptor.textureType = MTLTextureTypeTextureBuffer;
  descriptor.pixelFormat = pixelFormat;
  descriptor.width = width;
  descriptor.resourceOptions = options;
  descriptor.usage = usage;
  return descriptor;
}
ASSAY_RESOURCE_OPTIONS()
ASSAY_COPY(MTLTextureDescriptor,
           ASSAY_MEMBER(textureType) ASSAY_MEMBER(pixelFormat) ASSAY_MEMBER(width) ASSAY_MEMBER(height)
               ASSAY_MEMBER(depth) ASSAY_MEMBER(mipmapLevelCount) ASSAY_MEMBER(sampleCount)
                   ASSAY_MEMBER(arrayLength) ASSAY_MEMBER(resourceOptions) ASSAY_MEMBER(usage)
                       ASSAY_MEMBER(allowGPUOptimizedContents) ASSAY_MEMBER(compressionType)
                           ASSAY_MEMBER(swizzle))
@end

@implementation MTLSamplerDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _maxAnisotropy = 1;
    _normalizedCoordinates = YES;
    _lodMaxClamp = 65504;
  }
  return self;
}
ASSAY_COPY(MTLSamplerDescriptor,
           ASSAY_MEMBER(minFilter) ASSAY_MEMBER(magFilter) ASSAY_MEMBER(mipFilter) ASSAY_MEMBER(maxAnisotropy)
               ASSAY_MEMBER(sAddressMode) ASSAY_MEMBER(tAddressMode) ASSAY_MEMBER(rAddressMode)
                   ASSAY_MEMBER(borderColor) ASSAY_MEMBER(reductionMode) ASSAY_MEMBER(normalizedCoordinates)
                       ASSAY_MEMBER(lodMinClamp) ASSAY_MEMBER(lodMaxClamp) ASSAY_MEMBER(lodBias)
                           ASSAY_MEMBER(lodAverage) ASSAY_MEMBER(compareFunction)
                               ASSAY_MEMBER(supportArgumentBuffers) ASSAY_MEMBER(label))
@end

// Counters are not sampled; the descriptors exist so that a host can ask for none.

@implementation MTLComputePassSampleBufferAttachmentDescriptor
ASSAY_COPY(MTLComputePassSampleBufferAttachmentDescriptor,
           ASSAY_MEMBER(sampleBuffer) ASSAY_MEMBER(startOfEncoderSampleIndex)
               ASSAY_MEMBER(endOfEncoderSampleIndex))
@end

@implementation MTLComputePassSampleBufferAttachmentDescriptorArray
- (MTLComputePassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
  return [MTLComputePassSampleBufferAttachmentDescriptor new];
}
- (void)setObject:(MTLComputePassSampleBufferAttachmentDescriptor *)attachment
    atIndexedSubscript:(NSUInteger)index {
}
@end

@implementation MTLComputePassDescriptor
+ (MTLComputePassDescriptor *)computePassDescriptor {
  return [self new];
}
- (MTLComputePassSampleBufferAttachmentDescriptorArray *)sampleBufferAttachments {
  return [MTLComputePassSampleBufferAttachmentDescriptorArray new];
}
ASSAY_COPY(MTLComputePassDescriptor, ASSAY_MEMBER(dispatchType))
@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptor
ASSAY_COPY(MTLBlitPassSampleBufferAttachmentDescriptor,
           ASSAY_MEMBER(sampleBuffer) ASSAY_MEMBER(startOfEncoderSampleIndex)
               ASSAY_MEMBER(endOfEncoderSampleIndex))
@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptorArray
- (MTLBlitPassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
  return [MTLBlitPassSampleBufferAttachmentDescriptor new];
}
- (void)setObject:(MTLBlitPassSampleBufferAttachmentDescriptor *)attachment
    atIndexedSubscript:(NSUInteger)index {
}
@end

@implementation MTLBlitPassDescriptor
+ (MTLBlitPassDescriptor *)blitPassDescriptor {
  return [self new];
}
- (MTLBlitPassSampleBufferAttachmentDescriptorArray *)sampleBufferAttachments {
  return [MTLBlitPassSampleBufferAttachmentDescriptorArray new];
}
ASSAY_COPY(MTLBlitPassDescriptor, (void)self;)
@end
