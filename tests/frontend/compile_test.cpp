// Small Metal sources through the whole front end: what is accepted, what is refused and where, what
// reflection says.
#include "frontend/compile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace assay;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr const char *kHead = "#include <metal_stdlib>\nusing namespace metal;\n"; // two lines

Result<frontend::CompiledModule> compileText(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = kHead + text;
  return frontend::compile(request);
}

frontend::CompiledModule mustCompile(const std::string &text) {
  auto result = compileText(text);
  if (!result) {
    ADD_FAILURE() << renderDiagnostics(result.error().diagnostics);
    return {};
  }
  return std::move(*result);
}

// Of the function constants that a kernel or a visible function reads.
std::vector<uint32_t> indicesOf(const ModuleInfo &module, const std::vector<uint32_t> &places) {
  std::vector<uint32_t> indices;
  for (const FunctionConstantInfo &constant : module.constantsAt(places))
    indices.push_back(constant.index);
  return indices;
}

Diagnostic mustFail(const std::string &text) {
  auto result = compileText(text);
  if (result) {
    ADD_FAILURE() << "compiled, but should not:\n" << text;
    return {};
  }
  EXPECT_EQ(result.error().kind, ErrorKind::Kernel);
  return result.error().diagnostics.front();
}

// Source: reference/shaders-msl of SPIRV-Cross and naga/tests/out of wgpu,
// which both compile with Apple's compiler.
TEST(Compile, TakesWhatTranslatorsWrite) {
  mustCompile("struct B { uint n; };\n"
              "struct A { coherent device B *p; };\n"
              "uint size(device B *(&s)[2], constant uint *n) { return s[1]->n; }\n"
              "kernel void k(device float3 *x, device uint4 *u, uint i [[thread_position_in_grid]]) {\n"
              "  coherent device float3 *y = x;\n"
              "  float coherent = 1;\n"
              "  y[i] = float3(float4(x[i], 1)) * coherent;\n"
              "  u[i] = uint4(i, uint2(0)); }\n"
              "struct Q { metal::raytracing::intersector<metal::raytracing::instancing> i; };\n");
  const auto fake = mustCompile("kernel void k(device float &x [[user(fake0)]]) { x = 1; }\n");
  ASSERT_EQ(fake.info.kernels.size(), 1u);
  EXPECT_THAT(fake.info.kernels[0].unsupported, HasSubstr("[[user(..)]]"));
}

TEST(Compile, ReflectsAKernel) {
  const auto module =
      mustCompile("struct P { int n; float4 v; };\n"
                  "kernel void f(device float *out [[buffer(2)]], const device half4 *in [[buffer(0)]],\n"
                  "  constant P &p [[buffer(7)]], threadgroup float *t [[threadgroup(1)]],\n"
                  "  uint3 g [[thread_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {\n"
                  "  out[g.x] = float(in[0].x) + p.v.x + t[lane]; }\n");
  ASSERT_EQ(module.info.kernels.size(), 1u);
  const KernelInfo &k = module.info.kernels[0];
  EXPECT_EQ(k.name, "f");
  EXPECT_EQ(k.where, (SourcePlace{"test.metal", 4, 13}));
  ASSERT_EQ(k.arguments.size(), 6u);
  const auto &[out, in, p, t, g, lane] = std::tie(k.arguments[0], k.arguments[1], k.arguments[2],
                                                  k.arguments[3], k.arguments[4], k.arguments[5]);
  EXPECT_EQ(out.index, 2u);
  EXPECT_EQ(out.access, Access::ReadWrite);
  EXPECT_EQ(out.space, AddressSpace::Device);
  EXPECT_EQ(out.element, ScalarType::Float);
  EXPECT_EQ(out.pointeeBytes, 4u);
  EXPECT_EQ(in.access, Access::Read);
  EXPECT_EQ(in.element, ScalarType::Half);
  EXPECT_EQ(in.pointeeBytes, 8u);
  EXPECT_TRUE(p.isReference);
  EXPECT_EQ(p.space, AddressSpace::Constant);
  EXPECT_EQ(p.pointeeBytes, 32u);
  EXPECT_EQ(p.pointeeAlign, 16u);
  EXPECT_EQ(t.kind, ArgumentKind::ThreadgroupMemory);
  EXPECT_EQ(t.index, 1u);
  EXPECT_EQ(g.builtin, Builtin::ThreadPositionInGrid);
  EXPECT_EQ(lane.builtin, Builtin::ThreadIndexInSimdgroup);
  EXPECT_EQ(lane.element, ScalarType::UShort);
}

