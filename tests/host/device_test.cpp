// The public API from source text to bits, as a Metal programmer would write it.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kDeviceSource = R"(#include <metal_stdlib>
using namespace metal;
constant int scale [[function_constant(3)]];
constant int offset [[function_constant(4)]];
constant int offset_or_1 = is_function_constant_defined(offset) ? offset : 1;

kernel void affine(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * scale + offset_or_1;
}
[[kernel, max_total_threads_per_threadgroup(64)]]
void reverse(device int *x [[buffer(0)]], constant uint &n [[buffer(1)]],
             threadgroup int *tile [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup int other[4];
  other[i % 4] = 0;
  tile[i] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[i] = tile[n - 1 - i] + other[i % 4];
}
)";

class DeviceTest : public testing::Test {
protected:
  DeviceTest() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    library = load();
  }

  std::optional<Library> load(CompileOptions options = {}) {
    Result<Library> result = device.newLibraryWithSource(kDeviceSource, options);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    return result ? std::optional(*result) : std::nullopt;
  }
  ComputePipeline pipeline(const char *name, const FunctionConstantValues &constants = {}) {
    const Result<Function> function = library->newFunction(name, constants);
    EXPECT_TRUE(function);
    Result<ComputePipeline> result = device.newComputePipelineState(*function);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    return *result;
  }
  static std::string rule(const auto &result) { return result ? "" : result.error().rule(); }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  std::optional<Library> library;
};

} // namespace

TEST_F(DeviceTest, ALibraryKnowsItsFunctions) {
  EXPECT_THAT(library->functionNames(), testing::ElementsAre("affine", "reverse"));
  const Result<Function> function = library->newFunction("affine");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->name(), "affine");
  ASSERT_EQ(function->functionConstants().size(), 2u);
  EXPECT_EQ(function->functionConstants()[0].name, "scale");
}

TEST_F(DeviceTest, AnUnknownFunctionNamesTheNearest) {
  const Result<Function> function = library->newFunction("revesre");
  ASSERT_FALSE(function);
  EXPECT_EQ(renderDiagnostics(function.error().diagnostics),
            "error: no kernel 'revesre' in source.metal [unknown-kernel]\n  did you mean 'reverse'?\n");
}

TEST_F(DeviceTest, APipelineKnowsItsLimits) {
  const ComputePipelineState state = pipeline("reverse");
  EXPECT_EQ(state.threadExecutionWidth(), 32u);
  EXPECT_EQ(state.maxTotalThreadsPerThreadgroup(), 64u);
  EXPECT_EQ(state.staticThreadgroupMemoryLength(), 16u);
  EXPECT_EQ(state.activeArguments().size(), 4u);
}

TEST_F(DeviceTest, FunctionConstantsChangeWhatIsComputed) {
  for (const auto &[scale, offset, expected] : {std::tuple(3, 5, 26), std::tuple(-1, 0, -7)}) {
    FunctionConstantValues constants;
    constants.setConstantValue(&scale, DataType::Int, 3);
    constants.setConstantValue(&offset, DataType::Int, "offset");
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline("affine", constants));
    const int seven = 7;
    Buffer x = device.newBuffer(&seven, sizeof seven);
    encoder.setBuffer(x, 0, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    EXPECT_EQ(x.as<int>()[0], expected);
  }
}

TEST_F(DeviceTest, AFunctionConstantWithADefaultMayBeLeftOut) {
  FunctionConstantValues constants;
  const int scale = 2;
  constants.setConstantValue(&scale, DataType::Int, 3);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline("affine", constants));
  const int seven = 7;
  Buffer x = device.newBuffer(&seven, sizeof seven);
  encoder.setBuffer(x, 0, 0);
  ASSERT_TRUE(encoder.dispatchThreads(Size(1), Size(1)));
  EXPECT_EQ(x.as<int>()[0], 15);
}

TEST_F(DeviceTest, AMissingFunctionConstantIsTheCallersMistake) {
  const Result<Function> function = library->newFunction("affine");
  ASSERT_TRUE(function);
  const Result<ComputePipeline> state = device.newComputePipelineState(*function);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().rule(), "missing-function-constant");
  EXPECT_EQ(state.error().kind, ErrorKind::Usage);
}

