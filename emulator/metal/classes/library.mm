// Libraries, functions, function constants, pipeline states, and their reflection.
#import "objects.h"
#import "stage_input.h"
#import "tensor.h"
#import "translate.h"

#include <algorithm>

using namespace assay::metal;

NSErrorDomain const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";
NSErrorDomain const MTLDynamicLibraryDomain = @"MTLDynamicLibraryDomain";
NSErrorDomain const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

@implementation AssayLibrary
- (instancetype)initWithDevice:(AssayDevice *)device libraries:(std::vector<assay::Library>)libraries {
  if ((self = [super initWithDevice:device]))
    _native = std::move(libraries);
  return self;
}
- (MTLLibraryType)type {
  return MTLLibraryTypeExecutable;
}
- (NSString *)installName {
  return nil;
}
- (NSArray<NSString *> *)functionNames {
  NSMutableArray<NSString *> *names = [NSMutableArray new];
  for (const assay::Library &library : _native) {
    for (const std::string &name : library.functionNames())
      [names addObject:fromText(name)];
    for (const assay::OtherFunctionInfo &other : library.reflection().otherFunctions)
      if (!other.symbol.empty()) // a visible function
        [names addObject:fromText(other.name)];
  }
  return names;
}
- (id<MTLFunction>)newFunctionWithName:(NSString *)name {
  return [self newFunctionWithName:name constantValues:nil error:nil];
}
- (id<MTLFunction>)newFunctionWithName:(NSString *)name
                        constantValues:(MTLFunctionConstantValues *)values
                                 error:(NSError **)error {
  std::optional<assay::Error> first;
  for (const assay::Library &library : _native) {
    const std::string text = toText(name);
    assay::Result<assay::Function> function =
        values ? library.newFunction(text, values->_native) : library.newFunction(text);
    if (function) {
      give(error, nil);
      AssayFunction *made = [[AssayFunction alloc] initWithDevice:_device function:*function name:name];
      made->_limits = _limits;
      made->_specialised = values != nil;
      return made;
    }
    // A later library may have it; otherwise the error of the first is reported.
    if (!first || first->is("unknown-kernel"))
      first = function.error();
  }
  const bool unknown = !first || first->is("unknown-kernel");
  if (first)
    give(error, errorOf(*first, MTLLibraryErrorDomain,
                        unknown ? MTLLibraryErrorFunctionNotFound : MTLLibraryErrorCompileFailure));
  return nil;
}
- (void)newFunctionWithName:(NSString *)name
             constantValues:(MTLFunctionConstantValues *)values
          completionHandler:(void (^)(id<MTLFunction> function, NSError *error))handler {
  MTLFunctionConstantValues *own = [values copy];
  dispatch_async(dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    NSError *error = nil;
    id<MTLFunction> function = [self newFunctionWithName:name constantValues:own error:&error];
    handler(function, error);
  });
}
- (id<MTLFunction>)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor error:(NSError **)error {
  AssayFunction *function = (AssayFunction *)[self newFunctionWithName:descriptor.name
                                                        constantValues:descriptor.constantValues
                                                                 error:error];
  if (function && descriptor.specializedName)
    function.label = descriptor.specializedName;
  return function;
}
- (void)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                completionHandler:(void (^)(id<MTLFunction> function, NSError *error))handler {
  MTLFunctionDescriptor *own = [descriptor copy];
  dispatch_async(dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    NSError *error = nil;
    id<MTLFunction> function = [self newFunctionWithDescriptor:own error:&error];
    handler(function, error);
  });
}
- (MTLFunctionReflection *)reflectionForFunctionWithName:(NSString *)name {
  const std::string text = toText(name);
  for (const assay::Library &library : _native)
    if (const assay::KernelInfo *kernel = library.reflection().findKernel(text))
      return [[MTLFunctionReflection alloc] initWithKernel:*kernel structs:library.reflection().structs];
  return [self newFunctionWithName:name] ? [[MTLFunctionReflection alloc] initWithKernel:{} structs:{}] : nil;
}
@end

