// NSException.
#include "objective_c/foundation/foundation.h"

#include <cstdio>
#include <objc/objc-exception.h>

using namespace assay::foundation;

NSString *const NSGenericException = @"NSGenericException";
NSString *const NSRangeException = @"NSRangeException";
NSString *const NSInvalidArgumentException = @"NSInvalidArgumentException";
NSString *const NSInternalInconsistencyException = @"NSInternalInconsistencyException";

namespace {

NSUncaughtExceptionHandler *uncaughtHandler = nullptr;

void onUncaught(id exception) {
  std::string text = textOf([exception description]);
  if ([exception isKindOfClass:[NSException class]])
    text = textOf([exception name]) + ": " + textOf([exception reason]);
  fprintf(stderr, "uncaught %s: %s\n", object_getClassName(exception), text.c_str());
  if (uncaughtHandler && [exception isKindOfClass:[NSException class]])
    uncaughtHandler(exception);
}

void onMutation(id collection) {
  raise(NSGenericException, @"Collection <%s: %p> was mutated while being enumerated.",
        object_getClassName(collection), (void *)collection);
}

} // namespace

// A libobjc2 of an older version has no such function.
extern "C" void objc_setEnumerationMutationHandler(void (*handler)(id)) __attribute__((weak));

@implementation NSException {
  NSString *name_, *reason_;
  NSDictionary *userInfo_;
}
+ (void)load {
  objc_setUncaughtExceptionHandler(onUncaught);
  if (objc_setEnumerationMutationHandler)
    objc_setEnumerationMutationHandler(onMutation);
}
+ (NSException *)exceptionWithName:(NSExceptionName)name
                            reason:(NSString *)reason
                          userInfo:(NSDictionary *)info {
  return [[[self alloc] initWithName:name reason:reason userInfo:info] autorelease];
}
- (instancetype)initWithName:(NSExceptionName)name reason:(NSString *)reason userInfo:(NSDictionary *)info {
  name_ = [name copy];
  reason_ = [reason copy];
  userInfo_ = [info copy];
  return self;
}
- (void)dealloc {
  [name_ release];
  [reason_ release];
  [userInfo_ release];
  [super dealloc];
}
+ (void)raise:(NSExceptionName)name format:(NSString *)format, ... {
  va_list arguments;
  va_start(arguments, format);
  NSString *reason = stringOf(formatted(format, arguments));
  va_end(arguments);
  @throw [self exceptionWithName:name reason:reason userInfo:nil];
}
- (void)raise {
  @throw self;
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSExceptionName)name {
  return name_;
}
- (NSString *)reason {
  return reason_;
}
- (NSDictionary *)userInfo {
  return userInfo_;
}
- (NSString *)description {
  return reason_ ? reason_ : name_;
}
@end

void NSSetUncaughtExceptionHandler(NSUncaughtExceptionHandler *handler) {
  uncaughtHandler = handler;
}

void assay::foundation::raise(NSString *name, NSString *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  NSString *reason = stringOf(formatted(format, arguments));
  va_end(arguments);
  @throw [NSException exceptionWithName:name reason:reason userInfo:nil];
}