TEST(Compile, GivesImplicitIndicesInOrderAroundExplicitOnes) {
  const auto module =
      mustCompile("kernel void f(device float *a, device float *b [[buffer(1)]], constant int &c,\n"
                  "  threadgroup float *t, device float *d) { a[0] = b[0] + c + t[0] + d[0]; }\n");
  std::vector<uint32_t> indices;
  for (const ArgumentInfo &argument : module.info.kernels.at(0).arguments)
    indices.push_back(argument.index);
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 0, 3));
}

TEST(Compile, InstantiatesTemplatesThroughMacros) {
  const auto module = mustCompile(
      "template <typename T, int N> [[kernel, max_total_threads_per_threadgroup(N * 32)]] void f(\n"
      "    device T *p [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {\n"
      "  threadgroup T s[N]; s[i] = p[i]; threadgroup_barrier(mem_flags::mem_threadgroup); p[i] = s[0]; }\n"
      "#define INSTANTIATE(name, T, N) template [[host_name(name)]] [[kernel]] decltype(f<T, N>) f<T, N>;\n"
      "INSTANTIATE(\"f_half_4\", half, 4)\nINSTANTIATE(\"f_float_8\", float, 8)\n");
  ASSERT_EQ(module.info.kernels.size(), 2u);
  EXPECT_EQ(module.info.kernels[0].name, "f_half_4");
  EXPECT_EQ(module.info.kernels[0].maxTotalThreads, 128u);
  EXPECT_EQ(module.info.kernels[0].staticThreadgroupBytes, 8u);
  EXPECT_EQ(module.info.kernels[1].name, "f_float_8");
  EXPECT_EQ(module.info.kernels[1].maxTotalThreads, 256u);
  EXPECT_EQ(module.info.kernels[1].staticThreadgroupBytes, 32u);
}

// source: hosts that ask a library for them, as newFunctionWithName:@"grid::vertex_main".
TEST(Compile, AFunctionInANamespaceHasItsQualifiedName) {
  const auto module = mustCompile("namespace a { kernel void f(device int *p) { *p = 1; }\n"
                                  "  vertex float4 v() { return 1; } }\n"
                                  "namespace b { namespace c { kernel void f(device int *p) { *p = 2; }\n"
                                  "    template <typename T> kernel void g(device T *p) { *p = 3; }\n"
                                  "    template kernel void g<half>(device half *);\n"
                                  "    [[host_name(\"plain\")]] kernel void h(device int *p) { *p = 4; } }\n"
                                  "  extern \"C\" kernel void k(device int *p) { *p = 5; } }\n");
  std::vector<std::string> names;
  for (const KernelInfo &kernel : module.info.kernels)
    names.push_back(kernel.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("a::f", "b::c::f", "b::c::g<half>", "plain", "k"));
  EXPECT_EQ(module.info.otherFunctions.at(0).name, "a::v");
}

TEST(Compile, AnEmptyHostNameLeavesTheKernelItsOwn) {
  const auto module = mustCompile("template <typename T> kernel void f(device T *p) { *p = 1; }\n"
                                  "template [[host_name(\"\")]] kernel void f<half>(device half *);\n");
  EXPECT_EQ(module.info.kernels[0].name, "f<half>");
}

TEST(Compile, ReflectsFunctionConstantsAndWhoReadsThem) {
  const auto module =
      mustCompile("#define BASE 400\n"
                  "constant int a [[function_constant(BASE + 1)]];\n"
                  "constant bool b [[function_constant(2)]];\n"
                  "constant float unused [[function_constant(3)]];\n"
                  "constant int c = is_function_constant_defined(a) ? a : 32;\n"
                  "kernel void f(device int *p, device int *q [[buffer(5), function_constant(b)]]) {\n"
                  "  p[0] = c; if (b) q[0] = 1; }\n"
                  "kernel void g(device int *p) { p[0] = 1; }\n");
  ASSERT_EQ(module.info.functionConstants.size(), 3u);
  EXPECT_EQ(module.info.functionConstants[0].index, 401u);
  EXPECT_EQ(module.info.functionConstants[0].type, ScalarType::Int);
  EXPECT_TRUE(module.info.functionConstants[0].hasDefault);
  EXPECT_EQ(module.info.functionConstants[1].type, ScalarType::Bool);
  EXPECT_FALSE(module.info.functionConstants[1].hasDefault);
  EXPECT_THAT(indicesOf(module.info, module.info.kernels.at(0).functionConstants), ElementsAre(401, 2));
  EXPECT_THAT(module.info.kernels.at(1).functionConstants, ElementsAre());
  EXPECT_EQ(module.info.kernels.at(0).arguments.at(1).condition, "b");
}

