// NSString: every kind of string, UTF-16 lengths over UTF-8 bytes, searching, paths.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>
#include <random>

namespace {
std::string text(NSString *string) {
  return string ? [string UTF8String] : "(nil)";
}
} // namespace

struct StringTest : testing::Test {
  NSAutoreleasePool *pool_ = [[NSAutoreleasePool alloc] init];
  ~StringTest() override { [pool_ drain]; }
};

TEST_F(StringTest, TinyConstantsOfEveryLength) {
  NSString *const kTiny[] = {@"", @"a", @"ab", @"abc", @"abcd", @"abcde", @"abcdef", @"abcdefg", @"abcdefgh"};
  const std::string letters = "abcdefgh";
  for (size_t length = 0; length <= 8; ++length) {
    NSString *tiny = kTiny[length];
    EXPECT_EQ([tiny length], length);
    EXPECT_EQ(text(tiny), letters.substr(0, length));
    NSString *heap = [NSString stringWithUTF8String:letters.substr(0, length).c_str()];
    EXPECT_TRUE([tiny isEqual:heap]);
    EXPECT_TRUE([heap isEqual:tiny]);
    EXPECT_EQ([tiny hash], [heap hash]);
    for (size_t i = 0; i < length; ++i)
      EXPECT_EQ([tiny characterAtIndex:i], letters[i]);
  }
  const auto pointer = (uintptr_t)kTiny[3];
  EXPECT_EQ(pointer % 8, 4u); // else this test tests nothing
  EXPECT_TRUE([kTiny[3] isKindOfClass:[NSString class]]);
}

TEST_F(StringTest, ConstantsOfEveryEncodingAreTheirText) {
  NSString *ascii = @"longer than eight", *wide = @"\u00e9t\u00e9 \U0001F600";
  EXPECT_EQ(text(ascii), "longer than eight");
  EXPECT_EQ(text(wide), "\u00e9t\u00e9 \U0001F600");
  EXPECT_EQ([wide length], 6u);
  EXPECT_EQ([wide characterAtIndex:0], 0xe9);
  EXPECT_EQ([wide characterAtIndex:4], 0xd83d);
  EXPECT_EQ([wide characterAtIndex:5], 0xde00);
  EXPECT_TRUE([wide isEqual:[NSString stringWithUTF8String:"\u00e9t\u00e9 \U0001F600"]]);
  EXPECT_EQ([wide hash], [[NSString stringWithUTF8String:"\u00e9t\u00e9 \U0001F600"] hash]);
}

TEST_F(StringTest, CoreFoundationConstantsAreStrings) {
  NSString *constant = (NSString *)__builtin___CFStringMakeConstantString("a CoreFoundation string");
  EXPECT_EQ(text(constant), "a CoreFoundation string");
  EXPECT_TRUE([constant isEqual:@"a CoreFoundation string"]);
  EXPECT_EQ([constant length], 23u);
  [constant release];
  EXPECT_EQ([[constant copy] length], 23u);
}

TEST_F(StringTest, LengthsAndPartsCountUtf16Units) {
  NSString *string = [NSString stringWithUTF8String:"a\u00e9\u20ac\U0001F600z"];
  EXPECT_EQ([string length], 6u);
  EXPECT_EQ([string lengthOfBytesUsingEncoding:NSUTF8StringEncoding], 1u + 2 + 3 + 4 + 1);
  EXPECT_EQ(text([string substringToIndex:3]), "a\u00e9\u20ac");
  EXPECT_EQ(text([string substringFromIndex:5]), "z");
  EXPECT_EQ(text([string substringWithRange:NSMakeRange(2, 3)]), "\u20ac\U0001F600");
  // A pair that is cut and joined is whole again.
  NSString *high = [string substringToIndex:4], *low = [string substringFromIndex:4];
  EXPECT_EQ([high length], 4u);
  EXPECT_EQ([high characterAtIndex:3], 0xd83d);
  EXPECT_TRUE([[high stringByAppendingString:low] isEqual:string]);
  EXPECT_EQ([high cStringUsingEncoding:NSUTF8StringEncoding], nullptr); // half a pair has no UTF-8
}

TEST_F(StringTest, IndicesOutsideRaiseRangeException) {
  for (NSString *string in @[ @"abc", @"a longer constant", [NSString stringWithUTF8String:"heap"] ]) {
    for (int which = 0; which < 4; ++which) {
      BOOL raised = NO;
      @try {
        switch (which) {
        case 0: [string characterAtIndex:[string length]]; break;
        case 1: [string substringToIndex:[string length] + 1]; break;
        case 2: [string substringFromIndex:[string length] + 1]; break;
        case 3: [string substringWithRange:NSMakeRange(1, NSUIntegerMax)]; break;
        }
      } @catch (NSException *exception) {
        raised = [exception.name isEqual:NSRangeException];
      }
      EXPECT_TRUE(raised) << which << " of " << text(string);
    }
  }
}

