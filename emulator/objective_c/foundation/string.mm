// NSString: the methods that every string has, based on its text.
#include "objective_c/foundation/foundation.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace assay::foundation;

namespace assay::foundation {

std::string textOf(NSString *string) {
  return string ? [string _assayText] : std::string();
}
NSString *newString(std::string text) {
  return [[AssayString alloc] _assayInitWithText:std::move(text)];
}
NSString *stringOf(std::string text) {
  return [newString(std::move(text)) autorelease];
}

} // namespace assay::foundation

namespace {

NSString *needed(NSString *string, id self, SEL selector) {
  if (!string)
    raise(NSInvalidArgumentException, @"-[%s %s]: nil argument", object_getClassName(self),
          sel_getName(selector));
  return string;
}

NSComparisonResult sign(int difference) {
  return difference < 0 ? NSOrderedAscending : difference > 0 ? NSOrderedDescending : NSOrderedSame;
}

// Digits count as the number that they spell.
int compareNumerically(std::u16string_view one, std::u16string_view other) {
  const auto digit = [](std::u16string_view text, size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  size_t i = 0, j = 0;
  while (i < one.size() && j < other.size()) {
    if (digit(one, i) && digit(other, j)) {
      const auto number = [&](std::u16string_view text, size_t &at) {
        while (digit(text, at + 1) && text[at] == '0')
          ++at;
        const size_t from = at;
        while (digit(text, at))
          ++at;
        return text.substr(from, at - from);
      };
      const auto a = number(one, i), b = number(other, j);
      if (a.size() != b.size())
        return a.size() < b.size() ? -1 : 1;
      if (const int order = a.compare(b))
        return order;
    } else if (one[i] != other[j]) {
      return one[i] < other[j] ? -1 : 1;
    } else {
      ++i, ++j;
    }
  }
  return i < one.size() ? 1 : j < other.size() ? -1 : 0;
}

} // namespace

@implementation NSString

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSString class])
    return [AssayString allocWithZone:zone];
  return [super allocWithZone:zone];
}
- (NSUInteger)length {
  subclassMustDo(self, _cmd);
}
- (unichar)characterAtIndex:(NSUInteger)index {
  subclassMustDo(self, _cmd);
}
- (std::string)_assayText { // of a client's subclass
  std::u16string units;
  for (NSUInteger i = 0, length = [self length]; i < length; ++i)
    units += (char16_t)[self characterAtIndex:i];
  return fromUtf16(units);
}
- (instancetype)_assayInitWithText:(std::string &&)text {
  subclassMustDo(self, @selector(initWithString:));
}
- (std::string)_assayDescriptionAtDepth:(int)depth {
  return [self _assayText];
}

- (id)copyWithZone:(NSZone *)zone {
  return newString([self _assayText]);
}
- (id)mutableCopyWithZone:(NSZone *)zone {
  return [[AssayMutableString alloc] _assayInitWithText:[self _assayText]];
}
- (NSString *)description {
  return self;
}
- (NSString *)debugDescription {
  return self;
}
- (NSUInteger)hash {
  return hash([self _assayText]);
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSString class]] && [self isEqualToString:object]);
}

// Making strings.

