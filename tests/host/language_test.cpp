// What sources mean, by the numbers that a kernel writes: one row, one rule of the language. Expected values
// follow from the row's own text.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <climits>
#include <ostream>

namespace assay {
namespace {

struct Row {
  const char *name;
  const char *source; ///< with a kernel k(device int *out [[buffer(0)]], ..), or what goes before its body
  std::vector<int> expected;  ///< what it writes from out[0] on
  std::vector<int> data = {}; ///< bytes at index 1 and 2, if there are any
};
void PrintTo(const Row &row, std::ostream *out) {
  *out << row.name;
}

class Language : public testing::TestWithParam<Row> {
protected:
  Language() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  // Once as always, once for the debugger: both compute the same.
  void expectValues(const Row &row, bool debug) {
    CompileOptions options;
    options.debug = debug;
    const Result<Library> library = device.newLibraryWithSource(
        std::string("#include <metal_stdlib>\nusing namespace metal;\n") + row.source, options);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    const Result<Function> function = library->newFunction("k");
    ASSERT_TRUE(function) << renderDiagnostics(function.error().diagnostics);
    PipelineOptions pipelineOptions;
    pipelineOptions.debug = debug;
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, pipelineOptions);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    std::vector<int> values(row.expected.size(), -77);
    Buffer out = device.newBuffer(values.data(), values.size() * sizeof(int));
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(out, 0, 0);
    for (const ArgumentInfo &argument : function->info().arguments)
      if (argument.kind == ArgumentKind::Buffer && argument.index > 0) {
        Buffer bound = device.newBuffer(row.data.data(), row.data.size() * sizeof(int));
        encoder.setBuffer(bound, 0, argument.index);
      }
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(out.as<int>()[i], row.expected[i]) << "out[" << i << "]" << (debug ? ", --debug" : "");
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
};

TEST_P(Language, Computes) {
  expectValues(GetParam(), false);
  expectValues(GetParam(), true);
}

std::string nameOf(const testing::TestParamInfo<Row> &info) {
  return info.param.name;
}

// --- members by address space: device 1, constant 2, threadgroup 3, thread 4

const Row kMembers[] = {
    {"AConstMember",
     R"(
struct S { int v;
  int get() const device { return 10 + v; }
  int get() const constant { return 20 + v; }
  int get() const threadgroup { return 30 + v; }
  int get() const thread { return 40 + v; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 3; S t; t.v = 4; const S ct = t;
  out[0] = d.get(); out[1] = c.get(); out[2] = g.get(); out[3] = t.get(); out[4] = ct.get(); })",
     {15, 25, 33, 44, 44},
     {5}},
    {"TheOrderOfDefinitionDoesNotCount",
     R"(
struct S { int v;
  int get() const thread { return 40 + v; }
  int get() const threadgroup { return 30 + v; }
  int get() const constant { return 20 + v; }
  int get() const device { return 10 + v; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 3; S t; t.v = 4;
  out[0] = d.get(); out[1] = c.get(); out[2] = g.get(); out[3] = t.get(); out[4] = S{1}.get(); })",
     {15, 25, 33, 44, 41},
     {5}},
    {"ConstAndSpaceTogether",
     R"(
struct S { int v;
  int get() thread { return 1; }
  int get() const thread { return 2; }
  int get() device { return 3; }
  int get() const device { return 4; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], const device S &cd [[buffer(2)]]) {
  S t; const S ct = {0}; thread S *p = &t; const thread S *cp = &t;
  out[0] = t.get(); out[1] = ct.get(); out[2] = d.get(); out[3] = cd.get(); out[4] = p->get();
  out[5] = cp->get(); })",
     {1, 2, 3, 4, 1, 2},
     {5}},
    {"AnObjectThatIsNotConstCallsAConstMember",
     R"(
struct S { int v; int get() device { return 1; } int get() const thread { return 2; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  S t; out[0] = t.get(); out[1] = d.get(); })",
     {2, 1},
     {5}},
    {"AMemberWithoutASpaceIsOfThread",
     R"(
struct S { int v; int get() const { return 1; } int get() const device { return 2; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  S t; out[0] = t.get(); out[1] = d.get(); })",
     {1, 2},
     {5}},
    {"Subscripts",
     R"(
template <typename T, size_t N> struct A { T e[N ? N : 1];
  thread T &operator[](size_t i) thread { return e[i]; }
  constexpr const thread T &operator[](size_t i) const thread { return e[i]; }
  device T &operator[](size_t i) device { return e[i]; }
  constexpr const device T &operator[](size_t i) const device { return e[i]; }
  constexpr const constant T &operator[](size_t i) const constant { return e[i]; }
  threadgroup T &operator[](size_t i) threadgroup { return e[i]; }
  constexpr const threadgroup T &operator[](size_t i) const threadgroup { return e[i]; } };
constant A<int, 2> fixed = {{8, 9}};
constant A<A<int, 2>, 2> nested = {{{{1, 2}}, {{3, 4}}}};
kernel void k(device int *out [[buffer(0)]], device A<A<int, 2>, 2> &d [[buffer(1)]],
              constant A<int, 4> &c [[buffer(2)]]) {
  threadgroup A<int, 2> g; A<int, 2> t; t[1] = d[1][0]; g[0] = t[1] + 1; d[0][1] = 70;
  const A<int, 2> copy = d[0]; A<int, 2> again; again = g; g = t;
  out[0] = t[1]; out[1] = g[1]; out[2] = c[3]; out[3] = copy[1]; out[4] = again[0]; out[5] = fixed[1];
  out[6] = nested[1][0]; })",
     {7, 7, 8, 70, 8, 9, 3},
     {5, 6, 7, 8}},
    {"Conversions",
     R"(
struct S { int v;
  operator int() const thread { return 4; } operator int() const device { return 1; }
  operator int() const constant { return 2; } operator int() const threadgroup { return 3; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 0; S t; out[0] = d; out[1] = c; out[2] = g; out[3] = t; out[4] = int(d) + 1; })",
     {1, 2, 3, 4, 2},
     {5}},
    {"TemplatesOfConversions",
     R"(
struct S { int v;
  template <typename T> operator T() const thread { return T(4); }
  template <typename T> operator T() const device { return T(1); }
  template <typename T> operator T() const constant { return T(2); }
  template <typename T> operator T() const threadgroup { return T(3); } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  threadgroup S g; g.v = 0; S t; out[0] = int(float(d)); out[1] = c; out[2] = g;
  out[3] = static_cast<int>(t); })",
     {1, 2, 3, 4},
     {5}},
    {"TemplatesOfMembers",
     R"(
template <class T> struct S { T v;
  template <class U> U as(U u) const device { return U(v) + u; }
  template <class U> U as(U u) const thread { return U(v) - u; } };
kernel void k(device int *out [[buffer(0)]], device S<int> &d [[buffer(1)]]) {
  S<int> t = {9}; out[0] = d.as(1); out[1] = t.as(1); })",
     {6, 8},
     {5}},
    {"Assignments",
     R"(
struct S { int v;
  thread S &operator=(int i) thread { v = i + 40; return *this; }
  device S &operator=(int i) device { v = i + 10; return *this; }
  threadgroup S &operator=(int i) threadgroup { v = i + 30; return *this; } };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]]) {
  threadgroup S g; S t; d = 1; g = 2; t = 3; out[0] = d.v; out[1] = g.v; out[2] = t.v; (d = 5).v += 1;
  out[3] = d.v; })",
     {11, 32, 43, 16},
     {5}},
    {"DefaultedAssignments",
     R"(
template <class T> struct S { T v;
  thread S &operator=(const thread S &) thread = default;
  device S &operator=(const thread S &s) device { v = s.v + 10; return *this; }
  threadgroup S &operator=(const thread S &s) threadgroup { v = s.v + 30; return *this; } };
kernel void k(device int *out [[buffer(0)]], device S<int> &d [[buffer(1)]]) {
  threadgroup S<int> g; S<int> t, u; t.v = 1; u = t; d = t; g = t; out[0] = u.v; out[1] = d.v; out[2] = g.v;
  })",
     {1, 11, 31},
     {5}},
    {"Constructors",
     R"(
struct S { int v; S() thread : v(0) {} S(int i) thread : v(i + 40) {}
  constexpr S(int i) constant : v(i + 20) {} };
constant S fixed = S(2);
constant S braced{3};
kernel void k(device int *out [[buffer(0)]]) { S t(1); out[0] = t.v; out[1] = braced.v; })",
     {41, 23}},
    {"CopiesBetweenSpaces",
     R"(
struct In { int v[2]; int sum() const device { return v[0] + v[1]; }
            int sum() const thread { return v[0] - v[1]; } };
struct S { In a, b; };
kernel void k(device int *out [[buffer(0)]], device S &d [[buffer(1)]], constant S &c [[buffer(2)]]) {
  S t = c; threadgroup S g; g = t; t.a = d.b; g.b = t.a; d.a = g.b; d.b = c.a; S u = g;
  out[0] = t.a.sum(); out[1] = d.a.sum(); out[2] = d.b.sum(); out[3] = u.b.v[1]; out[4] = t.b.v[0]; })",
     {3 - 4, 7, 3, 4, 3},
     {1, 2, 3, 4}},
};
INSTANTIATE_TEST_SUITE_P(Members, Language, testing::ValuesIn(kMembers), nameOf);