@implementation AssayFunction {
  NSString *_name;
}
- (instancetype)initWithDevice:(AssayDevice *)device
                      function:(assay::Function)function
                          name:(NSString *)name {
  if ((self = [super initWithDevice:device])) {
    _native = std::move(function);
    _name = [name copy];
  }
  return self;
}
- (NSString *)name {
  return _name;
}
- (MTLFunctionType)functionType {
  return _native.isVisible() ? MTLFunctionTypeVisible : MTLFunctionTypeKernel;
}
- (MTLPatchType)patchType {
  return MTLPatchTypeNone;
}
- (NSInteger)patchControlPointCount {
  return -1;
}
- (NSArray<MTLAttribute *> *)stageInputAttributes {
  return attributesOf(_native.info());
}
- (NSUInteger)options {
  return MTLFunctionOptionNone;
}
- (NSDictionary<NSString *, MTLFunctionConstant *> *)functionConstantsDictionary {
  NSMutableDictionary<NSString *, MTLFunctionConstant *> *constants = [NSMutableDictionary new];
  for (const assay::FunctionConstantInfo &info : _native.functionConstants())
    [constants setObject:[[MTLFunctionConstant alloc] initWithConstant:info] forKey:fromText(info.name)];
  return constants;
}
- (BOOL)lacksConstants {
  return !_specialised &&
         std::ranges::any_of(_native.functionConstants(), [](const assay::FunctionConstantInfo &constant) {
           return !constant.hasDefault;
         });
}
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index {
  for (const assay::ArgumentInfo &argument : _native.info().arguments)
    if (argument.kind == assay::ArgumentKind::Buffer && argument.index == index && !argument.members.empty())
      return [[AssayArgumentEncoder alloc] initWithDevice:_device argument:argument];
  NSLog(@"function %@ has no argument buffer at index %lu", _name, (unsigned long)index);
  return nil;
}
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index
                                                 reflection:(MTLAutoreleasedArgument *)reflection {
  if (reflection)
    *reflection = nil;
  return [self newArgumentEncoderWithBufferIndex:index];
}
@end

@implementation MTLFunctionConstant {
  NSString *_name;
  MTLDataType _type;
  NSUInteger _index;
  BOOL _required;
}
- (instancetype)initWithConstant:(const assay::FunctionConstantInfo &)constant {
  if ((self = [super init])) {
    _name = fromText(constant.name);
    _type = dataTypeOf(assay::DataType(constant.type, constant.components));
    _index = constant.index;
    _required = !constant.hasDefault;
  }
  return self;
}
- (NSString *)name {
  return _name;
}
- (MTLDataType)type {
  return _type;
}
- (NSUInteger)index {
  return _index;
}
- (BOOL)required {
  return _required;
}
@end

@implementation MTLFunctionConstantValues
- (void)setConstantValue:(const void *)value type:(MTLDataType)type atIndex:(NSUInteger)index {
  if (const auto native = dataTypeOf(type))
    _native.setConstantValue(value, *native, uint32_t(index));
  else
    NSLog(@"setConstantValue: MTLDataType %lu is not the type of a function constant", (unsigned long)type);
}
- (void)setConstantValues:(const void *)values type:(MTLDataType)type withRange:(NSRange)range {
  if (const auto native = dataTypeOf(type))
    _native.setConstantValues(values, *native, {range.location, range.length});
  else
    NSLog(@"setConstantValues: MTLDataType %lu is not the type of a function constant", (unsigned long)type);
}
- (void)setConstantValue:(const void *)value type:(MTLDataType)type withName:(NSString *)name {
  if (const auto native = dataTypeOf(type))
    _native.setConstantValue(value, *native, toText(name));
  else
    NSLog(@"setConstantValue: MTLDataType %lu is not the type of a function constant", (unsigned long)type);
}
- (void)reset {
  _native.reset();
}
- (id)copyWithZone:(NSZone *)zone {
  MTLFunctionConstantValues *copy = [MTLFunctionConstantValues new];
  copy->_native = _native;
  return copy;
}
@end

