// Sources with the same beginning, compiled from its precompiled form and, beside that, by parsing all of the
// text and the shim: the same, to the last byte.
#include "precompiled_shelf.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <random>

using namespace assay;
using testing::HasSubstr;

namespace {

class Shelf : public frontend::Shelf {
public:
  // Beginnings, and lists of them, without the shim.
  size_t beginnings() const {
    size_t n = 0;
    for (const auto &[key, bytes] : kept)
      n += bytes.find("/assay/msl_shim/prefix") != bytes.npos || bytes.find("// filler") != bytes.npos;
    return n;
  }
};

// Long enough to be worth keeping, and different for each test, since a process remembers what it has seen.
std::string filler(const std::string &test) {
  std::string text = "// filler of " + test + "\n#include <metal_stdlib>\nusing namespace metal;\n";
  for (int i = 0; i < 90; ++i)
    text += fmt::format("// {}\ninline float unused_{}(float x, float y) {{\n  return x * {}.5 + y;\n}}\n",
                        std::string(40, '-'), i, i);
  return text;
}

frontend::SourceRequest requestFor(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "program_source";
  request.text = text;
  return request;
}

std::string digestsOf(const std::vector<frontend::Dependency> &files) {
  std::string text;
  for (const frontend::Dependency &file : files)
    text += file.path + " " + file.digest + "\n";
  return text;
}

std::string placesOf(const ModuleInfo &info) {
  std::string text;
  for (const KernelInfo &kernel : info.kernels)
    text +=
        fmt::format("{} {}:{}:{}\n", kernel.name, kernel.where.file, kernel.where.line, kernel.where.column);
  return text;
}

void expectTheSame(const frontend::SourceRequest &request, Shelf &shelf) {
  const auto fast = frontend::compile(request, &shelf);
  const auto plain = frontend::compileParsingTheShim(request);
  const std::string end =
      request.text->substr(request.text->size() - std::min<size_t>(400, request.text->size()));
  ASSERT_EQ(bool(plain), bool(fast)) << end;
  if (!plain) {
    EXPECT_EQ(renderDiagnostics(plain.error().diagnostics), renderDiagnostics(fast.error().diagnostics));
    return;
  }
  EXPECT_TRUE(plain->bitcode == fast->bitcode) << end;
  EXPECT_EQ(renderDiagnostics(plain->warnings), renderDiagnostics(fast->warnings));
  EXPECT_EQ(placesOf(plain->info), placesOf(fast->info));
  EXPECT_EQ(digestsOf(plain->dependencies), digestsOf(fast->dependencies));
}

// The first source makes its places known, the second has its beginning kept, the third only uses it.
void expectTheSame(const std::string &beginning, const std::vector<std::string> &rests, Shelf &shelf) {
  for (const std::string &rest : rests)
    expectTheSame(requestFor(beginning + rest), shelf);
}

std::string kernelOf(const std::string &name, const std::string &body, const std::string &type = "float") {
  return fmt::format(
      "kernel void {}(device {} *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{ {} }}\n", name, type,
      body);
}

} // namespace

