// NSValue, NSNumber and NSNull.
#include "objective_c/foundation/foundation.h"
#include "objective_c/foundation/type_encoding.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

using namespace assay::foundation;

@implementation NSValue {
  std::vector<char> bytes_;
  std::string type_;
}
+ (NSValue *)valueWithBytes:(const void *)bytes objCType:(const char *)type {
  return [[[self alloc] initWithBytes:bytes objCType:type] autorelease];
}
+ (NSValue *)value:(const void *)bytes withObjCType:(const char *)type {
  return [self valueWithBytes:bytes objCType:type];
}
+ (NSValue *)valueWithPointer:(const void *)pointer {
  return [self valueWithBytes:&pointer objCType:@encode(void *)];
}
+ (NSValue *)valueWithRange:(NSRange)range {
  return [self valueWithBytes:&range objCType:@encode(NSRange)];
}
- (instancetype)initWithBytes:(const void *)bytes objCType:(const char *)type {
  try {
    type_ = type;
    bytes_.assign((const char *)bytes, (const char *)bytes + sizeOfType(type));
  } catch (...) { // nobody else has the object yet
    [self release];
    throw;
  }
  return self;
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (const char *)objCType {
  return type_.c_str();
}
- (void)getValue:(void *)bytes {
  memcpy(bytes, bytes_.data(), bytes_.size());
}
- (void)getValue:(void *)bytes size:(NSUInteger)size {
  const size_t own = sizeOfType([self objCType]);
  if (size != own)
    raise(NSInvalidArgumentException, @"-[%s %s]: %lu bytes asked of a value of %zu",
          object_getClassName(self), sel_getName(_cmd), size, own);
  [self getValue:bytes];
}
- (void *)pointerValue {
  void *pointer = nullptr;
  [self getValue:&pointer size:sizeof pointer];
  return pointer;
}
- (NSRange)rangeValue {
  NSRange range = {};
  [self getValue:&range size:sizeof range];
  return range;
}
- (BOOL)isEqualToValue:(NSValue *)value {
  if (!value || strcmp([self objCType], [value objCType]))
    return NO;
  std::vector<char> one(sizeOfType([self objCType])), other(one.size());
  [self getValue:one.data()];
  [value getValue:other.data()];
  return one == other;
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSValue class]] && [self isEqualToValue:object]);
}
- (NSUInteger)hash {
  return hash({bytes_.data(), bytes_.size()});
}
- (NSString *)description {
  std::string text = "{length = " + std::to_string(bytes_.size()) + ", bytes = 0x";
  for (char byte : bytes_)
    text += formatted(@"%02x", (unsigned char)byte);
  return stringOf(text + "}");
}
@end

@implementation NSNumber {
  char type_; // as in type encodings
  union {
    long long integer;
    unsigned long long natural;
    double real;
  } value_;
}

#define ASSAY_NUMBER(Name, Type, member)                                                                     \
  +(NSNumber *)numberWith##Name : (Type)value {                                                              \
    return [[[self alloc] initWith##Name:value] autorelease];                                                \
  }                                                                                                          \
  -(instancetype)initWith##Name : (Type)value {                                                              \
    type_ = *@encode(Type);                                                                                  \
    member = value;                                                                                          \
    return self;                                                                                             \
  }
ASSAY_NUMBER(Char, char, value_.integer)
ASSAY_NUMBER(UnsignedChar, unsigned char, value_.natural)
ASSAY_NUMBER(Short, short, value_.integer)
ASSAY_NUMBER(UnsignedShort, unsigned short, value_.natural)
ASSAY_NUMBER(Int, int, value_.integer)
ASSAY_NUMBER(UnsignedInt, unsigned int, value_.natural)
ASSAY_NUMBER(Long, long, value_.integer)
ASSAY_NUMBER(UnsignedLong, unsigned long, value_.natural)
ASSAY_NUMBER(LongLong, long long, value_.integer)
ASSAY_NUMBER(UnsignedLongLong, unsigned long long, value_.natural)
ASSAY_NUMBER(Float, float, value_.real)
ASSAY_NUMBER(Double, double, value_.real)
ASSAY_NUMBER(Bool, BOOL, value_.integer)
ASSAY_NUMBER(Integer, NSInteger, value_.integer)
ASSAY_NUMBER(UnsignedInteger, NSUInteger, value_.natural)

// A double outside the range of the requested type is clamped to it, which C leaves undefined.
- (long long)longLongValue {
  if (type_ != 'f' && type_ != 'd')
    return value_.integer;
  if (std::isnan(value_.real))
    return 0;
  return value_.real >= 0x1p63 ? LLONG_MAX : value_.real < -0x1p63 ? LLONG_MIN : (long long)value_.real;
}
- (unsigned long long)unsignedLongLongValue {
  if (type_ != 'f' && type_ != 'd')
    return value_.natural;
  if (value_.real >= 0x1p63)
    return value_.real >= 0x1p64 ? ULLONG_MAX : (unsigned long long)value_.real;
  return (unsigned long long)[self longLongValue];
}
- (double)doubleValue {
  switch (type_) {
  case 'f':
  case 'd': return value_.real;
  case 'C':
  case 'S':
  case 'I':
  case 'L':
  case 'Q': return (double)value_.natural;
  default: return (double)value_.integer;
  }
}
- (float)floatValue {
  return (float)[self doubleValue];
}
- (BOOL)boolValue {
  return type_ == 'f' || type_ == 'd' ? value_.real != 0 : value_.integer != 0;
}

