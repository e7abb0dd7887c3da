// Libraries, functions with constants, pipeline states and reflection.
#import "api_support.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace metal_test;

namespace {

/// What a kernel of one line stores.
template <class T> T valueOf(NSString *source, MTLCompileOptions *options) {
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithSource:source options:options error:&error];
  EXPECT_TRUE(made != nil) << textOf(error);
  if (!made)
    return T();
  id<MTLComputePipelineState> state =
      [device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"f"] error:&error];
  EXPECT_TRUE(state != nil) << textOf(error);
  id<MTLBuffer> out = bufferOf<T>({T(-1)});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  [encoder setBuffer:out offset:0 atIndex:0];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  return valuesOf<T>(out)[0];
}

std::array<float, 4> constantsOf(id<MTLFunction> function) {
  NSError *error = nil;
  id<MTLComputePipelineState> state = [device() newComputePipelineStateWithFunction:function error:&error];
  EXPECT_TRUE(state != nil) << textOf(error);
  id<MTLBuffer> out = bufferOf<float>({-1, -1, -1, -1});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:state];
  [encoder setBuffer:out offset:0 atIndex:0];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  const std::vector<float> values = valuesOf<float>(out);
  return {values[0], values[1], values[2], values[3]};
}

} // namespace

TEST(MetalLibrary, MacrosAreTextsAndNumbers) {
  MTLCompileOptions *options = [MTLCompileOptions new];
  options.preprocessorMacros =
      @{@"TEXT" : @"3 + 4",
        @"NUMBER" : @(5),
        @"EMPTY" : @"",
        @"HALF" : @(0.5),
        @"YES_" : @YES};
  EXPECT_EQ(valueOf<float>(
                @"kernel void f(device float *o [[buffer(0)]]) { EMPTY *o = TEXT * NUMBER + HALF + YES_; }",
                options),
            3 + 4 * 5 + 0.5f + 1);
}

// source: MSL, "Math mode": safe makes unqualified functions the precise ones; the precise sqrt is correctly
// rounded, and a NaN is a NaN in it.
TEST(MetalLibrary, MathModeChoosesTheFunctions) {
  NSString *source =
      @"#include <metal_stdlib>\n"
      @"kernel void f(device float *o [[buffer(0)]]) { *o = metal::exp(volatile_zero(o) + 1.25f); }";
  source = [@"inline float volatile_zero(device float *o) { return *o == 77 ? 1 : 0; }\n"
      stringByAppendingString:source];
  const auto in = [&](MTLMathMode mode) {
    MTLCompileOptions *options = [MTLCompileOptions new];
    options.mathMode = mode;
    return valueOf<float>(source, options);
  };
  const auto correct = float(std::exp(1.25));
  EXPECT_EQ(in(MTLMathModeSafe), correct);
  EXPECT_NEAR(in(MTLMathModeFast), correct, 1e-5);
  EXPECT_EQ(in(MTLMathModeFast), in(MTLMathModeRelaxed));
}

TEST(MetalLibrary, FastMathIsTheOldNameOfTheMode) {
  MTLCompileOptions *options = [MTLCompileOptions new];
  EXPECT_TRUE(options.fastMathEnabled);
  EXPECT_EQ(options.mathMode, MTLMathModeFast);
  options.fastMathEnabled = NO;
  EXPECT_EQ(options.mathMode, MTLMathModeSafe);
  options.fastMathEnabled = YES;
  EXPECT_EQ(options.mathMode, MTLMathModeFast);
  options.mathMode = MTLMathModeSafe;
  MTLCompileOptions *copy = [options copy];
  EXPECT_EQ(copy.mathMode, MTLMathModeSafe);
}

// source: MSL, "Predefined macros": __METAL_VERSION__ is 300 for 3.0, 310 for 3.1, 400 for 4.0.
TEST(MetalLibrary, LanguageVersionIsTheCompilers) {
  const std::pair<MTLLanguageVersion, int> versions[] = {{MTLLanguageVersion3_0, 300},
                                                         {MTLLanguageVersion3_1, 310},
                                                         {MTLLanguageVersion3_2, 320},
                                                         {MTLLanguageVersion4_0, 400}};
  for (const auto &[version, number] : versions) {
    MTLCompileOptions *options = [MTLCompileOptions new];
    options.languageVersion = version;
    EXPECT_EQ(
        valueOf<int>(@"kernel void f(device int *o [[buffer(0)]]) { *o = __METAL_VERSION__; }", options),
        number);
  }
}

