// NSCharacterSet: a bit for each UTF-16 code unit. The sets of Unicode are its categories Zs and Nd and the
// ends of lines, as the character database lists them.
#include "objective_c/foundation/foundation.h"

#include <bitset>

using namespace assay::foundation;

namespace {

using Members = std::bitset<65536>;

void addRange(Members &members, char16_t first, char16_t last) {
  for (unsigned unit = first; unit <= last; ++unit)
    members.set(unit);
}

Members spaces() {
  Members members;
  for (char16_t unit : {0x09, 0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000})
    members.set(unit);
  addRange(members, 0x2000, 0x200b);
  return members;
}

Members lineEnds() {
  Members members;
  addRange(members, 0x0a, 0x0d);
  for (char16_t unit : {0x85, 0x2028, 0x2029})
    members.set(unit);
  return members;
}

Members digits() {
  Members members;
  for (char16_t zero : {0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6,
                        0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0,
                        0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620,
                        0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10})
    addRange(members, zero, zero + 9);
  return members;
}

} // namespace

@interface NSCharacterSet () {
@public
  Members members_;
}
@end

static NSCharacterSet *setOf(const Members &members) {
  NSCharacterSet *set = [[[NSCharacterSet alloc] init] autorelease];
  set->members_ = members;
  return set;
}

@implementation NSCharacterSet
+ (NSCharacterSet *)whitespaceCharacterSet {
  static NSCharacterSet *set = [setOf(spaces()) retain];
  return set;
}
+ (NSCharacterSet *)whitespaceAndNewlineCharacterSet {
  static NSCharacterSet *set = [setOf(spaces() | lineEnds()) retain];
  return set;
}
+ (NSCharacterSet *)newlineCharacterSet {
  static NSCharacterSet *set = [setOf(lineEnds()) retain];
  return set;
}
+ (NSCharacterSet *)decimalDigitCharacterSet {
  static NSCharacterSet *set = [setOf(digits()) retain];
  return set;
}
+ (NSCharacterSet *)characterSetWithCharactersInString:(NSString *)string {
  Members members;
  for (char16_t unit : toUtf16(textOf(string)))
    members.set(unit);
  return setOf(members);
}
+ (NSCharacterSet *)characterSetWithRange:(NSRange)range {
  checkRange(self, _cmd, range, 65536);
  Members members;
  for (NSUInteger i = 0; i < range.length; ++i)
    members.set(range.location + i);
  return setOf(members);
}
- (NSCharacterSet *)invertedSet {
  return setOf(~members_);
}
- (BOOL)characterIsMember:(unichar)character {
  return members_.test(character);
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (BOOL)isEqual:(id)object {
  return self == object ||
         ([object isKindOfClass:[NSCharacterSet class]] && members_ == ((NSCharacterSet *)object)->members_);
}
- (NSUInteger)hash {
  return members_.count();
}
@end

@implementation NSString (NSCharacterSets)
- (NSArray<NSString *> *)componentsSeparatedByCharactersInSet:(NSCharacterSet *)separators {
  const std::u16string units = toUtf16(textOf(self));
  NSMutableArray *parts = [NSMutableArray array];
  size_t from = 0;
  for (size_t at = 0; at <= units.size(); ++at)
    if (at == units.size() || [separators characterIsMember:units[at]]) {
      [parts addObject:stringOf(fromUtf16(units.substr(from, at - from)))];
      from = at + 1;
    }
  return parts;
}
- (NSString *)stringByTrimmingCharactersInSet:(NSCharacterSet *)set {
  const std::u16string units = toUtf16(textOf(self));
  size_t from = 0, end = units.size();
  while (from < end && [set characterIsMember:units[from]])
    ++from;
  while (end > from && [set characterIsMember:units[end - 1]])
    --end;
  return stringOf(fromUtf16(units.substr(from, end - from)));
}
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set {
  return [self rangeOfCharacterFromSet:set options:0];
}
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set options:(NSStringCompareOptions)options {
  return [self rangeOfCharacterFromSet:set options:options range:NSMakeRange(0, [self length])];
}
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set
                           options:(NSStringCompareOptions)options
                             range:(NSRange)range {
  const std::u16string units = toUtf16(textOf(self));
  checkRange(self, _cmd, range, units.size());
  const BOOL backwards = (options & NSBackwardsSearch) != 0;
  const NSUInteger count = options & NSAnchoredSearch ? MIN(range.length, 1ul) : range.length;
  for (NSUInteger i = 0; i < count; ++i) {
    const NSUInteger at = backwards ? NSMaxRange(range) - 1 - i : range.location + i;
    if ([set characterIsMember:units[at]])
      return NSMakeRange(at, 1);
  }
  return NSMakeRange(NSNotFound, 0);
}
@end
