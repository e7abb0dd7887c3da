// The Objective-C classes of dispatch objects.
#include "objective_c/dispatch/object.h"

#import <Foundation/NSObject.h>

using namespace assay::dispatch;

// Root of all. Subclasses add no instance variables: the structure lies where they would be.
@interface OS_dispatch_object : NSObject <OS_dispatch_object>
@end
@implementation OS_dispatch_object
- (void)dealloc {
  auto *object = reinterpret_cast<dispatch_object_s *>(self);
  if (object->finalizer && object->context)
    object->finalizer(object->context);
  object->destroy(object);
  [super dealloc];
}
@end

// Objects of the library, which never go.
@interface OS_dispatch_permanent : OS_dispatch_object
@end
@implementation OS_dispatch_permanent
- (instancetype)retain {
  return self;
}
- (oneway void)release {
}
- (instancetype)autorelease {
  return self;
}
- (NSUInteger)retainCount {
  return NSUIntegerMax;
}
// Asked by the runtime's weak references.
- (void)_assayIsPermanent {
}
- (void)dealloc {
  if (0)
    [super dealloc];
}
@end

#define CLASS(name, base, ...)                                                                               \
  @interface name : base <__VA_ARGS__>                                                                       \
  @end                                                                                                       \
  @implementation name                                                                                       \
  @end
CLASS(OS_dispatch_queue, OS_dispatch_object, OS_dispatch_queue)
CLASS(OS_dispatch_queue_serial, OS_dispatch_queue, OS_dispatch_queue)
CLASS(OS_dispatch_queue_concurrent, OS_dispatch_queue, OS_dispatch_queue)
CLASS(OS_dispatch_group, OS_dispatch_object, OS_dispatch_group)
CLASS(OS_dispatch_semaphore, OS_dispatch_object, OS_dispatch_semaphore)
CLASS(OS_dispatch_data, OS_dispatch_object, OS_dispatch_data)
CLASS(OS_dispatch_queue_global, OS_dispatch_permanent, OS_dispatch_queue_global)
CLASS(OS_dispatch_queue_main, OS_dispatch_permanent, OS_dispatch_queue_main)

// The two static objects get their class when it is loaded.
@interface OS_dispatch_queue_attr : OS_dispatch_permanent <OS_dispatch_queue_attr>
@end
@implementation OS_dispatch_queue_attr
+ (void)load {
  reinterpret_cast<dispatch_object_s *>(&_dispatch_queue_attr_concurrent)->isa = self;
}
@end
@interface OS_dispatch_data_empty : OS_dispatch_permanent <OS_dispatch_data>
@end
@implementation OS_dispatch_data_empty
+ (void)load {
  reinterpret_cast<dispatch_object_s *>(&_dispatch_data_empty)->isa = self;
}
@end

namespace assay::dispatch {

void *classOf(Kind kind) {
  switch (kind) {
#define CASE(name)                                                                                           \
  case Kind::name: return [name class]
    CASE(OS_dispatch_queue_serial);
    CASE(OS_dispatch_queue_concurrent);
    CASE(OS_dispatch_group);
    CASE(OS_dispatch_semaphore);
    CASE(OS_dispatch_data);
    CASE(OS_dispatch_queue_global);
    CASE(OS_dispatch_queue_main);
  }
}

void *newInstance(Kind kind, size_t size) {
  Class cls = (Class)classOf(kind);
  void *memory = class_createInstance(cls, size - class_getInstanceSize(cls));
  if (!memory)
    trap("no memory for a new object");
  return memory;
}

} // namespace assay::dispatch