TEST_F(StringTest, EncodingsRoundTrip) {
  NSString *string = [NSString stringWithUTF8String:"a\u00e9\u20ac\U0001F600z"];
  for (NSStringEncoding encoding :
       {NSUTF8StringEncoding, NSUTF16StringEncoding, NSUTF16BigEndianStringEncoding,
        NSUTF16LittleEndianStringEncoding, NSUTF32StringEncoding, NSUTF32BigEndianStringEncoding,
        NSUTF32LittleEndianStringEncoding}) {
    NSData *data = [string dataUsingEncoding:encoding];
    ASSERT_NE(data, nil);
    EXPECT_TRUE([[[[NSString alloc] initWithData:data encoding:encoding] autorelease] isEqual:string])
        << encoding;
  }
  EXPECT_EQ([string dataUsingEncoding:NSASCIIStringEncoding], nil);
  EXPECT_EQ([string dataUsingEncoding:NSISOLatin1StringEncoding], nil);
  NSData *latin = [@"\u00e9t\u00e9" dataUsingEncoding:NSISOLatin1StringEncoding];
  EXPECT_EQ(std::string((const char *)[latin bytes], [latin length]), "\xe9t\xe9");
  const unsigned char big[] = {0, 'a', 0x20, 0xac};
  EXPECT_EQ(text([[[NSString alloc] initWithBytes:big length:4
                                         encoding:NSUTF16BigEndianStringEncoding] autorelease]),
            "a\u20ac");
}

TEST_F(StringTest, BytesThatAreNotUtf8GiveNil) {
  for (const char *bytes : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\xf5\x80\x80\x80", "a\x80"})
    EXPECT_EQ([NSString stringWithUTF8String:bytes], nil) << testing::PrintToString(bytes);
}

// A Mac lets them pass.
TEST_F(StringTest, BytesThatAreNotAsciiAreThoseOfLatin1) {
  EXPECT_EQ(text([NSString stringWithCString:"\xc2\xa9 2024" encoding:NSASCIIStringEncoding]),
            "\u00c2\u00a9 2024");
  EXPECT_EQ(text([[[NSString alloc] initWithBytes:"\xe9" length:1
                                         encoding:NSASCIIStringEncoding] autorelease]),
            "\u00e9");
}

TEST_F(StringTest, ComparesAndSearches) {
  NSString *string = [NSString stringWithUTF8String:"gr\u00fcn wie Gras, \U0001F600 Gras"];
  EXPECT_TRUE([string containsString:@"Gras"]);
  EXPECT_FALSE([string containsString:@"gras"]);
  EXPECT_FALSE([string containsString:@""]);
  EXPECT_TRUE(NSEqualRanges([string rangeOfString:@"Gras"], NSMakeRange(9, 4)));
  EXPECT_TRUE(NSEqualRanges([string rangeOfString:@"Gras" options:NSBackwardsSearch], NSMakeRange(18, 4)));
  EXPECT_TRUE(
      NSEqualRanges([string rangeOfString:@"GR\u00dcN" options:NSCaseInsensitiveSearch], NSMakeRange(0, 4)));
  EXPECT_EQ([string rangeOfString:@"x"].location, (NSUInteger)NSNotFound);
  EXPECT_TRUE([string hasPrefix:@"gr"]);
  EXPECT_TRUE([string hasSuffix:@"Gras"]);
  EXPECT_FALSE([string hasPrefix:@""]);
  EXPECT_EQ([@"abc" compare:@"abd"], NSOrderedAscending);
  EXPECT_EQ([@"abc" compare:@"abc"], NSOrderedSame);
  EXPECT_EQ([@"file10" compare:@"file9" options:NSNumericSearch], NSOrderedDescending);
  EXPECT_EQ([@"ABC" caseInsensitiveCompare:@"abc"], NSOrderedSame);
  EXPECT_FALSE([@"abc" isEqual:@[ @"abc" ]]);
}

TEST_F(StringTest, MakesNewStrings) {
  EXPECT_EQ(text([@"a,b,,c" stringByReplacingOccurrencesOfString:@"," withString:@"--"]), "a--b----c");
  EXPECT_EQ([[@"a,b,,c" componentsSeparatedByString:@","] count], 4u);
  EXPECT_EQ(text([[@"a,b,,c" componentsSeparatedByString:@","] componentsJoinedByString:@"|"]), "a|b||c");
  EXPECT_EQ(text([@"\u00e9A" uppercaseString]), "\u00c9A");
  EXPECT_EQ(text([@"\u00c9A" lowercaseString]), "\u00e9a");
  EXPECT_EQ([@" 42x" intValue], 42);
  EXPECT_EQ([@"99999999999" intValue], INT_MAX);
  EXPECT_EQ([@"99999999999" longLongValue], 99999999999ll);
  EXPECT_EQ([@"2.5e1" doubleValue], 25.0);
  EXPECT_TRUE([@"YES" boolValue]);
  EXPECT_FALSE([@"no" boolValue]);
  EXPECT_FALSE([[[[NSString alloc] initWithBytes:"\0" length:1
                                        encoding:NSUTF8StringEncoding] autorelease] boolValue]);
}

TEST_F(StringTest, MutableStringsChange) {
  NSMutableString *string = [NSMutableString stringWithString:@"hello"];
  [string appendString:@" world"];
  [string insertString:@"\U0001F600" atIndex:5];
  EXPECT_EQ(text(string), "hello\U0001F600 world");
  [string deleteCharactersInRange:NSMakeRange(5, 2)];
  const NSRange all = NSMakeRange(0, [string length]);
  EXPECT_EQ([string replaceOccurrencesOfString:@"o" withString:@"00" options:0 range:all], 2u);
  EXPECT_EQ(text(string), "hell00 w00rld");
  NSString *copy = [[string copy] autorelease];
  [string setString:@"x"];
  EXPECT_EQ(text(copy), "hell00 w00rld");
  EXPECT_TRUE([[[@"abc" mutableCopy] autorelease] isKindOfClass:[NSMutableString class]]);
}

// Against UTF-16 kept apart: any sequence of units is kept, cut and joined as it is.
TEST_F(StringTest, AnyUtf16IsKept) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::u16string units;
    for (size_t length = random() % 12; units.size() < length;)
      switch (random() % 4) {
      case 0: units += char16_t('a' + random() % 26); break;
      case 1: units += char16_t(0xd800 + random() % 0x400); break;
      case 2: units += char16_t(0xdc00 + random() % 0x400); break;
      case 3: units += char16_t(1 + random() % 0xd7ff); break;
      }
    NSString *string = [NSString stringWithCharacters:(const unichar *)units.data() length:units.size()];
    ASSERT_EQ([string length], units.size());
    std::u16string back(units.size(), 0);
    [string getCharacters:(unichar *)back.data() range:NSMakeRange(0, units.size())];
    EXPECT_EQ(back, units);
    const size_t cut = units.empty() ? 0 : random() % units.size();
    NSString *joined =
        [[string substringToIndex:cut] stringByAppendingString:[string substringFromIndex:cut]];
    EXPECT_TRUE([joined isEqual:string]);
    EXPECT_EQ([joined length], units.size());
  }
}

