// NSMethodSignature. metal-cpp asks whether an object has one for a selector that it does not implement
// itself.
#include "objective_c/foundation/foundation.h"
#include "objective_c/foundation/type_encoding.h"

#include <cctype>
#include <vector>

using namespace assay::foundation;

@implementation NSMethodSignature {
  std::vector<std::string> types_; // the result's, then those of the arguments
}
// A method's encoding has, after each type, the place that it once had on the stack: "v24@0:8@16".
+ (NSMethodSignature *)signatureWithObjCTypes:(const char *)types {
  if (!types || !*types)
    raise(NSInvalidArgumentException, @"+[NSMethodSignature signatureWithObjCTypes:]: no types");
  NSMethodSignature *signature = [[[self alloc] init] autorelease];
  for (const char *at = types; *at;) {
    const char *end = afterType(at);
    signature->types_.emplace_back(at, end);
    for (at = end; isdigit((unsigned char)*at) || *at == '+' || *at == '-';)
      ++at;
  }
  return signature;
}
- (NSUInteger)numberOfArguments {
  return types_.size() - 1;
}
- (const char *)getArgumentTypeAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, [self numberOfArguments]);
  return types_[index + 1].c_str();
}
- (const char *)methodReturnType {
  return types_.front().c_str();
}
- (NSUInteger)methodReturnLength {
  const std::string &type = types_.front();
  const size_t first = type.find_first_not_of("rnNoORVA"); // qualifiers
  return first != std::string::npos && type[first] == 'v' ? 0 : sizeOfType([self methodReturnType]);
}
- (BOOL)isOneway {
  return types_.front()[0] == 'V';
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSMethodSignature class]] &&
                            types_ == ((NSMethodSignature *)object)->types_);
}
- (NSUInteger)hash {
  NSUInteger all = 0;
  for (const std::string &type : types_)
    all = 31 * all + std::hash<std::string>()(type);
  return all;
}
@end
