// Which function of a library, and how it is specialised.
#pragma once

#include <Metal/MTLFunctionConstantValues.h>

typedef NS_OPTIONS(NSUInteger, MTLFunctionOptions) {
  MTLFunctionOptionNone = 0,
  MTLFunctionOptionCompileToBinary = 1,
  MTLFunctionOptionStoreFunctionInMetalPipelinesScript = 1 << 1,
  MTLFunctionOptionStoreFunctionInMetalScript = 1 << 1,
  MTLFunctionOptionFailOnBinaryArchiveMiss = 1 << 2,
  MTLFunctionOptionPipelineIndependent = 1 << 3
};

@interface MTLFunctionDescriptor : NSObject <NSCopying>
+ (MTLFunctionDescriptor *)functionDescriptor;
@property(copy, nonatomic) NSString *name;
@property(copy, nonatomic) NSString *specializedName;
@property(copy, nonatomic) MTLFunctionConstantValues *constantValues;
@property(nonatomic) MTLFunctionOptions options;
@property(copy, nonatomic) NSArray *binaryArchives;
@end

@interface MTLIntersectionFunctionDescriptor : MTLFunctionDescriptor <NSCopying>
@end