// The examples of Apple's documentation of each method.
TEST_F(StringTest, PathsAreTakenApartAndJoined) {
  const struct {
    NSString *path;
    const char *last, *without, *extension, *bare;
  } kCases[] = {
      {@"/tmp/scratch.tiff", "scratch.tiff", "/tmp", "tiff", "/tmp/scratch"},
      {@"/tmp/scratch", "scratch", "/tmp", "", "/tmp/scratch"},
      {@"/tmp/lock/", "lock", "/tmp", "", "/tmp/lock"},
      {@"/tmp/", "tmp", "/", "", "/tmp"},
      {@"/tmp", "tmp", "/", "", "/tmp"},
      {@"/", "/", "/", "", "/"},
      {@"scratch.tiff", "scratch.tiff", "", "tiff", "scratch"},
      {@"scratch///", "scratch", "", "", "scratch"},
      {@".scratch.tiff", ".scratch.tiff", "", "tiff", ".scratch"},
      {@"scratch..tiff", "scratch..tiff", "", "tiff", "scratch."},
      {@".tiff", ".tiff", "", "", ".tiff"},
      {@"scratch.bundle/", "scratch.bundle", "", "bundle", "scratch"},
  };
  for (const auto &each : kCases) {
    EXPECT_EQ(text([each.path lastPathComponent]), each.last) << text(each.path);
    EXPECT_EQ(text([each.path stringByDeletingLastPathComponent]), each.without) << text(each.path);
    EXPECT_EQ(text([each.path pathExtension]), each.extension) << text(each.path);
    EXPECT_EQ(text([each.path stringByDeletingPathExtension]), each.bare) << text(each.path);
  }
  EXPECT_EQ(text([@"/tmp" stringByAppendingPathComponent:@"scratch.tiff"]), "/tmp/scratch.tiff");
  EXPECT_EQ(text([@"/tmp/" stringByAppendingPathComponent:@"scratch.tiff"]), "/tmp/scratch.tiff");
  EXPECT_EQ(text([@"/" stringByAppendingPathComponent:@"scratch.tiff"]), "/scratch.tiff");
  EXPECT_EQ(text([@"" stringByAppendingPathComponent:@"scratch.tiff"]), "scratch.tiff");
  EXPECT_EQ(text(([NSString pathWithComponents:@[ @"/", @"tmp", @"a.b" ]])), "/tmp/a.b");
  EXPECT_EQ(text([[@"/tmp/a.b" pathComponents] componentsJoinedByString:@"|"]), "/|tmp|a.b");
  EXPECT_EQ(text([@"/a/./b/../c//d" stringByStandardizingPath]), "/a/c/d");
  EXPECT_TRUE([@"/x" isAbsolutePath]);
}

