// What kernels compute whose library is linked from several sources, and when such a library is compiled
// again. What is refused is tested in tests/frontend/link_test.cpp.
#include "host/assay.h"
#include "host/launch.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class LinkedLibrary : public testing::Test {
protected:
  LinkedLibrary() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  std::vector<std::string> write(const std::vector<std::string> &texts) {
    std::vector<std::string> files;
    for (size_t i = 0; i < texts.size(); ++i)
      files.push_back(folder.write(std::to_string(i) + ".metal",
                                   "#include <metal_stdlib>\nusing namespace metal;\n" + texts[i]));
    return files;
  }

  Library link(const std::vector<std::string> &texts, const CompileOptions &options = {}) {
    const auto library = device.newLibraryWithFiles(write(texts), options);
    EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
    return library ? *library : Library();
  }

  // The output of four threads; buffer 0 is the output, all others are given.
  std::vector<float> run(const Library &library, const char *kernel,
                         const FunctionConstantValues &constants = {}, Bindings bindings = {},
                         PipelineOptions options = {}) {
    KernelRequest request{.kernel = kernel, .constants = constants, .pipeline = std::move(options)};
    const auto built = buildKernel(device, library, request);
    EXPECT_TRUE(built) << (built ? "" : renderDiagnostics(built.error().diagnostics));
    if (!built)
      return {};
    const Buffer out = device.newBuffer(4 * sizeof(float));
    bindings.buffers[0] = out;
    const auto report = launch(device, built->pipeline, bindings, DispatchSize::threads({4}, {4}));
    EXPECT_TRUE(report) << (report ? "" : renderDiagnostics(report.error().diagnostics));
    std::vector<float> values(4);
    std::memcpy(values.data(), out.contents(), 4 * sizeof(float));
    return values;
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
};

void set(FunctionConstantValues &values, auto key, auto value) {
  const DataType type = std::is_same_v<decltype(value), bool>    ? DataType::Bool
                        : std::is_same_v<decltype(value), float> ? DataType::Float
                                                                 : DataType::Int;
  values.setConstantValue(&value, type, key);
}

constexpr const char *kEnd = "(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) ";

std::string kernelText(const std::string &name, const std::string &value) {
  return "kernel void " + name + kEnd + "{ o[i] = " + value + "; }\n";
}

TEST_F(LinkedLibrary, ANameOfEachSourceMeansItsOwn) {
  const auto part = [](const std::string &n) {
    return "static float s() { return " + n + "; }\nnamespace { float a() { return 10 * " + n +
           "; } }\ninline float h() { return 100 * " + n + "; }\nconstant float c = 1000 * " + n +
           ";\ntemplate <class T> T t() { return T(10000 * " + n + "); }\n";
  };
  const std::string sum = "s() + a() + h() + c + t<float>()";
  const Library library =
      link({part("1") + "float other();\n" + kernelText("k", sum + " - other() * i"),
            part("2") + "float other() { return " + sum + "; }\n" + kernelText("l", sum)});
  EXPECT_THAT(run(library, "k"), ElementsAre(11111, -11111, -33333, -55555));
  EXPECT_THAT(run(library, "l"), ElementsAre(22222, 22222, 22222, 22222));
  PipelineOptions fibers;
  fibers.engine = Engine::Fiber;
  EXPECT_THAT(run(library, "k", {}, {}, fibers), ElementsAre(11111, -11111, -33333, -55555));
}

TEST_F(LinkedLibrary, AnInlineDefinitionThatAnotherSourceNeedsIsItsSources) {
  const Library library =
      link({"float h(float);\nfloat two();\n" + kernelText("k", "h(i) + two()"),
            "static float own() { return 5; }\ninline float h(float x) { return x * own(); }\n"
            "float two() { return h(2); }\n",
            "inline float h(float x) { return 1000; }\n" + kernelText("l", "h(i)")});
  EXPECT_THAT(run(library, "k"), ElementsAre(10, 15, 20, 25));
  EXPECT_THAT(run(library, "l"), ElementsAre(1000, 1000, 1000, 1000));
}

