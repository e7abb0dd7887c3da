// Libraries of functions, and how their source is compiled.
#pragma once

#include <Metal/MTLArgument.h>
#include <Metal/MTLDefines.h>
#include <Metal/MTLFunctionConstantValues.h>
#include <Metal/MTLTypes.h>

@protocol MTLDevice
, MTLArgumentEncoder, MTLDynamicLibrary;
@class MTLFunctionDescriptor, MTLIntersectionFunctionDescriptor;

typedef NS_ENUM(NSUInteger, MTLPatchType) {
  MTLPatchTypeNone = 0,
  MTLPatchTypeTriangle = 1,
  MTLPatchTypeQuad = 2
};

typedef NS_ENUM(NSUInteger, MTLFunctionType) {
  MTLFunctionTypeVertex = 1,
  MTLFunctionTypeFragment = 2,
  MTLFunctionTypeKernel = 3,
  MTLFunctionTypeVisible = 5,
  MTLFunctionTypeIntersection = 6,
  MTLFunctionTypeMesh = 7,
  MTLFunctionTypeObject = 8
};

typedef NS_ENUM(NSUInteger, MTLLanguageVersion) {
  MTLLanguageVersion1_0 = 65536,
  MTLLanguageVersion1_1 = 65537,
  MTLLanguageVersion1_2 = 65538,
  MTLLanguageVersion2_0 = 131072,
  MTLLanguageVersion2_1 = 131073,
  MTLLanguageVersion2_2 = 131074,
  MTLLanguageVersion2_3 = 131075,
  MTLLanguageVersion2_4 = 131076,
  MTLLanguageVersion3_0 = 196608,
  MTLLanguageVersion3_1 = 196609,
  MTLLanguageVersion3_2 = 196610,
  MTLLanguageVersion4_0 = 262144
};

typedef NS_ENUM(NSInteger, MTLLibraryType) { MTLLibraryTypeExecutable = 0, MTLLibraryTypeDynamic = 1 };

typedef NS_ENUM(NSInteger, MTLLibraryOptimizationLevel) {
  MTLLibraryOptimizationLevelDefault = 0,
  MTLLibraryOptimizationLevelSize = 1
};

typedef NS_ENUM(NSInteger, MTLCompileSymbolVisibility) {
  MTLCompileSymbolVisibilityDefault = 0,
  MTLCompileSymbolVisibilityHidden = 1
};

typedef NS_ENUM(NSInteger, MTLMathMode) { MTLMathModeSafe = 0, MTLMathModeRelaxed = 1, MTLMathModeFast = 2 };

typedef NS_ENUM(NSInteger, MTLMathFloatingPointFunctions) {
  MTLMathFloatingPointFunctionsFast = 0,
  MTLMathFloatingPointFunctionsPrecise = 1
};

typedef NS_ENUM(NSUInteger, MTLLibraryError) {
  MTLLibraryErrorUnsupported = 1,
  MTLLibraryErrorInternal = 2,
  MTLLibraryErrorCompileFailure = 3,
  MTLLibraryErrorCompileWarning = 4,
  MTLLibraryErrorFunctionNotFound = 5,
  MTLLibraryErrorFileNotFound = 6
};
MTL_EXTERN NSErrorDomain const MTLLibraryErrorDomain;

typedef MTLArgument *MTLAutoreleasedArgument;

@interface MTLAttribute : NSObject
@property(readonly) NSString *name;
@property(readonly) NSUInteger attributeIndex;
@property(readonly) MTLDataType attributeType;
@property(readonly, getter=isActive) BOOL active;
@property(readonly, getter=isPatchData) BOOL patchData;
@property(readonly, getter=isPatchControlPointData) BOOL patchControlPointData;
@end

@interface MTLFunctionConstant : NSObject
@property(readonly) NSString *name;
@property(readonly) MTLDataType type;
@property(readonly) NSUInteger index;
@property(readonly) BOOL required;
@end

@protocol MTLFunction <NSObject>
@property(copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) MTLFunctionType functionType;
@property(readonly) MTLPatchType patchType;
@property(readonly) NSInteger patchControlPointCount;
@property(readonly) NSArray<MTLAttribute *> *stageInputAttributes;
@property(readonly) NSString *name;
@property(readonly) NSDictionary<NSString *, MTLFunctionConstant *> *functionConstantsDictionary;
@property(readonly) NSUInteger options;
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index;
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index
                                                 reflection:(MTLAutoreleasedArgument *)reflection;
@end

@interface MTLCompileOptions : NSObject <NSCopying>
@property(readwrite, copy, nonatomic) NSDictionary<NSString *, NSObject *> *preprocessorMacros;
@property(readwrite, nonatomic) BOOL fastMathEnabled;
@property(readwrite, nonatomic) MTLMathMode mathMode;
@property(readwrite, nonatomic) MTLMathFloatingPointFunctions mathFloatingPointFunctions;
@property(readwrite, nonatomic) MTLLanguageVersion languageVersion;
@property(readwrite, nonatomic) MTLLibraryType libraryType;
@property(readwrite, copy, nonatomic) NSString *installName;
@property(readwrite, copy, nonatomic) NSArray<id<MTLDynamicLibrary>> *libraries;
@property(readwrite, nonatomic) BOOL preserveInvariance;
@property(readwrite, nonatomic) MTLLibraryOptimizationLevel optimizationLevel;
@property(readwrite, nonatomic) MTLCompileSymbolVisibility compileSymbolVisibility;
@property(readwrite, nonatomic) BOOL allowReferencingUndefinedSymbols;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readwrite, nonatomic) MTLSize requiredThreadsPerThreadgroup;
@property(readwrite, nonatomic) BOOL enableLogging;
@end

@interface MTLFunctionReflection : NSObject
@property(readonly) NSArray<id<MTLBinding>> *bindings;
@end

@protocol MTLLibrary <NSObject>
@property(copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSArray<NSString *> *functionNames;
@property(readonly) MTLLibraryType type;
@property(readonly) NSString *installName;
- (id<MTLFunction>)newFunctionWithName:(NSString *)name;
- (id<MTLFunction>)newFunctionWithName:(NSString *)name
                        constantValues:(MTLFunctionConstantValues *)values
                                 error:(NSError **)error;
- (void)newFunctionWithName:(NSString *)name
             constantValues:(MTLFunctionConstantValues *)values
          completionHandler:(void (^)(id<MTLFunction> function, NSError *error))handler;
- (id<MTLFunction>)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor error:(NSError **)error;
- (void)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                completionHandler:(void (^)(id<MTLFunction> function, NSError *error))handler;
- (MTLFunctionReflection *)reflectionForFunctionWithName:(NSString *)name;
@end
