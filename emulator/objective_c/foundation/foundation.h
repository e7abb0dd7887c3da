// What the files of Foundation share.
#pragma once

#import <Foundation/Foundation.h>

#include <string>
#include <string_view>

#include "objective_c/foundation/text.h"
#include <objc/message.h>
#include <objc/objc-arc.h>

namespace assay::foundation {

// The text of any string; empty for nil.
std::string textOf(NSString *string);
NSString *stringOf(std::string text);  // autoreleased
NSString *newString(std::string text); // owned
std::string formatted(NSString *format, va_list arguments);
std::string formatted(NSString *format, ...);

// Reads a whole file. Returns whether it could; if not, errno says why.
bool readFile(const std::string &path, std::string &bytes);
NSError *posixError(int code, NSInteger cocoaCode, NSString *path);

[[noreturn]] void raise(NSString *name, NSString *format, ...);
void checkIndex(id self, SEL selector, NSUInteger index, NSUInteger count);
void checkRange(id self, SEL selector, NSRange range, NSUInteger count);
[[noreturn]] void subclassMustDo(id self, SEL selector);

// The description of an object as a part of a collection's description: collections inside it are indented.
std::string describe(id object, int depth);

} // namespace assay::foundation

@interface NSObject (AssayDescription)
- (std::string)_assayDescriptionAtDepth:(int)depth;
@end

@interface NSString (AssayText)
- (std::string)_assayText;
- (instancetype)_assayInitWithText:(std::string &&)text;
@end

// A string on the heap. Its UTF-8 does not move while it lives.
@interface AssayString : NSString {
  std::string text_;
  NSUInteger length_;
}
@end

@interface AssayMutableString : NSMutableString {
@public
  std::string text_;
}
@end