TEST(MetalLibrary, WhatDoesNotCompileSaysWhatTheProgramSays) {
  const std::string path = testing::TempDir() + "metal-broken-" + std::to_string(getpid()) + ".metal";
  std::ofstream(path) << "kernel void f(device int *o [[buffer(0)]]) {\n  *o = missing + 1;\n}\n";
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithURL:[NSURL fileURLWithPath:@(path.c_str())] error:&error], nil);
  EXPECT_EQ(textOf(error.domain), textOf(MTLLibraryErrorDomain));
  EXPECT_EQ(error.code, MTLLibraryErrorCompileFailure);
  EXPECT_NE(textOf(error).find(path + ":2:8: error: use of undeclared identifier 'missing'"),
            std::string::npos)
      << textOf(error);
  EXPECT_EQ(textOf(error), outputOf(ASSAY_PROGRAM " run " + path + " --kernel f --grid 1 --threads 1"));
  std::remove(path.c_str());
  EXPECT_EQ([device() newLibraryWithSource:@"kernel" options:nil error:nil], nil); // nobody asks why
}

TEST(MetalLibrary, NoSourceIsAnError) {
  NSError *error = nil;
  NSString *absent = nil;
  EXPECT_EQ([device() newLibraryWithSource:absent options:nil error:&error], nil);
  EXPECT_EQ(textOf(error.domain), textOf(MTLLibraryErrorDomain));
  EXPECT_EQ(textOf(error.localizedDescription), "the source is nil");
}

TEST(MetalLibrary, FastMathHasItsMacro) {
  NSString *source =
      @"kernel void f(device int *o [[buffer(0)]]) {\n#ifdef __FAST_MATH__\n*o = __FAST_MATH__;\n"
       "#else\n*o = 0;\n#endif\n}";
  EXPECT_EQ(valueOf<int>(source, nil), 1);
  MTLCompileOptions *options = [MTLCompileOptions new];
  EXPECT_EQ(valueOf<int>(source, options), 1);
  options.mathFloatingPointFunctions = MTLMathFloatingPointFunctionsPrecise;
  EXPECT_EQ(valueOf<int>(source, options), 1);
  options.mathMode = MTLMathModeRelaxed;
  EXPECT_EQ(valueOf<int>(source, options), 0);
  options.mathMode = MTLMathModeSafe;
  EXPECT_EQ(valueOf<int>(source, options), 0);
}

