// NSArray and NSMutableArray. Both can be subclassed by writing count and objectAtIndex: (and for the mutable
// one the five changes). alloc gives an AssayArray or AssayMutableArray.
#include "objective_c/foundation/collections.h"

#include <algorithm>

using namespace assay::foundation;

@interface AssayArray : NSArray {
@public
  std::vector<id> objects_;
}
@end

@interface AssayMutableArray : NSMutableArray {
@public
  std::vector<id> objects_;
  unsigned long mutations_;
}
@end

namespace {

std::vector<id> rowOf(NSArray *array) {
  std::vector<id> row;
  for (NSUInteger i = 0, count = [array count]; i < count; ++i)
    row.push_back([array objectAtIndex:i]);
  return row;
}

NSMutableArray *mutableArrayOf(const std::vector<id> &objects) {
  return [NSMutableArray arrayWithObjects:objects.data() count:objects.size()];
}

void mustNotBeNil(id object, id self, SEL selector) {
  if (!object)
    raise(NSInvalidArgumentException, @"-[%s %s]: nil object", object_getClassName(self),
          sel_getName(selector));
}

// Merge sort. It only needs a comparator that keeps to one order; one that contradicts itself gives a badly
// sorted result, and does no harm.
template <class Compare> void sortStably(std::vector<id> &objects, Compare compare) {
  std::vector<id> from(objects.size());
  for (size_t run = 1; run < objects.size(); run *= 2) {
    from.swap(objects);
    objects.resize(from.size());
    for (size_t start = 0, out = 0; start < from.size(); start += 2 * run) {
      size_t i = start, j = std::min(start + run, from.size());
      const size_t iEnd = j, jEnd = std::min(start + 2 * run, from.size());
      while (i < iEnd || j < jEnd)
        objects[out++] = i < iEnd && (j == jEnd || compare(from[j], from[i]) != NSOrderedAscending)
                             ? from[i++]
                             : from[j++];
    }
  }
}

} // namespace

@implementation NSArray

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSArray class])
    return [AssayArray allocWithZone:zone];
  return [super allocWithZone:zone];
}
- (NSUInteger)count {
  subclassMustDo(self, _cmd);
}
- (id)objectAtIndex:(NSUInteger)index {
  subclassMustDo(self, _cmd);
}

+ (instancetype)array {
  return [[[self alloc] init] autorelease];
}
+ (instancetype)arrayWithObject:(id)object {
  return [self arrayWithObjects:&object count:1];
}
+ (instancetype)arrayWithObjects:(const id[])objects count:(NSUInteger)count {
  return [[[self alloc] initWithObjects:objects count:count] autorelease];
}
+ (instancetype)arrayWithObjects:(id)first, ... {
  ASSAY_COLLECT(first, objects)
  return [self arrayWithObjects:objects.data() count:objects.size()];
}
+ (instancetype)arrayWithArray:(NSArray *)array {
  return [[[self alloc] initWithArray:array] autorelease];
}
- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
  subclassMustDo(self, _cmd);
}
- (instancetype)initWithObjects:(id)first, ... {
  ASSAY_COLLECT(first, objects)
  return [self initWithObjects:objects.data() count:objects.size()];
}
- (instancetype)initWithArray:(NSArray *)array {
  const std::vector<id> row = rowOf(array);
  return [self initWithObjects:row.data() count:row.size()];
}