TEST(Compile, AConstantThatDecidesAboutAnArgumentIsReadByTheKernel) {
  const frontend::CompiledModule module =
      mustCompile("constant bool has [[function_constant(7)]];\n"
                  "constant bool more [[function_constant(8)]];\n"
                  "constant bool computed = !more;\n"
                  "kernel void k(device int *p [[function_constant(has)]],\n"
                  "              device int *q [[function_constant(computed)]]) {}\n");
  EXPECT_THAT(indicesOf(module.info, module.info.kernels.at(0).functionConstants), ElementsAre(7u, 8u));
}

// Programs have macros of one capital letter, before they include anything or on the command line.
TEST(Compile, TheLibraryHasNoNamesThatAProgramWouldGiveAMacro) {
  std::string text;
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    text += std::string("#define ") + letter + " 4\n#define " + letter + "1 4\n";
  mustCompile(
      text +
      "#include <metal_stdlib>\n#include <metal_tensor>\n#include <metal_logging>\n"
      "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
      "#include <metal_simdgroup_matrix>\n#include <simd/simd.h>\n"
      "kernel void k(device metal::float4 *p) { p[0] = metal::sin(p[0] * N) + metal::simd_sum(p[1]); }\n");
}

TEST(Compile, AKernelThatIsNotAskedForIsListedAndGetsNoBody) {
  frontend::SourceRequest request;
  request.path = "source.metal";
  request.text =
      "template <class T> [[kernel]] void f(device T *p [[buffer(3)]]) { *p = T(1) << 1; }\n"
      "template [[host_name(\"i\")]] [[kernel]] void f<int>(device int *);\n"
      "template [[host_name(\"x\")]] [[kernel]] decltype(f<float>) f<float>; // a float has no <<\n";
  ASSERT_FALSE(frontend::compile(request));
  request.kernels = {"i"};
  const auto module = frontend::compile(request);
  ASSERT_TRUE(module) << module.error().message();
  ASSERT_EQ(module->info.kernels.size(), 2u);
  const KernelInfo *asked = module->info.findKernel("i"), *other = module->info.findKernel("x");
  ASSERT_TRUE(asked && other);
  EXPECT_NE(asked->entrySymbol, "");
  EXPECT_EQ(other->entrySymbol, "");
  EXPECT_EQ(other->function, "f");
  EXPECT_EQ(other->arguments.at(0).index, 3u);
}

TEST(Compile, AnUnsuffixedLiteralIsAFloatInTemplatesToo) {
  mustCompile(
      "template <class T> void f(T x) {\n"
      "  static_assert(sizeof(x + 0.5) == 4 && sizeof(x * 1e-3) == 4 && sizeof(x - 0x1p-3) == 4, \"\");\n"
      "  static_assert(sizeof(x + 1.) == 4 && sizeof(x + .5) == 4, \"\");\n"
      "}\n"
      "template void f<float>(float);\n"
      "#define TEXT(x) #x\n"
      "static_assert(sizeof(TEXT(0.5)) == 4, \"what is stringised stays\");\n");
}

TEST(Compile, PredefinesWhatMetal32OnMacOSDoes) {
  mustCompile(
      "static_assert(__METAL_VERSION__ == 320, \"\");\n"
      "#if !defined(__METAL__) || !defined(__HAVE_BFLOAT__) || !defined(__METAL_MACOS__)\n#error "
      "missing\n#endif\n"
      "static_assert(sizeof(1.0) == 4, \"unsuffixed literals are float\");\n"
      "static_assert(sizeof(half) == 2 && sizeof(bfloat) == 2 && sizeof(long) == 8 && sizeof(size_t) == 8, "
      "\"\");\n"
      "static_assert(sizeof(float3) == 16 && alignof(float3) == 16 && sizeof(packed_float3) == 12, \"\");\n");
}