TEST(MetalLibrary, AFileThatIsNoLibraryIsNamed) {
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithURL:[NSURL fileURLWithPath:@"/not/there.metallib"] error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorFileNotFound);
  EXPECT_NE(textOf(error).find("/not/there.metallib"), std::string::npos) << textOf(error);
  EXPECT_EQ([device() newLibraryWithURL:[NSURL fileURLWithPath:@"/not/there.metal"] error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorFileNotFound) << textOf(error);
  const std::string path = testing::TempDir() + "metal-apple-" + std::to_string(getpid()) + ".metallib";
  std::ofstream(path) << "MTLB\1\0\0\0";
  EXPECT_EQ([device() newLibraryWithURL:[NSURL fileURLWithPath:@(path.c_str())] error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorCompileFailure);
  EXPECT_NE(textOf(error).find("made by Apple's compiler"), std::string::npos) << textOf(error);
  std::remove(path.c_str());
  EXPECT_EQ([device() newDefaultLibraryWithBundle:[NSBundle mainBundle] error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorFileNotFound);
}

// What Assay's metal and metallib write: sources, with how they are to be compiled.
TEST(MetalLibrary, OfDataHasTheFunctionsOfAllItsSources) {
  const std::string text = R"({"assay_metallib":1,"sources":[
    {"name":"a.metal","macros":[["N","3"]],"std":"metal3.1","fast_math":true,
     "text":"kernel void a(device int *o [[buffer(0)]]) { *o = N; }"},
    {"name":"b.metal","macros":[],"std":"","fast_math":false,
     "text":"kernel void b(device int *o [[buffer(0)]]) { *o = __METAL_VERSION__; }"}]})";
  dispatch_data_t data =
      dispatch_data_create(text.data(), text.size(), nullptr, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithData:data error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  EXPECT_EQ(made.functionNames.count, 2u);
  id<MTLFunction> function = [made newFunctionWithName:@"b"];
  EXPECT_TRUE([device() newComputePipelineStateWithFunction:function error:&error] != nil) << textOf(error);
  EXPECT_EQ([made newFunctionWithName:@"c" constantValues:[MTLFunctionConstantValues new] error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorFunctionNotFound);
}

TEST(MetalLibrary, KnowsItsFunctions) {
  EXPECT_EQ(library().functionNames.count, 28u);
  EXPECT_TRUE([library().functionNames containsObject:@"add_one"]);
  EXPECT_EQ(library().device, device());
  EXPECT_EQ(library().type, MTLLibraryTypeExecutable);
  id<MTLFunction> function = [library() newFunctionWithName:@"add_one"];
  EXPECT_EQ(textOf(function.name), "add_one");
  EXPECT_EQ(function.functionType, MTLFunctionTypeKernel);
  EXPECT_EQ(function.device, device());
  EXPECT_EQ(function.functionConstantsDictionary.count, 0u);
  NSError *error = nil;
  EXPECT_EQ([library() newFunctionWithName:@"add_on"], nil);
  EXPECT_EQ([library() newFunctionWithName:@"add_on"
                            constantValues:[MTLFunctionConstantValues new]
                                     error:&error],
            nil);
  EXPECT_EQ(error.code, MTLLibraryErrorFunctionNotFound);
  EXPECT_NE(textOf(error).find("did you mean 'add_one'?"), std::string::npos) << textOf(error);
}

TEST(MetalFunctionConstants, ByIndexByNameAndByRange) {
  const int number = -7, two[] = {41, 42};
  const short small = 300;
  const bool yes = true;
  const float vector[] = {1, 2, 3, 4};
  NSError *error = nil;

  MTLFunctionConstantValues *values = [MTLFunctionConstantValues new];
  [values setConstantValue:&number type:MTLDataTypeInt atIndex:0];
  [values setConstantValue:&small type:MTLDataTypeShort atIndex:1];
  [values setConstantValue:&yes type:MTLDataTypeBool atIndex:2];
  [values setConstantValue:vector type:MTLDataTypeFloat4 atIndex:3];
  MTLFunctionConstantValues *copy = [values copy];
  id<MTLFunction> function = [library() newFunctionWithName:@"constants" constantValues:values error:&error];
  ASSERT_TRUE(function != nil) << textOf(error);
  const std::array<float, 4> expected = {-7, 300, 1, 4321};
  EXPECT_EQ(constantsOf(function), expected);

  [values reset];
  [values setConstantValue:&number type:MTLDataTypeInt withName:@"kInt"];
  [values setConstantValue:vector type:MTLDataTypeFloat4 withName:@"kVector"];
  function = [library() newFunctionWithName:@"constants" constantValues:values error:&error];
  ASSERT_TRUE(function != nil) << textOf(error);
  EXPECT_EQ(constantsOf(function), (std::array<float, 4>{-7, 0, 0, 4321})) << "what has no value is zero";

  function = [library() newFunctionWithName:@"constants" constantValues:copy error:&error];
  EXPECT_EQ(constantsOf(function), expected) << "a copy does not follow its original";

  NSString *source = @"constant int a [[function_constant(5)]]; constant int b [[function_constant(6)]];"
                     @"kernel void f(device int *o [[buffer(0)]]) { *o = a * 100 + b; }";
  id<MTLLibrary> pair = [device() newLibraryWithSource:source options:nil error:&error];
  [values reset];
  [values setConstantValues:two type:MTLDataTypeInt withRange:NSMakeRange(5, 2)];
  MTLFunctionDescriptor *descriptor = [MTLFunctionDescriptor functionDescriptor];
  descriptor.name = @"f";
  descriptor.constantValues = values;
  descriptor.specializedName = @"f_41_42";
  function = [pair newFunctionWithDescriptor:descriptor error:&error];
  ASSERT_TRUE(function != nil) << textOf(error);
  id<MTLBuffer> out = bufferOf<int>({0});
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:[device() newComputePipelineStateWithFunction:function error:nil]];
  [encoder setBuffer:out offset:0 atIndex:0];
  [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  EXPECT_EQ(finish(commands), nil);
  EXPECT_EQ(valuesOf<int>(out)[0], 4142);
}

TEST(MetalFunctionConstants, AFunctionThatNeedsSomeMakesNoPipelineWithoutThem) {
  NSError *error = nil;
  id<MTLFunction> function = [library() newFunctionWithName:@"constants"];
  ASSERT_TRUE(function != nil);
  EXPECT_EQ([device() newComputePipelineStateWithFunction:function error:&error], nil);
  EXPECT_NE(textOf(error).find("function constants cannot be used to build a pipeline state; use "
                               "newFunctionWithName:constantValues:error:"),
            std::string::npos)
      << textOf(error);
  // Made with values, be it with none, those that are left out are zero.
  function = [library() newFunctionWithName:@"constants"
                             constantValues:[MTLFunctionConstantValues new]
                                      error:&error];
  EXPECT_EQ(constantsOf(function), (std::array<float, 4>{0, 0, 0, 0}));
}

TEST(MetalFunctionConstants, AreNotRequiredIfTheSourceAsksWhetherTheyAreThere) {
  NSString *source = @"constant int a [[function_constant(5)]]; constant int b [[function_constant(6)]];"
                     @"constant int c = is_function_constant_defined(a) ? a : 3;"
                     @"kernel void f(device int *o [[buffer(0)]]) { *o = c; }"
                     @"kernel void g(device int *o [[buffer(0)]]) { *o = c + b; }"
                     @"template <bool all> void h(device int *o) { *o = 1; if (all) *o = b; }"
                     @"kernel void never(device int *o [[buffer(0)]]) { h<false>(o); }";
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithSource:source options:nil error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  EXPECT_FALSE([made newFunctionWithName:@"f"].functionConstantsDictionary[@"a"].required);
  NSDictionary<NSString *, MTLFunctionConstant *> *both =
      [made newFunctionWithName:@"g"].functionConstantsDictionary;
  EXPECT_FALSE(both[@"a"].required);
  EXPECT_TRUE(both[@"b"].required);
  EXPECT_NE([device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"f"] error:&error], nil);
  EXPECT_EQ([device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"g"] error:&error], nil);
  id<MTLFunction> never = [made newFunctionWithName:@"never"];
  EXPECT_NE([device() newComputePipelineStateWithFunction:never error:&error], nil)
      << "no code reads the constant: " << textOf(error);
}

