// Metal 4: argument tables, command buffers that are used again, queues and the compiler.
#import "api_support.h"

using namespace metal_test;

namespace {

MTLTensorExtents *extents(std::vector<NSInteger> values) {
  return [[MTLTensorExtents alloc] initWithRank:values.size() values:values.data()];
}

id<MTLTensor> tensorOf(std::vector<int> values) {
  MTLTensorDescriptor *descriptor = [MTLTensorDescriptor new];
  descriptor.dataType = MTLTensorDataTypeInt32;
  descriptor.dimensions = extents({NSInteger(values.size())});
  id<MTLTensor> tensor = [device() newTensorWithDescriptor:descriptor error:nil];
  [tensor replaceSliceOrigin:extents({0})
             sliceDimensions:descriptor.dimensions
                   withBytes:values.data()
                     strides:extents({1})];
  return tensor;
}
int firstOf(id<MTLTensor> tensor) {
  int value = 0;
  [tensor getBytes:&value strides:extents({1}) fromSliceOrigin:extents({0}) sliceDimensions:extents({1})];
  return value;
}

id<MTL4ArgumentTable> tableOf(NSUInteger buffers) {
  MTL4ArgumentTableDescriptor *descriptor = [MTL4ArgumentTableDescriptor new];
  descriptor.maxBufferBindCount = buffers;
  descriptor.initializeBindings = YES;
  descriptor.label = @"arguments";
  NSError *error = nil;
  id<MTL4ArgumentTable> table = [device() newArgumentTableWithDescriptor:[descriptor copy] error:&error];
  EXPECT_TRUE(table != nil) << textOf(error);
  EXPECT_EQ(textOf(table.label), "arguments");
  return table;
}

struct Commands {
  id<MTL4CommandQueue> queue = [device() newMTL4CommandQueue];
  id<MTL4CommandAllocator> allocator = [device() newCommandAllocator];
  id<MTL4CommandBuffer> buffer = [device() newCommandBuffer];

  void encode(const std::function<void(id<MTL4ComputeCommandEncoder>)> &commands) {
    [buffer beginCommandBufferWithAllocator:allocator];
    id<MTL4ComputeCommandEncoder> encoder = [buffer computeCommandEncoder];
    EXPECT_EQ(encoder.commandBuffer, buffer);
    commands(encoder);
    [encoder endEncoding];
    [buffer endCommandBuffer];
  }
  /// Commits and waits; the error that the feedback has.
  NSError *finish() {
    __block NSError *error = nil;
    const dispatch_semaphore_t done = dispatch_semaphore_create(0);
    MTL4CommitOptions *options = [MTL4CommitOptions new];
    [options addFeedbackHandler:^(id<MTL4CommitFeedback> feedback) {
      error = feedback.error;
      EXPECT_LE(feedback.GPUStartTime, feedback.GPUEndTime);
      dispatch_semaphore_signal(done);
    }];
    const id<MTL4CommandBuffer> buffers[] = {buffer};
    [queue commit:buffers count:1 options:options];
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    return error;
  }
};

const MTLSize kOne = MTLSizeMake(1, 1, 1);

} // namespace

TEST(Metal4, ATableBindsTensorsAndAddresses) {
  id<MTLTensor> tensor = tensorOf({5, 6});
  id<MTLBuffer> buffer = bufferOf<uint32_t>({10, 20, 30, 40});
  id<MTL4ArgumentTable> table = tableOf(4);
  [table setResource:tensor.gpuResourceID atBufferIndex:3];
  [table setAddress:buffer.gpuAddress + 8 atIndex:0];
  Commands commands;
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:pipeline(@"takes_tensor")];
    [encoder setArgumentTable:table];
    [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:kOne];
    [encoder barrierAfterEncoderStages:MTLStageDispatch
                   beforeEncoderStages:MTLStageDispatch
                     visibilityOptions:MTL4VisibilityOptionDevice];
    [encoder setComputePipelineState:pipeline(@"add_one")];
    [encoder dispatchThreads:MTLSizeMake(2, 1, 1) threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
    [encoder fillBuffer:buffer range:NSMakeRange(0, 4) value:1];
    [encoder copyFromBuffer:buffer sourceOffset:0 toBuffer:buffer destinationOffset:4 size:4];
  });
  EXPECT_EQ(firstOf(tensor), 5) << "nothing runs before the commit";
  NSError *error = commands.finish();
  EXPECT_EQ(error, nil) << textOf(error);
  EXPECT_EQ(firstOf(tensor), 1);
  EXPECT_EQ(valuesOf<uint32_t>(buffer), (std::vector<uint32_t>{0x01010101, 0x01010101, 31, 41}));
}