TEST(Compile, RefusesDeviceMemoryWhereThreadgroupIsAsked) {
  const Diagnostic d = mustFail(
      "void g(threadgroup float *p);\n"
      "kernel void f(device float *p [[buffer(0)]], uint i [[thread_position_in_grid]]) { g(p); }\n");
  EXPECT_EQ(d.where, (SourcePlace{"test.metal", 4, 84}));
  EXPECT_EQ(d.message, "no matching function for call to 'g'");
}

TEST(Compile, RefusesWritingThroughConstant) {
  const Diagnostic d = mustFail("kernel void f(constant float *p [[buffer(0)]]) { *p = 1; }\n");
  EXPECT_EQ(d.where, (SourcePlace{"test.metal", 3, 53}));
  EXPECT_EQ(d.message, "read-only variable is not assignable");
}

TEST(Compile, RefusesDouble) {
  EXPECT_EQ(mustFail("kernel void f(device float *p) { double x = p[0]; p[0] = x; }\n").message,
            "'double' is not supported in Metal");
  EXPECT_EQ(mustFail("kernel void f(device float *p) { p[0] = (double)p[1]; }\n").message,
            "'double' is not supported in Metal");
}

TEST(Compile, RefusesMixingAddressSpacesInAssignment) {
  const Diagnostic d =
      mustFail("kernel void f(device float *p [[buffer(0)]], constant float *c [[buffer(1)]]) { p = c; }\n");
  EXPECT_EQ(d.where.line, 3u);
  EXPECT_THAT(d.message, HasSubstr("device"));
  EXPECT_THAT(d.message, HasSubstr("constant"));
}

TEST(Compile, RefusesWhatMetalRefusesOfArguments) {
  EXPECT_THAT(mustFail("kernel void f(float *p [[buffer(0)]]) {}\n").message,
              HasSubstr("pointer type of 'p' has no address space"));
  EXPECT_THAT(mustFail("kernel void f(thread float *p [[buffer(0)]]) {}\n").message,
              HasSubstr("kernel argument 'p' needs an address space"));
  EXPECT_THAT(mustFail("kernel void f(device float *p [[buffer(31)]]) {}\n").message,
              HasSubstr("slots 0 to 30"));
  EXPECT_THAT(
      mustFail("kernel void f(device float *p [[buffer(1)]], device float *q [[buffer(1)]]) {}\n").message,
      HasSubstr("buffer(1) is already used by argument 'p'"));
  EXPECT_THAT(mustFail("kernel void f(float3 i [[thread_position_in_grid]]) {}\n").message,
              HasSubstr("'thread_position_in_grid' cannot have type"));
  EXPECT_THAT(mustFail("kernel void f(uint2 i [[thread_index_in_simdgroup]]) {}\n").message,
              HasSubstr("ushort or uint"));
  EXPECT_THAT(mustFail("kernel void f(float4 s [[position]]) {}\n").message,
              HasSubstr("[[position]] on a kernel argument is not supported"));
  EXPECT_THAT(
      mustFail("struct A { device int *p [[id(0)]]; };\nkernel void k(A a [[buffer(0)]]) {}\n").message,
      HasSubstr("a struct with [[id(n)]] is an argument buffer, which is not passed by value"));
  EXPECT_THAT(mustFail("kernel void k(device int *p [[id(0)]]) {}\n").message,
              HasSubstr("[[id]] on a kernel argument is not supported"));
  EXPECT_THAT(mustFail("kernel int f(device int *p) { return 1; }\n").message, HasSubstr("must return void"));
}