TEST(MetalFunctionConstants, AreListed) {
  NSDictionary<NSString *, MTLFunctionConstant *> *constants =
      [library() newFunctionWithName:@"constants"].functionConstantsDictionary;
  ASSERT_EQ(constants.count, 4u);
  EXPECT_EQ(constants[@"kShort"].type, MTLDataTypeShort);
  EXPECT_EQ(constants[@"kShort"].index, 1u);
  EXPECT_EQ(textOf(constants[@"kBool"].name), "kBool");
  EXPECT_EQ(constants[@"kBool"].type, MTLDataTypeBool);
  EXPECT_EQ(constants[@"kVector"].type, MTLDataTypeFloat4);
  EXPECT_TRUE(constants[@"kInt"].required);
}

TEST(MetalFunctionConstants, OfTheWrongTypeOrNameAreAnError) {
  const float value = 1;
  NSError *error = nil;
  MTLFunctionConstantValues *values = [MTLFunctionConstantValues new];
  [values setConstantValue:&value type:MTLDataTypeFloat atIndex:0];
  EXPECT_EQ([library() newFunctionWithName:@"constants" constantValues:values error:&error], nil);
  EXPECT_EQ(error.code, MTLLibraryErrorCompileFailure);
  EXPECT_NE(textOf(error).find("kInt"), std::string::npos) << textOf(error);
  [values reset];
  [values setConstantValue:&value type:MTLDataTypeFloat withName:@"kNone"];
  EXPECT_EQ([library() newFunctionWithName:@"constants" constantValues:values error:&error], nil);
  EXPECT_NE(textOf(error).find("kNone"), std::string::npos) << textOf(error);
}