TEST(PrecompiledPrefix, IsKeptOnceTwoSourcesBeginWithIt) {
  Shelf shelf;
  const std::string beginning = filler("IsKept") + "inline float twice(float x) { return x + x; }\n";
  expectTheSame(beginning, {kernelOf("a", "x[i] = twice(x[i]);")}, shelf);
  EXPECT_EQ(shelf.beginnings(), 0u);
  expectTheSame(beginning, {kernelOf("b", "x[i] = twice(x[i]) + 1;")}, shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
  expectTheSame(beginning, {kernelOf("c", "x[i] = unused_3(twice(x[i]), 2);")}, shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
}

TEST(PrecompiledPrefix, ChangesNoByteOfWhatTheRestMakesOfIt) {
  Shelf shelf;
  const std::string beginning =
      filler("ChangesNoByte") +
      "#line 1 \"helpers.h\"\n"
      "template <typename T> struct Pair { T a, b; T sum() const { return a + b; } };\n"
      "template <typename T> T twice(T x) { return x + x; }\n"
      "struct Half { half h; float wide() const { return static_cast<float>(h); } };\n"
      "float plain(float x) { return twice(x) * 2; }\n"
      "float4 fused(float4 a, float4 b, float4 c) { return a * b + c; }\n"
      "inline float4 fusedToo(float4 a, float4 b, float4 c) { float4 open; open.x = 1; return a * b - c + "
      "open; }\n"
      "static constant constexpr const int kSize = 4;\n"
      "#define SPACE threadgroup\n#define TWICE(x) twice(x)\n"
      "template <typename T> [[kernel]] void copy(device T *x [[buffer(0)]], uint i "
      "[[thread_position_in_grid]]) {\n"
      "  threadgroup T shared[kSize]; shared[i % kSize] = x[i];\n"
      "  Pair<T> p{x[i], shared[0]}; x[i] = p.sum();\n}\n";
  const auto copyOf = [](const char *type) {
    return fmt::format("template [[host_name(\"copy_{0}\")]] [[kernel]] decltype(copy<{0}>) copy<{0}>;\n",
                       type);
  };
  expectTheSame(
      beginning,
      {copyOf("float"), copyOf("int"), copyOf("half") + copyOf("uint"),
       kernelOf("k", "x[i] = fused(float4(x[i]), 2, 3).x + fusedToo(1, 2, 3).y + plain(3);"),
       kernelOf("k", "SPACE float y[kSize]; y[i % kSize] = TWICE(x[i]); x[i] = y[0];"),
       "#line 40 \"rest.h\"\n" + kernelOf("k", "Pair<float> p{1, x[i]}; x[i] = p.sum() + Half{2}.wide();")},
      shelf);
  EXPECT_GT(shelf.beginnings(), 0u);
}

// The helpers of the beginning use templates of the shim, with types of the shim and of their own. The rest
// has overloads that templates find by the types of their arguments.
TEST(PrecompiledPrefix, ChangesNoByteOfWhatTheShimsTemplatesBecome) {
  Shelf shelf;
  const std::string beginning =
      filler("ShimsTemplates") +
      "inline ulong down(ulong x, ushort d) { return as_type<ulong>(simd_shuffle_down(as_type<uint2>(x), "
      "d)); }\n"
      "inline uint total(uint x) { return simd_sum(x) + simd_shuffle_xor(x, ushort(1)); }\n"
      "struct Own { float v; };\n"
      "template <typename T> float valueOf(T x) { return read(x); }\n"
      "template <typename T> float read(T) { return 1; }\n"
      "inline float ofOwn() { array<Own, 2> a; a[0] = Own{2}; return valueOf(a[0]); }\n"
      "inline float4 clamped(float4 x) { return clamp(x, 0.f, 1.f) + select(x, x + 1, x > 2); }\n";
  expectTheSame(beginning,
                {kernelOf("k", "x[i] = down(x[i]);", "ulong"), kernelOf("k", "x[i] = total(x[i]);", "uint"),
                 "float read(Own x) { return x.v; }\n" + kernelOf("k", "x[i] = ofOwn();"),
                 kernelOf("k", "x[i] = ofOwn() + clamped(x[i]).x;"),
                 "namespace metal { inline float4 extra(float4 x) { return x; } }\n" +
                     kernelOf("k", "x[i] = extra(clamped(x[i])).y + total(uint(i));")},
                shelf);
  EXPECT_GT(shelf.beginnings(), 0u);
}

TEST(PrecompiledPrefix, KeepsAssignmentsToSwizzles) {
  Shelf shelf;
  const std::string beginning =
      filler("KeepsAssignmentsToSwizzles") +
      "inline int next(thread int &n) { return n++; }\n"
      "inline float4 set(float4 v, int n) { float4 a[2] = {v, v}; a[next(n)].xy = n; a[next(n)].zw += n;\n"
      "  a[0].zw -= a[1].xy; v.zw[n] = 3; v.hi.hi *= 2; v.wzyx.xy = a[0].zw; return v + a[n & 1]; }\n"
      "template <typename T> T any(T v, int n) { T a[2] = {v, v}; a[next(n)].xy = n; v.zw[n & 1] += 3;\n"
      "  v.hi.hi++; float4 w(1); w.yz[1] = 2; a[next(n)].yz *= n; w.xy += v.zw; return v + T(w) + a[1]; }\n"
      "inline float4 both(float4 v) { return any(v, 0) + set(v, 0); }\n";
  expectTheSame(beginning,
                {kernelOf("a", "x[i] = both(x[i]).x;"),
                 kernelOf("b", "x[i] = both(x[i]).y + any(half4(x[i]), 0).y;"),
                 kernelOf("c", "float4 v(1); v.zw[1] = x[i]; x[i] = (set(v, 0) + any(v, 0)).w;")},
                shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
}

TEST(PrecompiledPrefix, KeepsRepairsOfTheBeginning) {
  Shelf shelf;
  const std::string beginning =
      filler("KeepsRepairs") + "inline bfloat narrow(half h) { return static_cast<bfloat>(h); }\n";
  expectTheSame(beginning,
                {kernelOf("a", "x[i] = narrow(half(x[i]));"), kernelOf("b", "x[i] = narrow(half(x[i])) + 1;"),
                 kernelOf("c", "x[i] = narrow(half(x[i])) + 2;")},
                shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
}

TEST(PrecompiledPrefix, KeepsFunctionsForGenericPointers) {
  Shelf shelf;
  const std::string beginning =
      filler("KeepsFunctionsForGenericPointers") +
      "struct S { float v; float get() const { return v + 1; } float get() const device { return v + 2; }\n"
      "  float twice() const { return 2 * get(); } };\n"
      "inline float f(thread float *p) { return *p + 1; }\ninline float f(float *p) { return *p + 2; }\n"
      "inline float any(float *p) { return f(p); }\n";
  for (const std::string &rest :
       {kernelOf("a", "S s = {x[i]}; x[i] = s.get() + s.twice();"),
        kernelOf("b", "S s = {x[i]}; float y = 1; x[i] = s.get() + ((device S *)x)->get() + f(&y) + f(x);"),
        kernelOf("c", "threadgroup S s; s.v = x[i]; float y = s.get(); x[i] = any(&y) + f(&y) + s.twice();"),
        kernelOf("d", "constant S *s = nullptr; x[i] = s->get();")}) {
    frontend::SourceRequest request = requestFor(beginning + rest);
    request.language = LanguageVersion::Metal4_1;
    expectTheSame(request, shelf);
  }
  EXPECT_EQ(shelf.beginnings(), 1u);
}

TEST(PrecompiledPrefix, LeavesMistakesToTheWholeText) {
  Shelf shelf;
  const std::string beginning = filler("LeavesMistakes") +
                                "template <typename T> T wrong(T x) { return x.none; }\n"
                                "float later(float x);\n"
                                "inline float calls(float x) { return later(x); }\n"
                                "template <typename T> struct Holder { T value; };\n"
                                "template <typename T> T gone(T x) { goto end; end: return x; }\n";
  expectTheSame(beginning,
                {kernelOf("a", "x[i] = 1;"), kernelOf("b", "x[i] = 2;"), kernelOf("c", "x[i] = wrong(x[i]);"),
                 kernelOf("d", "x[i] = gone(x[i]);"), kernelOf("e", "x[i] = unknown(x[i]);"),
                 "float later(float x) { return calls(x); }\n" + kernelOf("f", "x[i] = later(x[i]);"),
                 kernelOf("g", "Holder<float *> h{nullptr}; x[i] = *h.value;"),
                 "kernel void h(device float *x) { int unset; x[0] = unset; }\n"},
                shelf);
  EXPECT_GT(shelf.beginnings(), 0u);
}

// Of the rest, and of what the rest makes of the beginning's templates and macros.
TEST(PrecompiledPrefix, ReportsTheWarningsOfTheWholeText) {
  Shelf shelf;
  const std::string beginning =
      filler("ReportsWarnings") +
      "#line 3 \"helpers.h\"\n"
      "template <typename T> T padded(T x) { constexpr int unused = sizeof(T); return x; }\n"
      "template <int N> struct Sized { int n; int over() { int a[N]; a[N] = 1; return a[0]; } };\n"
      "#define SHADOW(x) int hidden_##x = 3;\n"
      "static float alone(float x) { return x; }\n"
      "inline float unsetOf(bool b) { float y; if (b) y = 1; return b ? y : 0; }\n"
      "template <typename T> [[deprecated(\"no longer\")]] T old(T x) { return x; }\n"
      "template <typename T> T through(T x) { return old(x); }\n";
  const std::vector<std::string> rests = {
      kernelOf("a", "x[i] = 1;"),
      kernelOf("b", "x[i] = 2;"),
      kernelOf("c", "int left = 1;"),
      kernelOf("d", "x[i] = padded(x[i]) + padded(half(x[i]));"),
      kernelOf("e", "SHADOW(e) x[i] = unsetOf(i > 3);"),
      kernelOf("f", "x[i] = Sized<3>{1}.over();"),
      kernelOf("g", "x[i] = old(x[i]) + through(x[i]);"),
      "#line 900 \"rest.h\"\n" + kernelOf("h", "float y; x[i] = y; if (i = 3) x[i] = 1;"),
      "#warning told\n" + kernelOf("i", "x[i] = alone(x[i]);"),
      "#define alone(x) (x)\n#define alone(x) (1 + x)\n" + kernelOf("j", "x[i] = alone(x[i]);")};
  expectTheSame(beginning, rests, shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
  size_t warned = 0;
  for (const std::string &rest : rests)
    warned += !frontend::compile(requestFor(beginning + rest), &shelf)->warnings.empty();
  EXPECT_GE(warned, 7u);
}

TEST(PrecompiledPrefix, LeavesWhatDependsOnThePlaceToTheWholeText) {
  Shelf shelf;
  const std::string beginning = filler("LeavesPlaces") + "#line 7 \"other.h\"\n#define HERE __LINE__\n"
                                                         "inline int count() { return __COUNTER__; }\n";
  expectTheSame(beginning,
                {kernelOf("a", "x[i] = count();"), kernelOf("b", "x[i] = 1 + count();"),
                 kernelOf("c", "x[i] = HERE;"), kernelOf("d", "x[i] = __COUNTER__;")},
                shelf);
}

TEST(PrecompiledPrefix, FollowsAMacroForASpaceThatTheRestDefinesAnew) {
  Shelf shelf;
  const std::string beginning = filler("FollowsAMacro") +
                                "#define SPACE threadgroup\n"
                                "inline void use(uint i) { SPACE float y[4]; y[i] = 1; }\n";
  expectTheSame(beginning,
                {kernelOf("a", "use(i);"), kernelOf("b", "use(i); x[i] = 1;"),
                 "#undef SPACE\n#define SPACE device\n" + kernelOf("c", "SPACE float *y = x; y[i] = 2;")},
                shelf);
}

// A template is instantiated at the end of the program, where it finds what the rest declares.
TEST(PrecompiledPrefix, LeavesInstantiationsToTheEnd) {
  Shelf shelf;
  const std::string beginning = filler("LeavesInstantiations") +
                                "struct Own { float v; };\n"
                                "float add(Own a, float b) { return a.v; }\n"
                                "template <typename T> float use(T x) { return add(x, 1); }\n"
                                "inline float now(Own x) { return use(x); }\n";
  expectTheSame(beginning,
                {kernelOf("a", "x[i] = now(Own{1});"), kernelOf("b", "x[i] = now(Own{2});"),
                 "float add(Own a, int b) { return 5; }\n" + kernelOf("c", "x[i] = now(Own{3});")},
                shelf);
  EXPECT_EQ(shelf.beginnings(), 1u);
}

// A program that needs symbols of Apple's compiler is compiled once more, with their header.
TEST(PrecompiledPrefix, LeavesSymbolsOfApplesCompilerToTheWholeText) {
  Shelf shelf;
  const std::string beginning = filler("LeavesSymbols");
  expectTheSame(beginning, {kernelOf("a", "x[i] = 1;"), kernelOf("b", "x[i] = 2;")}, shelf);
  ASSERT_EQ(shelf.beginnings(), 1u);
  const auto request = requestFor(beginning + "float total(float) __asm(\"air.simd_sum.f32\");\n" +
                                  kernelOf("c", "x[i] = total(x[i]);"));
  const auto made = frontend::compile(request, &shelf), plain = frontend::compileParsingTheShim(request);
  ASSERT_TRUE(made && plain);
  EXPECT_EQ(placesOf(made->info), placesOf(plain->info));
  EXPECT_EQ(renderDiagnostics(made->warnings), renderDiagnostics(plain->warnings));
}

TEST(PrecompiledPrefix, EndsBeforeKernelsAndConstants) {
  Shelf shelf;
  for (const char *last :
       {"constant int n [[function_constant(0)]];\n", "constant float table[2] = {1, 2};\n"}) {
    const std::string beginning = filler(std::string("EndsBefore") + last) + last +
                                  kernelOf("first", "x[i] = 1;") + kernelOf("second", "x[i] = 2;");
    expectTheSame(beginning,
                  {kernelOf("a", "x[i] = 1;"), kernelOf("b", "x[i] = 2;"), kernelOf("c", "x[i] = 3;")},
                  shelf);
  }
}

TEST(PrecompiledPrefix, ComesFromTheStoreInAnotherProcess) {
  const std::string beginning = filler("ComesFromTheStore");
  Shelf shelf;
  expectTheSame(beginning, {kernelOf("a", "x[i] = 1;"), kernelOf("b", "x[i] = 2;")}, shelf);
  ASSERT_EQ(shelf.beginnings(), 1u);
  EXPECT_EXIT(
      {
        Shelf empty;
        const auto found =
            frontend::compile(requestFor(beginning + kernelOf("c", "x[i] = unused_1(1, 2);")), &shelf);
        std::_Exit(found ? 0 : 1); // LeakSanitizer, at exit, cannot look into threads of a forked process
      },
      testing::ExitedWithCode(0), "");
  // What is torn counts as absent.
  for (auto &[key, bytes] : shelf.kept)
    if (bytes.find("// filler") != bytes.npos)
      bytes.resize(bytes.size() / 2);
  expectTheSame(beginning, {kernelOf("d", "x[i] = 4;")}, shelf);
}

// Programs of random pieces, in random order.
TEST(PrecompiledPrefix, IsTheSameForRandomPrograms) {
  Shelf shelf;
  std::mt19937 random(5);
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  for (unsigned program = 0; program < 3; ++program) {
    std::string beginning = filler(fmt::format("Random{}", program));
    const unsigned functions = 8;
    for (unsigned f = 0; f < functions; ++f) {
      const char *kinds[] = {"inline float", "float", "template <typename T> T", "static float",
                             "constexpr inline float"};
      const unsigned kind = below(5);
      const std::string type = kind == 2 ? "T" : "float";
      std::string body = fmt::format("{} y = x * {} + {};", type, below(9), below(9));
      if (f)
        body += fmt::format(" y += f{}({}(1));", below(f), type);
      if (below(2) && kind != 4)
        body += fmt::format(" float{0} v(x), w(2); v = v * w + v; y += v.x;", 2 + below(3));
      if (below(3) == 0 && kind != 4)
        body += " y = max(y, float(sqrt(abs(y))));";
      beginning += fmt::format("{} f{}({} x) {{ {} return y; }}\n", kinds[kind], f, type, body);
    }
    std::vector<std::string> rests;
    for (unsigned k = 0; k < 4; ++k)
      rests.push_back(kernelOf(fmt::format("k{}", k), fmt::format("x[i] = f{}(x[i]) + f{}(2.0f);",
                                                                  below(functions), below(functions))));
    expectTheSame(beginning, rests, shelf);
  }
}
