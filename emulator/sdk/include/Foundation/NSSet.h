// Unordered collections of different objects. Enumeration goes in the order in which they were added.
#pragma once

#include <Foundation/NSEnumerator.h>

@class NSArray<ObjectType>;

@interface NSSet<__covariant ObjectType> : NSObject <NSCopying, NSMutableCopying, NSFastEnumeration>
+ (instancetype)set;
+ (instancetype)setWithObject:(ObjectType)object;
+ (instancetype)setWithObjects:(const ObjectType __unsafe_unretained[])objects count:(NSUInteger)count;
+ (instancetype)setWithObjects:(ObjectType)first, ... NS_REQUIRES_NIL_TERMINATION;
+ (instancetype)setWithArray:(NSArray<ObjectType> *)array;
- (instancetype)initWithObjects:(const ObjectType __unsafe_unretained[])objects count:(NSUInteger)count;
- (instancetype)initWithArray:(NSArray<ObjectType> *)array;
@property(readonly) NSUInteger count;
@property(readonly, copy) NSArray<ObjectType> *allObjects;
- (ObjectType)member:(ObjectType)object;
- (ObjectType)anyObject;
- (BOOL)containsObject:(ObjectType)object;
- (BOOL)intersectsSet:(NSSet<ObjectType> *)set;
- (BOOL)isSubsetOfSet:(NSSet<ObjectType> *)set;
- (BOOL)isEqualToSet:(NSSet<ObjectType> *)set;
- (NSEnumerator<ObjectType> *)objectEnumerator;
@end

@interface NSMutableSet<ObjectType> : NSSet <ObjectType>
- (void)addObject:(ObjectType)object;
- (void)addObjectsFromArray:(NSArray<ObjectType> *)array;
- (void)unionSet:(NSSet<ObjectType> *)set;
- (void)minusSet:(NSSet<ObjectType> *)set;
- (void)removeObject:(ObjectType)object;
- (void)removeAllObjects;
@end