TEST(MetalPipeline, KnowsItsKernel) {
  id<MTLComputePipelineState> state = pipeline(@"add_one");
  EXPECT_EQ(state.maxTotalThreadsPerThreadgroup, 1024u);
  EXPECT_EQ(state.threadExecutionWidth, 32u);
  EXPECT_EQ(state.staticThreadgroupMemoryLength, 0u);
  EXPECT_EQ(state.device, device());
  EXPECT_EQ(pipeline(@"at_most_64").maxTotalThreadsPerThreadgroup, 64u);
}

TEST(MetalPipeline, OfADescriptorMayAskForLess) {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = [library() newFunctionWithName:@"add_one"];
  descriptor.label = @"small";
  descriptor.maxTotalThreadsPerThreadgroup = 96;
  NSError *error = nil;
  MTLComputePipelineReflection *reflection = nil;
  id<MTLComputePipelineState> state =
      [device() newComputePipelineStateWithDescriptor:descriptor
                                              options:MTLPipelineOptionBindingInfo
                                           reflection:&reflection
                                                error:&error];
  ASSERT_TRUE(state != nil) << textOf(error);
  EXPECT_EQ(state.maxTotalThreadsPerThreadgroup, 96u);
  EXPECT_EQ(textOf(state.label), "small");
  ASSERT_EQ(reflection.bindings.count, 1u);
  // A dispatch may not have more threads than the pipeline was made for.
  id<MTLBuffer> data = bufferOf(std::vector<uint32_t>(97, 5));
  for (NSUInteger threads : {96, 97}) {
    id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:state];
    [encoder setBuffer:data offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
    [encoder endEncoding];
    error = finish(commands);
    EXPECT_EQ(error == nil, threads == 96) << textOf(error);
  }
  EXPECT_NE(textOf(error).find("97"), std::string::npos) << textOf(error);
  EXPECT_NE(textOf(error).find("96"), std::string::npos) << textOf(error);
  EXPECT_EQ(valuesOf<uint32_t>(data)[95], 6u);
}

TEST(MetalPipeline, ForMoreThreadsThanTheDeviceHasIsAnError) {
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = [library() newFunctionWithName:@"at_most_64"];
  descriptor.maxTotalThreadsPerThreadgroup = 1025;
  const auto make = [&](NSError *__autoreleasing *error) {
    return [device() newComputePipelineStateWithDescriptor:descriptor
                                                   options:MTLPipelineOptionNone
                                                reflection:nil
                                                     error:error];
  };
  NSError *error = nil;
  EXPECT_EQ(make(&error), nil);
  EXPECT_NE(textOf(error).find("1025"), std::string::npos) << textOf(error);
  EXPECT_NE(textOf(error).find("1024"), std::string::npos) << textOf(error);
  descriptor.maxTotalThreadsPerThreadgroup = 1024; // the kernel's own limit stays
  EXPECT_EQ(make(&error).maxTotalThreadsPerThreadgroup, 64u);
  descriptor.requiredThreadsPerThreadgroup = MTLSizeMake(32, 1, 1);
  const MTLSize required = make(&error).requiredThreadsPerThreadgroup;
  EXPECT_EQ(required.width, 32u);
  EXPECT_EQ(required.height, 1u);
  EXPECT_EQ(required.depth, 1u);
}

