// Counting by hand: retain and release, pools, weak references, associated objects.
#import <Foundation/Foundation.h>
#import <objc/objc-arc.h>

#include <atomic>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {
std::atomic<int> alive{0};
}

@interface MemoryObject : NSObject
@end
@implementation MemoryObject
- (instancetype)init {
  ++alive;
  return self;
}
- (void)dealloc {
  --alive;
  [super dealloc];
}
@end

// Counts in its own way: the runtime must send it the messages.
@interface MemoryOwnCount : NSObject {
@public
  int retains, releases;
}
@end
@implementation MemoryOwnCount
- (instancetype)retain {
  ++retains;
  return [super retain];
}
- (oneway void)release {
  ++releases;
  [super release];
}
@end

TEST(Memory, ObjectGoesWithItsLastReference) {
  alive = 0;
  MemoryObject *object = [[MemoryObject alloc] init];
  [object retain];
  EXPECT_EQ([object retainCount], 2u);
  [object release];
  EXPECT_EQ(alive, 1);
  [object release];
  EXPECT_EQ(alive, 0);
}

TEST(Memory, OverriddenCountingIsAsked) {
  MemoryOwnCount *object = [[MemoryOwnCount alloc] init];
  objc_retain(object);
  objc_release(object);
  EXPECT_EQ(object->retains, 1);
  EXPECT_EQ(object->releases, 1);
  @autoreleasepool {
    [[object retain] autorelease];
  }
  EXPECT_EQ(object->retains, 2);
  EXPECT_EQ(object->releases, 2);
  [object release];
}

TEST(Memory, CountIsExactFromManyThreads) {
  alive = 0;
  MemoryObject *object = [[MemoryObject alloc] init];
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] {
      for (int j = 0; j < 20000; ++j) {
        [object retain];
        [object release];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ([object retainCount], 1u);
  [object release];
  EXPECT_EQ(alive, 0);
}

TEST(Memory, ClassesAndConstantsAreNotCounted) {
  Class cls = [MemoryObject class];
  EXPECT_EQ((id)[cls retain], (id)cls);
  [cls release];
  objc_release(objc_retain((id)cls));
  NSString *constant = @"a constant that is not tiny", *tiny = @"tiny";
  for (int i = 0; i < 3; ++i) {
    [constant release];
    [tiny release];
    objc_release(constant);
    objc_release(tiny);
  }
  EXPECT_STREQ([constant UTF8String], "a constant that is not tiny");
  EXPECT_STREQ([tiny UTF8String], "tiny");
}

TEST(Pool, NestedPoolsReleaseTheirOwn) {
  alive = 0;
  @autoreleasepool {
    [[[MemoryObject alloc] init] autorelease];
    @autoreleasepool {
      [[[MemoryObject alloc] init] autorelease];
      [[[MemoryObject alloc] init] autorelease];
      EXPECT_EQ(alive, 3);
    }
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Pool, PoppingAnOuterPoolEmptiesInnerOnes) {
  alive = 0;
  void *outer = objc_autoreleasePoolPush();
  objc_autoreleasePoolPush();
  [[[MemoryObject alloc] init] autorelease];
  objc_autoreleasePoolPop(outer);
  EXPECT_EQ(alive, 0);
}

@interface MemoryLate : MemoryObject
@end
@implementation MemoryLate
- (void)dealloc {
  [[[MemoryObject alloc] init] autorelease];
  [super dealloc];
}
@end

TEST(Pool, ReleasesWhatIsAutoreleasedWhileItEmpties) {
  alive = 0;
  @autoreleasepool {
    [[[MemoryLate alloc] init] autorelease];
  }
  EXPECT_EQ(alive, 0);
}

TEST(Pool, IsOfItsThread) {
  alive = 0;
  @autoreleasepool {
    std::thread([] {
      @autoreleasepool {
        [[[MemoryObject alloc] init] autorelease];
      }
      EXPECT_EQ(alive, 0);
      [[[MemoryObject alloc] init] autorelease]; // no pool: goes with the thread
      EXPECT_EQ(alive, 1);
    }).join();
    EXPECT_EQ(alive, 0);
    [[[MemoryObject alloc] init] autorelease];
    std::thread([] { EXPECT_EQ(alive, 1); }).join();
  }
  EXPECT_EQ(alive, 0);
}

namespace {
// Destroyed when its thread ends, after every thread_local object that was made later.
struct UsesPoolAtTheEnd {
  int *left;
  ~UsesPoolAtTheEnd() {
    for (int i = 0; i < 100; ++i)
      @autoreleasepool {
        [[[MemoryObject alloc] init] autorelease];
      }
    *left = alive;
    [[[MemoryLate alloc] init] autorelease]; // no pool: goes with the thread
  }
};
} // namespace

TEST(Pool, LivesAsLongAsTheThreadsLastDestructor) {
  alive = 0;
  int left = -1;
  std::thread([&] {
    thread_local UsesPoolAtTheEnd first{&left};
    (void)first;
    @autoreleasepool {
      for (int i = 0; i < 100; ++i)
        [[[MemoryObject alloc] init] autorelease];
    }
    [[[MemoryObject alloc] init] autorelease];
  }).join();
  EXPECT_EQ(left, 1) << "the one without a pool";
  EXPECT_EQ(alive, 0);
}

TEST(Pool, LivesAsLongAsTheDestructorsOfPthreadsKeys) {
  static pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void *) {
                                 [[[MemoryObject alloc] init] autorelease];
                                 @autoreleasepool {
                                   [[[MemoryLate alloc] init] autorelease];
                                 }
                               }),
            0);
  alive = 0;
  std::thread([] {
    [[[MemoryObject alloc] init] autorelease]; // the pools' own key has a value before this one
    pthread_setspecific(key, &key);
  }).join();
  EXPECT_EQ(alive, 0);
  pthread_key_delete(key);
}