TEST(Compile, TensorsOfTheHostHaveSlotsOfBuffers) {
  const auto module = mustCompile(
      "#include <metal_tensor>\nusing namespace metal;\n"
      "kernel void f(tensor<device half, dextents<int, 2>> t, device half *p,\n"
      "              tensor<constant int, extents<ushort, 4, dynamic_extent>, tensor_handle> u "
      "[[buffer(0)]],\n"
      "              tensor<const device bfloat, dextents<long, 1>> v) { p[0] = t.get(1, 2); }\n");
  const std::vector<ArgumentInfo> &arguments = module.info.kernels.at(0).arguments;
  EXPECT_EQ(module.info.kernels.at(0).unsupported, "");
  std::vector<uint32_t> indices;
  for (const ArgumentInfo &argument : arguments)
    indices.push_back(argument.index);
  EXPECT_THAT(indices, testing::ElementsAre(1, 2, 0, 3));
  EXPECT_EQ(arguments[0].kind, ArgumentKind::Tensor);
  EXPECT_EQ(arguments[0].type, "tensor<device half, dextents<int, 2>>");
  EXPECT_EQ(arguments[0].tensor->element, ScalarType::Half);
  EXPECT_EQ(arguments[0].tensor->access, Access::ReadWrite);
  EXPECT_EQ(arguments[0].tensor->extents, std::vector<uint64_t>(2, TensorUse::kAnyExtent));
  EXPECT_EQ(arguments[2].tensor->space, AddressSpace::Constant);
  EXPECT_EQ(arguments[2].tensor->access, Access::Read);
  EXPECT_EQ(arguments[2].tensor->index, ScalarType::UShort);
  EXPECT_EQ(arguments[2].tensor->extents, (std::vector<uint64_t>{4, TensorUse::kAnyExtent}));
  EXPECT_EQ(arguments[3].tensor->access, Access::Read);
  EXPECT_EQ(arguments[3].tensor->index, ScalarType::Long);
}

TEST(Compile, AKernelWithATensorThatNoHostBindsIsListedAndSaysWhyItIsNotRun) {
  const auto module =
      mustCompile("#include <metal_tensor>\nusing namespace metal;\n"
                  "kernel void f(tensor<device bool, dextents<int, 2>> t) {}\n"
                  "kernel void g(tensor<device float, dextents<int, 2>, tensor_inline> t) {}\n"
                  "struct Args { tensor<device float, dextents<int, 2>, tensor_handle, tensor_offset> t; };\n"
                  "kernel void h(constant Args &a) {}\n");
  EXPECT_EQ(
      module.info.kernels.at(0).unsupported,
      "argument 't' of type 'tensor<device bool, dextents<int, 2>>' is not supported: the host "
      "binds a tensor_handle by value, over device or constant memory, with elements that are integers, "
      "half, bfloat, float or a packed format");
  EXPECT_THAT(module.info.kernels.at(1).unsupported, HasSubstr("the host binds a tensor_handle by value"));
  EXPECT_THAT(
      module.info.kernels.at(2).unsupported,
      HasSubstr("member 't' of type 'tensor<device float, dextents<int, 2>, tensor_handle, "
                "tensor_offset>' is not supported: an argument buffer holds tensors as tensor_handle"));
}

TEST(Compile, AKernelWithAnAccelerationStructureIsListedAndSaysWhyItIsNotRun) {
  const auto module =
      mustCompile("#include <metal_stdlib>\nusing namespace metal;\nusing namespace raytracing;\n"
                  "kernel void f(instance_acceleration_structure s [[buffer(0)]], device float *o) {\n"
                  "  o[0] = is_null_instance_acceleration_structure(s);\n}\n"
                  "kernel void g(device float *o) { o[0] = 1; }\n");
  EXPECT_THAT(module.info.kernels.at(0).unsupported,
              HasSubstr("argument 's' of type 'instance_acceleration_structure' is not supported"));
  EXPECT_EQ(module.info.kernels.at(1).unsupported, "");
}

TEST(Compile, PlacesErrorsAfterAttributesInTheUsersColumns) {
  const Diagnostic d = mustFail(
      "kernel void f(device float *p [[buffer(0)]], uint i [[thread_position_in_grid]]) { p[i] = nope; }\n");
  EXPECT_EQ(d.where, (SourcePlace{"test.metal", 3, 91}));
  EXPECT_THAT(d.sourceLine, HasSubstr("[[buffer(0)]]"));
}

TEST(Compile, ReportsAnErrorInAHeaderThere) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("assay_compile_test." + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "part.h") << "// one\nconstant int x [[function_constant(0)]]; int y = z;\n";
  std::ofstream(directory / "main.metal") << "#include <metal_stdlib>\n#include \"part.h\"\n";
  frontend::SourceRequest request;
  request.path = (directory / "main.metal").string();
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  const Diagnostic &d = result.error().diagnostics.front();
  EXPECT_EQ(d.where, (SourcePlace{(directory / "part.h").string(), 2, 50}));
  ASSERT_GE(result.error().diagnostics.size(), 2u);
  EXPECT_EQ(result.error().diagnostics[1].message, "included from here");
  EXPECT_EQ(result.error().diagnostics[1].where.line, 2u);
  std::filesystem::remove_all(directory);
}