// --- program-scope constants

const Row kConstants[] = {
    {"AMemberFunctionAtCompileTime",
     R"(
struct Table { int v[4]; };
static constexpr Table squares() { Table t = {}; for (int i = 0; i < 4; ++i) t.v[i] = i * i; return t; }
constant Table table = squares();
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) { out[0] = table.v[i]; })",
     {9},
     {3}},
    {"AStructWithAMatrix",
     R"(
struct S { float2x2 m; float4 v; };
constant S s = {float2x2(3), float4(2)};
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = s.m[i][i]; out[1] = s.m[i - 1][i]; out[2] = s.v[i + 2]; })",
     {3, 0, 2},
     {1}},
    {"AMatrixOfColumns",
     R"(
constant float3x3 m = float3x3(float3(1, 2, 3), float3(4, 5, 6), float3(7, 8, 9));
constant half2x4 h = half2x4(half4(1, 2, 3, 4), half4(5, 6, 7, 8));
typedef matrix<bfloat, 2, 2> bfloat2x2;
constant bfloat2x2 b(1, 2, 3, 4);
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = m[i][i + 1]; out[1] = m[i + 1].x; out[2] = h[i].w; out[3] = b[i][i - 1]; })",
     {6, 7, 8, 3},
     {1}},
    {"ArraysOfStructsWithMatrices",
     R"(
struct M { float2x2 a; float b; packed_half3 p; };
constant M t[2] = {{float2x2(1), 5, packed_half3(1, 2, 3)}, {float2x2(2, 3, 4, 5), 6, 7.h}};
constant float2x2 u[3] = {float2x2(1), {float2(2, 3), float2(4, 5)}};
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = t[i].a[1][0]; out[1] = t[i].b; out[2] = t[i].p.z; out[3] = t[i - 1].p[2]; out[4] = u[i][i - 1].y;
  out[5] = u[i + 1][0][0]; })",
     {4, 6, 7, 3, 3, 0},
     {1}},
    {"MetalArraysOfMatrices",
     R"(
constant array<float2x2, 2> t = {{float2x2(1), float2x2(4)}};
constant array<array<packed_float3, 2>, 2> n = {{{{{1, 2, 3}, {4, 5, 6}}}, {{{7, 8, 9}, packed_float3(10)}}}};
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = t[i][i][i]; out[1] = n[i][i - 1].y; out[2] = n[i][i].z; })",
     {4, 8, 10},
     {1}},
    {"PackedVectors",
     R"(
struct S { char c; packed_float3 p; half h; packed_bool2 b; };
constant S s = {1, packed_float3(1, 2, 3), 4.h, packed_bool2(true, false)};
constant packed_uchar3 a[2] = {{1, 2, 3}, packed_uchar3(uchar3(200, 201, 202))};
constant packed_float4 f = packed_float4(float2(1, 2), 3, 4);
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = s.p[i + 1]; out[1] = s.h; out[2] = s.b.x; out[3] = s.b.y; out[4] = a[i].z;
  out[5] = f[i] + f[i + 2]; })",
     {3, 4, 1, 0, 202, 6},
     {1}},
    {"OneComputedFromAnother",
     R"(
constant float2x2 m = float2x2(1, 2, 3, 4);
constant float2x2 square = m * m;
constant float2 column = square[1];
constant float both = column.yx.x + determinant(m) + transpose(m)[0].y;
struct S { float2x2 inner; float f; };
constant S s = {square, both};
constant float last = s.inner[0].x * s.f;
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = square[i][i - 1]; out[1] = column[i]; out[2] = both; out[3] = s.inner[i].y; out[4] = last; })",
     {15, 22, 23, 22, 7 * 23},
     {1}},
    {"InsideOfAFunction",
     R"(
static float at(int i) {
  const float2x2 t = float2x2(5);
  constexpr packed_float3 p[2] = {{1, 2, 3}, {4, 5, 6}};
  return t[i][i] + p[i].z;
}
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  const float3x3 m = float3x3(float3(1), float3(2), float3(3));
  out[0] = at(i); out[1] = m[i].y; })",
     {11, 2},
     {1}},
    {"AFunctionConstantsDefaultThroughAnother",
     R"(
constant int a [[function_constant(0)]];
constant int b = is_function_constant_defined(a) ? a : 7;
constant bool has = is_function_constant_defined(a);
constant int c [[function_constant(1)]];
constant int d = is_function_constant_defined(c) ? c : has ? a : b + 1;
constant float2x2 m = float2x2(float(d));
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = b; out[1] = has; out[2] = d; out[3] = m[i][i]; })",
     {7, 0, 8, 8},
     {1}},
    {"ANestedStructAndBools",
     R"(
struct S { bool4 b; struct { half2x2 h; struct { bool c; packed_short3 s; } deep[2]; } in; };
constant S s = {bool4(true, false, true, false),
                {half2x2(1, 2, 3, 4), {{true, {1, 2, 3}}, {false, {4, 5, 6}}}}};
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = s.b[i - 1]; out[1] = s.b[i]; out[2] = s.in.h[i][i]; out[3] = s.in.deep[i].s.y;
  out[4] = s.in.deep[i - 1].c; })",
     {1, 0, 4, 5, 1},
     {1}},
    {"ConstexprConstant",
     R"(
constant float2x2 m = float2x2(1, 2, 3, 4) * 2.0f - float2x2(1);
constexpr constant float4 v = float4(float2(1, 2), float2(packed_float2(3, 4)));
struct T { static constexpr constant int3 m = int3(6);
           static constant constexpr packed_int2 p = {7, 8}; };
template <int N> struct U { static constexpr constant half3 m = half3(half(N)); };
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = m[i][i]; out[1] = v[i + 2]; out[2] = T::m[i]; out[3] = T::p[i]; out[4] = U<9>::m[i]; })",
     {7, 4, 6, 8, 9},
     {1}},
    {"OfATemplate",
     R"(
template <int N> constant float table = N * 0.5f;
template <typename T> constant matrix<T, 2, 2> twice =
    matrix<T, 2, 2>(T(1), T(2), T(3), T(4)) * matrix<T, 2, 2>(T(2));
constant float early = twice<float>[1][0];
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = table<6> + table<8>; out[1] = twice<float>[i][i]; out[2] = twice<half>[i - 1][i]; out[3] = early;
  })",
     {7, 8, 4, 6},
     {1}},
    {"NegativeZeroAndNan",
     R"(
constant float4 v = float4(-0.0f, NAN, -INFINITY, as_type<float>(0x7fc12345u));
struct S { float2x2 m; packed_half2 h; };
constant S s = {float2x2(-0.0f, 0, 1, as_type<float>(0xffc00001u)), packed_half2(-0.0h, NAN)};
constant float2x2 computed = float2x2(1, 2, 3, 4) * -0.0f;
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = as_type<int>(v[i - 1]); out[1] = isnan(v[i]); out[2] = as_type<int>(v[i + 1]);
  out[3] = as_type<int>(v[i + 2]);
  out[4] = as_type<int>(s.m[i - 1][i - 1]); out[5] = as_type<int>(s.m[i][i]);
  out[6] = as_type<ushort>(s.h[i - 1]);
  out[7] = isnan(s.h[i]); out[8] = as_type<int>(computed[i][i]); })",
     {INT_MIN, 1, int(0xff800000), 0x7fc12345, INT_MIN, int(0xffc00001), 0x8000, 1, INT_MIN},
     {1}},
    {"AddressesBesideMatrices",
     R"(
constant float2x2 m = float2x2(1, 2, 3, 4) * 2.0f;
struct S { constant float2x2 *at; float2x2 copy; constant float2 *none; };
constant S s = {&m, m + m, nullptr};
constant float2x2 *constant where = &m;
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = (*s.at)[i][i]; out[1] = s.copy[i].x; out[2] = s.none == nullptr; out[3] = (*where)[i][i - 1]; })",
     {8, 12, 1, 6},
     {1}},
    {"TessellationFactorsInAStruct",
     R"(
struct S { MTLQuadTessellationFactorsHalf q; float2x2 m; MTLTriangleTessellationFactorsHalf t; };
constant S s = {{{1.h, 2.h, 3.h, 4.h}, {5.h, 6.h}}, float2x2(7), {{8.h, 9.h, 10.h}, 11.h}};
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = s.q.edgeTessellationFactor[i + 2]; out[1] = s.q.insideTessellationFactor[i]; out[2] = s.m[i][i];
  out[3] = s.t.edgeTessellationFactor[i]; out[4] = s.t.insideTessellationFactor; })",
     {4, 6, 7, 9, 11},
     {1}},
};
INSTANTIATE_TEST_SUITE_P(Constants, Language, testing::ValuesIn(kConstants), nameOf);