// As metal-cpp makes it: by name.
TEST(Pool, IsAlsoAClass) {
  alive = 0;
  id pool = [[(Class)objc_lookUpClass("NSAutoreleasePool") alloc] init];
  [[[MemoryObject alloc] init] autorelease];
  EXPECT_EQ(alive, 1);
  [pool release];
  EXPECT_EQ(alive, 0);
}

TEST(Weak, BecomesNilWhenTheObjectGoes) {
  MemoryObject *object = [[MemoryObject alloc] init];
  id weak = nil, copy = nil;
  objc_initWeak(&weak, object);
  objc_copyWeak(&copy, &weak);
  @autoreleasepool {
    EXPECT_EQ(objc_loadWeak(&weak), object);
    EXPECT_EQ(objc_loadWeak(&copy), object);
  }
  EXPECT_EQ([object retainCount], 1u);
  [object release];
  EXPECT_EQ(objc_loadWeakRetained(&weak), nil);
  EXPECT_EQ(objc_loadWeakRetained(&copy), nil);
  objc_destroyWeak(&weak);
  objc_destroyWeak(&copy);
}

namespace {
id ownWeak = nil, lateWeak = nil, seenInDealloc = nil;
}
@interface MemoryLooksBack : NSObject
@end
@implementation MemoryLooksBack
- (void)dealloc {
  seenInDealloc = objc_loadWeakRetained(&ownWeak);
  objc_initWeak(&lateWeak, self);
  [super dealloc];
}
@end

TEST(Weak, GivesNilInsideDealloc) {
  MemoryLooksBack *object = [[MemoryLooksBack alloc] init];
  objc_initWeak(&ownWeak, object);
  seenInDealloc = object;
  [object release];
  EXPECT_EQ(seenInDealloc, nil);
  EXPECT_EQ(objc_loadWeakRetained(&lateWeak), nil);
  objc_destroyWeak(&ownWeak);
  objc_destroyWeak(&lateWeak);
}

TEST(Weak, StoringAnotherObjectLeavesTheFirst) {
  MemoryObject *one = [[MemoryObject alloc] init], *other = [[MemoryObject alloc] init];
  id weak = nil;
  objc_initWeak(&weak, one);
  objc_storeWeak(&weak, other);
  [one release];
  id got = objc_loadWeakRetained(&weak);
  EXPECT_EQ(got, other);
  [got release];
  objc_storeWeak(&weak, nil);
  EXPECT_EQ(objc_loadWeakRetained(&weak), nil);
  objc_destroyWeak(&weak);
  [other release];
}

TEST(Weak, HoldsWhatNeverGoes) {
  id weak = nil;
  for (id each : {(id) @"tiny", (id) @"a constant that is not tiny", (id)[MemoryObject class]}) {
    objc_initWeak(&weak, each);
    EXPECT_EQ(objc_loadWeak(&weak), each);
    objc_destroyWeak(&weak);
  }
}

TEST(Weak, LoadsRaceWithTheLastRelease) {
  alive = 0;
  for (int round = 0; round < 300; ++round) {
    MemoryObject *object = [[MemoryObject alloc] init];
    id weak = nil;
    objc_initWeak(&weak, object);
    std::atomic<bool> go{false};
    std::thread loader([&] {
      while (!go)
        ;
      while (id got = objc_loadWeakRetained(&weak)) {
        [got hash]; // is whole as long as it is held
        [got release];
      }
    });
    go = true;
    [object release];
    loader.join();
    objc_destroyWeak(&weak);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Associated, AreOnWhatIsNotOnTheHeap) {
  NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
  static char key;
  NSString *longer = @"a constant that is not tiny";
  for (id object : { (id) longer, (id) @"abc", (id) @7, (id)[NSObject class] }) {
    objc_setAssociatedObject(object, &key, @"value", OBJC_ASSOCIATION_RETAIN);
    EXPECT_TRUE([objc_getAssociatedObject(object, &key) isEqual:@"value"]);
    objc_setAssociatedObject(object, &key, nil, OBJC_ASSOCIATION_RETAIN);
    EXPECT_EQ(objc_getAssociatedObject(object, &key), nil);
  }
  [pool drain];
}

TEST(Associated, LiveAsLongAsTheirObject) {
  alive = 0;
  static char key, other;
  NSObject *owner = [[NSObject alloc] init];
  MemoryObject *value = [[MemoryObject alloc] init];
  objc_setAssociatedObject(owner, &key, value, OBJC_ASSOCIATION_RETAIN);
  [value release];
  EXPECT_EQ(alive, 1);
  @autoreleasepool {
    EXPECT_EQ(objc_getAssociatedObject(owner, &key), value);
    EXPECT_EQ(objc_getAssociatedObject(owner, &other), nil);
    objc_setAssociatedObject(owner, &other, [[[MemoryObject alloc] init] autorelease],
                             OBJC_ASSOCIATION_RETAIN_NONATOMIC);
  }
  EXPECT_EQ(alive, 2);
  objc_setAssociatedObject(owner, &key, nil, OBJC_ASSOCIATION_RETAIN);
  EXPECT_EQ(alive, 1);
  [owner release];
  EXPECT_EQ(alive, 0);
}
