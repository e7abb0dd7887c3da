// Command queues, and what their dispatches run with.
#import "objects.h"
#import "settings.h"

using namespace assay::metal;

assay::DispatchOptions dispatchOptions(id<MTLLogState> logState) {
  assay::DispatchOptions options = settings().dispatch;
  if (logState)
    options.logState = ((AssayLogState *)logState)->_native;
  return options;
}

@implementation AssayQueue
- (instancetype)initWithDevice:(AssayDevice *)device logState:(id<MTLLogState>)logState {
  if ((self = [super initWithDevice:device])) {
    _native = device->_native.newCommandQueue();
    _residencySets = [NSMutableArray new];
    _native.setOptions(dispatchOptions(logState));
  }
  return self;
}
- (id<MTLCommandBuffer>)commandBuffer {
  return [[AssayCommandBuffer alloc] initWithQueue:self retained:YES logState:nil];
}
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor {
  return [[AssayCommandBuffer alloc] initWithQueue:self
                                          retained:descriptor.retainedReferences
                                          logState:descriptor.logState];
}
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
  return [[AssayCommandBuffer alloc] initWithQueue:self retained:NO logState:nil];
}
- (void)insertDebugCaptureBoundary {
}
- (void)addResidencySet:(id<MTLResidencySet>)set {
  @synchronized(_residencySets) {
    if (set && ![_residencySets containsObject:set])
      [_residencySets addObject:set];
  }
}
- (void)addResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self addResidencySet:sets[i]];
}
- (void)removeResidencySet:(id<MTLResidencySet>)set {
  @synchronized(_residencySets) {
    [_residencySets removeObject:set];
  }
}
- (void)removeResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self removeResidencySet:sets[i]];
}
@end
