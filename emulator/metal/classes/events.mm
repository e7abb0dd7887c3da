// Events, fences, logs, and captures, which record nothing.
#import "objects.h"
#import "translate.h"

using namespace assay::metal;

NSErrorDomain const MTLLogStateErrorDomain = @"MTLLogStateErrorDomain";
NSErrorDomain const MTLCaptureErrorDomain = @"MTLCaptureErrorDomain";
NSErrorDomain const MTLCounterErrorDomain = @"MTLCounterErrorDomain";
MTLCommonCounter const MTLCommonCounterTimestamp = @"timestamp";
MTLCommonCounterSet const MTLCommonCounterSetTimestamp = @"timestamp";

@implementation AssayFence
@end

@implementation MTLSharedEventHandle {
@public
  AssayEvent *_event;
}
- (NSString *)label {
  return _event.label;
}
- (AssayEvent *)event {
  return _event;
}
@end

@implementation MTLSharedEventListener {
  dispatch_queue_t _queue;
}
- (instancetype)init {
  if ((self = [super init]))
    _queue = dispatch_queue_create("assay.events", nullptr);
  return self;
}
- (instancetype)initWithDispatchQueue:(dispatch_queue_t)queue {
  if ((self = [super init]))
    _queue = queue;
  return self;
}
+ (MTLSharedEventListener *)sharedListener {
  static MTLSharedEventListener *const listener = [MTLSharedEventListener new];
  return listener;
}
- (dispatch_queue_t)dispatchQueue {
  return _queue;
}
@end

@implementation AssayEvent
- (instancetype)initWithDevice:(AssayDevice *)device event:(assay::SharedEvent)event {
  if ((self = [super initWithDevice:device]))
    _native = std::move(event);
  return self;
}
- (uint64_t)signaledValue {
  return _native.signaledValue();
}
- (void)setSignaledValue:(uint64_t)value {
  _native.setSignaledValue(value);
}
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds {
  constexpr uint64_t kForever = uint64_t(1) << 40;
  return _native.waitUntilSignaledValue(value, std::chrono::milliseconds(std::min(milliseconds, kForever)));
}
- (void)notifyListener:(MTLSharedEventListener *)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block {
  AssayDevice *device = _device;
  __weak AssayEvent *weakly = self; // a block that waits in the event must not keep it
  _native.notify(value, [listener, block, device, weakly](const assay::SharedEvent &event, uint64_t reached) {
    AssayEvent *same = weakly ?: [[AssayEvent alloc] initWithDevice:device event:event];
    dispatch_async(listener.dispatchQueue, ^{
      block(same, reached);
    });
  });
}
- (MTLSharedEventHandle *)newSharedEventHandle {
  MTLSharedEventHandle *handle = [MTLSharedEventHandle new];
  handle->_event = self;
  return handle;
}
@end

@implementation AssayLogState
- (void)addLogHandler:(void (^)(NSString *, NSString *, MTLLogLevel, NSString *))handler {
  _native.addLogHandler([handler](const assay::LogMessage &message) {
    @autoreleasepool {
      handler(fromText(message.subsystem), fromText(message.category), MTLLogLevel(int(message.level) + 1),
              fromText(message.text));
    }
  });
}
@end

@interface AssayCaptureScope : AssayObject <MTLCaptureScope>
@end
@implementation AssayCaptureScope {
@public
  id<MTLCommandQueue> _queue;
}
- (void)beginScope {
}
- (void)endScope {
}
- (id<MTLCommandQueue>)commandQueue {
  return _queue;
}
@end

// Nothing could show a capture, so starting one is refused, as on a Mac without the entitlement.
@implementation MTLCaptureManager
+ (MTLCaptureManager *)sharedCaptureManager {
  static MTLCaptureManager *const manager = [MTLCaptureManager new];
  return manager;
}
- (id<MTLCaptureScope>)newCaptureScopeWithDevice:(id<MTLDevice>)device {
  return [[AssayCaptureScope alloc] initWithDevice:(AssayDevice *)device];
}
- (id<MTLCaptureScope>)newCaptureScopeWithCommandQueue:(id<MTLCommandQueue>)queue {
  AssayCaptureScope *scope = [[AssayCaptureScope alloc] initWithDevice:(AssayDevice *)queue.device];
  scope->_queue = queue;
  return scope;
}
- (BOOL)supportsDestination:(MTLCaptureDestination)destination {
  return NO;
}
- (BOOL)startCaptureWithDescriptor:(MTLCaptureDescriptor *)descriptor error:(NSError **)error {
  give(error, unsupported(@"a capture", MTLCaptureErrorDomain, MTLCaptureErrorNotSupported));
  return NO;
}
- (void)startCaptureWithDevice:(id<MTLDevice>)device {
}
- (void)startCaptureWithCommandQueue:(id<MTLCommandQueue>)queue {
}
- (void)startCaptureWithScope:(id<MTLCaptureScope>)scope {
}
- (void)stopCapture {
}
- (BOOL)isCapturing {
  return NO;
}
@end