// As <metal/metal_simdgroup_matrix> in metal-hashmlp.
TEST(Compile, FindsTheHeadersInTheirFolder) {
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal/metal_stdlib>\n#include <metal/metal_simdgroup_matrix>\n"
                 "using namespace metal;\nkernel void k(device float *x) { x[0] = abs(x[1]); }\n";
  const auto result = frontend::compile(request);
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

TEST(Compile, ListsWhatItDependsOn) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("assay_dependency_test." + std::to_string(getpid()));
  std::filesystem::create_directories(directory / "b");
  std::ofstream(directory / "b" / "part.h") << "#define N 1\n";
  std::ofstream(directory / "main.metal") << "#include <part.h>\n";
  frontend::SourceRequest request;
  request.path = (directory / "main.metal").string();
  request.includePaths = {(directory / "a").string(), (directory / "b").string()};
  std::filesystem::create_directories(directory / "a");
  const auto result = frontend::compile(request);
  ASSERT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
  const auto has = [&](const std::filesystem::path &path, bool exists) {
    return std::any_of(result->dependencies.begin(), result->dependencies.end(),
                       [&](const auto &d) { return d.path == path.string() && d.digest.empty() != exists; });
  };
  EXPECT_TRUE(has(directory / "main.metal", true));
  EXPECT_TRUE(has(directory / "b" / "part.h", true));
  EXPECT_TRUE(has(directory / "a" / "part.h", false))
      << "a header that appears earlier on the path must be noticed";
  std::filesystem::remove_all(directory);
}

// Classes in two address spaces under one `?:`: built-in vectors for Metal, classes here.
TEST(Compile, ConditionalOperatorTakesOperandsFromTwoAddressSpaces) {
  mustCompile(
      "struct C { float re, im; };\n"
      "#define PICK(c, a, b) ((c) ? (a) : (b))\n"
      "template <typename T> T pick(const device T *q, threadgroup T *s, int i) { return i < 3 ? q[i] : "
      "s[i]; }\n"
      "kernel void f(device half2 *p, const device half2 *q, device C *c, constant C &d, threadgroup C *e,\n"
      "              uint i [[thread_position_in_grid]]) {\n"
      "  threadgroup half2 s[4];\n"
      "  p[i] = i < 3 ? q[i] : half2(1, 2);\n"
      "  p[i + 1] = pick(q, s, int(i));\n"
      "  c[0] = i < 2 ? e[i] : d;\n"
      "  c[1] = PICK(i < 2, e[i], PICK(i < 1, d, e[0])); }\n");
  // What it cannot mend stays an error, at the user's place.
  const Diagnostic d =
      mustFail("struct A {}; struct B {};\nkernel void f(device A *a, device B *b) { true ? *a : *b; }\n");
  EXPECT_EQ(d.where.line, 4u);
  EXPECT_THAT(d.message, HasSubstr("incompatible operand types"));
}

TEST(Compile, NamesAFileThatIsNotThere) {
  frontend::SourceRequest request;
  request.path = "/no/such/file.metal";
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Usage);
  EXPECT_EQ(result.error().rule(), "no-such-file");
}

TEST(Compile, AnArgumentBufferWithWhatIsNotSupportedIsListedAndSaysWhyItIsNotRun) {
  const std::string kernel = "\nkernel void f(constant Args &a [[buffer(0)]]) {}\n";
  EXPECT_EQ(
      mustCompile("struct Args { device int *p [[id(0)]];\n compute_pipeline_state t [[id(1)]]; };" + kernel)
          .info.kernels.at(0)
          .unsupported,
      "member 't' of type 'compute_pipeline_state' is not supported: an argument buffer may hold "
      "buffers, textures, samplers, function tables, tensors and values, no compute_pipeline_states");
  EXPECT_EQ(
      mustCompile("struct In { array<sampler, 2> s; texture3d<half> t; }; struct Args { In in; };" + kernel)
          .info.kernels.at(0)
          .unsupported,
      "");
}

