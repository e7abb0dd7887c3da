// Blocks under manual counting.
#import <Foundation/Foundation.h>
#import <objc/objc-arc.h>

#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace {
int alive = 0;
typedef int (^IntBlock)(void);
struct Member {
  int value;
  explicit Member(int value) : value(value) { ++alive; }
  Member(const Member &other) : value(other.value) { ++alive; }
  ~Member() { --alive; }
};
} // namespace

TEST(Block, GlobalStackAndHeapBlocksAreObjectsOfTheirKind) {
  int captured = 5;
  IntBlock global = ^{
    return 1;
  };
  IntBlock stack = ^{
    return captured;
  };
  IntBlock heap = Block_copy(stack);
  EXPECT_EQ(Block_copy(global), global);
  EXPECT_NE((void *)heap, (void *)stack);
  EXPECT_EQ(Block_copy(heap), heap);
  Block_release(heap);
  EXPECT_EQ(heap(), 5);
  for (id each : {(id)global, (id)stack, (id)heap})
    EXPECT_TRUE([each isKindOfClass:objc_getClass("NSBlock")]) << object_getClassName(each);
  EXPECT_STREQ(object_getClassName((id)global), "_NSConcreteGlobalBlock");
  EXPECT_STREQ(object_getClassName((id)heap), "_NSConcreteMallocBlock");
  Block_release(heap);
}

TEST(Block, AnswersToCopyRetainAndRelease) {
  int captured = 6;
  IntBlock heap = [^{
    return captured;
  } copy];
  [heap retain];
  [heap release];
  EXPECT_EQ(heap(), 6);
  @autoreleasepool {
    [[heap retain] autorelease];
  }
  EXPECT_EQ([(id)heap retainCount], 1u);
  [heap release];
}

TEST(Block, CopyRetainsObjectsAndCopiesCxxValues) {
  alive = 0;
  NSObject *object = [[NSObject alloc] init];
  {
    const Member member(9);
    IntBlock heap = Block_copy(^{
      return [object hash] ? member.value : 0;
    });
    EXPECT_EQ([object retainCount], 2u);
    EXPECT_EQ(heap(), 9);
    Block_release(heap);
    EXPECT_EQ([object retainCount], 1u);
  }
  EXPECT_EQ(alive, 0);
  [object release];
}

TEST(Block, SharedVariablesAreShared) {
  __block int count = 0;
  __block Member member(1);
  void (^up)(void) = Block_copy(^{
    ++count;
    ++member.value;
  });
  void (^down)(void) = Block_copy(^{
    count -= 10;
  });
  up();
  up();
  down();
  EXPECT_EQ(count, -8);
  EXPECT_EQ(member.value, 3);
  Block_release(up);
  down();
  EXPECT_EQ(count, -18);
  Block_release(down);
  count += 1;
  EXPECT_EQ(count, -17);
}

TEST(Block, AnyNumberOfBlocksShareAVariable) {
  __block int count = 0;
  std::vector<void (^)(void)> blocks;
  for (int i = 0; i < 100000; ++i) // more than 15 bits count
    blocks.push_back(Block_copy(^{
      ++count;
    }));
  for (auto block : blocks) {
    block();
    Block_release(block);
  }
  EXPECT_EQ(count, 100000);
}

TEST(Block, InsideABlockIsCopiedWithIt) {
  int captured = 3;
  IntBlock inner = ^{
    return captured;
  };
  IntBlock outer = Block_copy(^{
    return 10 * inner();
  });
  EXPECT_EQ(outer(), 30);
  Block_release(outer);
}

// A std::function in a block, as metal-cpp's handlers are.
TEST(Block, HoldsAStdFunction) {
  auto payload = std::make_shared<int>(12);
  std::function<int()> function = [payload] { return *payload; };
  IntBlock heap = nullptr;
  {
    heap = Block_copy(^{
      return function();
    });
  } // here the block on the stack goes, and its copy of the function with it
  function = nullptr;
  EXPECT_EQ(heap(), 12);
  EXPECT_EQ(payload.use_count(), 2);
  Block_release(heap);
  EXPECT_EQ(payload.use_count(), 1);
}

TEST(Block, CanBeHeldWeakly) {
  int captured = 4;
  IntBlock heap = Block_copy(^{
    return captured;
  });
  id weak = nil;
  objc_initWeak(&weak, (id)heap);
  id got = objc_loadWeakRetained(&weak);
  EXPECT_EQ(got, (id)heap);
  objc_release(got);
  Block_release(heap);
  EXPECT_EQ(objc_loadWeakRetained(&weak), nil);
  objc_destroyWeak(&weak);
}