TEST_F(StringTest, FilesAreReadAndMissingOnesAreErrors) {
  NSString *path = [NSTemporaryDirectory()
      stringByAppendingPathComponent:[NSString stringWithFormat:@"assay-string-%d.txt", getpid()]];
  NSError *error = nil;
  ASSERT_TRUE([@"inhalt \u20ac" writeToFile:path atomically:YES encoding:NSUTF8StringEncoding error:&error]);
  EXPECT_EQ(text([NSString stringWithContentsOfFile:path encoding:NSUTF8StringEncoding error:&error]),
            "inhalt \u20ac");
  EXPECT_EQ(error, nil);
  EXPECT_EQ([NSString stringWithContentsOfFile:path encoding:NSUTF32StringEncoding error:&error], nil);
  EXPECT_EQ([error code], NSFileReadInapplicableStringEncodingError);
  EXPECT_TRUE([[NSFileManager defaultManager] removeItemAtPath:path error:nil]);
  EXPECT_EQ([NSString stringWithContentsOfFile:path encoding:NSUTF8StringEncoding error:&error], nil);
  EXPECT_EQ([error code], NSFileReadNoSuchFileError);
  EXPECT_TRUE([[error domain] isEqual:NSCocoaErrorDomain]);
  EXPECT_TRUE([[error localizedDescription] containsString:path]);
}

TEST_F(StringTest, PartsAreSearchedReplacedAndPadded) {
  EXPECT_EQ([@"abcabc" rangeOfString:@"b" options:NSBackwardsSearch range:NSMakeRange(0, 4)].location, 1u);
  EXPECT_EQ([@"abcabc" rangeOfString:@"B" options:NSCaseInsensitiveSearch range:NSMakeRange(2, 4)].location,
            4u);
  EXPECT_EQ([@"abc" rangeOfString:@"a" options:0 range:NSMakeRange(1, 2)].location, (NSUInteger)NSNotFound);
  EXPECT_EQ(text([@"a.b.c" stringByReplacingOccurrencesOfString:@"."
                                                     withString:@"--"
                                                        options:0
                                                          range:NSMakeRange(2, 3)]),
            "a.b--c");
  EXPECT_EQ(text([@"abc" stringByReplacingCharactersInRange:NSMakeRange(1, 1) withString:@"\u00e9"]),
            "a\u00e9c");
  EXPECT_EQ(text([@"ab" stringByPaddingToLength:7 withString:@"123" startingAtIndex:1]), "ab23123");
  EXPECT_EQ(text([@"abc" stringByPaddingToLength:2 withString:@" " startingAtIndex:0]), "ab");
  EXPECT_EQ([NSString defaultCStringEncoding], NSUTF8StringEncoding);
}

TEST_F(StringTest, LinesAreEnumerated) {
  NSMutableArray *lines = [NSMutableArray array];
  [@"a\n\nb\r\nc\rd\n" enumerateLinesUsingBlock:^(NSString *line, BOOL *) {
    [lines addObject:line];
  }];
  EXPECT_EQ(text([lines componentsJoinedByString:@"|"]), "a||b|c|d");
  [lines removeAllObjects];
  [@"a\nb\nc" enumerateLinesUsingBlock:^(NSString *line, BOOL *stop) {
    [lines addObject:line];
    *stop = [line isEqual:@"b"];
  }];
  EXPECT_EQ(text([lines componentsJoinedByString:@"|"]), "a|b");
}

// A client's own string class: two methods are enough.
@interface StringOfOwn : NSString
@end
@implementation StringOfOwn
- (NSUInteger)length {
  return 3;
}
- (unichar)characterAtIndex:(NSUInteger)index {
  return (unichar)('x' + index);
}
@end

TEST_F(StringTest, SubclassesAreStringsLikeOthers) {
  StringOfOwn *own = [[[StringOfOwn alloc] init] autorelease];
  EXPECT_EQ(text(own), "xyz");
  EXPECT_TRUE([own isEqual:@"xyz"]);
  EXPECT_TRUE([@"xyz" isEqual:own]);
  EXPECT_EQ([own hash], [@"xyz" hash]);
}
