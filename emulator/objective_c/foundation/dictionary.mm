// NSDictionary and NSMutableDictionary: the keys are stored in the order in which they were added, and a
// table finds them. So enumeration, descriptions and what a host makes of them are the same in every run.
#include "objective_c/foundation/collections.h"

using namespace assay::foundation;

namespace {

struct Entries {
  std::vector<id> keys, values;
  std::unordered_map<id, size_t, HashOfObject, EqualObjects> places;

  id find(id key) const {
    auto found = key ? places.find(key) : places.end();
    return found == places.end() ? nil : values[found->second];
  }
  void set(id key, id value) {
    [value retain];
    if (auto found = places.find(key); found != places.end()) {
      std::swap(value, values[found->second]);
      [value release];
      return;
    }
    id copy = [key copyWithZone:nullptr];
    places.emplace(copy, keys.size());
    keys.push_back(copy);
    values.push_back(value);
  }
  void remove(id key) {
    auto found = key ? places.find(key) : places.end();
    if (found == places.end())
      return;
    const size_t place = found->second;
    places.erase(found);
    id gone[] = {keys[place], values[place]};
    keys.erase(keys.begin() + place);
    values.erase(values.begin() + place);
    for (auto &[each, at] : places)
      if (at > place)
        --at;
    for (id object : gone)
      [object release];
  }
  void clear() {
    Entries gone;
    std::swap(gone, *this);
    for (const auto *row : {&gone.keys, &gone.values})
      for (id object : *row)
        [object release];
  }
};

} // namespace

@interface NSDictionary (AssayPairs)
- (instancetype)_assayInitWithPairs:(const std::vector<id> &)both selector:(SEL)selector;
@end

@interface AssayDictionary : NSDictionary {
@public
  Entries entries_;
}
@end

@interface AssayMutableDictionary : NSMutableDictionary {
@public
  Entries entries_;
  unsigned long mutations_;
}
@end

@implementation NSDictionary

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSDictionary class])
    return [AssayDictionary allocWithZone:zone];
  return [super allocWithZone:zone];
}
- (NSUInteger)count {
  subclassMustDo(self, _cmd);
}
- (id)objectForKey:(id)key {
  subclassMustDo(self, _cmd);
}
- (NSEnumerator *)keyEnumerator {
  subclassMustDo(self, _cmd);
}

+ (instancetype)dictionary {
  return [[[self alloc] init] autorelease];
}
+ (instancetype)dictionaryWithObject:(id)object forKey:(id<NSCopying>)key {
  return [self dictionaryWithObjects:&object forKeys:&key count:1];
}
+ (instancetype)dictionaryWithObjects:(const id[])objects
                              forKeys:(const id<NSCopying>[])keys
                                count:(NSUInteger)count {
  return [[[self alloc] initWithObjects:objects forKeys:keys count:count] autorelease];
}
+ (instancetype)dictionaryWithObjectsAndKeys:(id)firstObject, ... {
  ASSAY_COLLECT(firstObject, both)
  return [[[self alloc] _assayInitWithPairs:both selector:_cmd] autorelease];
}
+ (instancetype)dictionaryWithDictionary:(NSDictionary *)dictionary {
  return [[[self alloc] initWithDictionary:dictionary] autorelease];
}
+ (instancetype)dictionaryWithObjects:(NSArray *)objects forKeys:(NSArray *)keys {
  if ([objects count] != [keys count])
    raise(NSInvalidArgumentException, @"+[%s %s]: %lu objects for %lu keys", class_getName(self),
          sel_getName(_cmd), [objects count], [keys count]);
  std::vector<id> values, names;
  for (NSUInteger i = 0; i < [keys count]; ++i) {
    values.push_back(objects[i]);
    names.push_back(keys[i]);
  }
  return [self dictionaryWithObjects:values.data() forKeys:names.data() count:names.size()];
}
- (instancetype)initWithObjects:(const id[])objects
                        forKeys:(const id<NSCopying>[])keys
                          count:(NSUInteger)count {
  subclassMustDo(self, _cmd);
}
- (instancetype)_assayInitWithPairs:(const std::vector<id> &)both selector:(SEL)selector {
  if (both.size() % 2)
    raise(NSInvalidArgumentException, @"[%s %s]: the last object has no key", object_getClassName(self),
          sel_getName(selector));
  std::vector<id> objects, keys;
  for (size_t i = 0; i < both.size(); i += 2) {
    objects.push_back(both[i]);
    keys.push_back(both[i + 1]);
  }
  return [self initWithObjects:objects.data() forKeys:keys.data() count:keys.size()];
}
- (instancetype)initWithObjectsAndKeys:(id)firstObject, ... {
  ASSAY_COLLECT(firstObject, both)
  return [self _assayInitWithPairs:both selector:_cmd];
}
- (instancetype)initWithDictionary:(NSDictionary *)dictionary {
  std::vector<id> objects, keys;
  for (id key in dictionary) {
    keys.push_back(key);
    objects.push_back([dictionary objectForKey:key]);
  }
  return [self initWithObjects:objects.data() forKeys:keys.data() count:keys.size()];
}