TEST_F(DeviceTest, WrongFunctionConstantsAreRefused) {
  FunctionConstantValues constants;
  const float half = 0.5f;
  constants.setConstantValue(&half, DataType::Float, 3);
  const Result<Function> typed = library->newFunction("affine", constants);
  ASSERT_FALSE(typed);
  EXPECT_EQ(renderDiagnostics(typed.error().diagnostics),
            "error: function constant 'scale' (index 3) is of type int, the value given is of type float "
            "[function-constant-type]\n");
  constants.reset();
  constants.setConstantValue(&half, DataType::Float, "scael");
  const Result<Function> named = library->newFunction("affine", constants);
  ASSERT_FALSE(named);
  EXPECT_EQ(renderDiagnostics(named.error().diagnostics),
            "error: no function constant 'scael' in source.metal [unknown-function-constant]\n"
            "  did you mean 'scale'?\n");
  constants.reset();
  constants.setConstantValue(&half, DataType::Float, 77);
  EXPECT_TRUE(library->newFunction("affine", constants))
      << "an index that the library does not have is ignored";
}

TEST_F(DeviceTest, AnEncoderBindsBuffersBytesAndThreadgroupMemory) {
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i)
    numbers[i] = i;
  Buffer x = device.newBuffer(numbers.data(), 64 * sizeof(int));
  const uint32_t n = 32;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline("reverse"));
  encoder.setBuffer(x, 32 * sizeof(int), 0);
  encoder.setBytes(&n, sizeof n, 1);
  encoder.setThreadgroupMemoryLength(32 * sizeof(int), 0);
  const Result<DispatchReport> report = encoder.dispatchThreadgroups(Size(1), Size(32));
  ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  EXPECT_EQ(report->threads, 32u);
  EXPECT_EQ(report->threadgroups, 1u);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(x.as<int>()[i], i) << "before the offset";
    EXPECT_EQ(x.as<int>()[32 + i], 63 - i);
  }
}

TEST_F(DeviceTest, ASettersMistakeIsReportedByTheNextDispatchOnly) {
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  EXPECT_EQ(rule(encoder.dispatchThreads(Size(1), Size(1))), "no-pipeline");
  encoder.setComputePipelineState(pipeline("reverse"));
  encoder.setBytes(kDeviceSource, 5000, 1);
  EXPECT_EQ(rule(encoder.dispatchThreads(Size(1), Size(1))), "inline-bytes");
  EXPECT_EQ(rule(encoder.dispatchThreads(Size(1), Size(1))), "missing-binding");
  encoder.setBuffer(device.newBuffer(4), 0, 31);
  EXPECT_EQ(rule(encoder.dispatchThreads(Size(1), Size(1))), "buffer-index");
}

// As in Metal, where such an argument is not active: MLX's gemv leaves its bias unbound.
TEST_F(DeviceTest, AnArgumentThatTheKernelDoesNotUseNeedsNoBuffer) {
  const Result<Library> library = device.newLibraryWithSource(R"(
template <bool kBias> [[kernel]] void add(device int *x [[buffer(0)]], device const int *bias [[buffer(1)]],
                                          constant int &n [[buffer(2)]],
                                          uint i [[thread_position_in_grid]]) {
  x[i] += kBias ? bias[i] + n : 1;
}
template [[host_name("with")]] [[kernel]] decltype(add<true>) add<true>;
template [[host_name("without")]] [[kernel]] decltype(add<false>) add<false>;
)");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const auto run = [&](const char *name) {
    const auto pipeline = device.newComputePipelineState(*library->newFunction(name));
    Buffer x = device.newBuffer(4);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(x, 0, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    return report ? std::to_string(x.as<int>()[0]) : report.error().rule();
  };
  EXPECT_EQ(run("without"), "1");
  EXPECT_EQ(run("with"), "missing-binding");
}

// ggml's products of quantised matrices with a vector pass it on and leave it alone.
TEST_F(DeviceTest, ThreadgroupMemoryThatTheKernelDoesNotUseNeedsNoLength) {
  const Result<Library> library = device.newLibraryWithSource(R"(#include <metal_stdlib>
void put(threadgroup char *scratch, device int *x, uint i, bool use) {
  if (use)
    ((threadgroup int *)scratch)[i] = 7;
  metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
  x[i] = use ? ((threadgroup int *)scratch)[i] : 1;
}
kernel void with(device int *x [[buffer(0)]], threadgroup char *scratch [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]]) {
  put(scratch, x, i, true);
}
kernel void without(device int *x [[buffer(0)]], threadgroup char *scratch [[threadgroup(0)]],
                    uint i [[thread_position_in_grid]]) {
  put(scratch, x, i, false);
}
)");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const auto run = [&](const char *name, uint32_t length) {
    const auto pipeline = device.newComputePipelineState(*library->newFunction(name));
    Buffer x = device.newBuffer(4);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(x, 0, 0);
    if (length)
      encoder.setThreadgroupMemoryLength(length, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    return report ? std::to_string(x.as<int>()[0]) : report.error().rule();
  };
  EXPECT_EQ(run("without", 0), "1");
  EXPECT_EQ(run("with", 0), "missing-binding");
  EXPECT_EQ(run("with", 16), "7");
}

