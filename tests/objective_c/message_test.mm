// Sending messages: what objc_msgSend must keep, and what it does without a method.
#import <Foundation/Foundation.h>
#import <objc/message.h>

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

struct Big {
  long a, b, c;
};
struct Two {
  double x;
  long n;
};

@interface MessageSubject : NSObject
- (double)sum:(int)a
            b:(double)b
            c:(long)c
            d:(float)d
            e:(int)e
            f:(int)f
            g:(int)g
            h:(int)h
            i:(double)i
            j:(double)j;
- (Big)big:(long)start;
- (Two)two;
- (float)single;
- (long double)extended;
- (long)addAll:(int)count, ...;
- (double)addReals:(int)count, ...;
+ (NSString *)className;
@end

@implementation MessageSubject
- (double)sum:(int)a
            b:(double)b
            c:(long)c
            d:(float)d
            e:(int)e
            f:(int)f
            g:(int)g
            h:(int)h
            i:(double)i
            j:(double)j {
  return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j;
}
- (Big)big:(long)start {
  return {start, start + 1, start + 2};
}
- (Two)two {
  return {2.5, 7};
}
- (float)single {
  return 1.25f;
}
- (long double)extended {
  return 3.0L;
}
- (long)addAll:(int)count, ... {
  va_list arguments;
  va_start(arguments, count);
  long sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(arguments, long);
  va_end(arguments);
  return sum;
}
- (double)addReals:(int)count, ... {
  va_list arguments;
  va_start(arguments, count);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(arguments, double);
  va_end(arguments);
  return sum;
}
+ (NSString *)className {
  return @"MessageSubject";
}
@end

// A class each, so that the first send takes the slow way whatever other tests did.
@interface MessageFirst : MessageSubject
@end
@implementation MessageFirst
@end

@interface NSObject (Unknown)
- (int)frobnicate:(int)value;
+ (void)classFrobnicate;
@end

namespace {
// A class cannot be taken back, so each is new, also when tests are repeated.
std::string freshName() {
  static int number = 0;
  return "MessageMade" + std::to_string(++number);
}
} // namespace

TEST(Message, KeepsEveryArgumentOnTheFirstAndTheCachedSend) {
  MessageFirst *subject = [[MessageFirst alloc] init];
  const double expected =
      1 + 2 * 2.5 + 3 * 3 + 5 * 4.5 + 7 * 5 + 11 * 6 + 13 * 7 + 17 * 8 + 19 * 9.25 + 23 * 10.5;
  for (int send = 0; send < 3; ++send)
    EXPECT_EQ([subject sum:1 b:2.5 c:3 d:4.5f e:5 f:6 g:7 h:8 i:9.25 j:10.5], expected) << "send " << send;
  [subject release];
}

// Its +initialize runs between the caller and the method,
// and leaves no register that it may change as it was.
@interface MessageClobbered : NSObject
- (double)reals:(double)a
              b:(double)b
              c:(double)c
              d:(double)d
              e:(double)e
              f:(double)f
              g:(double)g
              h:(double)h
          longs:(long)i
              j:(long)j
              k:(long)k
              l:(long)l
              m:(long)m;
