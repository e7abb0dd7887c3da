// What implementations of descriptors share: their copies, and the parts of their resource options.
#pragma once

#import <Metal/Metal.h>

// Copies of these are made member by member. A member that is missing here is not copied, and neither is one
// of a superclass.
#define ASSAY_COPY(Class, ...)                                                                               \
  -(id)copyWithZone : (NSZone *)zone {                                                                       \
    Class *copy = [[[self class] alloc] init];                                                               \
    __VA_ARGS__                                                                                              \
    return copy;                                                                                             \
  }
#define ASSAY_MEMBER(name) copy.name = self.name;

// A property that is a part of _resourceOptions: MTLResource<Part>Mask says which one.
#define ASSAY_RESOURCE_OPTION(Type, Part, getter, Setter)                                                    \
  -(Type)getter {                                                                                            \
    return Type((_resourceOptions & MTLResource##Part##Mask) >> MTLResource##Part##Shift);                   \
  }                                                                                                          \
  -(void)Setter : (Type)mode {                                                                               \
    _resourceOptions = (_resourceOptions & ~MTLResource##Part##Mask) | mode << MTLResource##Part##Shift;     \
  }
#define ASSAY_RESOURCE_OPTIONS()                                                                             \
  ASSAY_RESOURCE_OPTION(MTLCPUCacheMode, CPUCacheMode, cpuCacheMode, setCpuCacheMode)                        \
  ASSAY_RESOURCE_OPTION(MTLStorageMode, StorageMode, storageMode, setStorageMode)                            \
  ASSAY_RESOURCE_OPTION(MTLHazardTrackingMode, HazardTrackingMode, hazardTrackingMode, setHazardTrackingMode)
