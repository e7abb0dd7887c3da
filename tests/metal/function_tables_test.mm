// Visible functions: linked to a pipeline, put into tables, called by kernels.
#import "api_support.h"

using namespace metal_test;

namespace {

id<MTLFunction> function(NSString *name) {
  id<MTLFunction> made = [library() newFunctionWithName:name];
  EXPECT_TRUE(made != nil) << textOf(name);
  return made;
}

id<MTLComputePipelineState> linked(NSString *kernel, MTLLinkedFunctions *functions, NSError **error = nil) {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function(kernel);
  descriptor.linkedFunctions = functions;
  return [device() newComputePipelineStateWithDescriptor:descriptor
                                                 options:MTLPipelineOptionNone
                                              reflection:nil
                                                   error:error];
}

id<MTLVisibleFunctionTable> tableOf(id<MTLComputePipelineState> state, NSUInteger count) {
  MTLVisibleFunctionTableDescriptor *descriptor =
      [MTLVisibleFunctionTableDescriptor visibleFunctionTableDescriptor];
  descriptor.functionCount = count;
  MTLVisibleFunctionTableDescriptor *copy = [descriptor copy];
  EXPECT_EQ(copy.functionCount, count);
  return [state newVisibleFunctionTableWithDescriptor:copy];
}

NSError *dispatch(id<MTLComputePipelineState> state, id<MTLBuffer> out,
                  const std::function<void(id<MTLComputeCommandEncoder>)> &bind) {
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  [encoder setBuffer:out offset:0 atIndex:0];
  bind(encoder);
  [encoder dispatchThreads:MTLSizeMake(4, 1, 1) threadsPerThreadgroup:MTLSizeMake(4, 1, 1)];
  [encoder endEncoding];
  return finish(commands);
}

} // namespace

TEST(MetalFunctionTable, AKernelCallsWhatIsInIt) {
  EXPECT_TRUE(device().supportsFunctionPointers);
  MTLLinkedFunctions *functions = [MTLLinkedFunctions linkedFunctions];
  id<MTLFunction> twice = function(@"twice"), square = function(@"square");
  functions.functions = @[ twice ];
  functions.binaryFunctions = @[ square ];
  functions.groups = @{@"all" : @[ twice, square ]};
  NSError *error = nil;
  id<MTLComputePipelineState> state = linked(@"apply_table", functions, &error);
  ASSERT_TRUE(state != nil) << textOf(error);

  id<MTLFunctionHandle> handles[] = {[state functionHandleWithFunction:twice],
                                     [state functionHandleWithFunction:square]};
  ASSERT_TRUE(handles[0] != nil);
  EXPECT_EQ(textOf(handles[0].name), "twice");
  EXPECT_EQ(handles[0].functionType, MTLFunctionTypeVisible);
  EXPECT_EQ(handles[0].device, device());
  id<MTLVisibleFunctionTable> table = tableOf(state, 3);
  table.label = @"operators";
  EXPECT_EQ(textOf(table.label), "operators");
  EXPECT_EQ(table.allocatedSize, 24u);
  EXPECT_NE(table.gpuResourceID._impl, 0u);
  [table setFunctions:handles withRange:NSMakeRange(0, 2)];
  [table setFunction:handles[0] atIndex:2];

  id<MTLBuffer> out = bufferOf<float>({9, 9, 9, 9});
  EXPECT_EQ(dispatch(state, out,
                     [&](id<MTLComputeCommandEncoder> encoder) {
                       [encoder useResource:table usage:MTLResourceUsageRead];
                       [encoder setVisibleFunctionTable:table atBufferIndex:1];
                     }),
            nil);
  EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{0, 1, 4, 6 + 100}));

  // The same by range.
  [table setFunction:handles[1] atIndex:0];
  EXPECT_EQ(dispatch(state, out,
                     [&](id<MTLComputeCommandEncoder> encoder) {
                       const id<MTLVisibleFunctionTable> tables[] = {table};
                       [encoder setVisibleFunctionTables:tables withBufferRange:NSMakeRange(1, 1)];
                     }),
            nil);
  EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{0, 1, 4, 9 + 100}));
}

