// Classes: where instance variables lie, categories, protocols, properties, super, +load,
// and asking for all of it.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>
#include <vector>

namespace {
std::vector<std::string> loads;
}

@interface ClassBase : NSObject {
@public
  char first;
}
- (NSString *)speak;
+ (NSString *)kind;
@end

@interface ClassDerived : ClassBase {
@public
  double real;
  char small;
  int narrow : 3;
  unsigned wide : 5;
  long double extended; // needs 16
}
@end

@interface ClassFurther : ClassDerived {
@public
  short last;
  struct {
    long a, b;
  } pair;
}
@end

@implementation ClassBase
+ (void)load {
  loads.push_back("ClassBase");
}
- (NSString *)speak {
  return @"base";
}
+ (NSString *)kind {
  return @"base kind";
}
@end
@implementation ClassFurther
+ (void)load {
  loads.push_back("ClassFurther");
}
- (NSString *)speak {
  return [@"further " stringByAppendingString:[super speak]];
}
+ (NSString *)kind {
  return [@"further " stringByAppendingString:[super kind]];
}
@end
@implementation ClassDerived
+ (void)load {
  loads.push_back("ClassDerived");
}
- (NSString *)speak {
  return [@"derived " stringByAppendingString:[super speak]];
}
@end

@interface ClassBase (More)
- (int)added;
@end
@implementation ClassBase (More)
+ (void)load {
  loads.push_back("ClassBase(More)");
}
- (int)added {
  return 11 + first;
}
@end

TEST(Class, IvarsOfDifferentClassesDoNotOverlap) {
  ClassFurther *object = [[ClassFurther alloc] init];
  object->first = 1;
  object->real = 2.5;
  object->small = 3;
  object->narrow = -4;
  object->wide = 21;
  object->extended = 6.0L;
  object->last = 7;
  object->pair.a = 8;
  object->pair.b = 9;
  EXPECT_EQ(object->first, 1);
  EXPECT_EQ(object->real, 2.5);
  EXPECT_EQ(object->small, 3);
  EXPECT_EQ(object->narrow, -4);
  EXPECT_EQ(object->wide, 21u);
  EXPECT_EQ(object->extended, 6.0L);
  EXPECT_EQ(object->last, 7);
  EXPECT_EQ(object->pair.a + object->pair.b, 17);
  EXPECT_EQ((uintptr_t)&object->extended % 16, 0u);
  EXPECT_EQ((uintptr_t)&object->real % 8, 0u);
  EXPECT_EQ(object_getClass(object), [ClassFurther class]); // isa was not overwritten
  [object release];
}

@interface ClassAligned : NSObject { // its superclass ends at 8
@public
  long double wide;
}
@end
@implementation ClassAligned
@end

TEST(Class, IvarsOfLargeAlignmentAreAligned) {
  ClassAligned *object = [[ClassAligned alloc] init];
  EXPECT_EQ((uintptr_t)&object->wide % 16, 0u);
  object->wide = 3.0L;
  EXPECT_EQ(object_getClass(object), [ClassAligned class]);
  [object release];
}

@interface ClassGap : NSObject { // four bytes are free after it
@public
  int one;
}
@end
@implementation ClassGap
@end
@interface ClassInGap : ClassGap { // the compiler thinks that this lies there
@public
  int two;
  char three;
}
@end
@implementation ClassInGap
@end
@interface ClassAfterHidden : NSNumber { // NSNumber's own variables are not in its header
@public
  int two;
  char bytes[3];
  long four;
}
@end
@implementation ClassAfterHidden
@end

