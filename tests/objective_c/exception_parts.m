// Plain Objective-C for exception_test.mm: its frames have the runtime's own personality.
#import <Foundation/Foundation.h>

NSMutableString *exceptionTrace(void) {
  static NSMutableString *trace;
  if (!trace)
    trace = [[NSMutableString alloc] init];
  return trace;
}

void throwObject(id object) { @throw object; }

// What was caught, with the way there in the trace.
const char *catchInC(void (*body)(void)) {
  const char *caught = "nothing";
  @try {
    body();
    [exceptionTrace() appendString:@"body "];
  } @catch (NSException *exception) {
    [exceptionTrace() appendFormat:@"exception:%@ ", [exception name]];
    caught = "exception";
  } @catch (NSString *string) {
    [exceptionTrace() appendFormat:@"string:%@ ", string];
    caught = "string";
  } @catch (id object) {
    [exceptionTrace() appendString:@"object "];
    caught = "object";
  } @finally {
    [exceptionTrace() appendString:@"finally "];
  }
  return caught;
}

void passThroughC(void (*body)(void)) {
  @try {
    body();
  } @finally {
    [exceptionTrace() appendString:@"passed "];
  }
}

void rethrowInC(void (*body)(void)) {
  @try {
    body();
  } @catch (NSException *exception) {
    [exceptionTrace() appendString:@"again "];
    @throw;
  }
}

const char *catchAllInC(void (*body)(void)) {
  @try {
    body();
  } @catch (...) {
    return "something";
  }
  return "nothing";
}

int nestedInC(void (*body)(void)) {
  int depth = 0;
  @try {
    @try {
      body();
    } @catch (NSString *string) {
      depth = 1;
    } @finally {
      depth += 10;
    }
  } @catch (NSException *exception) {
    depth += 100;
  }
  return depth;
}
