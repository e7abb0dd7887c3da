// NSObject: making, counting and asking objects; and the class of blocks.
#include "objective_c/foundation/foundation.h"

using namespace assay::foundation;

// Puts an object into the thread's pool. Our runtime's; with libobjc2, objc_autorelease does it.
extern "C" id assay_poolAdd(id object) __attribute__((weak));
extern "C" BOOL objc_create_block_classes_as_subclasses_of(Class superclass);

static NSMethodSignature *signatureOf(Class cls, SEL selector) {
  const Method method = class_getInstanceMethod(cls, selector);
  return method ? [NSMethodSignature signatureWithObjCTypes:method_getTypeEncoding(method)] : nil;
}

@implementation NSObject

+ (void)load {
}
+ (void)initialize {
}

+ (instancetype)alloc {
  return [self allocWithZone:nullptr];
}
+ (instancetype)allocWithZone:(NSZone *)zone {
  return class_createInstance(self, 0);
}
+ (instancetype)new {
  return [[self alloc] init];
}
- (instancetype)init {
  return self;
}
- (void)dealloc {
  object_dispose(self);
}

// Tells the runtime that -retain and -release below use the plain count.
- (void)_ARCCompliantRetainRelease {
}
- (instancetype)retain {
  return objc_retain_fast_np(self);
}
- (oneway void)release {
  objc_release_fast_np(self);
}
- (instancetype)autorelease {
  return assay_poolAdd ? assay_poolAdd(self) : objc_autorelease(self);
}
- (NSUInteger)retainCount {
  return object_getRetainCount_np(self);
}
- (NSZone *)zone {
  return nullptr;
}

// Classes are not counted.
+ (instancetype)retain {
  return (id)self;
}
+ (oneway void)release {
}
+ (instancetype)autorelease {
  return (id)self;
}
+ (NSUInteger)retainCount {
  return NSUIntegerMax;
}
+ (id)copyWithZone:(NSZone *)zone {
  return self;
}

- (id)copy {
  return [(id<NSCopying>)self copyWithZone:nullptr];
}
- (id)mutableCopy {
  return [(id<NSMutableCopying>)self mutableCopyWithZone:nullptr];
}

- (instancetype)self {
  return self;
}
- (Class)class {
  return object_getClass(self);
}
+ (Class)class {
  return self;
}
- (Class)superclass {
  return class_getSuperclass(object_getClass(self));
}
+ (Class)superclass {
  return class_getSuperclass(self);
}
- (BOOL)isProxy {
  return NO;
}
- (BOOL)isKindOfClass:(Class)cls {
  for (Class each = object_getClass(self); each; each = class_getSuperclass(each))
    if (each == cls)
      return YES;
  return NO;
}
- (BOOL)isMemberOfClass:(Class)cls {
  return object_getClass(self) == cls;
}
+ (BOOL)isSubclassOfClass:(Class)cls {
  for (Class each = self; each; each = class_getSuperclass(each))
    if (each == cls)
      return YES;
  return NO;
}
- (BOOL)conformsToProtocol:(Protocol *)protocol {
  return class_conformsToProtocol(object_getClass(self), protocol);
}
+ (BOOL)conformsToProtocol:(Protocol *)protocol {
  return class_conformsToProtocol(self, protocol);
}
- (BOOL)respondsToSelector:(SEL)selector {
  return class_respondsToSelector(object_getClass(self), selector);
}
+ (BOOL)instancesRespondToSelector:(SEL)selector {
  return class_respondsToSelector(self, selector);
}
- (IMP)methodForSelector:(SEL)selector {
  return class_getMethodImplementation(object_getClass(self), selector);
}
+ (IMP)instanceMethodForSelector:(SEL)selector {
  return class_getMethodImplementation(self, selector);
}
// nil for a selector that the class lacks: metal-cpp asks this before it sends what a device may not have.
- (NSMethodSignature *)methodSignatureForSelector:(SEL)selector {
  return signatureOf(object_getClass(self), selector);
}
+ (NSMethodSignature *)instanceMethodSignatureForSelector:(SEL)selector {
  return signatureOf(self, selector);
}
- (void)doesNotRecognizeSelector:(SEL)selector {
  const BOOL isClass = object_isClass(self);
  raise(NSInvalidArgumentException, @"%c[%s %s]: unrecognized selector sent to %s %p", isClass ? '+' : '-',
        class_getName(isClass ? (Class)self : object_getClass(self)), sel_getName(selector),
        isClass ? "class" : "instance", (void *)self);
}