TEST_F(LinkedLibrary, ProgramScopeConstantsComeFromWhereTheyAreDefined) {
  const Library library =
      link({"struct S { float2x2 m; float v; };\nextern constant float t[4];\nextern constant S s;\n"
            "extern constant float computed;\n" +
                kernelText("k", "t[i] + s.m[1].y + s.v + computed"),
            "struct S { float2x2 m; float v; };\nextern constant float t[4] = {1, 2, 3, 4};\n"
            "constant int n [[function_constant(3)]];\nextern constant float computed = n * 100;\n"
            "extern constant S s = {float2x2(10), 20};\n"});
  FunctionConstantValues values;
  set(values, 3u, 7);
  EXPECT_THAT(run(library, "k", values), ElementsAre(731, 732, 733, 734));
}

TEST_F(LinkedLibrary, AFunctionConstantHasTheMeaningOfItsFile) {
  const Library library = link(
      {"constant int a [[function_constant(0)]];\nconstant bool use [[function_constant(1)]];\n" +
           kernelText("k", "use ? a : -1"),
       "constant bool use [[function_constant(0)]];\nconstant float a [[function_constant(1)]];\n"
       "kernel void l(device float *o [[buffer(0)]], device float *p [[buffer(1), function_constant(use)]],\n"
       "  uint i [[thread_position_in_grid]]) { o[i] = is_function_constant_defined(a) ? a : 5; }\n"});
  FunctionConstantValues first, second, named;
  set(first, 0u, 7);
  set(first, 1u, true);
  set(second, 0u, false);
  set(second, 1u, 0.5f);
  set(named, std::string_view("use"), false);
  EXPECT_THAT(run(library, "k", first), ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(run(library, "l", second), ElementsAre(0.5, 0.5, 0.5, 0.5));
  EXPECT_THAT(run(library, "l", named), ElementsAre(5, 5, 5, 5));
  const auto wrong = library.newFunction("l", first);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), StartsWith("function constant 'use' (index 0) is of type bool"));
  const auto missing = device.newComputePipelineState(*library.newFunction("l", {}));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("needs function constant use (index 0)"));
}

TEST_F(LinkedLibrary, ProgramScopeBuiltInsAndBindingsReachKernelsOfOtherFiles) {
  const Library library =
      link({"uint gid [[thread_position_in_grid]];\nfloat f();\n"
            "kernel void k(device float *o [[buffer(0)]]) { o[gid] = f() + gid; }\n",
            "uint3 gid [[threads_per_grid]];\nconstant float *constant in [[buffer(1)]];\n"
            "ushort lane [[thread_index_in_simdgroup]];\n"
            "float f() { return in[lane] * 10 + gid.x * 100; }\n"});
  const float values[] = {1, 2, 3, 4};
  Bindings bindings;
  bindings.buffers[1] = device.newBuffer(values, sizeof values);
  EXPECT_THAT(run(library, "k", {}, bindings), ElementsAre(410, 421, 432, 443));
}

TEST_F(LinkedLibrary, FunctionTablesHoldFunctionsOfAllFiles) {
  const Library library = link(
      {"[[visible]] float one(float x) { return x + 1; }\n"
       "kernel void k(device float *o [[buffer(0)]], visible_function_table<float(float)> t [[buffer(1)]],\n"
       "  uint i [[thread_position_in_grid]]) { o[i] = t[i % 2](i); }\n",
       "static float by() { return 10; }\n[[visible]] float ten(float x) { return x * by(); }\n"
       "static float unused() { return 1; }\n"});
  PipelineOptions options;
  options.linkedFunctions.functions = {*library.newFunction("one"), *library.newFunction("ten")};
  const auto pipeline = device.newComputePipelineState(*library.newFunction("k"), options);
  ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
  VisibleFunctionTable table = pipeline->newVisibleFunctionTable(2);
  (void)table.setFunction(*pipeline->functionHandle(*library.newFunction("one")), 0);
  (void)table.setFunction(*pipeline->functionHandle(*library.newFunction("ten")), 1);
  const Buffer out = device.newBuffer(16);
  Bindings bindings;
  bindings.buffers[0] = out;
  bindings.functionTables[1] = table;
  ASSERT_TRUE(launch(device, *pipeline, bindings, DispatchSize::threads({4}, {4})));
  const float *values = static_cast<const float *>(out.contents());
  EXPECT_THAT(std::vector<float>(values, values + 4), ElementsAre(1, 10, 3, 30));
}