- (instancetype)init {
  return self; // empty, and a client's subclass has its own text
}
- (instancetype)initWithString:(NSString *)string {
  return [self _assayInitWithText:textOf(needed(string, self, _cmd))];
}
- (instancetype)initWithUTF8String:(const char *)bytes {
  return [self initWithCString:bytes encoding:NSUTF8StringEncoding];
}
- (instancetype)initWithCString:(const char *)bytes encoding:(NSStringEncoding)encoding {
  if (!bytes)
    raise(NSInvalidArgumentException, @"-[%s %s]: NULL bytes", object_getClassName(self), sel_getName(_cmd));
  return [self initWithBytes:bytes length:strlen(bytes) encoding:encoding];
}
- (instancetype)initWithBytes:(const void *)bytes
                       length:(NSUInteger)length
                     encoding:(NSStringEncoding)encoding {
  auto text = decode({(const char *)bytes, length}, encoding);
  if (!text) {
    [self release];
    return nil;
  }
  return [self _assayInitWithText:std::move(*text)];
}
- (instancetype)initWithBytesNoCopy:(void *)bytes
                             length:(NSUInteger)length
                           encoding:(NSStringEncoding)encoding
                       freeWhenDone:(BOOL)done {
  self = [self initWithBytes:bytes length:length encoding:encoding];
  if (self && done)
    free(bytes);
  return self;
}
- (instancetype)initWithCharacters:(const unichar *)characters length:(NSUInteger)length {
  return [self _assayInitWithText:fromUtf16({(const char16_t *)characters, length})];
}
- (instancetype)initWithData:(NSData *)data encoding:(NSStringEncoding)encoding {
  return [self initWithBytes:[data bytes] length:[data length] encoding:encoding];
}
- (instancetype)initWithFormat:(NSString *)format, ... {
  va_list arguments;
  va_start(arguments, format);
  self = [self initWithFormat:format arguments:arguments];
  va_end(arguments);
  return self;
}
- (instancetype)initWithFormat:(NSString *)format arguments:(va_list)arguments {
  return [self _assayInitWithText:formatted(needed(format, self, _cmd), arguments)];
}
- (instancetype)initWithContentsOfFile:(NSString *)path
                              encoding:(NSStringEncoding)encoding
                                 error:(NSError **)error {
  std::string bytes;
  if (!readFile(textOf(path), bytes)) {
    if (error)
      *error = posixError(errno, errno == ENOENT ? NSFileReadNoSuchFileError : NSFileReadUnknownError, path);
    [self release];
    return nil;
  }
  auto text = decode(bytes, encoding);
  if (!text) {
    if (error)
      *error = [NSError errorWithDomain:NSCocoaErrorDomain
                                   code:NSFileReadInapplicableStringEncodingError
                               userInfo:@{NSFilePathErrorKey : path, NSStringEncodingErrorKey : @(encoding)}];
    [self release];
    return nil;
  }
  return [self _assayInitWithText:std::move(*text)];
}

+ (NSStringEncoding)defaultCStringEncoding {
  return NSUTF8StringEncoding;
}
+ (instancetype)string {
  return [[[self alloc] init] autorelease];
}
+ (instancetype)stringWithString:(NSString *)string {
  return [[[self alloc] initWithString:string] autorelease];
}
+ (instancetype)stringWithUTF8String:(const char *)bytes {
  return [[[self alloc] initWithUTF8String:bytes] autorelease];
}
+ (instancetype)stringWithCString:(const char *)bytes encoding:(NSStringEncoding)encoding {
  return [[[self alloc] initWithCString:bytes encoding:encoding] autorelease];
}
+ (instancetype)stringWithCharacters:(const unichar *)characters length:(NSUInteger)length {
  return [[[self alloc] initWithCharacters:characters length:length] autorelease];
}
+ (instancetype)stringWithFormat:(NSString *)format, ... {
  va_list arguments;
  va_start(arguments, format);
  id string = [[[self alloc] initWithFormat:format arguments:arguments] autorelease];
  va_end(arguments);
  return string;
}
+ (instancetype)stringWithContentsOfFile:(NSString *)path
                                encoding:(NSStringEncoding)encoding
                                   error:(NSError **)error {
  return [[[self alloc] initWithContentsOfFile:path encoding:encoding error:error] autorelease];
}
+ (instancetype)stringWithContentsOfURL:(NSURL *)url
                               encoding:(NSStringEncoding)encoding
                                  error:(NSError **)error {
  return [self stringWithContentsOfFile:[url path] encoding:encoding error:error];
}

// Bytes.

