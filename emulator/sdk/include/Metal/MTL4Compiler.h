// Makes libraries and pipelines of Metal 4.
#pragma once

#include <Metal/MTLFunctionConstantValues.h>
#include <Metal/MTLLibrary.h>
#include <Metal/MTLTypes.h>

@protocol MTLComputePipelineState
, MTLDevice;

@interface MTL4FunctionDescriptor : NSObject <NSCopying>
@end
@interface MTL4LibraryFunctionDescriptor : MTL4FunctionDescriptor
@property(nonatomic, copy) NSString *name;
@property(nonatomic) id<MTLLibrary> library;
@end
@interface MTL4SpecializedFunctionDescriptor : MTL4FunctionDescriptor
@property(nonatomic, copy) MTL4FunctionDescriptor *functionDescriptor;
@property(nonatomic, copy) NSString *specializedName;
@property(nonatomic, copy) MTLFunctionConstantValues *constantValues;
@end

@interface MTL4LibraryDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) NSString *source;
@property(nonatomic, copy) MTLCompileOptions *options;
@property(nonatomic, copy) NSString *name;
@end

@interface MTL4PipelineDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) NSString *label;
@end
@interface MTL4ComputePipelineDescriptor : MTL4PipelineDescriptor
@property(nonatomic) MTL4FunctionDescriptor *computeFunctionDescriptor;
@property(nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property(nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(nonatomic) MTLSize requiredThreadsPerThreadgroup;
- (void)reset;
@end

@interface MTL4CompilerTaskOptions : NSObject <NSCopying>
@end
@interface MTL4CompilerDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) NSString *label;
@end

@protocol MTL4Compiler <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
- (id<MTLLibrary>)newLibraryWithDescriptor:(MTL4LibraryDescriptor *)descriptor error:(NSError **)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:
                                   (MTL4ComputePipelineDescriptor *)descriptor
                                                 compilerTaskOptions:(MTL4CompilerTaskOptions *)options
                                                               error:(NSError **)error;
@end
