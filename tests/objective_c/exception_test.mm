// Exceptions through Objective-C, Objective-C++ and C++ frames.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>
#include <stdexcept>

extern "C" {
NSMutableString *exceptionTrace(void);
void throwObject(id object);
const char *catchInC(void (*body)(void));
void passThroughC(void (*body)(void));
void rethrowInC(void (*body)(void));
const char *catchAllInC(void (*body)(void));
int nestedInC(void (*body)(void));
}

@interface ExceptionSpecial : NSException
@end
@implementation ExceptionSpecial
@end

namespace {

void raiseSpecial() {
  [[ExceptionSpecial exceptionWithName:@"special" reason:@"r" userInfo:nil] raise];
}
void raiseString() {
  throwObject(@"text");
}
void raiseObject() {
  throwObject([[[NSObject alloc] init] autorelease]);
}
void raiseCxx() {
  throw std::runtime_error("c++");
}
void raiseNothing() {}

std::string traceOf(const char *(*catcher)(void (*)()), void (*body)()) {
  [exceptionTrace() setString:@""];
  std::string caught = catcher(body);
  return caught + ": " + [exceptionTrace() UTF8String];
}

} // namespace

TEST(Exception, PlainObjectiveCCatchesByClass) {
  EXPECT_EQ(traceOf(catchInC, raiseSpecial), "exception: exception:special finally ");
  EXPECT_EQ(traceOf(catchInC, raiseString), "string: string:text finally ");
  EXPECT_EQ(traceOf(catchInC, raiseObject), "object: object finally ");
  EXPECT_EQ(traceOf(catchInC, raiseNothing), "nothing: body finally ");
}

TEST(Exception, ObjectiveCppCatchesByClass) {
  std::string caught;
  @try {
    raiseSpecial();
  } @catch (NSString *) {
    caught = "string";
  } @catch (ExceptionSpecial *exception) {
    caught = [[exception reason] UTF8String];
  } @catch (id) {
    caught = "object";
  }
  EXPECT_EQ(caught, "r");
  @try {
    raiseObject();
  } @catch (NSException *) {
    caught = "exception";
  } @catch (id object) {
    caught = object_getClassName(object);
  }
  EXPECT_EQ(caught, "NSObject");
}

TEST(Exception, FinallyRunsWhileItPasses) {
  [exceptionTrace() setString:@""];
  @try {
    passThroughC(raiseSpecial);
    ADD_FAILURE();
  } @catch (NSException *exception) {
    [exceptionTrace() appendString:@"caught"];
  }
  EXPECT_STREQ([exceptionTrace() UTF8String], "passed caught");
}

TEST(Exception, IsThrownAgain) {
  [exceptionTrace() setString:@""];
  @try {
    rethrowInC(raiseSpecial);
    ADD_FAILURE();
  } @catch (ExceptionSpecial *exception) {
    [exceptionTrace() appendFormat:@"%@", exception.name];
  }
  EXPECT_STREQ([exceptionTrace() UTF8String], "again special");
}

TEST(Exception, NestedHandlersAreAskedFromTheInside) {
  EXPECT_EQ(nestedInC(raiseString), 11);
  EXPECT_EQ(nestedInC(raiseSpecial), 110);
}

TEST(Exception, CxxExceptionsPassObjectiveCFrames) {
  if (ASSAY_TEST_LIBOBJC2)
    GTEST_SKIP() << "libobjc2 does not let C++ exceptions pass @finally of plain Objective-C";
  [exceptionTrace() setString:@""];
  try {
    passThroughC(raiseCxx);
    ADD_FAILURE();
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "c++");
  }
  EXPECT_STREQ([exceptionTrace() UTF8String], "passed ");
  EXPECT_THROW(catchInC(raiseCxx), std::runtime_error); // no object: @catch (id) does not take it
  EXPECT_STREQ(catchAllInC(raiseCxx), "something");
  EXPECT_STREQ(catchAllInC(raiseString), "something");
}

TEST(Exception, ObjectsPassCxxFrames) {
  if (ASSAY_TEST_LIBOBJC2)
    GTEST_SKIP() << "libobjc2 throws past C++ frames what their catch (...) does not take";
  struct Cleanup {
    ~Cleanup() { [exceptionTrace() appendString:@"destroyed "]; }
  };
  [exceptionTrace() setString:@""];
  EXPECT_EQ(std::string(catchInC([] {
              Cleanup cleanup;
              raiseSpecial();
            })),
            "exception");
  EXPECT_STREQ([exceptionTrace() UTF8String], "destroyed exception:special finally ");
  int caught = 0;
  try {
    raiseString();
  } catch (...) {
    caught = 1;
  }
  EXPECT_EQ(caught, 1);
}

TEST(Exception, ObjectLivesAsLongAsItIsHandled) {
  @autoreleasepool {
    @try {
      @autoreleasepool {
        [NSException raise:@"inner" format:@"%d and %@", 3, @"four"];
      }
    } @catch (NSException *exception) {
      EXPECT_STREQ([[exception reason] UTF8String], "3 and four");
    }
  }
}

TEST(ExceptionDeathTest, UncaughtSaysWhatItWas) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  // gtest's own handlers would catch it on this thread.
  EXPECT_DEATH(
      {
        dispatch_async(dispatch_get_global_queue(0, 0), ^{
          [NSException raise:@"Lost" format:@"number %d", 7];
        });
        sleep(20);
      },
      "uncaught NSException: Lost: number 7");
}
