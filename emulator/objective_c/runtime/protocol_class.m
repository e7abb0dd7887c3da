// The class of protocols. A protocol is a structure of the compiler's, never counted and never freed.
#include <objc/runtime.h>
#include <string.h>

OBJC_ROOT_CLASS
@interface Protocol {
  Class isa;
}
- (const char *)name;
- (BOOL)conformsTo:(Protocol *)other;
@end

@implementation Protocol
+ (Class)class {
  return self;
}
+ (id)self {
  return self;
}
- (Class)class {
  return object_getClass(self);
}
- (id)self {
  return self;
}
- (const char *)name {
  return protocol_getName(self);
}
- (BOOL)conformsTo:(Protocol *)other {
  return protocol_conformsToProtocol(self, other);
}
- (BOOL)isEqual:(id)other {
  return other == self || (object_getClass(other) == object_getClass(self) && protocol_isEqual(self, other));
}
- (unsigned long)hash {
  unsigned long hash = 5381;
  for (const char *each = protocol_getName(self); *each; ++each)
    hash = hash * 33 + (unsigned char)*each;
  return hash;
}
- (id)retain {
  return self;
}
- (void)release {
}
- (id)autorelease {
  return self;
}
- (void)_assayIsPermanent {
}
@end