// What cannot be computed is an error at the variable's line, with its name; never a zero.
TEST_F(Language, AConstantThatCannotBeComputedIsAnErrorAtItsLine) {
  const char *const kLanguageSource = R"(#include <metal_stdlib>
using namespace metal;
static constexpr int endless(int x) { while (x != 0) x |= 1; return x; }
constant float3x3 fine = float3x3(2) * float3x3(3);

constant float3x3 never =
    fine * float(endless(1));
constant float3 after = never[1];
kernel void direct(device float *out [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) { out[i] = never[i][i]; }
kernel void indirect(device float *out [[buffer(0)]],
                     uint i [[thread_position_in_grid]]) { out[i] = after[i]; }
kernel void neither(device float *out [[buffer(0)]],
                    uint i [[thread_position_in_grid]]) { out[i] = fine[i][i]; }
)";
  const Result<Library> library = device.newLibraryWithSource(kLanguageSource);
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const auto made = [&](const char *kernel) {
    return device.newComputePipelineState(*library->newFunction(kernel));
  };
  EXPECT_TRUE(made("neither"));
  const Result<ComputePipeline> direct = made("direct"), indirect = made("indirect");
  ASSERT_FALSE(direct);
  EXPECT_EQ(direct.error().rule(), "unsupported");
  EXPECT_THAT(direct.error().diagnostics[0].message, testing::HasSubstr("variable never "));
  EXPECT_THAT(direct.error().diagnostics[0].where.line, testing::AllOf(testing::Ge(6u), testing::Le(7u)));
  ASSERT_FALSE(indirect);
  EXPECT_THAT(indirect.error().diagnostics[0].message, testing::HasSubstr("variable after "));
  EXPECT_EQ(indirect.error().diagnostics[0].where.line, 8u);
}

