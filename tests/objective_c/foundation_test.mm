// Collections, numbers, data, errors, files, bundles and the rest of Foundation.
#import <Foundation/Foundation.h>

#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

namespace {

std::string text(NSString *string) {
  return string ? [string UTF8String] : "(nil)";
}

template <class Body> std::string nameOfRaised(Body body) {
  @try {
    body();
  } @catch (NSException *exception) {
    return text([exception name]);
  }
  return "nothing";
}

} // namespace

struct FoundationTest : testing::Test {
  NSAutoreleasePool *pool_ = [[NSAutoreleasePool alloc] init];
  ~FoundationTest() override { [pool_ drain]; }
};

TEST_F(FoundationTest, ArraysHoldTheirObjectsInOrder) {
  NSMutableArray *array = [NSMutableArray array];
  for (int i = 0; i < 100; ++i)
    [array addObject:@(i)];
  [array insertObject:@"first" atIndex:0];
  [array removeObjectAtIndex:50];
  [array removeObject:@7];
  [array replaceObjectAtIndex:1 withObject:@"zero"];
  [array exchangeObjectAtIndex:0 withObjectAtIndex:1];
  EXPECT_EQ([array count], 99u);
  EXPECT_EQ(text(array[0]), "zero");
  EXPECT_EQ(text(array[1]), "first");
  EXPECT_EQ([array indexOfObject:@8], 8u);
  EXPECT_EQ([array indexOfObject:@49], (NSUInteger)NSNotFound);
  EXPECT_EQ([[array lastObject] intValue], 99);
  array[0] = @5;
  array[[array count]] = @"appended";
  EXPECT_EQ(text([array lastObject]), "appended");
  [array removeAllObjects];
  EXPECT_EQ([array firstObject], nil);
}

