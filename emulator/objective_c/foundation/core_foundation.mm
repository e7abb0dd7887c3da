// The few functions of CoreFoundation: its objects are Foundation's.
#include "objective_c/foundation/foundation.h"

#import <CoreFoundation/CoreFoundation.h>

#include <map>
#include <mutex>
#include <string>

CFTypeRef CFRetain(CFTypeRef object) {
  return objc_retain((id)object);
}
void CFRelease(CFTypeRef object) {
  objc_release((id)object);
}
CFIndex CFGetRetainCount(CFTypeRef object) {
  return (CFIndex)[(id)object retainCount];
}
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) {
  return [NSDate timeIntervalSinceReferenceDate];
}

// A string that lives as long as the program; equal texts give the same string, as for the compiler's
// constants.
CFStringRef __CFStringMakeConstantString(const char *text) {
  static std::mutex mutex;
  static auto &all = *new std::map<std::string, NSString *>; // never destroyed, like those constants
  const std::lock_guard locked(mutex);
  NSString *&constant = all[text];
  if (!constant)
    constant = [[NSString alloc] initWithUTF8String:text];
  return (CFStringRef)constant;
}