TEST(Metal4, IndirectDispatchesKnowWhatResidencySetsHold) {
  id<MTLBuffer> in = bufferOf<uint32_t>({10, 20}), even = bufferOf<uint32_t>({0}),
                odd = bufferOf<uint32_t>({0});
  id<MTLBuffer> parts = bufferOf<uint64_t>({in.gpuAddress, 7, even.gpuAddress, odd.gpuAddress});
  id<MTLBuffer> size = bufferOf<uint32_t>({99, 1, 1, 1});
  id<MTL4ArgumentTable> table = tableOf(1);
  [table setAddress:parts.gpuAddress atIndex:0];
  id<MTLResidencySet> set = [device() newResidencySetWithDescriptor:[MTLResidencySetDescriptor new]
                                                              error:nil];
  for (id<MTLBuffer> buffer : {in, even, odd})
    [set addAllocation:buffer];
  [set commit];
  Commands commands;
  [commands.queue addResidencySet:set];
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:pipeline(@"through_pointers")];
    [encoder setArgumentTable:table];
    [encoder dispatchThreadgroupsWithIndirectBuffer:size.gpuAddress + 4
                              threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
  });
  NSError *error = commands.finish();
  EXPECT_EQ(error, nil) << textOf(error);
  EXPECT_EQ(valuesOf<uint32_t>(even)[0], 17u);
  EXPECT_EQ(valuesOf<uint32_t>(odd)[0], 27u);
}

// source: Apple's documentation of setArgumentTable: a dispatch has what the table has when it is encoded.
TEST(Metal4, ADispatchHasWhatTheTableHasThen) {
  id<MTLTensor> first = tensorOf({0}), second = tensorOf({0}), third = tensorOf({0});
  id<MTL4ArgumentTable> table = tableOf(4);
  Commands commands;
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:pipeline(@"takes_tensor")];
    [encoder setArgumentTable:table];
    for (id<MTLTensor> tensor : {first, second}) {
      [table setResource:tensor.gpuResourceID atBufferIndex:3];
      [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:kOne];
    }
    [table setResource:third.gpuResourceID atBufferIndex:3];
  });
  EXPECT_EQ(commands.finish(), nil);
  EXPECT_EQ(firstOf(first), 1);
  EXPECT_EQ(firstOf(second), 1);
  EXPECT_EQ(firstOf(third), 0);
}

TEST(Metal4, ACommandBufferIsEncodedAgain) {
  id<MTLBuffer> buffer = bufferOf<uint32_t>({0});
  id<MTL4ArgumentTable> table = tableOf(1);
  [table setAddress:buffer.gpuAddress atIndex:0];
  Commands commands;
  for (int i = 0; i < 3; ++i) {
    commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
      [encoder setComputePipelineState:pipeline(@"add_one")];
      [encoder setArgumentTable:table];
      [encoder dispatchThreads:kOne threadsPerThreadgroup:kOne];
    });
    EXPECT_EQ(commands.finish(), nil);
    [commands.allocator reset];
  }
  EXPECT_EQ(valuesOf<uint32_t>(buffer), (std::vector<uint32_t>{3}));
}

TEST(Metal4, QueuesSignalAndWait) {
  id<MTLBuffer> buffer = bufferOf<uint32_t>({0});
  id<MTL4ArgumentTable> table = tableOf(1);
  [table setAddress:buffer.gpuAddress atIndex:0];
  Commands commands;
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:pipeline(@"add_one")];
    [encoder setArgumentTable:table];
    [encoder dispatchThreads:kOne threadsPerThreadgroup:kOne];
  });
  id<MTLSharedEvent> event = [device() newSharedEvent];
  [commands.queue waitForEvent:event value:1];
  const id<MTL4CommandBuffer> buffers[] = {commands.buffer};
  [commands.queue commit:buffers count:1];
  [commands.queue signalEvent:event value:2];
  EXPECT_EQ(event.signaledValue, 0u);
  event.signaledValue = 1;
  EXPECT_TRUE(within(20, [&] { return event.signaledValue == 2; }));
  EXPECT_EQ(valuesOf<uint32_t>(buffer), (std::vector<uint32_t>{1}));
}