- (id)copyWithZone:(NSZone *)zone {
  return [[NSArray alloc] initWithArray:self];
}
- (id)mutableCopyWithZone:(NSZone *)zone {
  return [[NSMutableArray alloc] initWithArray:self];
}
- (id)objectAtIndexedSubscript:(NSUInteger)index {
  return [self objectAtIndex:index];
}
- (id)firstObject {
  return [self count] ? [self objectAtIndex:0] : nil;
}
- (id)lastObject {
  const NSUInteger count = [self count];
  return count ? [self objectAtIndex:count - 1] : nil;
}
- (BOOL)containsObject:(id)object {
  return [self indexOfObject:object] != NSNotFound;
}
- (NSUInteger)indexOfObject:(id)object {
  for (NSUInteger i = 0, count = [self count]; i < count; ++i)
    if (EqualObjects()([self objectAtIndex:i], object))
      return i;
  return NSNotFound;
}
- (NSUInteger)indexOfObjectIdenticalTo:(id)object {
  for (NSUInteger i = 0, count = [self count]; i < count; ++i)
    if ([self objectAtIndex:i] == object)
      return i;
  return NSNotFound;
}
- (BOOL)isEqualToArray:(NSArray *)array {
  if (self == array)
    return YES;
  if (!array || [self count] != [array count])
    return NO;
  for (NSUInteger i = 0, count = [self count]; i < count; ++i)
    if (!EqualObjects()([self objectAtIndex:i], [array objectAtIndex:i]))
      return NO;
  return YES;
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSArray class]] && [self isEqualToArray:object]);
}
- (NSUInteger)hash {
  return [self count];
}
- (void)getObjects:(id[])objects range:(NSRange)range {
  checkRange(self, _cmd, range, [self count]);
  for (NSUInteger i = 0; i < range.length; ++i)
    objects[i] = [self objectAtIndex:range.location + i];
}
- (NSArray *)arrayByAddingObject:(id)object {
  NSMutableArray *copy = mutableArrayOf(rowOf(self));
  [copy addObject:object];
  return copy;
}
- (NSArray *)arrayByAddingObjectsFromArray:(NSArray *)array {
  NSMutableArray *copy = mutableArrayOf(rowOf(self));
  [copy addObjectsFromArray:array];
  return copy;
}
- (NSArray *)subarrayWithRange:(NSRange)range {
  checkRange(self, _cmd, range, [self count]);
  const std::vector<id> row = rowOf(self);
  return [NSArray arrayWithObjects:row.data() + range.location count:range.length];
}
- (NSArray *)sortedArrayUsingComparator:(NSComparator NS_NOESCAPE)comparator {
  std::vector<id> row = rowOf(self);
  sortStably(row, comparator);
  return [NSArray arrayWithObjects:row.data() count:row.size()];
}
- (NSArray *)sortedArrayUsingSelector:(SEL)selector {
  std::vector<id> row = rowOf(self);
  const auto compare = (NSComparisonResult(*)(id, SEL, id))(void (*)(void))objc_msgSend;
  sortStably(row, [&](id a, id b) { return compare(a, selector, b); });
  return [NSArray arrayWithObjects:row.data() count:row.size()];
}
- (NSString *)componentsJoinedByString:(NSString *)separator {
  std::string text;
  for (NSUInteger i = 0, count = [self count]; i < count; ++i) {
    if (i)
      append(text, textOf(separator));
    append(text, textOf([[self objectAtIndex:i] description]));
  }
  return stringOf(std::move(text));
}
- (NSEnumerator *)objectEnumerator {
  return enumeratorOf(rowOf(self));
}
- (NSEnumerator *)reverseObjectEnumerator {
  std::vector<id> row = rowOf(self);
  std::reverse(row.begin(), row.end());
  return enumeratorOf(std::move(row));
}
- (void)makeObjectsPerformSelector:(SEL)selector {
  for (id object in self)
    [object performSelector:selector];
}
- (void)enumerateObjectsUsingBlock:(void(NS_NOESCAPE ^)(id, NSUInteger, BOOL *))block {
  BOOL stop = NO;
  for (NSUInteger i = 0; !stop && i < [self count]; ++i)
    block([self objectAtIndex:i], i, &stop);
}
// One after the other, whatever the options allow.
- (void)enumerateObjectsWithOptions:(NSEnumerationOptions)options
                         usingBlock:(void(NS_NOESCAPE ^)(id, NSUInteger, BOOL *))block {
  if (!(options & NSEnumerationReverse))
    return [self enumerateObjectsUsingBlock:block];
  BOOL stop = NO;
  for (NSUInteger i = [self count]; !stop && i-- > 0;)
    block([self objectAtIndex:i], i, &stop);
}
- (NSUInteger)indexOfObjectPassingTest:(BOOL(NS_NOESCAPE ^)(id, NSUInteger, BOOL *))test {
  BOOL stop = NO;
  for (NSUInteger i = 0; !stop && i < [self count]; ++i)
    if (test([self objectAtIndex:i], i, &stop))
      return i;
  return NSNotFound;
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  static unsigned long unchanged;
  const NSUInteger from = state->state, all = [self count];
  const NSUInteger count = std::min(length, all - std::min(from, all));
  for (NSUInteger i = 0; i < count; ++i)
    buffer[i] = [self objectAtIndex:from + i];
  state->state = from + count;
  state->itemsPtr = buffer;
  state->mutationsPtr = &unchanged;
  return count;
}
- (NSString *)description {
  return stringOf([self _assayDescriptionAtDepth:0]);
}
- (std::string)_assayDescriptionAtDepth:(int)depth {
  std::string text = "(";
  const NSUInteger count = [self count];
  for (NSUInteger i = 0; i < count; ++i)
    text += (i ? ",\n" : "\n") + indent(depth + 1) + describeElement([self objectAtIndex:i], depth + 1);
  return text + "\n" + indent(depth) + ")";
}

@end

@implementation AssayArray
- (instancetype)init {
  return self;
}
- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
  objects_.reserve(count);
  for (NSUInteger i = 0; i < count; ++i) {
    mustNotBeNil(objects[i], self, _cmd);
    objects_.push_back([objects[i] retain]);
  }
  return self;
}
- (void)dealloc {
  for (id object : objects_)
    [object release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSUInteger)count {
  return objects_.size();
}
- (id)objectAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, objects_.size());
  return objects_[index];
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  static unsigned long unchanged;
  return enumerate(state, objects_, &unchanged);
}
@end