TEST_F(LinkedLibrary, ThreadgroupMemoryAndSimdOperationsOfAnotherFile) {
  const Library library = link(
      {"float reversed(threadgroup float *, uint);\n"
       "kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
       "  threadgroup float m[4];\n  m[i] = i;\n  o[i] = reversed(m, i);\n}\n",
       "float reversed(threadgroup float *m, uint i) {\n"
       "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  return m[3 - i] * 10 + simd_sum(1);\n}\n"});
  EXPECT_THAT(run(library, "k"), ElementsAre(34, 24, 14, 4));
  EXPECT_EQ(library.newFunction("k")->info().staticThreadgroupBytes, 16u);
}

TEST_F(LinkedLibrary, EachSourceHasItsOwnOptions) {
  CompileOptions two;
  two.name = "two.metal";
  two.preprocessorMacros = {{"N", "2"}};
  const auto library = device.newLibraryWithSources(
      {{.text = "float f();\nkernel void k(device float *o) { *o = f(); }\n#ifdef N\n#error N\n#endif\n"},
       {.text = "float f() { return N; }\n", .options = two}});
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  EXPECT_FLOAT_EQ(run(*library, "k")[0], 2);
}

TEST_F(LinkedLibrary, FaultsAreInTheFileOfTheFunction) {
  for (bool debug : {false, true}) {
    CompileOptions compile;
    PipelineOptions options;
    options.debug = debug;
    compile.forPipelines(options);
    const Library library =
        link({"void put(device float *, uint);\nkernel void k" + std::string(kEnd) + "{ put(o, i); }\n",
              "void put(device float *o, uint i) {\n  o[i + 1] = 1;\n}\n"},
             compile);
    const auto pipeline = device.newComputePipelineState(*library.newFunction("k"), options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    Bindings bindings;
    bindings.buffers[0] = device.newBuffer(16);
    const auto report = launch(device, *pipeline, bindings, DispatchSize::threads({4}, {4}));
    ASSERT_FALSE(report);
    EXPECT_THAT(renderDiagnostics(report.error().diagnostics), HasSubstr("1.metal:4:")) << debug;
    EXPECT_EQ(report.error().rule(), "out-of-bounds");
  }
}

TEST_F(LinkedLibrary, AProbeIsForTheFileThatItNames) {
  const std::vector<std::string> files = write({"float f(float);\n" + kernelText("k", "f(i)"),
                                                "float f(float x) {\n  float y = x * 2;\n  return y;\n}\n"});
  KernelRequest request{.file = files[0], .moreFiles = {files[1]}, .kernel = "k"};
  request.compile.probes = {{"y", "y", "return y;", 0, ProbeSide::Before, "1.metal"}};
  EXPECT_TRUE(compileLibrary(device, request));
  request.compile.probes[0].file = "2.metal";
  const auto none = compileLibrary(device, request);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().rule(), "probe-file");
}

TEST_F(LinkedLibrary, TheCacheHoldsWhatNoSourceHasChanged) {
  const std::vector<std::string> texts = {"float f();\n" + kernelText("k", "f()"),
                                          "float f() { return 1; }\n"};
  EXPECT_FALSE(link(texts).fromCache());
  EXPECT_TRUE(link(texts).fromCache());
  EXPECT_THAT(run(link(texts), "k"), ElementsAre(1, 1, 1, 1));
  const Library changed = link({texts[0], "float f() { return 2; }\n"});
  EXPECT_FALSE(changed.fromCache());
  EXPECT_THAT(run(changed, "k"), ElementsAre(2, 2, 2, 2));
  EXPECT_FALSE(device.newLibraryWithFile(folder / "1.metal")->fromCache()) << "one of them alone";
  std::filesystem::remove_all(folder / "cache");
  EXPECT_THAT(run(changed, "k"), ElementsAre(2, 2, 2, 2)) << "compiled again when its bitcode is gone";
}

TEST_F(LinkedLibrary, OneSourceAloneIsRefusedWhenItsKernelIsMade) {
  const Library library = link({"float f();\n" + kernelText("k", "f()") + kernelText("l", "1")});
  const auto pipeline = device.newComputePipelineState(*library.newFunction("k"));
  ASSERT_FALSE(pipeline);
  EXPECT_THAT(
      renderDiagnostics(pipeline.error().diagnostics),
      HasSubstr("f is declared, and defined nowhere [unsupported]\n  define it in the kernel's source, or "
                "give the file that defines it, too"));
  EXPECT_THAT(run(library, "l"), ElementsAre(1, 1, 1, 1));
  EXPECT_FALSE(device.newLibraryWithFiles({}));
}

} // namespace
} // namespace assay
