// A range of indices.
#pragma once

#include <Foundation/NSObjCRuntime.h>

typedef struct _NSRange {
  NSUInteger location;
  NSUInteger length;
} NSRange;
typedef NSRange *NSRangePointer;

NS_INLINE NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
  NSRange range = {location, length};
  return range;
}
NS_INLINE NSUInteger NSMaxRange(NSRange range) {
  return range.location + range.length;
}
NS_INLINE BOOL NSLocationInRange(NSUInteger location, NSRange range) {
  return location >= range.location && location - range.location < range.length;
}
NS_INLINE BOOL NSEqualRanges(NSRange one, NSRange other) {
  return one.location == other.location && one.length == other.length;
}
NS_INLINE NSRange NSIntersectionRange(NSRange one, NSRange other) {
  NSUInteger from = MAX(one.location, other.location), to = MIN(NSMaxRange(one), NSMaxRange(other));
  return to > from ? NSMakeRange(from, to - from) : NSMakeRange(0, 0);
}

#ifdef __OBJC__
@class NSString;
FOUNDATION_EXPORT NSString *NSStringFromRange(NSRange range);
#endif