#define ASSAY_NARROW(Name, Type, wide)                                                                       \
  -(Type)Name {                                                                                              \
    return (Type)[self wide];                                                                                \
  }
ASSAY_NARROW(charValue, char, longLongValue)
ASSAY_NARROW(unsignedCharValue, unsigned char, unsignedLongLongValue)
ASSAY_NARROW(shortValue, short, longLongValue)
ASSAY_NARROW(unsignedShortValue, unsigned short, unsignedLongLongValue)
ASSAY_NARROW(intValue, int, longLongValue)
ASSAY_NARROW(unsignedIntValue, unsigned int, unsignedLongLongValue)
ASSAY_NARROW(longValue, long, longLongValue)
ASSAY_NARROW(unsignedLongValue, unsigned long, unsignedLongLongValue)
ASSAY_NARROW(integerValue, NSInteger, longLongValue)
ASSAY_NARROW(unsignedIntegerValue, NSUInteger, unsignedLongLongValue)

- (const char *)objCType {
  static const char kTypes[] = "c\0C\0s\0S\0i\0I\0l\0L\0q\0Q\0f\0d\0B";
  for (const char *each = kTypes; each < kTypes + sizeof kTypes; each += 2)
    if (*each == type_)
      return each;
  return "q";
}
- (void)getValue:(void *)bytes {
  if (type_ == 'f') {
    const float value = (float)value_.real;
    memcpy(bytes, &value, sizeof value);
  } else
    memcpy(bytes, &value_.natural, sizeOfType([self objCType]));
}

// By value, whatever the types: integers are compared exactly, also beyond a double's 53 bits.
- (NSComparisonResult)compare:(NSNumber *)number {
  const auto order = [](auto a, auto b) {
    return a < b ? NSOrderedAscending : a > b ? NSOrderedDescending : NSOrderedSame;
  };
  const auto isReal = [](NSNumber *n) { return n->type_ == 'f' || n->type_ == 'd'; };
  const auto big = [](NSNumber *n) { return strchr("LQ", n->type_) && n->value_.integer < 0; };
  const auto real = [&](NSNumber *n) -> long double {
    return isReal(n) ? n->value_.real
           : big(n)  ? (long double)n->value_.natural
                     : (long double)n->value_.integer;
  };
  if (isReal(self) || isReal(number))
    return order(real(self), real(number));
  if (big(self) || big(number))
    return big(self) && big(number) ? order(value_.natural, number->value_.natural)
           : big(self)              ? NSOrderedDescending
                                    : NSOrderedAscending;
  return order(value_.integer, number->value_.integer);
}
- (BOOL)isEqualToNumber:(NSNumber *)number {
  return number && [self compare:number] == NSOrderedSame;
}
- (BOOL)isEqualToValue:(NSValue *)value {
  return [value isKindOfClass:[NSNumber class]] && [self isEqualToNumber:(NSNumber *)value];
}
- (NSUInteger)hash {
  const double value = [self doubleValue];
  return value == std::floor(value) && std::fabs(value) < 0x1p63 ? (NSUInteger)[self longLongValue]
                                                                 : std::hash<double>()(value);
}
// The shortest decimal that reads back as the same number, with an exponent where %.7g has one; for a double,
// %.16g.
- (NSString *)stringValue {
  switch (type_) {
  case 'f':
  case 'd':
    for (int digits = 1; digits <= 17 && std::isfinite(value_.real); ++digits) {
      const std::string text = formatted(@"%.*e", digits - 1, value_.real);
      const double again = strtod(text.c_str(), nullptr);
      if (type_ == 'f' ? (float)again != (float)value_.real : again != value_.real)
        continue;
      const int exponent = atoi(text.c_str() + text.find('e') + 1);
      if (exponent < -4 || exponent >= (type_ == 'f' ? 7 : 16))
        return stringOf(formatted(@"%.*g", digits, value_.real));
      return stringOf(formatted(@"%.*f", std::max(0, digits - 1 - exponent), value_.real));
    }
    return stringOf(formatted(@"%g", value_.real));
  case 'C':
  case 'S':
  case 'I':
  case 'L':
  case 'Q': return stringOf(std::to_string(value_.natural));
  default: return stringOf(std::to_string(value_.integer));
  }
}
- (NSString *)descriptionWithLocale:(id)locale {
  return [self stringValue]; // there is one locale here
}
- (NSString *)description {
  return [self stringValue];
}
@end

@implementation NSNull
+ (NSNull *)null {
  static NSNull *only = [[NSNull alloc] init];
  return only;
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSString *)description {
  return @"<null>";
}
@end