TEST(MetalFunctionTable, LiesInAnArgumentBuffer) {
  MTLLinkedFunctions *functions = [MTLLinkedFunctions new];
  id<MTLFunction> twice = function(@"twice"), square = function(@"square");
  functions.functions = @[ twice, square ];
  NSError *error = nil;
  id<MTLComputePipelineState> state = linked(@"apply_from_buffer", functions, &error);
  ASSERT_TRUE(state != nil) << textOf(error);
  id<MTLVisibleFunctionTable> table = tableOf(state, 2);
  [table setFunction:[state functionHandleWithFunction:twice] atIndex:0];
  [table setFunction:[state functionHandleWithFunction:square] atIndex:1];

  id<MTLArgumentEncoder> arguments = [function(@"apply_from_buffer") newArgumentEncoderWithBufferIndex:1];
  EXPECT_EQ(arguments.encodedLength, 16u);
  id<MTLBuffer> buffer = [device() newBufferWithLength:16 options:0];
  [arguments setArgumentBuffer:buffer offset:0];
  *static_cast<float *>([arguments constantDataAtIndex:0]) = 10;
  const id<MTLVisibleFunctionTable> tables[] = {table};
  [arguments setVisibleFunctionTables:tables withRange:NSMakeRange(1, 1)];
  testing::internal::CaptureStderr();
  [arguments setVisibleFunctionTable:table atIndex:0];
  EXPECT_NE(testing::internal::GetCapturedStderr().find("index 0 is a value, a function table is set"),
            std::string::npos);

  id<MTLBuffer> out = bufferOf<float>({9, 9, 9, 9});
  const auto run = [&](bool use) {
    return dispatch(state, out, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setBuffer:buffer offset:0 atIndex:1];
      if (use)
        [encoder useResource:table usage:MTLResourceUsageRead];
    });
  };
  EXPECT_EQ(run(true), nil);
  EXPECT_EQ(valuesOf<float>(out), (std::vector<float>{0, 10, 40, 90}));
  EXPECT_EQ(run(false).code, MTLCommandBufferErrorPageFault) << "nobody told of the table";
}

TEST(MetalFunctionTable, MistakesAreNamed) {
  MTLLinkedFunctions *functions = [MTLLinkedFunctions new];
  functions.functions = @[ function(@"twice") ];
  id<MTLComputePipelineState> state = linked(@"apply_table", functions),
                              other = linked(@"apply_table", functions);
  EXPECT_EQ([state functionHandleWithFunction:function(@"square")], nil) << "it is not linked";
  EXPECT_EQ([state functionHandleWithFunction:nil], nil);
  id<MTLVisibleFunctionTable> table = tableOf(state, 3);
  testing::internal::CaptureStderr();
  [table setFunction:[other functionHandleWithFunction:functions.functions[0]] atIndex:0];
  [table setFunction:[state functionHandleWithFunction:functions.functions[0]] atIndex:3];
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the handle of 'twice' is of another pipeline"), std::string::npos) << said;
  EXPECT_NE(said.find("index 3 of a function table, which has 3 entries"), std::string::npos) << said;

  id<MTLBuffer> out = bufferOf<float>({9, 9, 9, 9});
  const auto with = [&](id<MTLVisibleFunctionTable> bound) {
    return textOf(dispatch(state, out, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setVisibleFunctionTable:bound atBufferIndex:1];
    }));
  };
  EXPECT_NE(with(table).find("a call of a null function [function-table]"), std::string::npos);
  EXPECT_NE(with(tableOf(other, 3)).find("was made by another pipeline"), std::string::npos);
  EXPECT_NE(with(nil).find("index 0 of a function table that is null or has no entries"), std::string::npos);
  EXPECT_NE(textOf(dispatch(state, out,
                            [&](id<MTLComputeCommandEncoder> encoder) {
                              [encoder setBuffer:out offset:0 atIndex:1];
                            }))
                .find("needs a function table at buffer index 1"),
            std::string::npos);
}

TEST(MetalFunctionTable, AVisibleFunctionIsListedAndMakesNoPipeline) {
  EXPECT_TRUE([library().functionNames containsObject:@"twice"]);
  EXPECT_EQ(function(@"twice").functionType, MTLFunctionTypeVisible);
  EXPECT_EQ(function(@"apply_table").functionType, MTLFunctionTypeKernel);
  NSError *error = nil;
  EXPECT_EQ([device() newComputePipelineStateWithFunction:function(@"twice") error:&error], nil);
  EXPECT_NE(textOf(error).find("'twice' is a visible function: a pipeline is made of a kernel"),
            std::string::npos)
      << textOf(error);
  MTLLinkedFunctions *functions = [MTLLinkedFunctions new];
  functions.privateFunctions = @[ function(@"twice") ];
  EXPECT_EQ(linked(@"apply_table", functions, &error), nil);
  EXPECT_EQ(textOf(error),
            "a pipeline with private linked functions is not supported by Assay [unsupported]");
}

TEST(MetalFunctionTable, IsABindingOfItsOwnType) {
  NSArray<id<MTLBinding>> *bindings = [library() reflectionForFunctionWithName:@"apply_table"].bindings;
  ASSERT_EQ(bindings.count, 2u);
  EXPECT_EQ(bindings[1].type, MTLBindingTypeVisibleFunctionTable);
  EXPECT_EQ(bindings[1].index, 1u);
  EXPECT_EQ(textOf(bindings[1].name), "functions");
}