@implementation NSMutableArray

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSMutableArray class])
    return [AssayMutableArray allocWithZone:zone];
  return [super allocWithZone:zone];
}
+ (instancetype)arrayWithCapacity:(NSUInteger)capacity {
  return [[[self alloc] initWithCapacity:capacity] autorelease];
}
- (instancetype)initWithCapacity:(NSUInteger)capacity {
  return [self init];
}
- (void)insertObject:(id)object atIndex:(NSUInteger)index {
  subclassMustDo(self, _cmd);
}
- (void)removeObjectAtIndex:(NSUInteger)index {
  subclassMustDo(self, _cmd);
}
- (void)replaceObjectAtIndex:(NSUInteger)index withObject:(id)object {
  subclassMustDo(self, _cmd);
}
- (void)addObject:(id)object {
  [self insertObject:object atIndex:[self count]];
}
- (void)addObjectsFromArray:(NSArray *)array {
  for (id object : rowOf(array))
    [self addObject:object];
}
- (void)removeLastObject {
  checkIndex(self, _cmd, 0, [self count]);
  [self removeObjectAtIndex:[self count] - 1];
}
- (void)removeObject:(id)object {
  for (NSUInteger i = [self count]; i-- > 0;)
    if (EqualObjects()([self objectAtIndex:i], object))
      [self removeObjectAtIndex:i];
}
- (void)removeObjectIdenticalTo:(id)object {
  for (NSUInteger i = [self count]; i-- > 0;)
    if ([self objectAtIndex:i] == object)
      [self removeObjectAtIndex:i];
}
- (void)removeObjectsInRange:(NSRange)range {
  checkRange(self, _cmd, range, [self count]);
  for (NSUInteger i = NSMaxRange(range); i-- > range.location;)
    [self removeObjectAtIndex:i];
}
- (void)removeObjectsInArray:(NSArray *)array {
  for (id object : rowOf(array))
    [self removeObject:object];
}
- (void)removeAllObjects {
  while ([self count])
    [self removeLastObject];
}
- (void)setObject:(id)object atIndexedSubscript:(NSUInteger)index {
  if (index == [self count])
    [self addObject:object];
  else
    [self replaceObjectAtIndex:index withObject:object];
}
- (void)exchangeObjectAtIndex:(NSUInteger)one withObjectAtIndex:(NSUInteger)other {
  id object = [[self objectAtIndex:one] retain];
  [self replaceObjectAtIndex:one withObject:[self objectAtIndex:other]];
  [self replaceObjectAtIndex:other withObject:object];
  [object release];
}
- (void)setArray:(NSArray *)array {
  NSArray *copy = [array copy];
  [self removeAllObjects];
  [self addObjectsFromArray:copy];
  [copy release];
}
- (void)sortUsingComparator:(NSComparator NS_NOESCAPE)comparator {
  [self setArray:[self sortedArrayUsingComparator:comparator]];
}
- (void)sortUsingSelector:(SEL)comparator {
  [self setArray:[self sortedArrayUsingSelector:comparator]];
}

@end

@implementation AssayMutableArray
- (instancetype)init {
  return self;
}
- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self addObject:objects[i]];
  return self;
}
- (void)dealloc {
  for (id object : objects_)
    [object release];
  [super dealloc];
}
- (NSUInteger)count {
  return objects_.size();
}
- (id)objectAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, objects_.size());
  return objects_[index];
}
- (void)addObject:(id)object {
  mustNotBeNil(object, self, _cmd);
  ++mutations_;
  objects_.push_back([object retain]);
}
- (void)insertObject:(id)object atIndex:(NSUInteger)index {
  mustNotBeNil(object, self, _cmd);
  checkIndex(self, _cmd, index, objects_.size() + 1);
  ++mutations_;
  objects_.insert(objects_.begin() + index, [object retain]);
}
- (void)removeObjectAtIndex:(NSUInteger)index {
  checkIndex(self, _cmd, index, objects_.size());
  ++mutations_;
  id object = objects_[index];
  objects_.erase(objects_.begin() + index);
  [object release];
}
- (void)removeAllObjects {
  ++mutations_;
  std::vector<id> gone;
  gone.swap(objects_);
  for (id object : gone)
    [object release];
}
- (void)replaceObjectAtIndex:(NSUInteger)index withObject:(id)object {
  mustNotBeNil(object, self, _cmd);
  checkIndex(self, _cmd, index, objects_.size());
  id old = objects_[index];
  objects_[index] = [object retain];
  [old release];
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  return enumerate(state, objects_, &mutations_);
}
@end
