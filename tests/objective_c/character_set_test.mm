// Sets of characters, and what strings do with them. Expected members are from Unicode's list of characters.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>

namespace {

std::string joined(NSArray<NSString *> *parts) {
  return [[parts componentsJoinedByString:@"|"] UTF8String];
}

} // namespace

struct CharacterSetTest : testing::Test {
  NSAutoreleasePool *pool_ = [[NSAutoreleasePool alloc] init];
  ~CharacterSetTest() override { [pool_ drain]; }
};

TEST_F(CharacterSetTest, NamedSetsHaveTheCharactersOfUnicode) {
  NSCharacterSet *space = [NSCharacterSet whitespaceCharacterSet];
  NSCharacterSet *line = NSCharacterSet.newlineCharacterSet;
  NSCharacterSet *both = [NSCharacterSet whitespaceAndNewlineCharacterSet];
  NSCharacterSet *digit = [NSCharacterSet decimalDigitCharacterSet];
  for (int unit : std::initializer_list<int>{' ', '\t', 0xa0, 0x2003, 0x3000}) {
    EXPECT_TRUE([space characterIsMember:(unichar)unit]) << unit;
    EXPECT_TRUE([both characterIsMember:(unichar)unit]) << unit;
    EXPECT_FALSE([line characterIsMember:(unichar)unit]) << unit;
  }
  for (int unit : std::initializer_list<int>{'\n', '\r', 0x85, 0x2028}) {
    EXPECT_FALSE([space characterIsMember:(unichar)unit]) << unit;
    EXPECT_TRUE([both characterIsMember:(unichar)unit]) << unit;
    EXPECT_TRUE([line characterIsMember:(unichar)unit]) << unit;
  }
  for (int unit : std::initializer_list<int>{'0', '9', 0x0665, 0xff19})
    EXPECT_TRUE([digit characterIsMember:(unichar)unit]) << unit;
  for (int unit : std::initializer_list<int>{'/', ':', 'a', 0xb2})
    EXPECT_FALSE([digit characterIsMember:(unichar)unit]) << unit;
}

TEST_F(CharacterSetTest, OwnSetsAndTheirOpposites) {
  NSCharacterSet *vowels = [NSCharacterSet characterSetWithCharactersInString:@"aeiou\u00e9"];
  EXPECT_TRUE([vowels characterIsMember:0xe9]);
  EXPECT_FALSE([vowels characterIsMember:'b']);
  EXPECT_FALSE([[vowels invertedSet] characterIsMember:'a']);
  EXPECT_TRUE([[vowels invertedSet] characterIsMember:'b']);
  EXPECT_TRUE([[[vowels invertedSet] invertedSet] isEqual:vowels]);
  NSCharacterSet *range = [NSCharacterSet characterSetWithRange:NSMakeRange('b', 3)];
  EXPECT_TRUE([range isEqual:[NSCharacterSet characterSetWithCharactersInString:@"dcb"]]);
  EXPECT_EQ([[vowels copy] autorelease], vowels);
}

TEST_F(CharacterSetTest, StringsAreDividedTrimmedAndSearched) {
  NSCharacterSet *space = [NSCharacterSet whitespaceAndNewlineCharacterSet];
  EXPECT_EQ(joined([@"a b\n\nc " componentsSeparatedByCharactersInSet:space]), "a|b||c|");
  EXPECT_EQ(joined([@"" componentsSeparatedByCharactersInSet:space]), "");
  EXPECT_STREQ([[@" \n \u00e9 x\t" stringByTrimmingCharactersInSet:space] UTF8String], "\u00e9 x");
  EXPECT_EQ([[@" \n " stringByTrimmingCharactersInSet:space] length], 0u);
  NSCharacterSet *digits = [NSCharacterSet decimalDigitCharacterSet];
  EXPECT_EQ([@"ab12c3" rangeOfCharacterFromSet:digits].location, 2u);
  EXPECT_EQ([@"ab12c3" rangeOfCharacterFromSet:digits].length, 1u);
  EXPECT_EQ([@"ab12c3" rangeOfCharacterFromSet:digits options:NSBackwardsSearch].location, 5u);
  EXPECT_EQ(
      [@"ab12c3" rangeOfCharacterFromSet:digits options:NSBackwardsSearch range:NSMakeRange(0, 5)].location,
      3u);
  EXPECT_EQ([@"ab12" rangeOfCharacterFromSet:digits options:NSAnchoredSearch].location,
            (NSUInteger)NSNotFound);
  EXPECT_EQ([@"abc" rangeOfCharacterFromSet:digits].location, (NSUInteger)NSNotFound);
}
