// Sets of characters, and the methods of strings that take one. A set holds UTF-16 code units, so it knows no
// character beyond the basic plane.
#pragma once

#include <Foundation/NSString.h>

@interface NSCharacterSet : NSObject <NSCopying>
@property(class, readonly, copy) NSCharacterSet *whitespaceCharacterSet;
@property(class, readonly, copy) NSCharacterSet *whitespaceAndNewlineCharacterSet;
@property(class, readonly, copy) NSCharacterSet *newlineCharacterSet;
@property(class, readonly, copy) NSCharacterSet *decimalDigitCharacterSet;
+ (NSCharacterSet *)characterSetWithCharactersInString:(NSString *)string;
+ (NSCharacterSet *)characterSetWithRange:(NSRange)range;
@property(readonly, copy) NSCharacterSet *invertedSet;
- (BOOL)characterIsMember:(unichar)character;
@end

@interface NSString (NSCharacterSets)
- (NSArray<NSString *> *)componentsSeparatedByCharactersInSet:(NSCharacterSet *)separators;
- (NSString *)stringByTrimmingCharactersInSet:(NSCharacterSet *)set;
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set;
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set options:(NSStringCompareOptions)options;
- (NSRange)rangeOfCharacterFromSet:(NSCharacterSet *)set
                           options:(NSStringCompareOptions)options
                             range:(NSRange)range;
@end
