// The classes of strings: on the heap, mutable, the compiler's constants, and the tagged pointers that the
// compiler makes of ASCII literals of at most eight characters.
#include "objective_c/foundation/foundation.h"

using namespace assay::foundation;

@implementation AssayString
- (instancetype)_assayInitWithText:(std::string &&)text {
  text_ = std::move(text);
  length_ = utf16Length(text_);
  return self;
}
- (std::string)_assayText {
  return text_;
}
- (const char *)UTF8String {
  return text_.c_str();
}
- (NSUInteger)length {
  return length_;
}
- (unichar)characterAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, length_);
  return length_ == text_.size() ? (unsigned char)text_[index] : toUtf16(text_)[index];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
@end

@implementation AssayMutableString
- (instancetype)_assayInitWithText:(std::string &&)text {
  text_ = std::move(text);
  return self;
}
- (std::string)_assayText {
  return text_;
}
- (NSUInteger)length {
  return utf16Length(text_);
}
- (unichar)characterAtIndex:(NSUInteger)index {
  const std::u16string units = toUtf16(text_);
  checkIndex(self, _cmd, index, units.size());
  return units[index];
}
- (void)replaceCharactersInRange:(NSRange)range withString:(NSString *)string {
  const std::u16string units = toUtf16(text_);
  checkRange(self, _cmd, range, units.size());
  text_ =
      fromUtf16(units.substr(0, range.location) + toUtf16(textOf(string)) + units.substr(NSMaxRange(range)));
}
- (void)appendString:(NSString *)string {
  append(text_, textOf(string));
}
- (void)setString:(NSString *)string {
  text_ = textOf(string);
}
@end

// Constants are never counted.
#define ASSAY_PERMANENT                                                                                      \
  -(instancetype)retain {                                                                                    \
    return self;                                                                                             \
  }                                                                                                          \
  -(oneway void)release{} - (instancetype)autorelease {                                                      \
    return self;                                                                                             \
  }                                                                                                          \
  -(NSUInteger)retainCount {                                                                                 \
    return NSUIntegerMax;                                                                                    \
  }                                                                                                          \
  -(id)copyWithZone : (NSZone *)zone {                                                                       \
    return self;                                                                                             \
  }                                                                                                          \
  -(void)dealloc {                                                                                           \
    if (0)                                                                                                   \
      [super dealloc];                                                                                       \
  }                                                                                                          \
  -(void)_assayIsPermanent {                                                                                 \
  }

// {isa, flags, length, size, hash, data}; the low two bits of flags: 0 ASCII, 1 UTF-8, 2 UTF-16, 3 UTF-32.
@implementation NSConstantString {
  uint32_t flags_;
  uint32_t length_; // in UTF-16 units
  uint32_t size_;   // in bytes
  uint32_t hash_;
  const char *data_;
}
ASSAY_PERMANENT
- (std::string)_assayText {
  switch (flags_ & 3) {
  case 2: return fromUtf16({(const char16_t *)data_, size_ / 2});
  case 3: return decode({data_, size_}, NSUTF32LittleEndianStringEncoding).value_or("");
  default: return std::string(data_, size_);
  }
}
- (const char *)UTF8String {
  return (flags_ & 3) < 2 ? data_ : [super UTF8String];
}
- (NSUInteger)length {
  return length_;
}
- (unichar)characterAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, length_);
  switch (flags_ & 3) {
  case 0: return (unsigned char)data_[index];
  case 2: return ((const unichar *)data_)[index];
  default: return toUtf16([self _assayText])[index];
  }
}
@end

// Where older code looks for the class of constants.
@compatibility_alias NXConstantString NSConstantString;

// Three bits of tag (4), then five of length, and from the top down seven for each character.
@interface AssayTinyString : NSString
@end

@implementation AssayTinyString
+ (void)load {
  objc_registerSmallObjectClass_np(self, 4);
}
ASSAY_PERMANENT
- (NSUInteger)length {
  return ((uintptr_t)self >> 3) & 31;
}
- (unichar)characterAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, [self length]);
  return ((uintptr_t)self >> (57 - 7 * index)) & 127;
}
- (std::string)_assayText {
  std::string text;
  for (NSUInteger i = 0, length = [self length]; i < length; ++i)
    text += (char)(((uintptr_t)self >> (57 - 7 * i)) & 127);
  return text;
}
@end

// __builtin___CFStringMakeConstantString: {isa, flags, data, length}; flags 0x7c8 is 8-bit, 0x7d0 UTF-16.
@interface __NSCFConstantString : NSString {
  int flags_;
  const char *data_;
  long length_; // in units of the data
}
@end

@implementation __NSCFConstantString
ASSAY_PERMANENT
- (std::string)_assayText {
  return flags_ & 0x10 ? fromUtf16({(const char16_t *)data_, (size_t)length_}) : std::string(data_, length_);
}
- (NSUInteger)length {
  return flags_ & 0x10 ? length_ : utf16Length([self _assayText]);
}
- (unichar)characterAtIndex:(NSUInteger)index {
  const std::u16string units = toUtf16([self _assayText]);
  checkIndex(self, _cmd, index, units.size());
  return units[index];
}
@end

// The compiler stores this symbol as the class of such strings. A class symbol has a dot that C cannot write.
__asm__(".globl __CFConstantStringClassReference\n"
        ".set __CFConstantStringClassReference, ._OBJC_CLASS___NSCFConstantString\n");