TEST(Class, IvarsLieAfterThoseTheCompilerDidNotSee) {
  ClassInGap *object = [[ClassInGap alloc] init];
  object->one = 1;
  object->two = 2;
  object->three = 3;
  EXPECT_EQ(object->one, 1);
  EXPECT_EQ(object->two, 2);
  EXPECT_EQ(object->three, 3);
  [object release];
  ClassAfterHidden *number = [[ClassAfterHidden alloc] initWithDouble:2.5];
  memset(&number->two, 0xff, sizeof number->two);
  memset(number->bytes, 0xff, sizeof number->bytes);
  number->four = -1;
  EXPECT_EQ([number doubleValue], 2.5);
  EXPECT_STREQ([number objCType], "d");
  EXPECT_GE((char *)&number->two - (char *)number, (ptrdiff_t)class_getInstanceSize([NSNumber class]));
  [number release];
}

TEST(Class, IvarsAreWhereTheRuntimeSays) {
  ClassFurther *object = [[ClassFurther alloc] init];
  for (const char *name : {"first", "real", "small", "extended", "last", "pair"})
    ASSERT_NE(class_getInstanceVariable([ClassFurther class], name), nullptr) << name;
  const auto at = [&](const char *name) {
    return (void *)((char *)object + ivar_getOffset(class_getInstanceVariable([ClassFurther class], name)));
  };
  EXPECT_EQ(at("real"), &object->real);
  EXPECT_EQ(at("extended"), &object->extended);
  EXPECT_EQ(at("last"), &object->last);
  EXPECT_EQ(at("pair"), &object->pair);
  EXPECT_GE(class_getInstanceSize([ClassFurther class]), (char *)(&object->pair + 1) - (char *)object);
  EXPECT_LE(class_getInstanceSize([ClassBase class]), class_getInstanceSize([ClassDerived class]));
  [object release];
}

TEST(Class, IvarsStartAsZero) {
  for (int i = 0; i < 50; ++i) {
    ClassFurther *object = [[ClassFurther alloc] init];
    EXPECT_EQ(object->real, 0);
    EXPECT_EQ(object->pair.b, 0);
    memset(&object->pair, 0xee, sizeof object->pair);
    [object release];
  }
}

TEST(Class, SuperCallsGoUpOneClassAtATime) {
  ClassFurther *object = [[[ClassFurther alloc] init] autorelease];
  EXPECT_STREQ([[object speak] UTF8String], "further derived base");
  EXPECT_STREQ([[ClassFurther kind] UTF8String], "further base kind"); // ClassDerived has none
}

TEST(Class, LoadRunsForSuperclassesAndClassesBeforeCategories) {
  if (ASSAY_TEST_LIBOBJC2)
    GTEST_SKIP() << "libobjc2 sends +load to a category before its class";
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(loads,
            (std::vector<std::string>{"ClassBase", "ClassDerived", "ClassFurther", "ClassBase(More)"}));
}

TEST(Class, CategoryMethodsReachSubclasses) {
  ClassFurther *object = [[[ClassFurther alloc] init] autorelease];
  object->first = 4;
  EXPECT_EQ([object added], 15);
}

// Protocols.

@protocol ClassWalks <NSObject>
- (int)steps;
@optional
- (int)jumps;
+ (BOOL)walksAtAll;
@end
@protocol ClassRuns <ClassWalks>
@property(readonly) double speed;
@end

@interface ClassRunner : NSObject <ClassRuns>
@end
@implementation ClassRunner
- (int)steps {
  return 3;
}
- (double)speed {
  return 4.5;
}
@end