// --- other rules

const Row kRules[] = {
    {"ThreadgroupMemoryMayBeZeroed",
     R"(
struct S { int a; float b; };
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup float f[8] = {0}; threadgroup int i = 0; threadgroup S s = {}; threadgroup float4 v = {};
  f[0] = 1; i = 2; s.a = 3; v.x = 4; out[0] = int(f[0]); out[1] = i; out[2] = s.a; out[3] = int(v.x); })",
     {1, 2, 3, 4}},
    {"GridOriginAndSize",
     R"(
kernel void k(device int *out [[buffer(0)]], uint3 o [[grid_origin]], uint3 s [[grid_size]]) {
  out[0] = o.x + o.y + o.z; out[1] = s.x; out[2] = s.y + s.z; })",
     {0, 1, 2}},
    {"AVisibleFunctionIsCalled",
     R"(
[[visible]] int twice(int x) { return 2 * x; }
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) { out[0] = twice(i); })",
     {10},
     {5}},
    {"HalfAndBfloatInOneExpression",
     R"(
constant half h = 1.5h;
constant bfloat b = 2.5bf;
constant float sum = h + b;
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  half x = half(i) + 0.5h; bfloat y = bfloat(i) * 1.25bf;
  out[0] = sum; out[1] = int((x + y) * 4); out[2] = int((h * y) * 8); out[3] = x < y;
  out[4] = int(half(y) * 4.h);
  out[5] = as_type<short>(M_PI_H); out[6] = as_type<short>(M_PI_BF); })",
     {4, 20, 30, 0, 10, 0x4248, 0x4049},
     {2}},
    {"SimdAndQuadOperationsOfOneThread",
     R"(
kernel void k(device int *out [[buffer(0)]], device int &i [[buffer(1)]]) {
  out[0] = simd_sum(i); out[1] = quad_max(float(i)); out[2] = simd_prefix_exclusive_sum(i);
  out[3] = simd_any(i == 5);
  out[4] = int(uint(ulong(simd_ballot(i == 5)))); out[5] = quad_all(i == 4);
  out[6] = simd_broadcast_first(short2(i, 7)).y; })",
     {5, 5, 0, 1, 1, 0, 7},
     {5}},
};
INSTANTIATE_TEST_SUITE_P(Rules, Language, testing::ValuesIn(kRules), nameOf);

} // namespace
} // namespace assay
