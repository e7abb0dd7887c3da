// Libraries that others link at run time.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLDevice;

typedef NS_ENUM(NSUInteger, MTLDynamicLibraryError) {
  MTLDynamicLibraryErrorNone = 0,
  MTLDynamicLibraryErrorInvalidFile = 1,
  MTLDynamicLibraryErrorCompilationFailure = 2,
  MTLDynamicLibraryErrorUnresolvedInstallName = 3,
  MTLDynamicLibraryErrorDependencyLoadFailure = 4,
  MTLDynamicLibraryErrorUnsupported = 5
};
MTL_EXTERN NSErrorDomain const MTLDynamicLibraryDomain;

@protocol MTLDynamicLibrary <NSObject>
@property(copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *installName;
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error;
@end