- (id)copyWithZone:(NSZone *)zone {
  return [[NSDictionary alloc] initWithDictionary:self];
}
- (id)mutableCopyWithZone:(NSZone *)zone {
  return [[NSMutableDictionary alloc] initWithDictionary:self];
}
- (id)objectForKeyedSubscript:(id)key {
  return [self objectForKey:key];
}
- (id)valueForKey:(NSString *)key {
  return [self objectForKey:key];
}
- (NSArray *)allKeys {
  return [[self keyEnumerator] allObjects];
}
- (NSArray *)allValues {
  NSMutableArray *values = [NSMutableArray array];
  for (id key in self)
    [values addObject:[self objectForKey:key]];
  return values;
}
- (NSEnumerator *)objectEnumerator {
  return [[self allValues] objectEnumerator];
}
- (BOOL)isEqualToDictionary:(NSDictionary *)dictionary {
  if (self == dictionary)
    return YES;
  if (!dictionary || [self count] != [dictionary count])
    return NO;
  for (id key in self) {
    id other = [dictionary objectForKey:key];
    if (!other || !EqualObjects()([self objectForKey:key], other))
      return NO;
  }
  return YES;
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSDictionary class]] && [self isEqualToDictionary:object]);
}
- (NSUInteger)hash {
  return [self count];
}
- (void)enumerateKeysAndObjectsUsingBlock:(void(NS_NOESCAPE ^)(id, id, BOOL *))block {
  BOOL stop = NO;
  for (id key in [self allKeys]) {
    block(key, [self objectForKey:key], &stop);
    if (stop)
      break;
  }
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  if (!state->state)
    state->extra[0] = (unsigned long)[self keyEnumerator];
  return [(NSEnumerator *)state->extra[0] countByEnumeratingWithState:state objects:buffer count:length];
}
- (NSString *)description {
  return stringOf([self _assayDescriptionAtDepth:0]);
}
- (std::string)_assayDescriptionAtDepth:(int)depth {
  std::string text = "{\n";
  NSArray *keys = [self allKeys];
  BOOL sortable = YES;
  for (id key in keys)
    sortable = sortable && [key isKindOfClass:[NSString class]];
  for (id key in sortable ? [keys sortedArrayUsingSelector:@selector(compare:)] : keys)
    text += indent(depth + 1) + describeElement(key, depth + 1) + " = " +
            describeElement([self objectForKey:key], depth + 1) + ";\n";
  return text + indent(depth) + "}";
}

@end

#define ASSAY_DICTIONARY                                                                                     \
  -(instancetype)init {                                                                                      \
    return self;                                                                                             \
  }                                                                                                          \
  -(instancetype)initWithObjects : (const id[])objects forKeys : (const id<NSCopying>[])keys count           \
      : (NSUInteger)count {                                                                                  \
    for (NSUInteger i = 0; i < count; ++i) {                                                                 \
      if (!objects[i] || !keys[i])                                                                           \
        raise(NSInvalidArgumentException, @"-[%s %s]: nil at %lu", object_getClassName(self),                \
              sel_getName(_cmd), i);                                                                         \
      entries_.set((id)keys[i], objects[i]);                                                                 \
    }                                                                                                        \
    return self;                                                                                             \
  }                                                                                                          \
  -(void)dealloc {                                                                                           \
    entries_.clear();                                                                                        \
    [super dealloc];                                                                                         \
  }                                                                                                          \
  -(NSUInteger)count {                                                                                       \
    return entries_.keys.size();                                                                             \
  }                                                                                                          \
  -(id)objectForKey : (id)key {                                                                              \
    return entries_.find(key);                                                                               \
  }                                                                                                          \
  -(NSEnumerator *)keyEnumerator {                                                                           \
    return enumeratorOf(entries_.keys);                                                                      \
  }

@implementation AssayDictionary
ASSAY_DICTIONARY
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  static unsigned long unchanged;
  return enumerate(state, entries_.keys, &unchanged);
}
@end

@implementation NSMutableDictionary

+ (instancetype)allocWithZone:(NSZone *)zone {
  if (self == [NSMutableDictionary class])
    return [AssayMutableDictionary allocWithZone:zone];
  return [super allocWithZone:zone];
}
+ (instancetype)dictionaryWithCapacity:(NSUInteger)capacity {
  return [[[self alloc] initWithCapacity:capacity] autorelease];
}
- (instancetype)initWithCapacity:(NSUInteger)capacity {
  return [self init];
}
- (void)setObject:(id)object forKey:(id<NSCopying>)key {
  subclassMustDo(self, _cmd);
}
- (void)removeObjectForKey:(id)key {
  subclassMustDo(self, _cmd);
}
- (void)setObject:(id)object forKeyedSubscript:(id<NSCopying>)key {
  if (object)
    [self setObject:object forKey:key];
  else
    [self removeObjectForKey:key];
}
- (void)setValue:(id)value forKey:(NSString *)key {
  [self setObject:value forKeyedSubscript:key];
}
- (void)removeObjectsForKeys:(NSArray *)keys {
  for (id key in keys)
    [self removeObjectForKey:key];
}
- (void)removeAllObjects {
  for (id key in [self allKeys])
    [self removeObjectForKey:key];
}
- (void)addEntriesFromDictionary:(NSDictionary *)dictionary {
  for (id key in dictionary)
    [self setObject:[dictionary objectForKey:key] forKey:key];
}

@end

@implementation AssayMutableDictionary
ASSAY_DICTIONARY
- (void)setObject:(id)object forKey:(id<NSCopying>)key {
  if (!object || !key)
    raise(NSInvalidArgumentException, @"-[%s %s]: nil %s", object_getClassName(self), sel_getName(_cmd),
          key ? "object" : "key");
  const size_t count = entries_.keys.size();
  entries_.set((id)key, object);
  mutations_ += entries_.keys.size() != count;
}
- (void)removeObjectForKey:(id)key {
  ++mutations_;
  entries_.remove(key);
}
- (void)removeAllObjects {
  ++mutations_;
  entries_.clear();
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id[])buffer
                                    count:(NSUInteger)length {
  return enumerate(state, entries_.keys, &mutations_);
}
@end