- (const char *)UTF8String {
  const std::string text = [self _assayText];
  return (const char *)[[NSData dataWithBytes:text.c_str() length:text.size() + 1] bytes];
}
- (const char *)fileSystemRepresentation {
  return [self UTF8String];
}
- (const char *)cStringUsingEncoding:(NSStringEncoding)encoding {
  auto bytes = encode([self _assayText], encoding);
  if (!bytes)
    return nullptr;
  bytes->append(4, '\0'); // ends wide units, too
  return (const char *)[[NSData dataWithBytes:bytes->data() length:bytes->size()] bytes];
}
- (BOOL)getCString:(char *)buffer maxLength:(NSUInteger)length encoding:(NSStringEncoding)encoding {
  auto bytes = encode([self _assayText], encoding);
  if (!bytes || bytes->size() + 1 > length)
    return NO;
  memcpy(buffer, bytes->c_str(), bytes->size() + 1);
  return YES;
}
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)encoding {
  auto bytes = encode([self _assayText], encoding);
  if (!bytes)
    return 0;
  const NSUInteger mark = encoding == NSUTF16StringEncoding ? 2 : encoding == NSUTF32StringEncoding ? 4 : 0;
  return bytes->size() - mark;
}
- (NSUInteger)maximumLengthOfBytesUsingEncoding:(NSStringEncoding)encoding {
  const NSUInteger each = encoding == NSUTF8StringEncoding                                             ? 3
                          : encoding == NSASCIIStringEncoding || encoding == NSISOLatin1StringEncoding ? 1
                                                                                                       : 4;
  return [self length] * each;
}
- (BOOL)canBeConvertedToEncoding:(NSStringEncoding)encoding {
  return encode([self _assayText], encoding).has_value();
}
- (NSData *)dataUsingEncoding:(NSStringEncoding)encoding {
  auto bytes = encode([self _assayText], encoding);
  return bytes ? [NSData dataWithBytes:bytes->data() length:bytes->size()] : nil;
}
- (void)getCharacters:(unichar *)buffer range:(NSRange)range {
  const std::u16string units = toUtf16([self _assayText]);
  checkRange(self, _cmd, range, units.size());
  memcpy(buffer, units.data() + range.location, range.length * sizeof(unichar));
}

// Comparing and searching.

- (BOOL)isEqualToString:(NSString *)string {
  return self == string || (string && [self _assayText] == [string _assayText]);
}
- (NSComparisonResult)compare:(NSString *)string {
  return [self compare:string options:0];
}
- (NSComparisonResult)compare:(NSString *)string options:(NSStringCompareOptions)options {
  std::string one = [self _assayText], other = textOf(needed(string, self, _cmd));
  if (options & NSCaseInsensitiveSearch)
    one = foldCase(one), other = foldCase(other);
  const std::u16string a = toUtf16(one), b = toUtf16(other);
  return sign(options & NSNumericSearch ? compareNumerically(a, b) : a.compare(b));
}
- (NSComparisonResult)caseInsensitiveCompare:(NSString *)string {
  return [self compare:string options:NSCaseInsensitiveSearch];
}
- (BOOL)hasPrefix:(NSString *)prefix {
  const std::string text = textOf(needed(prefix, self, _cmd));
  return !text.empty() && [self _assayText].starts_with(text);
}
- (BOOL)hasSuffix:(NSString *)suffix {
  const std::string text = textOf(needed(suffix, self, _cmd));
  return !text.empty() && [self _assayText].ends_with(text);
}
- (BOOL)containsString:(NSString *)string {
  return [self rangeOfString:string].location != NSNotFound;
}
- (BOOL)localizedCaseInsensitiveContainsString:(NSString *)string {
  return [self rangeOfString:string options:NSCaseInsensitiveSearch].location != NSNotFound;
}
- (NSRange)rangeOfString:(NSString *)string {
  return [self rangeOfString:string options:0];
}
- (NSRange)rangeOfString:(NSString *)string options:(NSStringCompareOptions)options {
  std::string text = [self _assayText], wanted = textOf(needed(string, self, _cmd));
  if (options & NSCaseInsensitiveSearch)
    text = foldCase(text), wanted = foldCase(wanted);
  if (wanted.empty())
    return NSMakeRange(NSNotFound, 0);
  size_t at;
  if (options & NSAnchoredSearch)
    at = options & NSBackwardsSearch
             ? text.ends_with(wanted) ? text.size() - wanted.size() : std::string::npos
         : text.starts_with(wanted) ? 0
                                    : std::string::npos;
  else
    at = options & NSBackwardsSearch ? text.rfind(wanted) : text.find(wanted);
  if (at == std::string::npos)
    return NSMakeRange(NSNotFound, 0);
  return NSMakeRange(unitAt(text, at), utf16Length(wanted));
}

- (NSRange)rangeOfString:(NSString *)string options:(NSStringCompareOptions)options range:(NSRange)range {
  NSRange found = [[self substringWithRange:range] rangeOfString:string options:options];
  if (found.location != NSNotFound)
    found.location += range.location;
  return found;
}