TEST_F(FoundationTest, ArraysRaiseOutsideTheirRangeAndForNil) {
  NSMutableArray *array = [NSMutableArray arrayWithObject:@1];
  NSArray *fixed = @[ @1 ];
  EXPECT_EQ(nameOfRaised([&] { [array objectAtIndex:1]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { (void)fixed[1]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { [array removeObjectAtIndex:1]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { [array insertObject:@1 atIndex:2]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { [[NSMutableArray array] removeLastObject]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { [fixed subarrayWithRange:NSMakeRange(0, 2)]; }), "NSRangeException");
  EXPECT_EQ(nameOfRaised([&] { [array addObject:(id)nil]; }), "NSInvalidArgumentException");
}

TEST_F(FoundationTest, ArraysSortStablyEvenByAComparatorThatContradictsItself) {
  NSArray *array = @[ @"b2", @"a1", @"b1", @"c1", @"a2" ];
  NSArray *sorted = [array sortedArrayUsingComparator:^NSComparisonResult(id one, id other) {
    return [[one substringToIndex:1] compare:[other substringToIndex:1]];
  }];
  EXPECT_EQ(text([sorted componentsJoinedByString:@" "]), "a1 a2 b2 b1 c1");
  EXPECT_EQ(text([[array sortedArrayUsingSelector:@selector(compare:)] componentsJoinedByString:@" "]),
            "a1 a2 b1 b2 c1");
  NSArray *wild = [array sortedArrayUsingComparator:^NSComparisonResult(id, id) {
    return NSOrderedAscending;
  }];
  EXPECT_EQ([[NSSet setWithArray:wild] count], 5u);
}

TEST_F(FoundationTest, ForInSeesEveryObjectOnce) {
  NSMutableArray *array = [NSMutableArray array];
  for (int i = 0; i < 50; ++i)
    [array addObject:@(i)];
  int sum = 0;
  for (NSNumber *each in array)
    sum += [each intValue];
  EXPECT_EQ(sum, 49 * 50 / 2);
  sum = 0;
  for (NSNumber *each in [array reverseObjectEnumerator]) {
    sum += [each intValue];
    if ([each intValue] == 40)
      break;
  }
  EXPECT_EQ(sum, 49 + 48 + 47 + 46 + 45 + 44 + 43 + 42 + 41 + 40);
  for (id each in [NSArray array])
    ADD_FAILURE() << text(each);
  NSArray *none = nil;
  for (id each in none)
    ADD_FAILURE() << text(each);
}

TEST_F(FoundationTest, ChangingWhileEnumeratingRaises) {
  NSMutableArray *array = [NSMutableArray arrayWithArray:@[ @1, @2, @3 ]];
  NSMutableDictionary *dictionary = [NSMutableDictionary dictionaryWithDictionary:@{@1 : @1, @2 : @2}];
  EXPECT_EQ(nameOfRaised([&] {
              for (id each in array)
                [array addObject:each];
            }),
            "NSGenericException");
  EXPECT_EQ([array count], 4u);
  EXPECT_EQ(nameOfRaised([&] {
              for (id each in dictionary)
                [dictionary removeObjectForKey:each];
            }),
            "NSGenericException");
}

TEST_F(FoundationTest, ArraysDictionariesAndSetsChangeInSeveralPlaces) {
  NSMutableArray *array = [NSMutableArray arrayWithArray:@[ @3, @1, @2, @5, @4 ]];
  [array sortUsingSelector:@selector(compare:)];
  EXPECT_TRUE([array isEqual:(@[ @1, @2, @3, @4, @5 ])]);
  NSMutableArray *seen = [NSMutableArray array];
  [array enumerateObjectsWithOptions:NSEnumerationReverse
                          usingBlock:^(id object, NSUInteger index, BOOL *stop) {
                            [seen addObject:object];
                            *stop = index == 3;
                          }];
  EXPECT_TRUE([seen isEqual:(@[ @5, @4 ])]);
  EXPECT_EQ([array indexOfObjectPassingTest:^BOOL(id object, NSUInteger, BOOL *) {
              return [object intValue] > 2;
            }],
            2u);
  [array removeObjectsInRange:NSMakeRange(1, 2)];
  EXPECT_TRUE([array isEqual:(@[ @1, @4, @5 ])]);
  EXPECT_EQ(nameOfRaised([&] { [array removeObjectsInRange:NSMakeRange(2, 2)]; }), "NSRangeException");
  [array removeObjectsInArray:@[ @5, @1, @7 ]];
  EXPECT_TRUE([array isEqual:@[ @4 ]]);

  NSMutableDictionary *dictionary =
      [[[NSMutableDictionary alloc] initWithObjectsAndKeys:@1, @"a", @2, @"b", @3, @"c", nil] autorelease];
  [dictionary setValue:nil forKey:@"a"];
  [dictionary setValue:@4 forKey:@"d"];
  [dictionary removeObjectsForKeys:@[ @"b", @"x" ]];
  EXPECT_TRUE([dictionary isEqual:(@{@"c" : @3, @"d" : @4})]);
  NSDictionary *odd = [NSDictionary alloc]; // an exception leaves it to who has allocated it
  EXPECT_EQ(nameOfRaised([&] { (void)[odd initWithObjectsAndKeys:@1, nil]; }), "NSInvalidArgumentException");
  [odd release];

  NSMutableSet *set = [NSMutableSet setWithArray:@[ @1 ]];
  [set addObjectsFromArray:@[ @1, @2 ]];
  [set unionSet:[NSSet setWithObject:@3]];
  [set minusSet:[NSSet setWithObject:@2]];
  EXPECT_TRUE([set isEqualToSet:[NSSet setWithArray:(@[ @1, @3 ])]]);
  EXPECT_TRUE([set intersectsSet:[NSSet setWithObject:@3]]);
  EXPECT_FALSE([set isSubsetOfSet:[NSSet setWithObject:@3]]);
}

TEST_F(FoundationTest, DescriptionsQuoteAllButLettersAndDigits) {
  NSDictionary *dictionary = @{@"b" : @-1, @"a" : @[ @"/usr/bin", @"1.0", @"en_US", @1.5, @"w0rd", @7 ]};
  EXPECT_EQ(text([dictionary description]),
            "{\n    a = (\n        \"/usr/bin\",\n        \"1.0\",\n        \"en_US\",\n        \"1.5\",\n"
            "        w0rd,\n        7\n    );\n    b = \"-1\";\n}");
  EXPECT_EQ(text([@[ @"", @"a\n\"\\\t\u00e9", [NSData dataWithBytes:"a" length:1] ] description]),
            "(\n    \"\",\n    \"a\\n\\\"\\\\\\t\\U00e9\",\n    {length = 1, bytes = 0x61}\n)");
  // Other keys stay in their order.
  EXPECT_EQ(text([@{@2 : @1, @1 : @2} description]), "{\n    2 = 1;\n    1 = 2;\n}");
}

@interface FoundationRow : NSArray // a client's own array
@end
@implementation FoundationRow
- (NSUInteger)count {
  return 40;
}
- (id)objectAtIndex:(NSUInteger)index {
  return @(index * index);
}
@end

TEST_F(FoundationTest, SubclassedArraysWork) {
  FoundationRow *row = [[[FoundationRow alloc] init] autorelease];
  long sum = 0;
  for (NSNumber *each in row)
    sum += [each longValue];
  EXPECT_EQ(sum, 39 * 40 * 79 / 6);
  EXPECT_TRUE([row containsObject:@(39 * 39)]);
}

TEST_F(FoundationTest, DictionariesFindByEqualKeysAndCopyThem) {
  NSMutableDictionary *dictionary = [NSMutableDictionary dictionary];
  NSMutableString *key = [NSMutableString stringWithString:@"key"];
  dictionary[key] = @1;
  [key appendString:@"x"];
  EXPECT_EQ([dictionary[@"key"] intValue], 1);
  EXPECT_EQ(dictionary[@"keyx"], nil);
  for (int i = 0; i < 200; ++i)
    dictionary[@(i)] = [NSString stringWithFormat:@"%d", i];
  for (int i = 0; i < 200; i += 2)
    [dictionary removeObjectForKey:@(i)];
  EXPECT_EQ([dictionary count], 101u);
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(text(dictionary[@(i)]), i % 2 ? std::to_string(i) : "(nil)");
  dictionary[@1] = @"one";
  EXPECT_EQ(text(dictionary[@1]), "one");
  EXPECT_EQ([dictionary count], 101u);
  dictionary[@1] = nil;
  EXPECT_EQ([dictionary count], 100u);
  EXPECT_EQ([dictionary objectForKey:(id)nil], nil);
}

TEST_F(FoundationTest, DictionariesEnumerateInTheOrderOfTheirKeys) {
  NSDictionary *dictionary = @{@"z" : @1, @"a" : @2, @"m" : @3};
  EXPECT_EQ(text([[dictionary allKeys] componentsJoinedByString:@""]), "zam");
  NSMutableString *seen = [NSMutableString string];
  for (NSString *key in dictionary)
    [seen appendFormat:@"%@%@", key, dictionary[key]];
  EXPECT_EQ(text(seen), "z1a2m3");
  [dictionary enumerateKeysAndObjectsUsingBlock:^(id key, id, BOOL *stop) {
    [seen setString:key];
    *stop = [key isEqual:@"a"];
  }];
  EXPECT_EQ(text(seen), "a");
  EXPECT_TRUE(
      [dictionary isEqual:([NSDictionary dictionaryWithObjectsAndKeys:@3, @"m", @2, @"a", @1, @"z", nil])]);
  EXPECT_TRUE([[[dictionary mutableCopy] autorelease] isEqual:dictionary]);
  EXPECT_EQ(nameOfRaised([] { [[NSMutableDictionary dictionary] setObject:(id)nil forKey:@"k"]; }),
            "NSInvalidArgumentException");
}

TEST_F(FoundationTest, SetsHoldEachObjectOnce) {
  NSMutableSet *set = [NSMutableSet set];
  for (NSString *each in @[ @"b", @"a", @"b", @"c", @"a" ])
    [set addObject:[NSMutableString stringWithString:each]];
  EXPECT_EQ([set count], 3u);
  EXPECT_TRUE([set containsObject:@"c"]);
  [set removeObject:@"b"];
  EXPECT_EQ(text([[set allObjects] componentsJoinedByString:@""]), "ac");
  EXPECT_TRUE(([set isEqual:[NSSet setWithArray:@[ @"c", @"a" ]]]));
}

TEST_F(FoundationTest, NumbersKeepTheirValueAndCompareByIt) {
  EXPECT_EQ([@(-5) longLongValue], -5);
  EXPECT_EQ([@(ULLONG_MAX) unsignedLongLongValue], ULLONG_MAX);
  EXPECT_EQ([@(2.75) intValue], 2);
  EXPECT_EQ([@(1e300) longLongValue], LLONG_MAX);
  EXPECT_EQ([@(-1e300) longLongValue], LLONG_MIN);
  EXPECT_EQ([@(NAN) longLongValue], 0);
  EXPECT_TRUE([@1 isEqual:@1.0]);
  EXPECT_TRUE([@YES isEqual:@1]);
  EXPECT_EQ([@1 hash], [@1.0 hash]);
  EXPECT_EQ([@(ULLONG_MAX) compare:@(-1)], NSOrderedDescending);
  EXPECT_EQ([@(LLONG_MAX) compare:@(LLONG_MAX - 1)], NSOrderedDescending); // closer than doubles tell
  EXPECT_EQ([@1.5 compare:@2], NSOrderedAscending);
  EXPECT_EQ(text([@0.1 description]), "0.1");
  EXPECT_EQ(text([@(0.1f) description]), "0.1");
  EXPECT_EQ(text([@(1.0 / 3) description]), "0.3333333333333333");
  EXPECT_EQ(text([@YES description]), "1");
  EXPECT_STREQ([@(1.5f) objCType], "f");
  EXPECT_STREQ([@((unsigned short)1) objCType], "S");
  float single = 0;
  [@(1.5f) getValue:&single];
  EXPECT_EQ(single, 1.5f);
}

TEST_F(FoundationTest, ValuesHoldStructures) {
  struct Mixed {
    char a;
    double b;
    short c[3];
  } mixed = {'x', 2.5, {1, 2, 3}}, back = {};
  NSValue *value = [NSValue valueWithBytes:&mixed objCType:@encode(Mixed)];
  [value getValue:&back size:sizeof back];
  EXPECT_EQ(back.b, 2.5);
  EXPECT_EQ(back.c[2], 3);
  EXPECT_TRUE(NSEqualRanges([[NSValue valueWithRange:NSMakeRange(1, 2)] rangeValue], NSMakeRange(1, 2)));
  EXPECT_EQ([[NSValue valueWithPointer:&mixed] pointerValue], &mixed);
  EXPECT_EQ(nameOfRaised([&] { [value getValue:&back size:3]; }), "NSInvalidArgumentException");
}

TEST_F(FoundationTest, NumbersAreWrittenAsShortAsTheyAreTheSame) {
  const auto of = [](NSNumber *number) { return text([number stringValue]); };
  EXPECT_EQ(of(@20.0f), "20");
  EXPECT_EQ(of(@-80.0), "-80");
  EXPECT_EQ(of(@0.0), "0");
  EXPECT_EQ(of(@0.1f), "0.1");
  EXPECT_EQ(of(@0.1), "0.1");
  EXPECT_EQ(of(@(0.1 + 0.2)), "0.30000000000000004");
  EXPECT_EQ(of(@123456.5f), "123456.5");
  EXPECT_EQ(of(@10000000000.0), "10000000000");
  EXPECT_EQ(of(@1e16), "1e+16");
  EXPECT_EQ(of(@1e10f), "1e+10");
  EXPECT_EQ(of(@1.5e-7), "1.5e-07");
  EXPECT_EQ(of(@0.00025), "0.00025");
  EXPECT_EQ(of(@(INFINITY)), "inf");
  EXPECT_EQ(text([@2.5f descriptionWithLocale:nil]), "2.5");
}

TEST_F(FoundationTest, MethodsHaveSignatures) {
  NSMethodSignature *fill = [[NSData data] methodSignatureForSelector:@selector(getBytes:range:)];
  ASSERT_EQ([fill numberOfArguments], 4u);
  EXPECT_STREQ([fill methodReturnType], "v");
  EXPECT_EQ([fill methodReturnLength], 0u);
  EXPECT_STREQ([fill getArgumentTypeAtIndex:0], @encode(id));
  EXPECT_STREQ([fill getArgumentTypeAtIndex:1], @encode(SEL));
  EXPECT_STREQ([fill getArgumentTypeAtIndex:2], "^v");
  EXPECT_STREQ([fill getArgumentTypeAtIndex:3], @encode(NSRange));
  EXPECT_EQ(nameOfRaised([&] { [fill getArgumentTypeAtIndex:4]; }), "NSRangeException");
  EXPECT_EQ([[@"" methodSignatureForSelector:@selector(rangeOfString:)] methodReturnLength], sizeof(NSRange));
  EXPECT_TRUE([[NSString methodSignatureForSelector:@selector(stringWithUTF8String:)]
      isEqual:[NSMethodSignature signatureWithObjCTypes:"@@:r*"]]);
  // Blocks, pointers to structures, names that look like types.
  NSMethodSignature *odd =
      [NSMethodSignature signatureWithObjCTypes:"V32@0:8@?16^{a<b>=\"x}\"i}24(u=if)b3[2{c=cc}]"];
  EXPECT_TRUE([odd isOneway]);
  ASSERT_EQ([odd numberOfArguments], 7u);
  EXPECT_STREQ([odd getArgumentTypeAtIndex:2], "@?");
  EXPECT_STREQ([odd getArgumentTypeAtIndex:3], "^{a<b>=\"x}\"i}");
  EXPECT_STREQ([odd getArgumentTypeAtIndex:6], "[2{c=cc}]");
}

TEST_F(FoundationTest, ATypeThatDoesNotEndHasNoSignature) {
  for (const char *types : {"@\"NSString", "{a=i", "[4i", "(u=i", "{a=\"x}", "v@0:8{"})
    EXPECT_EQ(nameOfRaised([&] { [NSMethodSignature signatureWithObjCTypes:types]; }),
              "NSInvalidArgumentException")
        << types;
  const std::string deep(200, '[');
  for (const char *type : {"{a", "{a=\"x", "[4i", "[99999999999999999999i]",
                           "{a=[99999999999i][99999999999999i]}", "[-1i]", "", "v", deep.c_str()})
    EXPECT_EQ(nameOfRaised([&] { [NSValue valueWithBytes:"" objCType:type]; }), "NSInvalidArgumentException")
        << type;
  const std::string pointers(100'000, '^');
  EXPECT_EQ([[NSMethodSignature signatureWithObjCTypes:(pointers + "i").c_str()] methodReturnLength], 8u);
}

TEST_F(FoundationTest, APointerToNothingIsAPointer) {
  EXPECT_EQ([[NSMethodSignature signatureWithObjCTypes:"r^v@:"] methodReturnLength], sizeof(void *));
  EXPECT_EQ([[NSMethodSignature signatureWithObjCTypes:"Vv@:"] methodReturnLength], 0u);
}

TEST_F(FoundationTest, ObjectsHaveNoSignatureOfWhatTheyDoNotAnswer) {
  EXPECT_EQ([@"" methodSignatureForSelector:@selector(lock)], nil);
  EXPECT_EQ([NSString methodSignatureForSelector:@selector(length)], nil);
  EXPECT_TRUE([NSString instanceMethodSignatureForSelector:@selector(length)] != nil);
}

TEST_F(FoundationTest, ConstantStringsOfCoreFoundationAreStrings) {
  EXPECT_EQ(text((NSString *)CFSTR("of the compiler")), "of the compiler");
  EXPECT_EQ(text((NSString *)CFSTR("\u00e9t\u00e9")), "\u00e9t\u00e9");
  const std::string made = "made at run time";
  const CFStringRef one = __CFStringMakeConstantString(made.c_str());
  EXPECT_EQ(text((NSString *)one), made);
  EXPECT_EQ(one, __CFStringMakeConstantString("made at run time"));
  EXPECT_NE(one, __CFStringMakeConstantString("another"));
}

TEST_F(FoundationTest, DataIsBytes) {
  NSMutableData *data = [NSMutableData dataWithBytes:"abc" length:3];
  [data appendBytes:"def" length:3];
  [data setLength:8];
  EXPECT_EQ(memcmp([data bytes], "abcdef\0\0", 8), 0);
  ((char *)[data mutableBytes])[0] = 'x';
  NSData *part = [data subdataWithRange:NSMakeRange(0, 3)];
  EXPECT_TRUE([part isEqual:[NSData dataWithBytes:"xbc" length:3]]);
  EXPECT_EQ(text([part description]), "{length = 3, bytes = 0x786263}");
  EXPECT_EQ(nameOfRaised([&] { [data subdataWithRange:NSMakeRange(6, 3)]; }), "NSRangeException");
  void *memory = malloc(4);
  EXPECT_EQ([[NSData dataWithBytesNoCopy:memory length:4] bytes], memory);
}

TEST_F(FoundationTest, DataOfOthersIsGivenBackOnce) {
  __block int calls = 0;
  char bytes[4] = "abc";
  void (^deallocator)(void *, NSUInteger) = ^(void *, NSUInteger length) {
    calls += (int)length;
  };
  NSData *data = [[NSData alloc] initWithBytesNoCopy:bytes length:4 deallocator:deallocator];
  EXPECT_EQ([data bytes], bytes);
  EXPECT_EQ(calls, 0);
  [data release];
  EXPECT_EQ(calls, 4);
  NSMutableData *copy = [[[NSMutableData alloc] initWithBytesNoCopy:bytes length:4
                                                        deallocator:deallocator] autorelease];
  EXPECT_EQ(calls, 8);
  [copy resetBytesInRange:NSMakeRange(1, 5)];
  [copy replaceBytesInRange:NSMakeRange(2, 1) withBytes:"z"];
  [copy increaseLengthBy:2];
  EXPECT_TRUE([copy isEqualToData:[NSData dataWithBytes:"a\0z\0\0\0\0\0" length:8]]);
  EXPECT_EQ(nameOfRaised([&] { [copy resetBytesInRange:NSMakeRange(9, 1)]; }), "NSRangeException");
  NSError *error = nil;
  NSURL *missing = [NSURL fileURLWithPath:@"/no such file"];
  EXPECT_EQ([NSData dataWithContentsOfURL:missing options:0 error:&error], nil);
  EXPECT_EQ([error code], NSFileReadNoSuchFileError);
  EXPECT_EQ([[[NSData alloc] initWithContentsOfURL:missing] autorelease], nil);
}

TEST_F(FoundationTest, ExceptionsAreDescribedByTheirReason) {
  EXPECT_EQ(text([[NSException exceptionWithName:@"N" reason:@"why" userInfo:nil] description]), "why");
  EXPECT_EQ(text([[NSException exceptionWithName:@"N" reason:nil userInfo:nil] description]), "N");
}

TEST_F(FoundationTest, ErrorsSayWhatTheyKnow) {
  NSError *error = [NSError errorWithDomain:@"D" code:7 userInfo:@{NSLocalizedDescriptionKey : @"it broke"}];
  EXPECT_EQ(text([error localizedDescription]), "it broke");
  EXPECT_EQ(text([error description]),
            "Error Domain=D Code=7 \"it broke\" UserInfo={NSLocalizedDescription=it broke}");
  NSError *bare = [NSError errorWithDomain:@"D" code:8 userInfo:nil];
  EXPECT_TRUE([[bare localizedDescription] containsString:@"D error 8"]);
  EXPECT_EQ([[bare userInfo] count], 0u);
  EXPECT_EQ(text([bare description]), "Error Domain=D Code=8 \"(null)\"");
  NSError *posix = [NSError errorWithDomain:NSPOSIXErrorDomain code:ENOENT userInfo:nil];
  EXPECT_TRUE([[posix localizedDescription] containsString:@"No such file"]);
  EXPECT_EQ(text([posix description]),
            "Error Domain=NSPOSIXErrorDomain Code=2 \"No such file or directory\"");
  NSError *outer = [NSError errorWithDomain:@"D" code:9 userInfo:@{NSUnderlyingErrorKey : bare}];
  EXPECT_TRUE([[outer description] hasSuffix:@" {Error Domain=D Code=8 \"(null)\"}}"])
      << text([outer description]);
}

TEST_F(FoundationTest, UrlsOfFilesKnowTheirPaths) {
  NSURL *url = [NSURL fileURLWithPath:@"/tmp/a b/\u00e9.metal"];
  EXPECT_EQ(text([url path]), "/tmp/a b/\u00e9.metal");
  EXPECT_EQ(text([url absoluteString]), "file:///tmp/a%20b/%C3%A9.metal");
  EXPECT_TRUE([url isFileURL]);
  EXPECT_EQ(text([[NSURL URLWithString:[url absoluteString]] path]), "/tmp/a b/\u00e9.metal");
  EXPECT_EQ(text([[url URLByDeletingLastPathComponent] path]), "/tmp/a b");
  EXPECT_EQ(text([[[NSURL fileURLWithPath:@"/tmp"] URLByAppendingPathComponent:@"x.y"] path]), "/tmp/x.y");
  EXPECT_EQ(text([[NSURL URLWithString:@"https://a.b/c/d?e#f"] path]), "/c/d");
  EXPECT_EQ(text([[NSURL URLWithString:@"https://a.b/c/d?e#f"] scheme]), "https");
}

TEST_F(FoundationTest, FilesAreListedAskedAndRemoved) {
  NSFileManager *files = [NSFileManager defaultManager];
  NSString *folder = [NSTemporaryDirectory()
      stringByAppendingPathComponent:[NSString stringWithFormat:@"assay-files-%d/deep", getpid()]];
  NSError *error = nil;
  EXPECT_FALSE([files createDirectoryAtPath:folder
                withIntermediateDirectories:NO
                                 attributes:nil
                                      error:&error]);
  EXPECT_NE(error, nil);
  ASSERT_TRUE([files createDirectoryAtPath:folder withIntermediateDirectories:YES attributes:nil error:nil]);
  NSString *file = [folder stringByAppendingPathComponent:@"f"],
           *link = [folder stringByAppendingPathComponent:@"l"];
  ASSERT_TRUE([files createFileAtPath:file contents:[@"12345" dataUsingEncoding:4] attributes:nil]);
  ASSERT_EQ(symlink("f", [link UTF8String]), 0);
  EXPECT_TRUE([[files attributesOfItemAtPath:file error:nil][NSFileType] isEqual:NSFileTypeRegular]);
  EXPECT_EQ([[files attributesOfItemAtPath:file error:nil][NSFileSize] intValue], 5);
  EXPECT_TRUE([[files attributesOfItemAtPath:link error:nil][NSFileType] isEqual:NSFileTypeSymbolicLink]);
  EXPECT_EQ(text([files destinationOfSymbolicLinkAtPath:link error:nil]), "f");
  EXPECT_EQ([files destinationOfSymbolicLinkAtPath:file error:&error], nil);
  EXPECT_EQ(text([[files contentsOfDirectoryAtPath:folder error:nil] componentsJoinedByString:@","]), "f,l");
  BOOL directory = NO;
  EXPECT_TRUE([files fileExistsAtPath:folder isDirectory:&directory]);
  EXPECT_TRUE(directory);
  EXPECT_TRUE([files isReadableFileAtPath:file]);
  EXPECT_TRUE([files removeItemAtPath:[folder stringByDeletingLastPathComponent] error:nil]);
  EXPECT_FALSE([files fileExistsAtPath:file]);
  EXPECT_EQ([files attributesOfItemAtPath:file error:&error], nil);
  EXPECT_EQ([error code], NSFileReadNoSuchFileError);
}

@interface FoundationHere : NSObject
@end
@implementation FoundationHere
@end

TEST_F(FoundationTest, FilesAreCopiedAndMoved) {
  NSFileManager *files = [NSFileManager defaultManager];
  NSString *folder = [NSTemporaryDirectory()
      stringByAppendingPathComponent:[[NSProcessInfo processInfo] globallyUniqueString]];
  NSURL *from = [NSURL fileURLWithPath:[folder stringByAppendingPathComponent:@"a"]];
  NSURL *to = [NSURL fileURLWithPath:[folder stringByAppendingPathComponent:@"b"]];
  NSError *error = nil;
  ASSERT_TRUE([files createDirectoryAtURL:from withIntermediateDirectories:YES attributes:nil error:&error]);
  NSString *inside = [[from path] stringByAppendingPathComponent:@"x"];
  ASSERT_TRUE([files createFileAtPath:inside contents:[NSData dataWithBytes:"x" length:1] attributes:nil]);
  EXPECT_TRUE([files copyItemAtURL:from toURL:to error:&error]) << text([error description]);
  EXPECT_EQ([[files contentsAtPath:[[to path] stringByAppendingPathComponent:@"x"]] length], 1u);
  EXPECT_FALSE([files copyItemAtPath:[from path] toPath:[to path] error:&error]);
  EXPECT_EQ([error code], NSFileWriteFileExistsError);
  EXPECT_FALSE([files copyItemAtPath:@"/no such file"
                              toPath:[folder stringByAppendingString:@"c"]
                               error:&error]);
  EXPECT_EQ([error code], NSFileReadNoSuchFileError);
  EXPECT_FALSE([files moveItemAtURL:from toURL:to error:&error]);
  EXPECT_TRUE([files removeItemAtURL:to error:&error]);
  EXPECT_TRUE([files moveItemAtURL:from toURL:to error:&error]);
  EXPECT_FALSE([files fileExistsAtPath:[from path]]);
  EXPECT_TRUE([files removeItemAtPath:folder error:&error]);
  NSURL *caches = [[files URLsForDirectory:NSCachesDirectory inDomains:NSUserDomainMask] firstObject];
  EXPECT_EQ(text([caches path]), text([NSHomeDirectory() stringByAppendingString:@"/Library/Caches"]));
  EXPECT_EQ([[files URLsForDirectory:NSCachesDirectory inDomains:NSSystemDomainMask] count], 0u);
}

TEST_F(FoundationTest, BundlesAreWhereTheBinaryIs) {
  NSBundle *main = [NSBundle mainBundle];
  EXPECT_EQ([NSBundle bundleForClass:[FoundationHere class]], main);
  EXPECT_TRUE([[main executablePath] hasPrefix:[main bundlePath]]);
  NSBundle *library = [NSBundle bundleForClass:[NSObject class]];
  EXPECT_TRUE([[[library executablePath] lastPathComponent] hasPrefix:@"libMetal"])
      << text([library executablePath]);
  NSString *name = [[main executablePath] lastPathComponent];
  EXPECT_TRUE([[main pathForResource:name ofType:nil] isEqual:[main executablePath]]);
  EXPECT_EQ([main pathForResource:@"no such" ofType:@"metallib"], nil);
  EXPECT_EQ([[NSBundle allBundles] firstObject], main);
}

TEST_F(FoundationTest, ProcessKnowsItself) {
  NSProcessInfo *process = [NSProcessInfo processInfo];
  EXPECT_TRUE([[[process arguments] firstObject] containsString:@"objective_c_test"]);
  setenv("ASSAY_FOUNDATION_TEST", "a=b", 1);
  EXPECT_EQ(text([process environment][@"ASSAY_FOUNDATION_TEST"]), "a=b");
  EXPECT_GT([process physicalMemory], 1u << 20);
  EXPECT_GE([process activeProcessorCount], 1u);
  EXPECT_EQ([process processIdentifier], getpid());
  EXPECT_FALSE([[process globallyUniqueString] isEqual:[process globallyUniqueString]]);
  EXPECT_EQ([process thermalState], NSProcessInfoThermalStateNominal);
  const NSOperatingSystemVersion own = [process operatingSystemVersion];
  EXPECT_TRUE([process isOperatingSystemAtLeastVersion:own]);
  EXPECT_TRUE(([process isOperatingSystemAtLeastVersion:{own.majorVersion - 1, 99, 99}]));
  EXPECT_FALSE(([process isOperatingSystemAtLeastVersion:{own.majorVersion, own.minorVersion, 1}]));
  EXPECT_FALSE(([process isOperatingSystemAtLeastVersion:{own.majorVersion, own.minorVersion + 1, 0}]));
  EXPECT_FALSE(([process isOperatingSystemAtLeastVersion:{99, 0, 0}]));
  EXPECT_EQ(ABS(-3), 3);
  EXPECT_EQ(text(NSLocalizedString(@"key", @"a comment")), "key");
}

TEST_F(FoundationTest, LocksExcludeAndConditionsWake) {
  NSLock *lock = [[[NSLock alloc] init] autorelease];
  NSCondition *condition = [[[NSCondition alloc] init] autorelease];
  [lock lock];
  BOOL taken = YES, woken = NO;
  std::thread([&] { taken = [lock tryLock]; }).join();
  EXPECT_FALSE(taken);
  EXPECT_FALSE([lock lockBeforeDate:[NSDate dateWithTimeIntervalSinceNow:0.01]]);
  [lock unlock];
  std::thread waiter([&] {
    [condition lock];
    while (!woken)
      [condition wait];
    [condition unlock];
  });
  [condition lock];
  woken = YES;
  [condition signal];
  [condition unlock];
  waiter.join();
  NSRecursiveLock *recursive = [[[NSRecursiveLock alloc] init] autorelease];
  [recursive lock];
  EXPECT_TRUE([recursive tryLock]);
  [recursive unlock];
  [recursive unlock];
}

TEST_F(FoundationTest, DatesMeasureTime) {
  EXPECT_EQ(text([[NSDate dateWithTimeIntervalSinceReferenceDate:0] description]),
            "2001-01-01 00:00:00 +0000");
  EXPECT_EQ(text([[NSDate dateWithTimeIntervalSince1970:-1] description]), "1969-12-31 23:59:59 +0000");
  NSDate *now = [NSDate date];
  EXPECT_NEAR([now timeIntervalSince1970], (double)time(nullptr), 2);
  EXPECT_LE([now timeIntervalSinceNow], 0);
  EXPECT_EQ([now compare:[now dateByAddingTimeInterval:1]], NSOrderedAscending);
}
