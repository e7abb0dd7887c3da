// Enumeration: for-in over a row of objects, and NSEnumerator.
#include "objective_c/foundation/collections.h"

using namespace assay::foundation;

namespace assay::foundation {

// Hands out the row itself, in one piece.
NSUInteger enumerate(NSFastEnumerationState *state, const std::vector<id> &objects,
                     unsigned long *mutations) {
  if (state->state)
    return 0;
  state->state = 1;
  state->itemsPtr = const_cast<id *>(objects.data());
  state->mutationsPtr = mutations;
  return objects.size();
}

std::string indent(int depth) {
  return std::string(4 * size_t(depth), ' ');
}

std::string describeElement(id object, int depth) {
  const std::string text = describe(object, depth);
  for (Class other : {[NSArray class], [NSDictionary class], [NSSet class], [NSData class]})
    if ([object isKindOfClass:other])
      return text;
  bool word = !text.empty();
  for (char c : text)
    word = word && isascii(c) && isalnum(c);
  if (word)
    return text;
  std::string quoted = "\"";
  for (char16_t unit : toUtf16(text))
    if (unit == '\n')
      quoted += "\\n";
    else if (unit == '\t')
      quoted += "\\t";
    else if (unit > 126 || unit < 32)
      quoted += formatted(@"\\U%04x", unit);
    else {
      if (unit == '"' || unit == '\\')
        quoted += '\\';
      quoted += (char)unit;
    }
  return quoted + '"';
}

} // namespace assay::foundation

@implementation NSEnumerator
- (id)nextObject {
  subclassMustDo(self, _cmd);
}
- (NSArray *)allObjects {
  NSMutableArray *all = [NSMutableArray array];
  while (id object = [self nextObject])
    [all addObject:object];
  return all;
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)length {
  static unsigned long unchanged;
  state->state = 1;
  state->itemsPtr = buffer;
  state->mutationsPtr = &unchanged;
  NSUInteger count = 0;
  while (count < length)
    if (id object = [self nextObject])
      buffer[count++] = object;
    else
      break;
  return count;
}
@end

@interface AssayRowEnumerator : NSEnumerator {
@public
  std::vector<id> row_;
  size_t at_;
}
@end

@implementation AssayRowEnumerator
- (id)nextObject {
  return at_ < row_.size() ? row_[at_++] : nil;
}
- (void)dealloc {
  for (id object : row_)
    [object release];
  [super dealloc];
}
@end

NSEnumerator *assay::foundation::enumeratorOf(std::vector<id> objects) {
  for (id object : objects)
    [object retain];
  AssayRowEnumerator *enumerator = [[AssayRowEnumerator alloc] init];
  enumerator->row_ = std::move(objects);
  return [enumerator autorelease];
}