// Parts and changes.

- (NSString *)substringFromIndex:(NSUInteger)index {
  checkRange(self, _cmd, NSMakeRange(index, 0), [self length]);
  return [self substringWithRange:NSMakeRange(index, [self length] - index)];
}
- (NSString *)substringToIndex:(NSUInteger)index {
  return [self substringWithRange:NSMakeRange(0, index)];
}
- (NSString *)substringWithRange:(NSRange)range {
  checkRange(self, _cmd, range, [self length]);
  return stringOf(slice([self _assayText], range.location, range.length));
}
- (NSString *)stringByAppendingString:(NSString *)string {
  std::string text = [self _assayText];
  append(text, textOf(needed(string, self, _cmd)));
  return stringOf(std::move(text));
}
- (NSString *)stringByAppendingFormat:(NSString *)format, ... {
  va_list arguments;
  va_start(arguments, format);
  std::string text = [self _assayText];
  append(text, formatted(format, arguments));
  va_end(arguments);
  return stringOf(std::move(text));
}
- (NSString *)stringByReplacingOccurrencesOfString:(NSString *)target withString:(NSString *)replacement {
  return [self stringByReplacingOccurrencesOfString:target
                                         withString:replacement
                                            options:0
                                              range:NSMakeRange(0, [self length])];
}
- (NSString *)stringByReplacingOccurrencesOfString:(NSString *)target
                                        withString:(NSString *)replacement
                                           options:(NSStringCompareOptions)options
                                             range:(NSRange)range {
  NSMutableString *copy = [[self mutableCopy] autorelease];
  [copy replaceOccurrencesOfString:target withString:replacement options:options range:range];
  return stringOf([copy _assayText]);
}
- (NSString *)stringByReplacingCharactersInRange:(NSRange)range withString:(NSString *)replacement {
  NSMutableString *copy = [[self mutableCopy] autorelease];
  [copy replaceCharactersInRange:range withString:needed(replacement, self, _cmd)];
  return stringOf([copy _assayText]);
}
- (NSString *)stringByPaddingToLength:(NSUInteger)length
                           withString:(NSString *)pad
                      startingAtIndex:(NSUInteger)index {
  std::u16string units = toUtf16([self _assayText]);
  const std::u16string more = toUtf16(textOf(needed(pad, self, _cmd)));
  if (index >= more.size())
    raise(NSInvalidArgumentException, @"-[%s %s]: index %lu beyond %lu", object_getClassName(self),
          sel_getName(_cmd), index, more.size());
  for (size_t at = index; units.size() < length; ++at)
    units += more[at % more.size()];
  return stringOf(fromUtf16(units.substr(0, length)));
}
// A line ends as a paragraph of Unicode does, or with \r\n; what is after the last end is a line if it is not
// empty.
- (void)enumerateLinesUsingBlock:(void(NS_NOESCAPE ^)(NSString *, BOOL *))block {
  const std::u16string units = toUtf16([self _assayText]);
  BOOL stop = NO;
  for (size_t from = 0; !stop && from < units.size();) {
    const size_t end = std::min(units.find_first_of(u"\n\r\u0085\u2028\u2029", from), units.size());
    block(stringOf(fromUtf16(units.substr(from, end - from))), &stop);
    from = end + 1 + (end + 1 < units.size() && units[end] == '\r' && units[end + 1] == '\n');
  }
}
- (NSArray<NSString *> *)componentsSeparatedByString:(NSString *)separator {
  const std::string text = [self _assayText], by = textOf(needed(separator, self, _cmd));
  NSMutableArray *parts = [NSMutableArray array];
  size_t from = 0;
  for (size_t at; !by.empty() && (at = text.find(by, from)) != std::string::npos; from = at + by.size())
    [parts addObject:stringOf(text.substr(from, at - from))];
  [parts addObject:stringOf(text.substr(from))];
  return parts;
}
- (NSString *)uppercaseString {
  return stringOf(toUpper([self _assayText]));
}
- (NSString *)lowercaseString {
  return stringOf(toLower([self _assayText]));
}

// Numbers: what the text starts with, after white space; clamped to the type.