@implementation AssayPipeline
- (instancetype)initWithDevice:(AssayDevice *)device
                      pipeline:(assay::ComputePipeline)pipeline
                         label:(NSString *)label {
  if ((self = [super initWithDevice:device])) {
    _native = std::move(pipeline);
    self.label = label;
  }
  return self;
}
- (NSUInteger)allocatedSize {
  return 0;
}
- (NSUInteger)maxTotalThreadsPerThreadgroup {
  return _native.maxTotalThreadsPerThreadgroup();
}
- (NSUInteger)threadExecutionWidth {
  return _native.threadExecutionWidth();
}
- (NSUInteger)staticThreadgroupMemoryLength {
  return _native.staticThreadgroupMemoryLength();
}
- (BOOL)supportIndirectCommandBuffers {
  return NO;
}
- (MTLResourceID)gpuResourceID {
  return {uint64_t(reinterpret_cast<uintptr_t>((__bridge void *)self))};
}
- (MTLShaderValidation)shaderValidation {
  return MTLShaderValidationEnabled;
}
- (MTLSize)requiredThreadsPerThreadgroup {
  const std::optional<assay::Size> size = _native.requiredThreadsPerThreadgroup();
  return size ? MTLSizeMake(size->width, size->height, size->depth) : MTLSizeMake(0, 0, 0);
}
- (MTLComputePipelineReflection *)reflection {
  return [[MTLComputePipelineReflection alloc] initWithPipeline:_native];
}
- (NSUInteger)imageblockMemoryLengthForDimensions:(MTLSize)dimensions {
  return 0;
}
// Nil for a function that is not linked, as in Metal.
- (id<MTLFunctionHandle>)functionHandleWithFunction:(id<MTLFunction>)function {
  if (!function)
    return nil;
  const assay::Result<assay::FunctionHandle> native =
      _native.functionHandle(((AssayFunction *)function)->_native);
  if (!native)
    return nil;
  AssayFunctionHandle *handle = [[AssayFunctionHandle alloc] initWithDevice:_device];
  handle->_native = *native;
  return handle;
}
- (id<MTLVisibleFunctionTable>)newVisibleFunctionTableWithDescriptor:
    (MTLVisibleFunctionTableDescriptor *)descriptor {
  return [[AssayVisibleFunctionTable alloc]
      initWithDevice:_device
               table:_native.newVisibleFunctionTable(descriptor.functionCount)];
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithAdditionalBinaryFunctions:
                                   (NSArray<id<MTLFunction>> *)functions
                                                                              error:(NSError **)error {
  give(error, unsupported(@"a pipeline with additional functions", MTLLibraryErrorDomain,
                          MTLLibraryErrorUnsupported));
  return nil;
}
@end

// Reflection.

@implementation AssayBinding
- (instancetype)initWithArgument:(const assay::ArgumentInfo &)argument
                         structs:(const assay::metal::Structs &)structs
                            used:(BOOL)used {
  if ((self = [super init])) {
    _argument = argument;
    _structs = structs;
    _used = used;
  }
  return self;
}
- (NSString *)name {
  return fromText(_argument.name);
}
- (MTLBindingType)type {
  switch (_argument.kind) {
  case assay::ArgumentKind::ThreadgroupMemory: return MTLBindingTypeThreadgroupMemory;
  case assay::ArgumentKind::Texture: return MTLBindingTypeTexture;
  case assay::ArgumentKind::Sampler: return MTLBindingTypeSampler;
  case assay::ArgumentKind::FunctionTable: return MTLBindingTypeVisibleFunctionTable;
  case assay::ArgumentKind::Tensor: return MTLBindingTypeTensor;
  default: return MTLBindingTypeBuffer;
  }
}
- (MTLBindingAccess)access {
  return bindingAccess(_argument.access);
}
- (NSUInteger)index {
  return _argument.index;
}
- (BOOL)isUsed {
  return _used;
}
- (BOOL)isArgument {
  return YES;
}
- (BOOL)isActive { // as MTLArgument calls it
  return _used;
}
- (NSUInteger)bufferAlignment {
  return _argument.pointeeAlign;
}
- (NSUInteger)bufferDataSize {
  return _argument.pointeeBytes;
}
- (MTLDataType)bufferDataType {
  return pointeeDataType(_argument);
}
- (MTLStructType *)bufferStructType {
  return _argument.kind == assay::ArgumentKind::Buffer ? structTypeOf(_argument, _structs) : nil;
}
- (MTLPointerType *)bufferPointerType {
  return _argument.kind == assay::ArgumentKind::Buffer ? pointerTypeOf(_argument, _structs) : nil;
}
- (NSUInteger)threadgroupMemoryAlignment {
  return _argument.pointeeAlign;
}
- (NSUInteger)threadgroupMemoryDataSize {
  return _argument.pointeeBytes;
}
- (MTLTextureType)textureType {
  return MTLTextureType(_argument.textureType);
}
- (MTLDataType)textureDataType {
  return _argument.element ? dataTypeOf(assay::DataType(*_argument.element)) : MTLDataTypeNone;
}
- (BOOL)isDepthTexture {
  return _argument.depthTexture;
}
- (NSUInteger)arrayLength {
  return _argument.count;
}
- (MTLTensorDataType)tensorDataType {
  return _argument.tensor ? tensorDataTypeOf(_argument.tensor->element) : MTLTensorDataTypeNone;
}
- (MTLDataType)indexType {
  return _argument.tensor ? dataTypeOf(assay::DataType(_argument.tensor->index)) : MTLDataTypeNone;
}
// Each is -1, whatever the kernel's type says. source: Apple's documentation of MTLTensorBinding
- (MTLTensorExtents *)dimensions {
  return _argument.tensor ? extentsOf(std::vector<int64_t>(_argument.tensor->rank(), -1)) : nil;
}
@end

static NSArray<id<MTLBinding>> *bindingsOf(const std::vector<assay::ArgumentInfo> &arguments,
                                           const std::vector<assay::StructInfo> &structs) {
  const auto own = std::make_shared<const std::vector<assay::StructInfo>>(structs);
  NSMutableArray<id<MTLBinding>> *bindings = [NSMutableArray new];
  for (const assay::ArgumentInfo &argument : arguments)
    if (argument.kind != assay::ArgumentKind::Builtin && argument.kind != assay::ArgumentKind::Attribute)
      [bindings addObject:[[AssayBinding alloc] initWithArgument:argument structs:own used:YES]];
  return bindings;
}

@implementation MTLComputePipelineReflection {
  NSArray<id<MTLBinding>> *_bindings;
}
- (instancetype)initWithPipeline:(const assay::ComputePipeline &)pipeline {
  if ((self = [super init]))
    _bindings = bindingsOf(pipeline.activeArguments(), pipeline.structs());
  return self;
}
- (NSArray<id<MTLBinding>> *)bindings {
  return _bindings;
}
// The older interface for the same; no objects of its classes are made here.
- (NSArray<MTLArgument *> *)arguments {
  return (NSArray<MTLArgument *> *)_bindings;
}
@end

@implementation MTLFunctionReflection {
  NSArray<id<MTLBinding>> *_bindings;
}
- (instancetype)initWithKernel:(const assay::KernelInfo &)kernel
                       structs:(const std::vector<assay::StructInfo> &)structs {
  if ((self = [super init]))
    _bindings = bindingsOf(kernel.arguments, structs);
  return self;
}
- (NSArray<id<MTLBinding>> *)bindings {
  return _bindings;
}
@end
