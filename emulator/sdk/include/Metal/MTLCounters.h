// Counters of the device, sampled into buffers.
#pragma once

#include <Metal/MTLResource.h>

typedef NSString *MTLCommonCounter;
typedef NSString *MTLCommonCounterSet;
MTL_EXTERN MTLCommonCounter const MTLCommonCounterTimestamp;
MTL_EXTERN MTLCommonCounterSet const MTLCommonCounterSetTimestamp;

typedef NS_ENUM(NSInteger, MTLCounterSampleBufferError) {
  MTLCounterSampleBufferErrorOutOfMemory = 0,
  MTLCounterSampleBufferErrorInvalid = 1,
  MTLCounterSampleBufferErrorInternal = 2
};
MTL_EXTERN NSErrorDomain const MTLCounterErrorDomain;
#define MTLCounterErrorValue ((uint64_t)-1)
#define MTLCounterDontSample ((NSUInteger) - 1)

typedef struct {
  uint64_t timestamp;
} MTLCounterResultTimestamp;

@protocol MTLCounter <NSObject>
@property(readonly, copy) NSString *name;
@end

@protocol MTLCounterSet <NSObject>
@property(readonly, copy) NSString *name;
@property(readonly, copy) NSArray<id<MTLCounter>> *counters;
@end

@interface MTLCounterSampleBufferDescriptor : NSObject <NSCopying>
@property(readwrite, strong, nonatomic) id<MTLCounterSet> counterSet;
@property(readwrite, copy, nonatomic) NSString *label;
@property(readwrite, nonatomic) MTLStorageMode storageMode;
@property(readwrite, nonatomic) NSUInteger sampleCount;
@end

@protocol MTLCounterSampleBuffer <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
@property(readonly) NSUInteger sampleCount;
- (NSData *)resolveCounterRange:(NSRange)range;
@end