TEST(MetalPipeline, HasTheThreadgroupsThatItsLibraryWasCompiledFor) {
  NSString *source = @"kernel void k(device uint *o, uint i [[thread_position_in_grid]]) { o[i] = i; }";
  MTLCompileOptions *options = [MTLCompileOptions new];
  options.maxTotalThreadsPerThreadgroup = 128;
  options.requiredThreadsPerThreadgroup = MTLSizeMake(64, 2, 1);
  NSError *error = nil;
  id<MTLLibrary> made = [device() newLibraryWithSource:source options:options error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = [made newFunctionWithName:@"k"];
  const auto make = [&] {
    return [device() newComputePipelineStateWithDescriptor:descriptor
                                                   options:MTLPipelineOptionNone
                                                reflection:nil
                                                     error:&error];
  };
  EXPECT_EQ(make().maxTotalThreadsPerThreadgroup, 128u);
  EXPECT_EQ(make().requiredThreadsPerThreadgroup.width, 64u);
  EXPECT_EQ(make().requiredThreadsPerThreadgroup.height, 2u);
  descriptor.maxTotalThreadsPerThreadgroup = 256; // the lower limit of the two
  EXPECT_EQ(make().maxTotalThreadsPerThreadgroup, 128u);
  descriptor.requiredThreadsPerThreadgroup = MTLSizeMake(32, 1, 1);
  EXPECT_EQ(make(), nil);
  EXPECT_NE(textOf(error).find("compiled for"), std::string::npos) << textOf(error);
  options.maxTotalThreadsPerThreadgroup = 1025;
  EXPECT_EQ([device() newLibraryWithSource:source options:options error:&error], nil);
  EXPECT_NE(textOf(error).find("1025"), std::string::npos) << textOf(error);
}

TEST(MetalLibrary, WithAnUndefinedFunctionIsAnErrorUnlessItIsAllowed) {
  NSString *source = @"int f(int x);\nkernel void k(device int *o) { o[0] = f(o[0]); }\n"
                     @"kernel void l(device int *o) { o[0] = 1; }";
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithSource:source options:nil error:&error], nil);
  EXPECT_NE(textOf(error).find("'int f(int)' is declared and used"), std::string::npos) << textOf(error);
  MTLCompileOptions *options = [MTLCompileOptions new];
  options.allowReferencingUndefinedSymbols = YES;
  id<MTLLibrary> made = [device() newLibraryWithSource:source options:options error:&error];
  ASSERT_TRUE(made != nil) << textOf(error);
  EXPECT_TRUE([device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"l"]
                                                      error:&error] != nil);
  EXPECT_EQ([device() newComputePipelineStateWithFunction:[made newFunctionWithName:@"k"] error:&error], nil);
}

TEST(MetalPipeline, WithoutAFunctionIsAnError) {
  NSError *error = nil;
  EXPECT_EQ([device() newComputePipelineStateWithFunction:nil error:&error], nil);
  EXPECT_NE(textOf(error).find("without a compute function"), std::string::npos) << textOf(error);
}

TEST(MetalPipeline, ReflectsItsBindings) {
  MTLComputePipelineReflection *reflection = pipeline(@"sample_at").reflection;
  NSArray<id<MTLBinding>> *bindings = reflection.bindings;
  ASSERT_EQ(bindings.count, 4u);
  id<MTLTextureBinding> texture = (id<MTLTextureBinding>)bindings[0];
  EXPECT_EQ(textOf(texture.name), "in");
  EXPECT_EQ(texture.type, MTLBindingTypeTexture);
  EXPECT_EQ(texture.textureType, MTLTextureType2D);
  EXPECT_EQ(texture.textureDataType, MTLDataTypeFloat);
  EXPECT_FALSE(texture.depthTexture);
  EXPECT_EQ(bindings[1].type, MTLBindingTypeSampler);
  id<MTLBufferBinding> out = (id<MTLBufferBinding>)bindings[2], at = (id<MTLBufferBinding>)bindings[3];
  EXPECT_EQ(out.type, MTLBindingTypeBuffer);
  EXPECT_EQ(out.index, 0u);
  EXPECT_EQ(out.bufferDataType, MTLDataTypeFloat4);
  EXPECT_EQ(out.bufferDataSize, 16u);
  EXPECT_EQ(out.bufferAlignment, 16u);
  EXPECT_TRUE(out.used && out.argument);
  EXPECT_EQ(at.access, MTLBindingAccessReadOnly);
  EXPECT_EQ(at.bufferDataType, MTLDataTypeFloat2);

  bindings = pipeline(@"reverse").reflection.bindings;
  ASSERT_EQ(bindings.count, 2u);
  EXPECT_EQ(bindings[0].access, MTLBindingAccessReadWrite);
  EXPECT_EQ(bindings[1].type, MTLBindingTypeThreadgroupMemory);
  MTLFunctionReflection *function = [library() reflectionForFunctionWithName:@"sum_slots"];
  ASSERT_EQ(function.bindings.count, 4u);
  EXPECT_EQ(textOf(function.bindings[3].name), "c");
  EXPECT_EQ(((id<MTLBufferBinding>)function.bindings[3]).bufferDataType, MTLDataTypeUInt2);

  NSArray<MTLArgument *> *arguments = pipeline(@"add_one").reflection.arguments; // the older name
  ASSERT_EQ(arguments.count, 1u);
  EXPECT_EQ(arguments[0].type, MTLArgumentTypeBuffer);
  EXPECT_TRUE(arguments[0].active);
}