TEST(Class, ConformsToAdoptedAndInheritedProtocols) {
  if (ASSAY_TEST_LIBOBJC2)
    GTEST_SKIP() << "libobjc2 does not look into the protocols that a protocol adopts";
  ClassRunner *runner = [[[ClassRunner alloc] init] autorelease];
  EXPECT_TRUE([runner conformsToProtocol:@protocol(ClassRuns)]);
  EXPECT_TRUE([runner conformsToProtocol:@protocol(ClassWalks)]);
  EXPECT_TRUE([runner conformsToProtocol:@protocol(NSObject)]);
  EXPECT_TRUE([ClassRunner conformsToProtocol:@protocol(ClassWalks)]);
  EXPECT_FALSE([runner conformsToProtocol:@protocol(NSCopying)]);
  EXPECT_FALSE([[NSObject new] autorelease] == nil);
  EXPECT_EQ(objc_getProtocol("ClassRuns"), @protocol(ClassRuns));
  EXPECT_EQ(objc_getProtocol("ClassNoSuchProtocol"), nil);
  EXPECT_STREQ(protocol_getName(@protocol(ClassWalks)), "ClassWalks");
  EXPECT_TRUE(protocol_conformsToProtocol(@protocol(ClassRuns), @protocol(ClassWalks)));
  EXPECT_FALSE(protocol_conformsToProtocol(@protocol(ClassWalks), @protocol(ClassRuns)));
  const auto steps = protocol_getMethodDescription(@protocol(ClassRuns), @selector(steps), YES, YES);
  ASSERT_NE(steps.name, nullptr);
  EXPECT_TRUE(sel_isEqual(steps.name, @selector(steps)));
  EXPECT_EQ(steps.types[0], 'i');
  EXPECT_EQ(protocol_getMethodDescription(@protocol(ClassRuns), @selector(jumps), YES, YES).name, nullptr);
  EXPECT_NE(protocol_getMethodDescription(@protocol(ClassRuns), @selector(jumps), NO, YES).name, nullptr);
  EXPECT_NE(protocol_getMethodDescription(@protocol(ClassRuns), @selector(walksAtAll), NO, NO).name, nullptr);
}

TEST(Class, AnswersWhichSelectorsItKnows) {
  ClassRunner *runner = [[[ClassRunner alloc] init] autorelease];
  EXPECT_TRUE([runner respondsToSelector:@selector(steps)]);
  EXPECT_TRUE([runner respondsToSelector:@selector(retain)]);
  EXPECT_FALSE([runner respondsToSelector:@selector(jumps)]);
  EXPECT_TRUE([ClassBase respondsToSelector:@selector(kind)]);
  EXPECT_FALSE([ClassBase respondsToSelector:@selector(speak)]);
  EXPECT_TRUE([ClassBase instancesRespondToSelector:@selector(speak)]);
}

TEST(Class, KindsFollowTheHierarchy) {
  ClassFurther *object = [[[ClassFurther alloc] init] autorelease];
  EXPECT_TRUE([object isKindOfClass:[ClassBase class]]);
  EXPECT_FALSE([object isMemberOfClass:[ClassBase class]]);
  EXPECT_TRUE([ClassFurther isSubclassOfClass:[ClassDerived class]]);
  EXPECT_EQ([object superclass], [ClassDerived class]);
  EXPECT_EQ(class_getSuperclass([NSObject class]), nil);
  EXPECT_TRUE(class_isMetaClass(object_getClass([ClassBase class])));
  EXPECT_EQ(object_getClass(object_getClass([ClassFurther class])), object_getClass([NSObject class]));
  EXPECT_EQ(NSClassFromString(@"ClassFurther"), [ClassFurther class]);
  EXPECT_EQ(NSClassFromString(@"ClassThatIsNot"), nil);
  EXPECT_EQ(objc_lookUpClass("ClassThatIsNot"), nil);
}

// Properties: the runtime's accessors.

@interface ClassProperties : NSObject
@property(copy) NSString *text;
@property(retain) id kept;
@property(nonatomic, retain) id keptPlainly;
@property(nonatomic, assign) id seen;
@property NSRange range;
@property(nonatomic, getter=isOn) BOOL on;
@end
@implementation ClassProperties
- (void)dealloc {
  self.text = nil;
  self.kept = nil;
  self.keptPlainly = nil;
  [super dealloc];
}
@end

