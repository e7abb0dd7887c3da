// The few functions of CoreFoundation: its objects are Foundation's.
#include "metal/foundation/foundation.h"

#import <CoreFoundation/CoreFoundation.h>

CFTypeRef CFRetain(CFTypeRef object) { return objc_retain((id)object); }
void CFRelease(CFTypeRef object) { objc_release((id)object); }
CFIndex CFGetRetainCount(CFTypeRef object) { return (CFIndex)[(id)object retainCount]; }
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) { return [NSDate timeIntervalSinceReferenceDate]; }
