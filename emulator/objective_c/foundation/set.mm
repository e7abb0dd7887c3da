// NSSet and NSMutableSet: an ordered dictionary whose keys are the members, kept and not copied.
#include "objective_c/foundation/collections.h"

using namespace assay::foundation;

@implementation NSSet {
@public
  std::vector<id> members_;
  std::unordered_map<id, size_t, HashOfObject, EqualObjects> places_;
  unsigned long mutations_;
}
+ (instancetype)set {
  return [[[self alloc] init] autorelease];
}
+ (instancetype)setWithObject:(id)object {
  return [self setWithObjects:&object count:1];
}
+ (instancetype)setWithObjects:(const id[])objects count:(NSUInteger)count {
  return [[[self alloc] initWithObjects:objects count:count] autorelease];
}
+ (instancetype)setWithObjects:(id)first, ... {
  ASSAY_COLLECT(first, objects)
  return [self setWithObjects:objects.data() count:objects.size()];
}
+ (instancetype)setWithArray:(NSArray *)array {
  return [[[self alloc] initWithArray:array] autorelease];
}
- (void)_assayAdd:(id)object {
  if (!object)
    raise(NSInvalidArgumentException, @"%s: nil member", object_getClassName(self));
  if (!places_.emplace(object, members_.size()).second)
    return;
  ++mutations_;
  members_.push_back([object retain]);
}
- (void)_assayRemove:(id)object {
  auto found = object ? places_.find(object) : places_.end();
  if (found == places_.end())
    return;
  ++mutations_;
  const size_t place = found->second;
  places_.erase(found);
  id gone = members_[place];
  members_.erase(members_.begin() + place);
  for (auto &[each, at] : places_)
    if (at > place)
      --at;
  [gone release];
}
- (instancetype)initWithObjects:(const id[])objects count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self _assayAdd:objects[i]];
  return self;
}
- (instancetype)initWithArray:(NSArray *)array {
  for (id object in array)
    [self _assayAdd:object];
  return self;
}
- (void)dealloc {
  for (id object : members_)
    [object release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone *)zone {
  return [[NSSet alloc] initWithArray:[self allObjects]];
}
- (id)mutableCopyWithZone:(NSZone *)zone {
  return [[NSMutableSet alloc] initWithArray:[self allObjects]];
}
- (NSUInteger)count {
  return members_.size();
}
- (NSArray *)allObjects {
  return [NSArray arrayWithObjects:members_.data() count:members_.size()];
}
- (id)member:(id)object {
  auto found = object ? places_.find(object) : places_.end();
  return found == places_.end() ? nil : members_[found->second];
}
- (id)anyObject {
  return members_.empty() ? nil : members_.front();
}
- (BOOL)containsObject:(id)object {
  return [self member:object] != nil;
}
- (BOOL)intersectsSet:(NSSet *)set {
  for (id object : members_)
    if ([set containsObject:object])
      return YES;
  return NO;
}
- (BOOL)isSubsetOfSet:(NSSet *)set {
  for (id object : members_)
    if (![set containsObject:object])
      return NO;
  return YES;
}
- (BOOL)isEqualToSet:(NSSet *)set {
  if (!set || [self count] != [set count])
    return NO;
  for (id object : members_)
    if (![set containsObject:object])
      return NO;
  return YES;
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSSet class]] && [self isEqualToSet:object]);
}
- (NSUInteger)hash {
  return members_.size();
}
- (NSEnumerator *)objectEnumerator {
  return enumeratorOf(members_);
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  return enumerate(state, members_, &mutations_);
}
- (NSString *)description {
  return stringOf([self _assayDescriptionAtDepth:0]);
}
- (std::string)_assayDescriptionAtDepth:(int)depth {
  std::string text = "{(";
  for (size_t i = 0; i < members_.size(); ++i)
    text += (i ? ",\n" : "\n") + indent(depth + 1) + describeElement(members_[i], depth + 1);
  return text + "\n" + indent(depth) + ")}";
}
@end

@implementation NSMutableSet
- (void)addObject:(id)object {
  [self _assayAdd:object];
}
- (void)addObjectsFromArray:(NSArray *)array {
  for (id object in array)
    [self addObject:object];
}
- (void)unionSet:(NSSet *)set {
  [self addObjectsFromArray:[set allObjects]];
}
- (void)minusSet:(NSSet *)set {
  for (id object in [set allObjects])
    [self removeObject:object];
}
- (void)removeObject:(id)object {
  [self _assayRemove:object];
}
- (void)removeAllObjects {
  while (id object = [self anyObject])
    [self _assayRemove:object];
}
@end