@end
@implementation MessageClobbered
+ (void)initialize {
#if defined(__x86_64__)
  asm volatile("movq $-1, %%rax; movq %%rax, %%rdi; movq %%rax, %%rsi; movq %%rax, %%rdx; movq %%rax, %%rcx\n"
               "movq %%rax, %%r8; movq %%rax, %%r9; movq %%rax, %%r10; movq %%rax, %%r11\n"
               "movq %%rax, %%xmm0; movq %%rax, %%xmm1; movq %%rax, %%xmm2; movq %%rax, %%xmm3\n"
               "movq %%rax, %%xmm4; movq %%rax, %%xmm5; movq %%rax, %%xmm6; movq %%rax, %%xmm7\n" ::
                   : "rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
                     "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#elif defined(__aarch64__)
  asm volatile(
      "mov x0, #-1; mov x1, x0; mov x2, x0; mov x3, x0; mov x4, x0; mov x5, x0; mov x6, x0; mov x7, x0\n"
      "mov x8, x0; mov x9, x0; mov x10, x0; mov x11, x0\n"
      "fmov d0, x0; fmov d1, x0; fmov d2, x0; fmov d3, x0; \n"
      "fmov d4, x0; fmov d5, x0; fmov d6, x0; fmov d7, x0\n" ::
          : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "v0", "v1", "v2", "v3",
            "v4", "v5", "v6", "v7");
#endif
}
- (double)reals:(double)a
              b:(double)b
              c:(double)c
              d:(double)d
              e:(double)e
              f:(double)f
              g:(double)g
              h:(double)h
          longs:(long)i
              j:(long)j
              k:(long)k
              l:(long)l
              m:(long)m {
  return a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + 128 * h + 256 * i + 512 * j + 1024 * k +
         2048 * l + 4096 * m;
}
@end

TEST(Message, ArgumentsSurviveInitialize) {
  // class_createInstance sends nothing, so that the message below is the first.
  MessageClobbered *object = class_createInstance((Class)objc_getClass("MessageClobbered"), 0);
  EXPECT_EQ([object reals:1 b:1 c:1 d:1 e:1 f:1 g:1 h:1 longs:1 j:1 k:1 l:1 m:1], 8191);
  [object release];
}

TEST(Message, ReturnsStructuresAndEveryKindOfNumber) {
  MessageFirst *subject = [[MessageFirst alloc] init];
  for (int send = 0; send < 2; ++send) {
    const Big big = [subject big:40];
    EXPECT_EQ(big.a + big.b + big.c, 40 + 41 + 42);
    const Two two = [subject two];
    EXPECT_EQ(two.x, 2.5);
    EXPECT_EQ(two.n, 7);
    EXPECT_EQ([subject single], 1.25f);
    EXPECT_EQ([subject extended], 3.0L);
  }
  [subject release];
}

TEST(Message, PassesVariadicArguments) {
  MessageFirst *subject = [[MessageFirst alloc] init];
  for (int send = 0; send < 2; ++send) {
    EXPECT_EQ(([subject addAll:8, 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l]), 36);
    EXPECT_EQ(([subject addReals:3, 1.5, 2.25, 4.0]), 7.75);
  }
  [subject release];
}

TEST(Message, ToNilGivesZeroOfEveryType) {
  MessageSubject *nothing = nil;
  EXPECT_EQ([nothing description], nil);
  EXPECT_EQ(([nothing addAll:1, 5l]), 0);
  EXPECT_EQ([nothing single], 0.0f);
  EXPECT_EQ([nothing extended], 0.0L);
  Two two = {1, 1};
  two = [nothing two];
  EXPECT_EQ(two.x, 0);
  EXPECT_EQ(two.n, 0);
  Big big = {1, 1, 1};
  big = [nothing big:9];
  EXPECT_EQ(big.a | big.b | big.c, 0);
}

// objc_msgSend as metal-cpp calls it: cast to the method's type.
TEST(Message, IsCallableAsAFunctionByName) {
  id cls = objc_lookUpClass("MessageSubject");
  id name = reinterpret_cast<id (*)(id, SEL)>((void (*)())objc_msgSend)(cls, sel_registerName("className"));
  EXPECT_TRUE([name isEqual:@"MessageSubject"]);
  id subject = objc_msgSend(objc_msgSend(cls, sel_registerName("alloc")), sel_registerName("init"));
  const Big big = reinterpret_cast<Big (*)(id, SEL, long)>((void (*)())objc_msgSend_stret)(
      subject, sel_registerName("big:"), 5l);
  EXPECT_EQ(big.c, 7);
  [subject release];
}

namespace {
std::string reasonOf(void (^send)()) {
  @try {
    send();
  } @catch (NSException *exception) {
    return std::string([[exception name] UTF8String]) + ": " + [[exception reason] UTF8String];
  }
  return "nothing";
}
std::string addressOf(id object) {
  char text[32];
  snprintf(text, sizeof text, "%p", (void *)object);
  return text;
}
} // namespace

TEST(Message, UnknownSelectorsRaiseWithClassAndSelector) {
  NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
  MessageSubject *subject = [[[MessageSubject alloc] init] autorelease];
  const std::string begin = "NSInvalidArgumentException: ";
  EXPECT_EQ(reasonOf(^{
              [subject frobnicate:3];
            }),
            begin + "-[MessageSubject frobnicate:]: unrecognized selector sent to instance " +
                addressOf(subject));
  EXPECT_EQ(reasonOf(^{
              [MessageSubject classFrobnicate];
            }),
            begin + "+[MessageSubject classFrobnicate]: unrecognized selector sent to class " +
                addressOf([MessageSubject class]));
  // The receiver is in another register where the result is a large structure.
  EXPECT_EQ(reasonOf(^{
              reinterpret_cast<Big (*)(id, SEL, long)>((void (*)())objc_msgSend_stret)(
                  subject, sel_registerName("nothingBig:"), 5l);
            }),
            begin + "-[MessageSubject nothingBig:]: unrecognized selector sent to instance " +
                addressOf(subject));
  [pool drain];
}

__attribute__((objc_root_class))
@interface MessageRoot {
  Class isa;
}
+ (void)nowhere;
@end
@interface MessageRoot (Unknown)
+ (void)unknown;
@end
@implementation MessageRoot
+ (void)nowhere {
}
@end

TEST(MessageDeathTest, UnknownSelectorsOfARootThatCannotRaiseStop) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  [MessageRoot nowhere];
  EXPECT_DEATH([MessageRoot unknown], "\\+\\[MessageRoot unknown\\]: unknown selector");
}