TEST_F(DeviceTest, BindingsOfAnEarlierPipelineMayStay) {
  FunctionConstantValues constants;
  const int one = 1;
  constants.setConstantValue(&one, DataType::Int, 3);
  const uint32_t n = 1;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setBuffer(device.newBuffer(4), 0, 0);
  encoder.setBytes(&n, sizeof n, 1);
  encoder.setThreadgroupMemoryLength(16, 0);
  encoder.setComputePipelineState(pipeline("reverse"));
  ASSERT_TRUE(encoder.dispatchThreads(Size(1), Size(1)));
  encoder.setComputePipelineState(pipeline("affine", constants));
  EXPECT_TRUE(encoder.dispatchThreads(Size(1), Size(1)));
  encoder.setBytes(&n, sizeof n, 1);
  EXPECT_EQ(rule(encoder.dispatchThreads(Size(1), Size(1))), "surplus-binding");
  encoder.setBuffer(nullptr, 0, 1);
  EXPECT_TRUE(encoder.dispatchThreads(Size(1), Size(1)));
}

TEST_F(DeviceTest, ASecondLibraryAndPipelineComeFromTheCache) {
  EXPECT_FALSE(library->fromCache());
  EXPECT_FALSE(pipeline("reverse").fromCache());
  library = load();
  EXPECT_TRUE(library->fromCache());
  EXPECT_TRUE(pipeline("reverse").fromCache());
  EXPECT_EQ(pipeline("reverse").maxTotalThreadsPerThreadgroup(), 64u);
  CompileOptions options;
  options.cache = false;
  EXPECT_FALSE(load(options)->fromCache());
}

TEST_F(DeviceTest, APipelineIsBuiltAfterTheBitcodeLeftTheCache) {
  library = load();
  ASSERT_TRUE(library->fromCache());
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path() / "cache"))
    if (entry.path().extension() == ".bitcode")
      std::filesystem::remove(entry.path());
  EXPECT_FALSE(pipeline("reverse").fromCache());
}

TEST_F(DeviceTest, MacrosAndNamesAreTheCallers) {
  CompileOptions options;
  options.name = "pasted.metal";
  options.preprocessorMacros = {{"ELEMENT", "int"}};
  EXPECT_TRUE(
      device.newLibraryWithSource("kernel void f(device ELEMENT *x [[buffer(0)]]) { x[0] = 1; }", options));
  const Result<Library> bad =
      device.newLibraryWithSource("kernel void f(device ELEMENT *x) { x[0] = y; }", options);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::Kernel);
  EXPECT_EQ(bad.error().diagnostics.front().where.file, "pasted.metal");
}

// source: Metal's compiler at run time includes <metal_stdlib> before the first line of a host's text; `xcrun
// metal` does not (what a text is compiled for as a file: -include metal_stdlib).
TEST_F(DeviceTest, ATextHasTheLibraryWithoutIncludingIt) {
  const std::string text = "using namespace metal;\n"
                           "kernel void f(device float4 *x [[buffer(0)]]) {\n"
                           "  x[0] = quad_sum(x[0]);\n"
                           "}\n";
  const Result<Library> implied = device.newLibraryWithSource(text);
  EXPECT_TRUE(implied) << renderDiagnostics(implied.error().diagnostics);
  EXPECT_TRUE(device.newLibraryWithSource("#include <metal_stdlib>\n" + text));
  EXPECT_TRUE(device.newLibraryWithSource("#include <metal_simdgroup>\n" + text));

  const Result<Library> bad = device.newLibraryWithSource(text + "kernel void g() { absent(); }\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(renderDiagnostics(bad.error().diagnostics),
            "source.metal:5:19: error: use of undeclared identifier 'absent'\n"
            "  kernel void g() { absent(); }\n                    ^\n");

  CompileOptions file;
  file.textIsFile = true;
  EXPECT_FALSE(device.newLibraryWithSource(text, file)) << "another entry of the cache";
  EXPECT_TRUE(device.newLibraryWithSource("#include <metal_stdlib>\n" + text, file));
  folder.write("f.metal", text);
  EXPECT_FALSE(device.newLibraryWithFile(folder / "f.metal"));
}

// What a program defines before its own #include counts as it does in a file.
TEST_F(DeviceTest, ATextThatIncludesTheLibraryDecidesAboutAssertions) {
  const std::string text = "#include <metal_stdlib>\n"
                           "kernel void f(device float *x [[buffer(0)]]) { assert(absent); x[0] = 1; }\n";
  EXPECT_TRUE(device.newLibraryWithSource(text));
  EXPECT_FALSE(device.newLibraryWithSource("#define ASSAY_ASSERTIONS\n" + text));
}

} // namespace assay
