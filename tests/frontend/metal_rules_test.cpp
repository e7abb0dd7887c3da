// What C++ allows and Metal does not, and what is close to it and allowed: one row, one source.
#include "frontend/compile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

using namespace assay;
using testing::HasSubstr;

namespace {

Result<frontend::CompiledModule> compileText(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  return frontend::compile(request);
}

struct Refused {
  const char *name;
  const char *source; ///< from line 3 on
  uint32_t line;
  const char *message; ///< a part of it
};
void PrintTo(const Refused &row, std::ostream *out) {
  *out << row.name;
}

class Refuses : public testing::TestWithParam<Refused> {};

TEST_P(Refuses, AtTheUsersLine) {
  const auto result = compileText(GetParam().source);
  ASSERT_FALSE(result) << "compiled, but should not:\n" << GetParam().source;
  EXPECT_EQ(result.error().kind, ErrorKind::Kernel);
  const auto &all = result.error().diagnostics; // warnings may come before
  const auto error =
      std::find_if(all.begin(), all.end(), [](const Diagnostic &d) { return d.severity == Severity::Error; });
  ASSERT_NE(error, all.end());
  const Diagnostic &first = *error;
  EXPECT_THAT(first.message, HasSubstr(GetParam().message));
  EXPECT_EQ(first.where.file, "test.metal");
  EXPECT_EQ(first.where.line, GetParam().line) << first.message;
}

const Refused kRefused[] = {
    // Address spaces
    {"PointerParameter", "void f(float *p) { *p = 1; }\n", 3, "pointer type of 'p' has no address space"},
    {"PointerParameterAfterAnother", "void f(thread float *q,\n  float *p) { *p = 1; }\n", 4,
     "pointer type of 'p' has no address space"},
    {"PointerLocal", "void f() {\n  int i = 0;\n  int *p = &i; *p = 1; }\n", 5, "pointer type of 'p'"},
    {"PointerMember", "struct S {\n  const float *p; };\n", 4, "pointer type of 'p'"},
    {"PointerResult", "float *f(thread float *p) { return p; }\n", 3, "pointer type of 'f'"},
    {"PointerToPointer", "void f(float **p) {}\n", 3, "pointer type of 'p'"},
    {"ReferenceParameter", "void f(const float &p) {}\n", 3, "reference type of 'p' has no address space"},
    {"ReferenceLocal", "void f() { int i = 0;\n  int &r = i; r = 1; }\n", 4, "reference type of 'r'"},
    {"ReferenceInATemplate", "template <class T> T f(T t, int &i) { return t + i; }\n", 3,
     "reference type of 'i'"},
    {"ReferenceToAnArray", "void f(float (&a)[4]) {}\n", 3, "reference type of 'a'"},
    {"PointerToAParameterOfATemplate", "template <class T> T f(T *p) { return *p; }\n", 3,
     "pointer type of 'p'"},
    {"PointerInACast", "void f(device int *p) {\n  auto q = (uint *)p; }\n", 4,
     "pointer type of 'uint *' has no address space"},
    {"PointerInATypedef", "typedef int *P;\n", 3, "pointer type of 'P' has no address space"},
    // Conversions to thread memory
    {"DeviceToThread", "void f(device int *p) {\n  thread int *q = p; *q = 1; }\n", 4,
     "device memory cannot be used as thread memory: declare what takes it device, or pass a copy in a "
     "variable"},
    {"ThreadgroupArgument", "void f(thread int &i) { i = 1; }\nvoid g(threadgroup int *p) {\n  f(*p); }\n", 5,
     "threadgroup memory cannot be used as thread memory"},
    {"ConstantToThreadInACast", "void f(constant int *p) {\n  auto q = (const thread int *)p; (void)q; }\n",
     4, "constant memory cannot be used as thread memory"},
    {"DeviceResult", "thread int *f(device int *p) {\n  return p; }\n", 4,
     "device memory cannot be used as thread"},
    {"MemberOfADeviceObject",
     "struct S { int v; void set() { v = 1; } };\nvoid f(device S &s) {\n  s.set(); }\n", 5,
     "'set' is declared for an object in thread memory, and this one is in device memory: write device after "
     "its "
     "parameters, or call it on a copy"},
    {"OperatorOfAConstantObject",
     "struct S { int v; int operator[](int i) const { return v + i; } };\nint f(constant S &s) {\n  return "
     "s[1]; }\n",
     5, "'operator[]' is declared for an object in thread memory, and this one is in constant memory"},
    {"MemberOfALibraryObject", "int f(device simd_vote &v) {\n  return v.all(); }\n", 4,
     "'all' is declared for an object in thread memory, and this one is in device memory: call it on a copy "
     "in "
     "a variable"},
    {"LogInAFunction", "void f() {\n  os_log log(\"a\", \"b\");\n  log.log(\"c\"); }\n", 5,
     "'log' is declared for an object in constant memory, and this one is in thread memory: declare it at "
     "program scope, constant"},
    // Storage
    {"ConstGlobal", "const int n = 3;\n", 3,
     "program-scope variable 'n' has no address space: write constant"},
    {"ConstexprGlobal", "constexpr float4 v = float4(1);\n", 3,
     "program-scope variable 'v' has no address space"},
    {"StaticConstLocal", "int f() {\n  static const int n = 3; return n; }\n", 4,
     "'n' cannot be static or in constant memory inside of a function"},
    {"ConstantLocal", "int f() {\n  constant int n = 3; return n; }\n", 4,
     "'n' cannot be static or in constant memory inside of a function"},
    {"NoElements", "void f() {\n  int a[2][0]; (void)a; }\n", 4, "array 'a' must have an element"},
    {"MutableGlobal", "int counter = 0;\nkernel void k(device int *p) { *p = counter; }\n", 3,
     "program-scope variable 'counter' must be constant"},
    {"MutableGlobalInANamespace", "namespace n {\nfloat f; }\n", 4,
     "program-scope variable 'f' must be constant"},
    {"MutableStaticMember", "struct S {\n  static int n; };\n", 4,
     "program-scope variable 'n' must be constant"},
    {"StaticLocal", "void f() {\n  static int n = 0; ++n; }\n", 4,
     "'n' cannot be static or in constant memory inside of a function"},
    {"ThreadgroupGlobal", "threadgroup float s[4];\n", 3,
     "threadgroup variable 's' must be declared in a kernel"},
    {"ThreadgroupInAFunction", "void f(device int *p) {\n  threadgroup int s[2]; s[0] = 1; *p = s[0]; }\n", 4,
     "threadgroup variable 's' must be declared in a kernel: pass it"},
    {"ThreadgroupInAMember", "struct S { void f(device int *p) {\n  threadgroup int s; s = 1; *p = s; } };\n",
     4, "threadgroup variable 's' must be declared in a kernel: pass it"},
    {"ThreadLocal", "thread_local int n;\n", 3, "thread_local"},
    {"VariableLength",
     "kernel void k(device int *p, constant int &n) {\n  int a[n]; a[0] = 1; *p = a[0]; }\n", 4,
     "array 'a' must have a size that is known when it is compiled"},
    // Threadgroup memory
    {"ThreadgroupValue", "kernel void k(device int *p) {\n  threadgroup int s = 3; *p = s; }\n", 4,
     "threadgroup variable 's' cannot have an initialiser other than zero"},
    {"ThreadgroupList", "kernel void k(device int *p) {\n  threadgroup int s[2] = {0, 1}; *p = s[1]; }\n", 4,
     "threadgroup variable 's' cannot have an initialiser"},
    {"ThreadgroupVector", "kernel void k(device int *p) {\n  threadgroup float4 s = float4(1); *p = s.x; }\n",
     4, "threadgroup variable 's' cannot have an initialiser"},
    {"ThreadgroupInATemplate",
     "template <class T> kernel void f(device T *p) {\n  threadgroup T s = T(3); *p = s; }\n"
     "template kernel void f<int>(device int *);\n",
     4, "threadgroup variable 's' cannot have an initialiser"},
    {"ThreadgroupFromAnArgument", "kernel void k(device int *p) {\n  threadgroup int s = p[0]; *p = s; }\n",
     4, "threadgroup variable 's' cannot have an initialiser"},
    // What of C++ Metal does not have
    {"Goto", "void f() {\n  goto end;\nend:;\n}\n", 4, "goto is not supported"},
    {"VirtualFunction", "struct S {\n  virtual int f() { return 1; } };\n", 4, "'f' cannot be virtual"},
    {"VirtualBase", "struct A {};\nstruct B :\n  virtual A {};\n", 5, "virtual base"},
    {"New", "void f() {\n  thread int *p = new int; }\n", 4, "new is not supported"},
    {"Delete", "void f(thread int *p) {\n  delete p; }\n", 4, "delete is not supported"},
    {"Throw", "void f() {\n  throw 1; }\n", 4, "exceptions"},
    {"Try", "void f() {\n  try { } catch (int) { } }\n", 4, "exceptions"},
    {"Label", "void f(int i) {\n  again: ++i; }\n", 4, "labels are not supported"},
    {"Assembler", "void f() {\n  asm(\"nop\"); }\n", 4, "asm is not supported"},
    {"LongLong", "void f() {\n  unsigned long long n = 1; (void)n; }\n", 4,
     "long long is not supported in Metal: long has 64 bits"},
    {"NameOfAType", "void f(int half) {}\n", 3, "'half' is the name of a type"},
    {"NoexceptOperator", "bool f(int i) {\n  return noexcept(i); }\n", 4,
     "the operator noexcept is not supported"},
    {"SuffixQ", "void f() {\n  float x = 1.0q; (void)x; }\n", 4, "invalid suffix 'q'"},
    {"SuffixHOfAnInteger", "void f() {\n  half x = 1h; (void)x; }\n", 4,
     "invalid suffix 'h' on an integer: write 1.0h"},
    {"NotDefined", "static int f(int n);\nkernel void k(device int *p) { *p = f(1); }\n", 3,
     "function 'f' is called and has no body"},
    // Kernels
    {"VariadicKernel", "kernel void k(device int *p, ...) { *p = 1; }\n", 3,
     "kernel 'k' cannot have a variable number of arguments"},
    {"KernelInAClass", "struct S {\n  kernel void k(device int *p) { *p = 1; } };\n", 4,
     "kernel 'k' cannot be a member of a class"},
    {"AttributeAfterTheParameters",
     "kernel void k(device int *p)\n  [[max_total_threads_per_threadgroup(64)]] { *p = 1; }\n", 4,
     "[[max_total_threads_per_threadgroup]] cannot stand here: write it before the function"},
    {"AttributeAfterTheWordKernel",
     "kernel\n[[max_total_threads_per_threadgroup(64)]] void k(device int *p) { *p = 1; }\n", 4,
     "[[max_total_threads_per_threadgroup]] cannot stand here: write it before the function"},
    {"ScalarAndVectorInputs",
     "kernel void k(device int *p, uint3 n [[threads_per_grid]],\n  uint i [[thread_position_in_grid]]) { "
     "p[i] = n.x; }\n",
     3, "arguments 'n' and 'i' have types of different lengths"},
    {"PointerAsATexture", "kernel void k(device int *p [[texture(0)]]) { *p = 1; }\n", 3,
     "argument 'p' of type 'device int *' cannot be a texture: write [[buffer(..)]]"},
    {"TextureAsABuffer", "kernel void k(texture2d<float> t [[buffer(0)]]) { (void)t; }\n", 3,
     "cannot be a buffer: write [[texture(..)]]"},
    // Vectors and matrices
    {"AddressOfAComponent", "void f(float4 v) {\n  thread float *p = &v.x; *p = 1; }\n", 4,
     "a component of a vector has no address"},
    {"ReferenceToAComponent", "void g(thread float &f) { f = 1; }\nvoid f(float4 v) {\n  g(v.x); }\n", 5,
     "a reference cannot be bound to a component of a vector"},
    {"AssignmentToASum", "void f(int2 v) {\n  v + v = int2(1); }\n", 4, "expression is not assignable"},
    {"AssignmentToASwizzleOfAValue", "int4 g();\nvoid f(int4 v) {\n  (v + v).xy = int2(1); }\n", 5,
     "expression is not assignable"},
    {"SwizzleThatNamesAnElementTwice", "void f(int4 v) {\n  v.xxzz.xy = int2(1); }\n", 4,
     "this swizzle, .xx, names an element twice"},
    {"SwizzleOfASwizzleOfConst", "void f(const int4 v) {\n  v.wzyx.xy = int2(1); }\n", 4, "const"},
    {"FiveColumns", "void f() {\n  matrix<float, 5, 2> m; (void)m; }\n", 4, "a matrix has 2 to 4 columns"},
    // Attributes
    {"MisspeltBuiltin", "kernel void k(device int *p,\n  uint i [[thread_postion_in_grid]]) { p[i] = 1; }\n",
     4, "unknown attribute 'thread_postion_in_grid'; did you mean 'thread_position_in_grid'"},
    {"MisspeltBuffer", "kernel void k(device int *p [[bufer(0)]]) { *p = 1; }\n", 3,
     "unknown attribute 'bufer'; did you mean 'buffer'"},
    {"FirstWordsOfABuiltin", "kernel void k(device int *p,\n  uint i [[thread_position]]) { p[i] = 1; }\n", 4,
     "unknown attribute 'thread_position'; did you mean 'thread_position_in_grid'"},
    {"SlotOfAnId",
     "kernel void k(device int *p,\n  [[buffer(0)]] uint i [[thread_position_in_grid]]) { p[i] = 1; }\n", 4,
     "argument 'i' cannot have [[buffer]]: it is [[thread_position_in_grid]]"},
    {"ExternThreadgroup", "kernel void k(device int *p) {\n  extern threadgroup int s[]; *p = s[0]; }\n", 4,
     "threadgroup variable 's' cannot be extern: memory whose length the host sets is an argument"},
    {"DeviceAtProgramScope", "device int n = 0;\nkernel void k(device int *p) { *p = 1; }\n", 3,
     "variable 'n' cannot be in device memory: what threads change at program scope is a buffer"},
    {"OneIndexTwice",
     "constant int a [[function_constant(1)]];\nconstant int b [[function_constant(1)]];\n"
     "kernel void k(device int *p) { *p = a + b; }\n",
     4, "function_constant(1) is already used by 'a'"},
    {"IndexOutOfRange",
     "constant int a [[function_constant(65536)]];\nkernel void k(device int *p) { *p = a; }\n", 3,
     "function_constant(65536) is out of range"},
    {"NegativeIndex", "constant int a [[function_constant(-1)]];\nkernel void k(device int *p) { *p = a; }\n",
     3, "function_constant(-1) is out of range"},
    // Members of address spaces
    {"NoMemberForThread",
     "struct S { int v; int get() device { return v; } };\nkernel void k(device int *p) { S s;\n  *p = "
     "s.get(); }\n",
     5, "'get' is not declared for an object in this address space"},
    // What Clang takes for a type that depends on a parameter
    {"ATypeThatIsNotKnown",
     "template <class T> struct R { static constexpr constant ulong v = __array_rank(T); };\n"
     "template <ulong N> struct U { static constexpr constant ulong v = N; };\n"
     "kernel void k(device ulong *p) {\n  auto v = U<R<int[2][3]>::v>::v; *p = v; }\n",
     6, "the type of 'v' cannot be deduced"},
};
INSTANTIATE_TEST_SUITE_P(Rules, Refuses, testing::ValuesIn(kRefused),
                         [](const auto &info) { return std::string(info.param.name); });

struct Accepted {
  const char *name;
  const char *source;
};
void PrintTo(const Accepted &row, std::ostream *out) {
  *out << row.name;
}

class Accepts : public testing::TestWithParam<Accepted> {};

TEST_P(Accepts, WithoutAnError) {
  const auto result = compileText(GetParam().source);
  EXPECT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
}

const Accepted kAccepted[] = {
    {"ThreadOnEitherSide",
     "void f(thread float *a, float thread *b, const thread int &c, float const thread &d) {}\n"},
    {"ThreadByAMacro",
     "#define PRIVATE thread\n#define REF(T) thread T &\nvoid f(PRIVATE float *p, REF(int) i) {}\n"},
    {"EveryLevel", "void f(device float *thread *p, const device float *const thread &q) {}\n"},
    {"ReferenceToAPointer", "template <class T> void g(const device T *&p, device uint *&q) { ++p; ++q; }\n"
                            "void f(device uint *p) { const device float *q = nullptr; g<float>(q, p); }\n"},
    {"ReferenceToAnArray", "void f(thread float (&a)[4], threadgroup float (&b)[2][2]) {}\n"},
    {"AutoTakesTheSpace",
     "void f(device int *p) { auto q = p; auto &r = *q; thread auto &s = q; r = 1; s = p; }\n"},
    {"DependentTypes", "template <class P> void f(P p) {}\nvoid g(device int *p) { f<device int *>(p); }\n"},
    {"TypeNames", "typedef device float *P;\nusing R = const device int &;\nvoid f(P p, R r) {}\n"},
    {"LoopsOverArrays", "int f() { int a[4] = {1, 2, 3, 4}, s = 0; for (int i : a) s += i; return s; }\n"},
    {"Constants", "constant int a = 1;\nconstexpr constant int b = 2;\nstatic constant int c[2] = {1, 2};\n"
                  "constexpr sampler s(filter::linear);\nstruct S { static constant constexpr int n = 3; };\n"
                  "int f() { const int d = 4; constexpr int e = 5; return a + b + c[0] + d + e + S::n; }\n"},
    {"ThreadgroupConstructor",
     "struct C { float a; C() thread : a(1) {} C() threadgroup {} };\n"
     "kernel void k(device float *p) { threadgroup C c[2]; threadgroup C d; c[1].a = 1; d.a = 2;\n"
     "  p[0] = c[1].a + d.a; }\n"},
    {"ThreadgroupInALambda",
     "kernel void k(device int *p) { auto f = [&] { threadgroup int s; s = 1; *p = s; }; f(); }\n"},
    {"ThreadgroupInAnObjectFunction",
     "[[object]] void o(uint i [[thread_index_in_threadgroup]]) { threadgroup uint s; s = i; }\n"},
    {"ThreadgroupZeros", "struct S { int a; float2 b; S() = default; };\nkernel void k(device int *p) {\n"
                         "  threadgroup float b[32] = {0}; threadgroup int i = 0; threadgroup S s = {};\n"
                         "  threadgroup S t[4]; threadgroup float4 v[2] = {};\n"
                         "  b[0] = i; s.a = 1; t[0] = s; v[0] = 1; *p = int(b[0]) + t[0].a; }\n"},
    {"ThreadgroupObjectsWithAConstructor",
     "struct C { float re, im; constexpr C() {} constexpr C(float a) : re(a), im(0) {} };\n"
     "kernel void k(device float *p) { threadgroup C c[4]; c[0] = C(1);\n"
     "  *p = c[0].re; }\n"},
    {"FunctionConstantsInRange",
     "constant int a [[function_constant(0)]];\nconstant int b [[function_constant(65535)]];\n"
     "kernel void k(device int *p) { *p = a + b; }\n"},
    {"AttributesOfOtherCompilers",
     "[[maybe_unused]] static int f() { return 1; }\n"
     "[[nodiscard]] int g(int i) { switch (i) { case 1: ++i; [[fallthrough]]; default: return i; } }\n"},
    {"MembersOfEverySpace",
     "struct S { int v; int get() const thread { return v; } int get() const device { return v; }\n"
     "  int get() const constant { return v; } int get() const threadgroup { return v; } };\n"
     "int f(thread S &a, device S &b, constant S &c, threadgroup S &d) { return a.get() + b.get() + c.get() "
     "+ d.get(); }\n"},
    {"DependentSpaces",
     "template <class T> void f(T &&t) {}\ntemplate <class P> void g(P p) { auto q = [](auto &x) { (void)x; "
     "}; q(*p); }\n"
     "template <class T> struct S { typename T::type *p; };\nvoid h(device int *p) { f(p); g(p); }\n"},
    {"CopiesFromEverySpace",
     "struct S { int v; S() = default; int twice() const { return 2 * v; } };\n"
     "int f(device S &a, constant S &b, threadgroup S &c) { S s = a; s = b; S t = c; a = s; c = t;\n"
     "  const device int &r = a.v; return s.twice() + r + (s.v ? a.v : t.v) + S(c).twice(); }\n"},
    {"ConstantsOfTheLibrary",
     "constexpr sampler s(filter::linear);\ntemplate <class T> constexpr bool kIs = false;\n"
     "struct S { static constexpr int n = 3; };\nconstant float2x2 m = float2x2(1);\nconstant bool b "
     "[[function_constant(0)]];\n"
     "constant int n = b ? S::n : 2;\nint f() { const int k = 4; const int l = k + n; return l; }\n"},
    {"TailRecursion",
     "static int f(int n, int s) { if (n == 0) return s; return (n > 9 ? f(n - 2, s) : f(n - 1, s + n)); }\n"
     "static void g(thread int &n) { if (n > 0) { --n; g(n); } else { --n; } }\n"
     "static void h(thread int &n) { if (n > 0) { --n; h(n); return; } n = 1; }\n"
     "template <int N> int t() { if constexpr (N == 0) return 0; else return N * t<N - 1>(); }\n"
     "kernel void k(device int *p) { int i = 3; g(i); h(i); *p = f(3, 0) + t<3>() + i; }\n"},
    {"Recursion", "static int g(int n);\nstatic int f(int n) { return n < 2 ? 1 : n * g(n - 1); }\n"
                  "static int g(int n) { return f(n) + 1; }\nkernel void k(device int *p) { *p = f(3); }\n"},
    {"AttributesOfGraphics",
     "struct V { float4 p [[position]]; float2 t [[shared]]; };\n"
     "[[early_fragment_tests]] fragment float4 f(V v [[stage_in]], uint m [[sample_mask, "
     "post_depth_coverage]]) { return v.p + float(m); }\n"
     "struct R { bool a [[accept_intersection]]; float d [[distance]]; };\n"
     "[[intersection(bounding_box, intersection_function_buffer, user_data)]] R g(bool o [[opaque]], ushort "
     "i [[function_id]], const device float &u [[user_data_buffer]]) { R r = {o, u + i}; return r; }\n"},
    {"FunctionsOfOtherFiles",
     "int elsewhere(int n);\nint f() { return elsewhere(1); }\nstatic int unused(int n);\n"},
    {"ComponentsByValue", "float g(float f, const thread float &r) { return f + r; }\n"
                          "float f(float4 v, thread packed_float3 &p) { float x = v.y; const thread float &r "
                          "= v.x; const thread float &q = p.x;\n"
                          "  v.x += x; return g(v.x, v.y) + r + q + v[2]; }\n"},
    {"SwizzlesOfSwizzles", "void f(thread int4 &a, device int4 *p) { a.wzyx.xy = int2(1); p->zyx.xy += "
                           "int2(2); p[1].xyzw.zyx.x; }\n"},
    {"InputsOfOneLength", "kernel void k(device int *p, uint2 i [[thread_position_in_grid]], ushort2 n "
                          "[[threads_per_threadgroup]],\n"
                          "  uint t [[thread_index_in_threadgroup]], ushort l [[thread_index_in_simdgroup]]) "
                          "{ p[i.x] = n.x + t + l; }\n"},
    // Attributes before array bounds
    {"AttributeBeforeBounds", "struct A { device int *p [[id(1)]][2]; float f [[id(4)]][3]; };\n"
                              "kernel void k(constant A &a [[buffer(0)]]) { a.p[1][0] = int(a.f[2]); }\n"},
    // Names of hosts after a line splice
    {"HostNameAfterASplice", "template <class T> kernel void f(device T *p [[buffer(0)]]) { p[0] = 1; }\n"
                             "#define INST(n, T) template \\\n[[host_name(n)]] \\\n[[kernel]] void "
                             "f<T>(device T *);\nINST(\"a\", int)\n"
                             "#define INST2(n, T) \\\n  template \\\n  [[host_name(n)]] kernel void "
                             "f<T>(device T *);\nINST2(\"b\", half)\n"},
    // Files of applications
    {"VertexAndFragment",
     "struct In { float4 position [[attribute(0)]]; half4 color [[attribute(1)]]; };\n"
     "struct Out { float4 position [[position]]; half4 color [[user(locn0)]]; float2 uv [[user(locn1), "
     "center_no_perspective]];\n"
     "  float size [[point_size]]; uint layer [[render_target_array_index, flat]]; };\n"
     "struct Targets { half4 a [[color(0)]]; float depth [[depth(less)]]; };\n"
     "vertex Out vs(In in [[stage_in]], constant float4x4 &m [[buffer(1)]], uint id [[vertex_id]], uint i "
     "[[instance_id]]) {\n"
     "  Out out; out.position = m * in.position; out.color = in.color; out.uv = float2(id, i); out.size = 1; "
     "out.layer = 0;\n"
     "  return out; }\n"
     "fragment Targets fs(Out in [[stage_in]], bool front [[front_facing]], uint s [[sample_id]]) {\n"
     "  Targets t; t.a = front ? in.color : half4(s); t.depth = 0.5f; return t; }\n"
     "fragment half4 plain(Out in [[stage_in]], texture2d<half> t [[texture(0)]], sampler s [[sampler(0)]]) "
     "{\n"
     "  return t.sample(s, in.uv); }\n"
     "kernel void k(device int *p [[buffer(0)]]) { *p = 1; }\n"},
    {"NewStyleStages", "[[vertex]] float4 vs(uint id [[vertex_id]]) { return float4(id); }\n"
                       "[[fragment, early_fragment_tests]] half4 fs() { return half4(1); }\n"
                       "[[visible]] int twice(int x) { return 2 * x; }\n"
                       "kernel void k(device int *p) { *p = twice(*p); }\n"},
};
INSTANTIATE_TEST_SUITE_P(Rules, Accepts, testing::ValuesIn(kAccepted),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(MetalRules, FunctionsOfOtherKindsAreListed) {
  const auto result = compileText("vertex float4 vs(uint id [[vertex_id]]) { return float4(id); }\n"
                                  "kernel void k(device int *p) { *p = 1; }\n"
                                  "[[visible]] int twice(int x) { return 2 * x; }\n");
  ASSERT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
  ASSERT_EQ(result->info.otherFunctions.size(), 2u);
  EXPECT_EQ(result->info.otherFunctions[0].name, "vs");
  EXPECT_EQ(result->info.otherFunctions[0].kind, "vertex");
  EXPECT_EQ(result->info.otherFunctions[0].where.line, 3u);
  EXPECT_EQ(result->info.otherFunctions[1].name, "twice");
  EXPECT_EQ(result->info.otherFunctions[1].kind, "visible");
  EXPECT_EQ(result->info.kernels.size(), 1u);
}

TEST(MetalRules, TheMembersOfStageInAreArguments) {
  const auto result = compileText(
      "constant bool wide [[function_constant(0)]];\n"
      "struct In { float3 p [[attribute(2)]]; ushort n [[attribute(0), function_constant(wide)]]; };\n"
      "kernel void k(uint i [[thread_position_in_grid]], In in [[stage_in]], device float *p [[buffer(0)]]) {"
      " *p = in.p.x; }\n");
  ASSERT_TRUE(result) << renderDiagnostics(result.error().diagnostics);
  const KernelInfo &kernel = result->info.kernels.at(0);
  EXPECT_EQ(kernel.unsupported, "");
  ASSERT_EQ(kernel.arguments.size(), 4u);
  const ArgumentInfo &p = kernel.arguments[1], &n = kernel.arguments[2];
  EXPECT_EQ(p.name, "in.p");
  EXPECT_EQ(p.kind, ArgumentKind::Attribute);
  EXPECT_EQ(p.index, 2u);
  EXPECT_EQ(p.element, ScalarType::Float);
  EXPECT_EQ(p.components, 3u);
  EXPECT_EQ(p.pointeeBytes, 16u);
  EXPECT_EQ(n.name, "in.n");
  EXPECT_EQ(n.index, 0u);
  EXPECT_EQ(n.element, ScalarType::UShort);
  EXPECT_EQ(n.components, 1u);
  EXPECT_EQ(n.condition, "wide");
  EXPECT_EQ(kernel.arguments[3].kind, ArgumentKind::Buffer);
}

TEST(MetalRules, WhatCannotBeStageInIsAnErrorAtItsLine) {
  const struct {
    const char *members, *message;
  } rows[] = {
      {"float4 p;", "'in.p' is a member of what is [[stage_in]]: it needs [[attribute(n)]]"},
      {"float4 p [[attribute(1)]]; float q [[attribute(1)]];",
       "attribute(1) is already used by argument 'in.p'"},
      {"float4 p [[attribute(31)]];", "attribute(31) is out of range: attribute has slots 0 to 30"},
      {"float4x4 p [[attribute(1)]];", "attribute 'in.p' cannot have type 'float4x4'"},
      {"bool p [[attribute(1)]];", "attribute 'in.p' cannot have type 'bool'"},
      {"bfloat2 p [[attribute(1)]];", "attribute 'in.p' cannot have type 'bfloat2'"},
      {"packed_float3 p [[attribute(1)]];", "attribute 'in.p' cannot have type 'packed_float3'"},
      {"float p[2] [[attribute(1)]];", "attribute 'in.p' cannot have type 'float[2]'"},
      {"long p [[attribute(1)]];", "attribute 'in.p' cannot have type 'long'"},
      {"", "argument 'in' of type 'In' cannot be [[stage_in]]: it is a structure whose members have "
           "[[attribute(n)]]"},
  };
  for (const auto &[members, message] : rows) {
    const auto result =
        compileText(std::string("#include <metal_stdlib>\nusing namespace metal;\nstruct In { ") + members +
                    " };\nkernel void k(In in [[stage_in]], device float *p [[buffer(0)]]) { *p = 0; }\n");
    ASSERT_FALSE(result) << members;
    EXPECT_NE(renderDiagnostics(result.error().diagnostics).find(message), std::string::npos)
        << renderDiagnostics(result.error().diagnostics);
  }
}

// Clang's own errors are often the consequence.
TEST(MetalRules, AParameterWithoutASpaceIsToldOfARefusedProgram) {
  const auto said = [](const std::string &text) {
    const auto result = compileText(text);
    return result ? "" : renderDiagnostics(result.error().diagnostics);
  };
  const std::string layer = "struct Layer { float w; float of(Layer *l) { return l->w; } };\n";
  const std::string use = "kernel void k(constant Layer *l, device float *o) { o[0] = run(l[0]); }\n";
  std::string text = said(layer + "static float run(Layer &l) { return l.w; }\n" + use);
  EXPECT_THAT(text, HasSubstr("test.metal:4:25: error: reference type of 'l' has no address space"));
  EXPECT_THAT(text, HasSubstr("test.metal:3:41: error: pointer type of 'l' has no address space"));
  EXPECT_THAT(text, HasSubstr("test.metal:5:60: error: no matching function for call to 'run'"));
  text = said("template <class T> static T run(T x, const T *y) { return x; }\nstruct Layer { float w; };\n" +
              use + "#define THREAD thread\nstatic float of(THREAD float *x) { return *x; }\n");
  EXPECT_THAT(text, HasSubstr("test.metal:3:47: error: pointer type of 'y' has no address space"));
  EXPECT_THAT(text, testing::Not(HasSubstr("'x'")));
}

} // namespace