TEST(MetalPipeline, AsyncVariantsAnswerOnceOnAnotherThread) {
  dispatch_group_t group = dispatch_group_create();
  const std::thread::id here = std::this_thread::get_id();
  __block int calls = 0;
  __block id<MTLLibrary> made = nil;
  __block NSError *broken = nil;
  NSObject *const lock = [NSObject new];
  const auto count = ^{
    EXPECT_NE(std::this_thread::get_id(), here);
    @synchronized(lock) {
      ++calls;
    }
    dispatch_group_leave(group);
  };
  dispatch_group_enter(group);
  [device() newLibraryWithSource:@"kernel void f(device int *o [[buffer(0)]]) { *o = 1; }"
                         options:nil
               completionHandler:^(id<MTLLibrary> library, NSError *error) {
                 EXPECT_EQ(error, nil);
                 made = library;
                 count();
               }];
  dispatch_group_enter(group);
  [device() newLibraryWithSource:@"kernel void f("
                         options:nil
               completionHandler:^(id<MTLLibrary> library, NSError *error) {
                 EXPECT_EQ(library, nil);
                 broken = error;
                 count();
               }];
  ASSERT_EQ(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)), 0);
  ASSERT_TRUE(made != nil);
  EXPECT_EQ(broken.code, MTLLibraryErrorCompileFailure);

  MTLComputePipelineDescriptor *descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = [made newFunctionWithName:@"f"];
  dispatch_group_enter(group);
  [device() newComputePipelineStateWithFunction:descriptor.computeFunction
                              completionHandler:^(id<MTLComputePipelineState> state, NSError *error) {
                                EXPECT_TRUE(state != nil) << textOf(error);
                                count();
                              }];
  dispatch_group_enter(group);
  [device()
      newComputePipelineStateWithDescriptor:descriptor
                                    options:MTLPipelineOptionNone
                          completionHandler:^(id<MTLComputePipelineState> state,
                                              MTLComputePipelineReflection *reflection, NSError *error) {
                            EXPECT_TRUE(state != nil) << textOf(error);
                            EXPECT_EQ(reflection.bindings.count, 1u);
                            count();
                          }];
  descriptor.computeFunction = nil; // it has been copied
  dispatch_group_enter(group);
  [made newFunctionWithName:@"g"
             constantValues:[MTLFunctionConstantValues new]
          completionHandler:^(id<MTLFunction> function, NSError *error) {
            EXPECT_EQ(function, nil);
            EXPECT_EQ(error.code, MTLLibraryErrorFunctionNotFound);
            count();
          }];
  ASSERT_EQ(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 60 * NSEC_PER_SEC)), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 5);
}

// source: a build that compiles for files with -include metal_stdlib, since "the runtime source compiler
// implicitly includes metal_stdlib".
TEST(Library, ATextHasTheLibraryWithoutIncludingIt) {
  NSString *source = @"using namespace metal;\n"
                      "kernel void f(device float *o [[buffer(0)]]) { o[0] = simd_sum(2.0f); }";
  EXPECT_EQ(valueOf<float>(source, nil), 2.0f);
}
