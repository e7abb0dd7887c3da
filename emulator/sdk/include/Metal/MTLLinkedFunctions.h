// Functions that a pipeline may call through pointers.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLFunction;

@interface MTLLinkedFunctions : NSObject <NSCopying>
+ (MTLLinkedFunctions *)linkedFunctions;
@property(copy, nonatomic) NSArray<id<MTLFunction>> *functions;
@property(copy, nonatomic) NSArray<id<MTLFunction>> *binaryFunctions;
@property(copy, nonatomic) NSDictionary<NSString *, NSArray<id<MTLFunction>> *> *groups;
@property(copy, nonatomic) NSArray<id<MTLFunction>> *privateFunctions;
@end