TEST(Compile, RefusesArgumentBuffersThatCannotBe) {
  const std::string kernel = "\nkernel void f(constant Args &a [[buffer(0)]]) {}\n";
  EXPECT_EQ(mustFail("struct Args { device int *p [[id(3)]]; int n [[id(3)]]; };" + kernel).message,
            "id(3) of member 'n' is already used by member 'p'");
  EXPECT_EQ(
      mustFail("struct Args { array<device int *, 4> p [[id(0)]]; int n [[id(2)]]; };" + kernel).message,
      "id(2) of member 'n' is already used by member 'p'");
  EXPECT_EQ(mustFail("struct Args { device int *p [[id(3)]]; int n [[id(1)]]; };" + kernel).message,
            "id(1) of member 'n' must be at least 4: indices increase from member to member");
  EXPECT_EQ(mustFail("struct Args { device int *p; union { int n; float f; }; };" + kernel).message,
            "an argument buffer cannot contain a union");
  EXPECT_EQ(mustFail("union U { int n; float f; };\nstruct Args { device int *p; U u; };" + kernel).message,
            "member 'u' is a union or has one: an argument buffer cannot contain unions");
  for (const char *twice : {"struct In { device int *q; U u; }; struct Args { In in; };",
                            "struct In { device int *q; U u; }; struct Args { In in[2]; };"}) {
    const auto result = compileText("union U { int n; float f; };\n" + (twice + kernel));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().diagnostics.size(), 1u) << twice;
  }
  EXPECT_EQ(mustFail("struct Args { threadgroup int *p [[id(0)]]; };" + kernel).message,
            "member 'p' of an argument buffer points to memory that is neither device nor constant");
}

TEST(Compile, IndicesInArgumentBuffersGoOnFromTheLast) {
  const auto module =
      mustCompile("struct In { int a; device int *b [[id(3)]]; };\n"
                  "template <int N> struct Args { device int *p [[id(N)]]; int q; In in[2]; float4 r; };\n"
                  "kernel void f(device Args<2> *a [[buffer(0)]]) { a->q = 1; }\n");
  std::vector<std::string> rows;
  for (const MemberInfo &m : module.info.kernels.at(0).arguments.at(0).members)
    rows.push_back(m.name + " " + std::to_string(m.id) + " " + std::to_string(m.offset));
  EXPECT_THAT(rows, ElementsAre("p 2 0", "q 3 8", "in[0].a 4 16", "in[0].b 7 24", "in[1].a 8 32",
                                "in[1].b 11 40", "r 12 48"));
}

TEST(Compile, PlainStructsAreNoArgumentBuffers) {
  const auto module =
      mustCompile("struct P { int n; float4 v; half h[3]; };\n"
                  "kernel void f(constant P &p [[buffer(0)]], device float4x4 *m [[buffer(1)]]) {}\n");
  for (const ArgumentInfo &argument : module.info.kernels.at(0).arguments)
    EXPECT_TRUE(argument.members.empty()) << argument.name;
}

TEST(Compile, AcceptsTheOriginals) {
  const std::filesystem::path originals = std::filesystem::path(ASSAY_SHARED_DIR) / "originals";
  if (!std::filesystem::is_directory(originals))
    GTEST_SKIP() << "the original kernels are not here: " << originals;
  size_t kernels = 0;
  for (const auto &file : std::filesystem::directory_iterator(originals)) {
    frontend::SourceRequest request;
    request.path = file.path().string();
    const auto result = frontend::compile(request);
    ASSERT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
    for (const Diagnostic &warning : result->warnings) // two variables are in fact not used
      EXPECT_TRUE(warning.severity == Severity::Note || warning.rule == "-Wunused-variable")
          << renderDiagnostic(warning);
    kernels += result->info.kernels.size();
  }
  EXPECT_EQ(kernels, 5u);
}