- (long long)longLongValue {
  return strtoll([self _assayText].c_str(), nullptr, 10);
}
- (NSInteger)integerValue {
  return [self longLongValue];
}
- (int)intValue {
  return (int)std::clamp<long long>([self longLongValue], INT_MIN, INT_MAX);
}
- (double)doubleValue {
  const std::string text = [self _assayText];
  // No hexadecimal, infinity or NaN here.
  size_t at = text.find_first_not_of(" \t\n\r\f\v");
  if (at == std::string::npos)
    return 0;
  size_t end = at + (text[at] == '+' || text[at] == '-');
  end = text.find_first_not_of("0123456789.eE+-", end);
  return strtod(text.substr(at, end == std::string::npos ? end : end - at).c_str(), nullptr);
}
- (float)floatValue {
  return (float)[self doubleValue];
}
- (BOOL)boolValue {
  const std::string text = [self _assayText];
  size_t at = text.find_first_not_of(" \t\n\r\f\v");
  if (at != std::string::npos && (text[at] == '+' || text[at] == '-'))
    ++at;
  at = at == std::string::npos ? at : text.find_first_not_of('0', at);
  return at != std::string::npos && text[at] && strchr("YyTt123456789", text[at]);
}

- (BOOL)writeToFile:(NSString *)path
         atomically:(BOOL)atomically
           encoding:(NSStringEncoding)encoding
              error:(NSError **)error {
  NSData *data = [self dataUsingEncoding:encoding];
  if (!data) {
    if (error)
      *error = [NSError errorWithDomain:NSCocoaErrorDomain
                                   code:NSFileWriteInapplicableStringEncodingError
                               userInfo:@{NSFilePathErrorKey : path, NSStringEncodingErrorKey : @(encoding)}];
    return NO;
  }
  return [data writeToFile:path options:atomically ? NSDataWritingAtomic : 0 error:error];
}

@end

@implementation NSMutableString

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSMutableString class])
    return [AssayMutableString allocWithZone:zone];
  return [super allocWithZone:zone];
}
+ (instancetype)stringWithCapacity:(NSUInteger)capacity {
  return [[[self alloc] initWithCapacity:capacity] autorelease];
}
- (instancetype)initWithCapacity:(NSUInteger)capacity {
  return [self init];
}
- (void)replaceCharactersInRange:(NSRange)range withString:(NSString *)string {
  subclassMustDo(self, _cmd);
}
- (void)appendString:(NSString *)string {
  [self replaceCharactersInRange:NSMakeRange([self length], 0) withString:string];
}
- (void)appendFormat:(NSString *)format, ... {
  va_list arguments;
  va_start(arguments, format);
  [self appendString:stringOf(formatted(format, arguments))];
  va_end(arguments);
}
- (void)setString:(NSString *)string {
  [self replaceCharactersInRange:NSMakeRange(0, [self length]) withString:string];
}
- (void)insertString:(NSString *)string atIndex:(NSUInteger)index {
  [self replaceCharactersInRange:NSMakeRange(index, 0) withString:string];
}
- (void)deleteCharactersInRange:(NSRange)range {
  [self replaceCharactersInRange:range withString:@""];
}
- (NSUInteger)replaceOccurrencesOfString:(NSString *)target
                              withString:(NSString *)replacement
                                 options:(NSStringCompareOptions)options
                                   range:(NSRange)range {
  checkRange(self, _cmd, range, [self length]);
  const std::string with = textOf(replacement);
  const std::u16string whole = toUtf16([self _assayText]);
  std::string rest = fromUtf16(whole.substr(range.location, range.length)), wanted = textOf(target), done;
  std::string searched = rest;
  if (options & NSCaseInsensitiveSearch)
    searched = foldCase(rest), wanted = foldCase(wanted);
  if (searched.size() != rest.size())
    raise(NSInvalidArgumentException, @"-[%s %s]: folding case changes the length of the text",
          object_getClassName(self), sel_getName(_cmd));
  NSUInteger count = 0;
  size_t from = 0;
  for (size_t at; !wanted.empty() && (at = searched.find(wanted, from)) != std::string::npos;
       from = at + wanted.size(), ++count) {
    append(done, rest.substr(from, at - from));
    append(done, with);
  }
  append(done, rest.substr(from));
  if (count)
    [self replaceCharactersInRange:range withString:stringOf(std::move(done))];
  return count;
}

@end