TEST(Metal4, MistakesAreNamed) {
  id<MTL4ArgumentTable> table = tableOf(1);
  testing::internal::CaptureStderr();
  [table setAddress:16 atIndex:0];
  [table setAddress:bufferOf<int>({0}).gpuAddress atIndex:1];
  [table setResource:MTLResourceID{12} atBufferIndex:0];
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("address 0x10 at buffer index 0 is in no buffer"), std::string::npos) << said;
  EXPECT_NE(said.find("buffer index 1 of an argument table that has 1"), std::string::npos) << said;
  EXPECT_NE(said.find("the resource at buffer index 0 is not a tensor"), std::string::npos) << said;
  Commands commands;
  testing::internal::CaptureStderr();
  EXPECT_EQ([commands.buffer computeCommandEncoder], nil);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("before beginCommandBufferWithAllocator:"),
            std::string::npos);
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:pipeline(@"takes_tensor")];
    [encoder dispatchThreadgroups:kOne threadsPerThreadgroup:kOne];
  });
  NSError *error = commands.finish();
  EXPECT_NE(textOf(error).find("needs a tensor at buffer index 3"), std::string::npos) << textOf(error);
}

TEST(Metal4, TheCompilerMakesLibrariesAndPipelines) {
  NSError *error = nil;
  id<MTL4Compiler> compiler = [device() newCompilerWithDescriptor:[MTL4CompilerDescriptor new] error:&error];
  ASSERT_TRUE(compiler != nil) << textOf(error);
  MTL4LibraryDescriptor *source = [MTL4LibraryDescriptor new];
  source.source = @"constant int n [[function_constant(0)]];\n"
                   "kernel void set(device int *out [[buffer(0)]]) { out[0] = n; }\n"
                   "kernel void two(device int *out [[buffer(0)]]) { out[0] = 2; }\n";
  source.name = @"numbers";
  id<MTLLibrary> made = [compiler newLibraryWithDescriptor:source error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  EXPECT_EQ(textOf(made.label), "numbers");
  MTL4LibraryFunctionDescriptor *function = [MTL4LibraryFunctionDescriptor new];
  function.library = made;
  function.name = @"set";
  MTL4SpecializedFunctionDescriptor *special = [MTL4SpecializedFunctionDescriptor new];
  special.functionDescriptor = function;
  special.constantValues = [MTLFunctionConstantValues new];
  const int seven = 7;
  [special.constantValues setConstantValue:&seven type:MTLDataTypeInt atIndex:0];
  MTL4ComputePipelineDescriptor *descriptor = [MTL4ComputePipelineDescriptor new];
  descriptor.computeFunctionDescriptor = special;
  descriptor.label = @"seven";
  id<MTLComputePipelineState> state = [compiler newComputePipelineStateWithDescriptor:[descriptor copy]
                                                                  compilerTaskOptions:nil
                                                                                error:&error];
  ASSERT_TRUE(state != nil) << textOf(error);
  EXPECT_EQ(textOf(state.label), "seven");
  id<MTLBuffer> out = bufferOf<int>({0});
  id<MTL4ArgumentTable> table = tableOf(1);
  [table setAddress:out.gpuAddress atIndex:0];
  Commands commands;
  commands.encode([&](id<MTL4ComputeCommandEncoder> encoder) {
    [encoder setComputePipelineState:state];
    [encoder setArgumentTable:table];
    [encoder dispatchThreads:kOne threadsPerThreadgroup:kOne];
  });
  EXPECT_EQ(commands.finish(), nil);
  EXPECT_EQ(valuesOf<int>(out), (std::vector<int>{7}));
  function.name = @"three";
  descriptor.computeFunctionDescriptor = function;
  EXPECT_EQ([compiler newComputePipelineStateWithDescriptor:descriptor compilerTaskOptions:nil error:&error],
            nil);
  EXPECT_NE(textOf(error).find("the library has no function 'three'"), std::string::npos) << textOf(error);
}