TEST(Compile, ReflectsFunctionTablesAndWhatTheyMayHold) {
  const auto module =
      mustCompile("constant int more [[function_constant(4)]];\n"
                  "constant bool has [[function_constant(5)]];\n"
                  "[[visible]] int plus(int x) { return x + more; }\n"
                  "template <class T> [[visible]] T same(T x) { return x; }\n"
                  "template [[host_name(\"same_half\")]] [[visible]] half4 same<half4>(half4);\n"
                  "[[stitchable]] static void nothing(device float *p, thread int &i) {}\n"
                  "vertex float4 vs() { return float4(0); }\n"
                  "kernel void f(device int *p [[buffer(0)]], visible_function_table<int(int)> first,\n"
                  "  visible_function_table<void(device float *, thread int &)> t [[buffer(7), "
                  "function_constant(has)]]) {\n"
                  "  [[function_groups(\"a\")]] int x = first[0](1);\n"
                  "  [[function_groups(\"a\", \"b\")]] p[0] = first[1](x); }\n");
  ASSERT_EQ(module.info.otherFunctions.size(), 4u);
  const std::vector<OtherFunctionInfo> &o = module.info.otherFunctions;
  EXPECT_EQ(o[0].type, "int (int)");
  EXPECT_THAT(indicesOf(module.info, o[0].functionConstants), ElementsAre(4));
  EXPECT_EQ(o[1].name, "same_half");
  EXPECT_EQ(o[1].type, "half4 (half4)");
  EXPECT_EQ(o[2].type, "void (device float *, int &)");
  EXPECT_EQ(o[3].type, "");
  EXPECT_EQ(o[3].symbol, "");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NE(o[i].symbol, "") << "it has a body";
    EXPECT_EQ(module.info.handleOf(o[i]), i + 1);
  }
  ASSERT_EQ(module.info.kernels.size(), 1u);
  EXPECT_EQ(module.info.kernels[0].unsupported, "");
  const std::vector<ArgumentInfo> &a = module.info.kernels[0].arguments;
  EXPECT_EQ(a[1].kind, ArgumentKind::FunctionTable);
  EXPECT_EQ(a[1].index, 1u);
  EXPECT_EQ(a[1].type, "visible_function_table<int (int)>");
  EXPECT_EQ(a[2].index, 7u);
  EXPECT_EQ(a[2].condition, "has");

  const char *const table = "kernel void f(device int *p [[buffer(1)]], visible_function_table<int(int)> t ";
  EXPECT_EQ(mustFail(std::string(table) + "[[buffer(1)]]) {}\n").message,
            "buffer(1) is already used by argument 'p'");
  EXPECT_EQ(mustFail(std::string(table) + "[[texture(1)]]) {}\n").message,
            "argument 't' of type 'visible_function_table<int (int)>' cannot be a texture: write "
            "[[buffer(..)]]");
  const auto array = mustCompile(
      "kernel void f(device int *p, array<visible_function_table<int(int)>, 2> t) { p[0] = t[0][0](1); }\n");
  EXPECT_EQ(array.info.kernels.at(0).unsupported,
            "argument 't' of type 'array<visible_function_table<int (int)>, 2>' is not supported");
}

TEST(Compile, ChecksTheIndicesOfTexturesAndSamplers) {
  EXPECT_EQ(mustFail("kernel void f(texture2d<float> t [[texture(128)]]) {}\n").message,
            "texture(128) is out of range: texture has slots 0 to 127");
  EXPECT_EQ(mustFail("kernel void f(array<texture2d<float>, 4> t [[texture(126)]]) {}\n").message,
            "texture(129) is out of range: texture has slots 0 to 127");
  EXPECT_EQ(mustFail("kernel void f(sampler s [[sampler(16)]]) {}\n").message,
            "sampler(16) is out of range: sampler has slots 0 to 15");
  EXPECT_EQ(mustFail("kernel void f(array<texture2d<float>, 4> a [[texture(1)]],\n"
                     "  texture2d<float> b [[texture(3)]]) {}\n")
                .message,
            "texture(3) is already used by argument 'a'");
}

TEST(Compile, StructuresThatNestWithoutEndTakeNoTime) {
  // 2^40 members if each occurrence of a class is looked at.
  std::string text = "#include <metal_stdlib>\nusing namespace metal;\nstruct S0 { LEAF a; };\n";
  for (int i = 1; i <= 40; ++i)
    text += "struct S" + std::to_string(i) + " { S" + std::to_string(i - 1) + " a, b; };\n";
  text += "kernel void k(constant S40 &s, device float *o) { o[0] = 1; }\n";
  frontend::SourceRequest request;
  request.path = "k.metal";
  request.text = "#define LEAF float\n" + text;
  EXPECT_TRUE(frontend::compile(request));
  request.text = "#define LEAF device float *\n" + text;
  const auto result = frontend::compile(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(renderDiagnostics(result.error().diagnostics),
              HasSubstr("k.metal:4:18: error: an argument buffer with more than 4096 members"));
}

} // namespace