namespace {
std::string forwarded;
int answer(id, SEL, int value) {
  return value + 1;
}
IMP takeIt(id receiver, SEL op) {
  forwarded = std::string(object_getClassName(receiver)) + " " + sel_getName(op);
  return (IMP)(void (*)())answer;
}
} // namespace

TEST(Message, ForwardHookSeesUnknownSelectors) {
  MessageSubject *subject = [[MessageSubject alloc] init];
  AssayForwardHook old = assay_setForwardHook(takeIt);
  EXPECT_EQ([subject frobnicate:41], 42);
  EXPECT_EQ(forwarded, "MessageSubject frobnicate:");
  EXPECT_EQ(assay_setForwardHook(old), takeIt);
  [subject release];
}

TEST(Message, AddedMethodReplacesACachedInheritedOne) {
  Class cls = objc_allocateClassPair([MessageSubject class], freshName().c_str(), 0);
  objc_registerClassPair(cls);
  id subject = [[cls alloc] init];
  EXPECT_EQ([subject single], 1.25f); // cached from the superclass
  float (*imp)(id, SEL) = [](id, SEL) { return 8.0f; };
  EXPECT_TRUE(class_addMethod(cls, @selector(single), (IMP)(void (*)())imp, "f@:"));
  EXPECT_EQ([subject single], 8.0f);
  float (*other)(id, SEL) = [](id, SEL) { return 9.0f; };
  class_replaceMethod(cls, @selector(single), (IMP)(void (*)())other, "f@:");
  EXPECT_EQ([subject single], 9.0f);
  [subject release];
}

// +initialize.

namespace {
std::atomic<int> initializations{0}, unready{0};
bool ready = false; // written by +initialize, read by whoever sent a message
std::vector<std::string> initializeOrder;
} // namespace

@interface MessageInitialized : NSObject
- (BOOL)isReady;
@end
@implementation MessageInitialized
+ (void)initialize {
  ++initializations;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  [self class]; // its own thread may send to it meanwhile
  ready = true;
}
- (BOOL)isReady {
  return ready;
}
@end

@interface MessageParent : NSObject
@end
@implementation MessageParent
+ (void)initialize {
  initializeOrder.push_back(class_getName(self));
}
@end
@interface MessageChild : MessageParent
@end
@implementation MessageChild
+ (void)initialize {
  initializeOrder.push_back(class_getName(self));
}
@end
@interface MessageGrandchild : MessageChild // inherits it: it is sent once more, with this class
@end
@implementation MessageGrandchild
@end

TEST(Message, InitializeRunsOnceAndOthersWaitForIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      @autoreleasepool {
        MessageInitialized *object = [[MessageInitialized alloc] init];
        if (![object isReady])
          ++unready;
        [object release];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(initializations, 1);
  EXPECT_EQ(unready, 0);
}

TEST(Message, InitializeGoesFromTheSuperclassDown) {
  [MessageGrandchild class];
  EXPECT_EQ(initializeOrder,
            (std::vector<std::string>{"MessageParent", "MessageChild", "MessageGrandchild"}));
}

TEST(Message, SendsFromManyThreadsWhileMethodsAreReplaced) {
  Class cls = objc_allocateClassPair([NSObject class], freshName().c_str(), 0);
  long (*one)(id, SEL) = [](id, SEL) { return 1l; };
  long (*two)(id, SEL) = [](id, SEL) { return 2l; };
  const SEL value = sel_registerName("busyValue");
  class_addMethod(cls, value, (IMP)(void (*)())one, "l@:");
  objc_registerClassPair(cls);
  id object = [[cls alloc] init];
  std::atomic<bool> stop{false};
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop) {
        const long got = reinterpret_cast<long (*)(id, SEL)>((void (*)())objc_msgSend)(object, value);
        wrong += got != 1 && got != 2;
      }
    });
  for (int i = 0; i < 2000; ++i)
    class_replaceMethod(cls, value, (IMP)(void (*)())(i % 2 ? one : two), "l@:");
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(reinterpret_cast<long (*)(id, SEL)>((void (*)())objc_msgSend)(object, value),
            1); // the last one set
  [object release];
}
