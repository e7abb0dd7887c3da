// Automatic reference counting: this file is compiled with -fobjc-arc.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>

namespace {
int alive = 0;
}

@interface ArcObject : NSObject {
  id _held; // released by the compiler's .cxx_destruct
}
@property(weak) ArcObject *parent;
@property(strong) ArcObject *child;
@property(copy) int (^block)(int);
- (void)hold:(id)object;
+ (ArcObject *)made;
@end

@implementation ArcObject
- (instancetype)init {
  if ((self = [super init]))
    ++alive;
  return self;
}
- (void)dealloc {
  --alive;
}
- (void)hold:(id)object {
  _held = object;
}
+ (ArcObject *)made {
  return [[self alloc] init];
}
@end

TEST(Arc, ObjectsGoWhenNobodyHoldsThem) {
  alive = 0;
  @autoreleasepool {
    ArcObject *object = [ArcObject made];
    [object hold:[ArcObject made]];
    object.child = [ArcObject made];
    object.child.parent = object;
    EXPECT_EQ(object.child.parent, object);
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Arc, WeakVariablesBecomeNil) {
  alive = 0;
  __weak ArcObject *weak = nil;
  @autoreleasepool {
    ArcObject *object = [ArcObject made];
    weak = object;
    EXPECT_EQ(weak, object);
  }
  EXPECT_EQ(weak, nil);
  EXPECT_EQ(alive, 0);
}

TEST(Arc, BlocksHoldWhatTheyCaptureAndNotWhatIsWeak) {
  alive = 0;
  @autoreleasepool {
    ArcObject *object = [ArcObject made];
    ArcObject *captured = [ArcObject made];
    __weak ArcObject *weak = object;
    object.block = ^(int value) {
      return value + (captured ? 10 : 0) + (weak ? 100 : 0);
    };
    captured = nil;
    EXPECT_EQ(alive, 2);
    EXPECT_EQ(object.block(1), 111);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Arc, BlocksInCollectionsAreCopied) {
  @autoreleasepool {
    NSMutableArray *blocks = [NSMutableArray array];
    for (int i = 0; i < 3; ++i)
      [blocks addObject:^(int value) {
        return value * 10 + i;
      }];
    int sum = 0;
    for (int (^block)(int) in blocks)
      sum += block(1);
    EXPECT_EQ(sum, 10 + 11 + 12);
  }
}

TEST(Arc, LiteralsSubscriptsAndForInWork) {
  @autoreleasepool {
    NSArray *array = @[ @1, @2.5, @"three" ];
    NSDictionary *dictionary = @{@"a" : array, @"b" : @YES};
    NSMutableString *seen = [NSMutableString string];
    for (id each in dictionary[@"a"])
      [seen appendFormat:@"%@ ", each];
    EXPECT_STREQ(seen.UTF8String, "1 2.5 three ");
    EXPECT_TRUE([dictionary[@"b"] boolValue]);
    EXPECT_EQ(dictionary[@"none"], nil);
  }
}

TEST(Arc, ExceptionsReleaseWhatTheyPass) {
  alive = 0;
  @autoreleasepool {
    @try {
      ArcObject *object = [ArcObject made];
      [object hold:[ArcObject made]];
      [@[] objectAtIndex:3];
      ADD_FAILURE();
    } @catch (NSException *exception) {
      EXPECT_TRUE([exception.name isEqual:NSRangeException]);
    }
  }
  EXPECT_EQ(alive, 0);
}

TEST(Arc, SynchronizedLeavesItsLockOnEveryWay) {
  NSObject *lock = [NSObject new];
  __block int entered = 0;
  void (^enter)(BOOL) = ^(BOOL raise) {
    @synchronized(lock) {
      @synchronized(lock) { // recursive
        ++entered;
        if (raise)
          @throw [NSException exceptionWithName:@"e" reason:nil userInfo:nil];
      }
    }
  };
  @try {
    enter(YES);
  } @catch (id) {
  }
  dispatch_sync(dispatch_get_global_queue(0, 0), ^{
    enter(NO);
  });
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < 8; ++i)
    dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{
      for (int j = 0; j < 500; ++j)
        enter(NO);
    });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  EXPECT_EQ(entered, 2 + 8 * 500);
}