TEST(Class, PropertiesCopyRetainAndAssign) {
  @autoreleasepool {
    ClassProperties *object = [[ClassProperties alloc] init];
    NSMutableString *text = [NSMutableString stringWithString:@"before"];
    object.text = text;
    [text appendString:@" and after"];
    EXPECT_STREQ(object.text.UTF8String, "before");
    NSObject *value = [[NSObject alloc] init];
    object.kept = value;
    EXPECT_EQ([value retainCount], 2u);
    object.keptPlainly = value;
    EXPECT_EQ([value retainCount], 3u);
    object.seen = value;
    EXPECT_EQ([value retainCount], 3u);
    object.kept = object.kept; // of itself
    object.range = NSMakeRange(3, 4);
    EXPECT_TRUE(NSEqualRanges(object.range, NSMakeRange(3, 4)));
    object.on = YES;
    EXPECT_TRUE(object.isOn);
    [object release];
    EXPECT_GE([value retainCount], 1u);
    [value release];
  }
}

TEST(Class, PropertiesAreListedWithTheirAttributes) {
  objc_property_t text = class_getProperty([ClassProperties class], "text");
  ASSERT_NE(text, nullptr);
  EXPECT_STREQ(property_getName(text), "text");
  EXPECT_NE(std::string(property_getAttributes(text)).find(",C"), std::string::npos);
  unsigned count = 0;
  objc_property_t *all = class_copyPropertyList([ClassProperties class], &count);
  EXPECT_EQ(count, 6u);
  free(all);
}

TEST(Class, MadeAtRunTimeHasItsVariables) {
  if (ASSAY_TEST_LIBOBJC2)
    GTEST_SKIP() << "libobjc2 adds variables to registered classes";
  static int round = 0; // a class cannot be taken back
  const std::string name = "ClassMade" + std::to_string(++round);
  Class cls = objc_allocateClassPair([ClassDerived class], name.c_str(), 0);
  ASSERT_NE(cls, nil);
  EXPECT_TRUE(class_addIvar(cls, "number", sizeof(long), 3, "l"));
  EXPECT_TRUE(class_addIvar(cls, "other", sizeof(id), 3, "@"));
  objc_registerClassPair(cls);
  EXPECT_FALSE(class_addIvar(cls, "late", 1, 0, "c"));
  EXPECT_EQ(objc_allocateClassPair([NSObject class], name.c_str(), 0), nil);
  ClassDerived *object = [[cls alloc] init];
  object->extended = 5.0L;
  object_setIvar(object, class_getInstanceVariable(cls, "other"), (id) @"value");
  EXPECT_EQ(object->extended, 5.0L);
  EXPECT_TRUE([object_getIvar(object, class_getInstanceVariable(cls, "other")) isEqual:@"value"]);
  EXPECT_STREQ([[object speak] UTF8String], "derived base");
  [object release];
}

// C++ members are made and destroyed with the object.

namespace {
int made = 0, destroyed = 0;
struct Counted {
  int value = 42;
  Counted() { ++made; }
  ~Counted() { ++destroyed; }
};
} // namespace

@interface ClassWithMember : NSObject {
@public
  Counted counted;
}
@end
@implementation ClassWithMember
@end
@interface ClassWithMore : ClassWithMember {
@public
  std::vector<int> numbers;
  Counted another;
}
@end
@implementation ClassWithMore
@end

TEST(Class, CxxMembersAreConstructedAndDestroyed) {
  made = destroyed = 0;
  ClassWithMore *object = [[ClassWithMore alloc] init];
  EXPECT_EQ(made, 2);
  EXPECT_EQ(object->counted.value, 42);
  object->numbers.assign(1000, 7);
  [object release];
  EXPECT_EQ(destroyed, 2);
}

TEST(Class, ExchangedMethodsAreSeenAtOnce) {
  ClassFurther *object = [[[ClassFurther alloc] init] autorelease];
  EXPECT_EQ([object added], 11);
  Method added = class_getInstanceMethod([ClassBase class], @selector(added));
  int (*imp)(id, SEL) = [](id, SEL) { return 99; };
  IMP old = method_setImplementation(added, (IMP)(void (*)())imp);
  EXPECT_EQ([object added], 99);
  method_setImplementation(added, old);
  EXPECT_EQ([object added], 11);
}
