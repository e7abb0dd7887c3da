// Visible functions in pipelines, and tables of them.
#import "objects.h"
#import "translate.h"

using namespace assay::metal;

@implementation AssayFunctionHandle
- (NSString *)name {
  return fromText(_native.name());
}
- (MTLFunctionType)functionType {
  return MTLFunctionTypeVisible;
}
- (MTLResourceID)gpuResourceID {
  return {uint64_t(reinterpret_cast<uintptr_t>((__bridge void *)self))};
}
@end

@implementation MTLVisibleFunctionTableDescriptor
+ (MTLVisibleFunctionTableDescriptor *)visibleFunctionTableDescriptor {
  return [self new];
}
- (id)copyWithZone:(NSZone *)zone {
  MTLVisibleFunctionTableDescriptor *copy = [[[self class] alloc] init];
  copy.functionCount = self.functionCount;
  return copy;
}
@end

@implementation AssayVisibleFunctionTable
- (instancetype)initWithDevice:(AssayDevice *)device table:(assay::VisibleFunctionTable)table {
  if ((self = [super initWithDevice:device
                            options:MTLResourceStorageModePrivate
                               size:table.functionCount() * sizeof(uint64_t)]))
    _native = std::move(table);
  return self;
}
- (MTLResourceID)gpuResourceID {
  return {_native.gpuAddress()};
}
- (void)setFunction:(id<MTLFunctionHandle>)function atIndex:(NSUInteger)index {
  const id<MTLFunctionHandle> __unsafe_unretained one = function;
  [self setFunctions:&one withRange:NSMakeRange(index, 1)];
}
// Metal's setter reports nothing; an entry that cannot be set stays as it is.
- (void)setFunctions:(const id<MTLFunctionHandle> __unsafe_unretained[])functions withRange:(NSRange)range {
  std::vector<assay::FunctionHandle> handles(range.length);
  for (NSUInteger i = 0; i < range.length; ++i)
    if (functions[i])
      handles[i] = ((AssayFunctionHandle *)functions[i])->_native;
  if (const assay::Result<void> set = _native.setFunctions(handles, range.location); !set)
    NSLog(@"%@", fromText(renderDiagnostics(set.error().diagnostics)));
}
@end