- (id)performSelector:(SEL)selector {
  return objc_msgSend(self, selector);
}
- (id)performSelector:(SEL)selector withObject:(id)object {
  return ((id(*)(id, SEL, id))objc_msgSend)(self, selector, object);
}
- (id)performSelector:(SEL)selector withObject:(id)one withObject:(id)other {
  return ((id(*)(id, SEL, id, id))objc_msgSend)(self, selector, one, other);
}

- (BOOL)isEqual:(id)object {
  return self == object;
}
- (NSUInteger)hash {
  return (NSUInteger)self >> 4;
}
+ (NSUInteger)hash {
  return (NSUInteger)self >> 4;
}
- (NSString *)description {
  return [NSString stringWithFormat:@"<%s: %p>", object_getClassName(self), (void *)self];
}
- (NSString *)debugDescription {
  return [self description];
}
+ (NSString *)description {
  return NSStringFromClass(self);
}
+ (NSString *)debugDescription {
  return NSStringFromClass(self);
}
- (std::string)_assayDescriptionAtDepth:(int)depth {
  return textOf([self description]);
}

@end

// The superclass of what the compiler makes of ^{ }. Counting is the blocks runtime's.
@interface NSBlock : NSObject <NSCopying>
@end

@implementation NSBlock
+ (void)load {
  objc_create_block_classes_as_subclasses_of(self);
}
- (id)copyWithZone:(NSZone *)zone {
  return (id)_Block_copy((const void *)self);
}
- (instancetype)retain {
  return (id)_Block_copy((const void *)self);
}
- (oneway void)release {
  _Block_release((const void *)self);
}
- (instancetype)autorelease {
  return objc_autorelease(self);
}
// The runtime itself decides how a block is counted.
- (NSUInteger)retainCount {
  return 1;
}
@end

namespace assay::foundation {

std::string describe(id object, int depth) {
  return object ? [object respondsToSelector:@selector(_assayDescriptionAtDepth:)]
                      ? [object _assayDescriptionAtDepth:depth]
                      : textOf([object description])
                : "(null)";
}

void checkIndex(id self, SEL selector, NSUInteger index, NSUInteger count) {
  if (index >= count)
    raise(NSRangeException, @"-[%s %s]: index %lu beyond %lu", object_getClassName(self),
          sel_getName(selector), index, count);
}

void checkRange(id self, SEL selector, NSRange range, NSUInteger count) {
  if (range.location > count || range.length > count - range.location)
    raise(NSRangeException, @"-[%s %s]: range {%lu, %lu} beyond %lu", object_getClassName(self),
          sel_getName(selector), range.location, range.length, count);
}

void subclassMustDo(id self, SEL selector) {
  raise(NSInvalidArgumentException, @"-[%s %s] must be written by the subclass", object_getClassName(self),
        sel_getName(selector));
}

} // namespace assay::foundation

NSString *NSStringFromClass(Class cls) {
  return cls ? @(class_getName(cls)) : nil;
}
NSString *NSStringFromSelector(SEL selector) {
  return selector ? @(sel_getName(selector)) : nil;
}
NSString *NSStringFromProtocol(Protocol *protocol) {
  return protocol ? @(protocol_getName(protocol)) : nil;
}
Class NSClassFromString(NSString *name) {
  return name ? (Class)objc_lookUpClass([name UTF8String]) : nil;
}
SEL NSSelectorFromString(NSString *name) {
  return name ? sel_registerName([name UTF8String]) : nullptr;
}
Protocol *NSProtocolFromString(NSString *name) {
  return name ? objc_getProtocol([name UTF8String]) : nil;
}
NSString *NSStringFromRange(NSRange range) {
  return [NSString stringWithFormat:@"{%lu, %lu}", range.location, range.length];
}
