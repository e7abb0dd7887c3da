// What the fuzzers in Objective-C share: a pool for each input, and exceptions that say why.
#pragma once

#include "fuzz.h"

#include "objective_c/foundation/foundation.h"

namespace assay::fuzz {

/// Whether the body ended without an exception. An exception has a name and a reason.
template <class Body> bool endsOrRaises(Body &&body) {
  NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
  bool ended = false;
  @try {
    body();
    ended = true;
  } @catch (NSException *exception) {
    require([[exception name] length] > 0 && [[exception reason] length] > 0,
            "an exception has a name and a reason");
  }
  [pool drain];
  return ended;
}

} // namespace assay::fuzz
