#include "program.h"

namespace assay::cli_test {
namespace {

class Check : public Program {
protected:
  Check() {
    write("mix.metal", R"(#include <metal_stdlib>
using namespace metal;

constant bool has_mask [[function_constant(300)]];
constant int scale [[function_constant(4)]];

struct Params { int n; float f; };

kernel void first(device float *x [[buffer(0)]], constant Params &params [[buffer(1)]],
                  const device uchar *mask [[buffer(2), function_constant(has_mask)]],
                  threadgroup float *tile [[threadgroup(0)]], uint2 tid [[thread_position_in_grid]]) {
  threadgroup int count[4];
  count[tid.x % 4] = params.n * scale;
  tile[0] = params.f;
  x[tid.x] = tile[0] + float(count[0]) + (has_mask ? float(mask[0]) : 0.0f);
}

[[kernel, max_total_threads_per_threadgroup(64)]] void second(device int *y [[buffer(0)]]) { y[0] = 1; }
)");
  }
};

TEST_F(Check, BuildsOneInstantiationOfEachListOfArgumentTypes) {
  write("many.metal", "template <class T, int N> kernel void f(device T *p) { *p = N; }\n"
                      "template [[host_name(\"i1\")]] kernel void f<int, 1>(device int *);\n"
                      "template [[host_name(\"i2\")]] kernel void f<int, 2>(device int *);\n"
                      "template [[host_name(\"h1\")]] kernel void f<half, 1>(device half *);\n");
  const Outcome outcome = assay("check many.metal --pipelines --one-per-signature");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      testing::HasSubstr("2 became native code, one for each kernel function and list of argument types\n"
                         "3 entry points, 3 compiled\n"));
}

TEST_F(Check, OptionsOfMetalsCompilerAreTaken) {
  const std::string given =
      "-x metal -target air64-apple-macos13.0 -O3 -Wall -Wextra -Wno-unused-function -gline-tables-only "
      "-isystem . -iquote. -mmacosx-version-min=";
  write("version.metal", "kernel void k(device int *o) { o[0] = 1; }\n"
                         "#if __METAL_VERSION__ < 400\n#error before 4\n#endif\n");
  EXPECT_EQ(assay("check " + given + "26.0 version.metal").exitCode, 0);
  EXPECT_EQ(assay("check " + given + "14.0 version.metal").exitCode, 1);
  EXPECT_EQ(assay("check " + given + "26.0 -std=metal3.1 version.metal").exitCode, 1);
  EXPECT_EQ(assay("check -mmacos-version-min=new version.metal").exitCode, 2);
}

TEST_F(Check, WarningsAreErrorsIfTheyAreAskedFor) {
  write("warns.metal", "kernel void k(device int *o) {\n  o[0] = 1 << 33;\n}\n");
  write("quiet.metal", "kernel void k(device int *o) { o[0] = 1; }\n");
  EXPECT_EQ(assay("check warns.metal").exitCode, 0);
  for (const char *option : {"-Werror", "--warnings-as-errors"}) {
    EXPECT_EQ(assay(std::string("check quiet.metal ") + option).exitCode, 0);
    EXPECT_EQ(complaint(std::string("check warns.metal ") + option),
              "1 warns.metal:2:12: error: shift count >= width of type [-Werror,-Wshift-count-overflow]\n"
              "    o[0] = 1 << 33;\n"
              "             ^  ~~\n");
  }
  EXPECT_EQ(
      assay("run warns.metal --kernel k --grid 1 --threads 1 --buffer 0=poison:i32[1] -Werror").exitCode, 1);
}

TEST_F(Check, HeadersAreIncludedBeforeTheFirstLine) {
  write("plain.metal", "using namespace metal;\n"
                       "kernel void k(device float *o) { o[0] = simd_sum(PART); absent(); }\n");
  write("part.h", "#define PART 2.0f\n");
  write("lib/absent.h", "#include <metal_stdlib>\nvoid absent() {}\n");
  EXPECT_EQ(assay("check plain.metal -include metal_stdlib -include part.h -include lib/absent.h").exitCode,
            0);
  EXPECT_EQ(assay("check plain.metal -I lib -include part.h -include absent.h").exitCode, 0);
  EXPECT_EQ(assay("check plain.metal --include-first part.h -include absent.h").exitCode, 1);
  EXPECT_EQ(complaint("check plain.metal -include metal_stdlib -include part.h"),
            "1 plain.metal:2:57: error: use of undeclared identifier 'absent'\n"
            "  kernel void k(device float *o) { o[0] = simd_sum(PART); absent(); }\n"
            "                                                          ^\n");
  write("part.h", "#define PART absent\n"); // a cached result depends on the header
  EXPECT_EQ(assay("check plain.metal -I lib -include part.h -include absent.h").exitCode, 1);
}

TEST_F(Check, ALanguageVersionDecidesMacrosAndTheCppBelow) {
  write("v.metal",
        "#include <metal_stdlib>\n"
        "template <class T> struct S { S(T) {} };\n"
        "constant int version = __METAL_VERSION__;\n"
        "#if __METAL_VERSION__ < 310 && defined(__HAVE_BFLOAT__)\n#error bfloat came with 3.1\n#endif\n"
        "kernel void k(device int *p) { S s(1); *p = version; }\n");
  EXPECT_EQ(assay("check v.metal").exitCode, 0);
  EXPECT_EQ(assay("check v.metal --std metal4.0").exitCode, 0);
  EXPECT_EQ(assay("check v.metal -std=metal4.1").exitCode, 0);
  const Outcome old = assay("check v.metal -std=metal3.0");
  EXPECT_EQ(old.exitCode, 1);
  EXPECT_THAT(old.err, testing::HasSubstr("use of class template 'S' requires template arguments"));
  EXPECT_EQ(complaint("check v.metal --std metal9"),
            "2 error: --std: no version metal9 of Metal: there are "
            "macos-metal1.0 to macos-metal2.4, ios-metal1.0 to "
            "ios-metal2.4, metal3.0, metal3.1, metal3.2, metal4.0, metal4.1 "
            "[bad-option]\n  try: assay check --help\n");
}

TEST_F(Check, TakesEveryVersionThatTheMetalCompilerTakes) {
  write("v.metal",
        "#include <metal_stdlib>\nconstant int version = __METAL_VERSION__;\n"
        "#if defined(__METAL__) + defined(__METAL_IOS__) + defined(__METAL_MACOS__) != 1\n"
        "#error one macro, not several\n#endif\n"
        "#if defined(__METAL__) != (VERSION >= 300)\n#error __METAL__ is there from 3.0 on\n#endif\n"
        "#if defined(__METAL_IOS__) != IOS || __METAL_VERSION__ != VERSION\n#error wrong version\n#endif\n"
        "kernel void k(device int *p) { *p = version; }\n");
#ifdef ASSAY_ASAN // the shim is compiled for each of them by Clang, in which a sanitizer sees nothing
  const std::vector<const char *> early{"1.0", "2.4"}, late{"3.0"};
#else
  const std::vector<const char *> early{"1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "2.3", "2.4"},
      late{"3.0", "3.1", "3.2", "4.0", "4.1"};
#endif
  for (const char *platform : {"macos", "ios"})
    for (const char *version : early) {
      const std::string number = {version[0], version[2], '0'};
      const Outcome outcome = assay("check v.metal -std=" + std::string(platform) + "-metal" + version +
                                    " -D IOS=" + (platform[0] == 'i' ? "1" : "0") + " -D VERSION=" + number);
      EXPECT_EQ(outcome.exitCode, 0) << platform << version << outcome.err;
    }
  for (const char *version : late)
    EXPECT_EQ(assay(std::string("check v.metal -D IOS=0 -D VERSION=") + version[0] + version[2] +
                    "0 -std=metal" + version)
                  .exitCode,
              0)
        << version;
}

TEST_F(Check, ListsGraphicsFunctionsAndKernelsThatCannotBeRun) {
  write("app.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                     "struct In { float4 p [[attribute(0)]]; };\n"
                     "vertex float4 vs(In in [[stage_in]]) { return in.p; }\n"
                     "kernel void fetch(float2 at [[pixel_position_in_tile]], device float *p [[buffer(0)]]) "
                     "{ *p = at.x; }\n"
                     "kernel void plain(device float *p [[buffer(0)]]) { *p = 1; }\n");
  const Outcome outcome = assay("check app.metal");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("vs\n  a vertex function: compiled, and not run by itself\n"));
  EXPECT_THAT(
      outcome.out,
      testing::HasSubstr(
          "  cannot be run: argument 'at' is [[pixel_position_in_tile]], of a tile function: only compute "
          "kernels are run\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("2 entry points, 2 compiled\n"));
  EXPECT_EQ(complaint("run app.metal --kernel vs --grid 1 --threads 1"),
            "1 app.metal:4:15: error: 'vs' is a vertex function: only kernels are run [unsupported]\n"
            "  check compiles it; run a kernel, which may call it if it is visible\n");
  EXPECT_EQ(complaint("run app.metal --kernel fetch --grid 1 --threads 1"),
            "1 app.metal:5:13: error: kernel 'fetch' cannot be run: argument 'at' is "
            "[[pixel_position_in_tile]], of a tile function: only compute kernels are run [unsupported]\n");
}

TEST_F(Check, AFunctionThatIsDefinedNowhereHasItsLine) {
  write("undefined.metal", "#include <metal_stdlib>\nfloat g(float x);\n"
                           "kernel void k(device float *p [[buffer(0)]]) {\n  p[0] = g(p[1]);\n}\n");
  EXPECT_THAT(assay("check undefined.metal --pipelines").err,
              testing::StartsWith("undefined.metal:4:10: error: 'float g(float)' is declared and used, and "
                                  "not defined [undefined-symbol]\n"));
}

TEST_F(Check, ASourceThatExplodesEndsWithAnError) {
  write("templates.metal",
        "template <int N, int M> struct T { static constant constexpr int v = T<N - 1, 2 * M>::v + "
        "T<N - 1, 2 * M + 1>::v; };\n"
        "template <int M> struct T<0, M> { static constant constexpr int v = 1; };\n"
        "kernel void k(device int *p) { *p = T<40, 0>::v; }\n");
  std::string macros = "#define A0 1+\n";
  for (int i = 1; i <= 40; ++i)
    macros +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  write("macros.metal", macros + "kernel void k(device int *p) { *p = A40 1; }\n");
  write("text.metal", "int f(constant char *s) { return s[3]; }\n"
                      "kernel void k(device int *p) { *p = f(\"" +
                          std::string(70'000, 'x') + "\"); }\n");
  std::vector<std::string> names{"macros.metal", "text.metal"};
#ifndef ASSAY_ASAN // three million templates, made by Clang, in which a sanitizer sees nothing: 20 s
  names.push_back("templates.metal");
#endif
  for (const std::string &name : names) {
    const Outcome outcome = assay("check " + name);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.err, testing::HasSubstr("error: this source is too much to compile: more than "))
        << name;
  }
}

TEST_F(Check, OptionsMayStandBeforeAndAfterTheFile) {
  for (const char *arguments : {"-I . add.metal --pipelines", "-D VALUE=1 add.metal --json",
                                "--std metal3.2 -I . add.metal", "add.metal -I . -I /tmp"})
    EXPECT_EQ(assay("check " + std::string(arguments)).exitCode, 0) << arguments;
}

TEST_F(Check, BeforeMetal4TheHeadersOfTensorsAreEmpty) {
  write("t.metal", "#include <metal_stdlib>\n#include <metal_tensor>\n"
                   "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
                   "#ifdef __HAVE_TENSOR__\nusing namespace metal;\n"
                   "kernel void k(device float *p) { auto t = tensor(p, dextents<int, 2>(2, 2)); }\n"
                   "#else\nkernel void k(device float *p) {}\n#endif\n");
  for (const char *version : {"metal3.2", "metal4.0"})
    EXPECT_EQ(assay("check t.metal --std " + std::string(version)).exitCode, 0) << version;
}

} // namespace

TEST_F(Check, ListsEntryPointsWithTheirArguments) {
  const Outcome outcome = assay("check mix.metal");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, R"(first
  at most 1024 threads per threadgroup, 16 bytes of static threadgroup memory
    buffer 0       x         device float *        read-write
    buffer 1       params    constant Params &     read
                     n       int                   byte 0
                     f       float                 byte 4
    buffer 2       mask      const device uchar *  read, if has_mask
    threadgroup 0  tile      threadgroup float *
                   tid       uint2                 thread_position_in_grid
    constant 300   has_mask  bool                  function constant
    constant 4     scale     int                   function constant
second
  at most 64 threads per threadgroup, 0 bytes of static threadgroup memory
    buffer 0  y  device int *  read-write
2 entry points, 2 compiled
)");
}

TEST_F(Check, ListsTheMembersOfArgumentBuffers) {
  write("args.metal", R"(#include <metal_stdlib>
using namespace metal;
struct Args {
  device const float *table [[id(0)]];
  array<device float *, 3> results [[id(2)]];
  uint count [[id(5)]];
};
kernel void k(constant Args &args [[buffer(1)]]) { args.results[0][0] = args.table[args.count]; }
)");
  EXPECT_EQ(assay("check args.metal").out, R"(k
  at most 1024 threads per threadgroup, 0 bytes of static threadgroup memory
    buffer 1  args       constant Args &           read
      id 0      table    const device float *      byte 0, read
      id 2-4    results  array<device float *, 3>  byte 8, read-write
      id 5      count    uint                      byte 32
1 entry points, 1 compiled
)");
  const nlohmann::json json = nlohmann::json::parse(assay("check args.metal --json").out);
  EXPECT_EQ(json["entryPoints"][0]["arguments"][0]["members"][1],
            (nlohmann::json{{"name", "results"},
                            {"id", 2},
                            {"type", "array<device float *, 3>"},
                            {"offset", 8},
                            {"bytes", 8},
                            {"count", 3},
                            {"pointsTo", "device"},
                            {"access", "read-write"},
                            {"texture", nullptr},
                            {"sampler", false},
                            {"functionTable", false},
                            {"tensor", nullptr}}));
}

TEST_F(Check, BuildsPipelinesAndSaysWhichConstantsItMadeUp) {
  const Outcome outcome = assay("check mix.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      testing::HasSubstr("  built with values that were not given: has_mask (300) = false, scale (4) = 0\n"));
  EXPECT_THAT(outcome.out, testing::EndsWith("2 entry points, 2 compiled\n"));
}

TEST_F(Check, NamesNoConstantThatHasADefaultOrOneThatNothingReads) {
  write("defaults.metal", R"(#include <metal_stdlib>
using namespace metal;
constant int needed [[function_constant(0)]];
constant int defaulted [[function_constant(1)]];
constant int or_four = is_function_constant_defined(defaulted) ? defaulted : 4;
constant int guarded [[function_constant(2)]];
constant int unread [[function_constant(3)]];
constant float2 doubled_from [[function_constant(4)]];
constant float2 doubled = doubled_from * 2;
kernel void k(device float *x [[buffer(0)]]) {
  x[0] = needed + or_four + doubled.y;
  if (is_function_constant_defined(guarded))
    x[1] = guarded;
}
kernel void none(device float *x [[buffer(0)]]) { x[0] = or_four; }
)");
  const nlohmann::json json = nlohmann::json::parse(assay("check defaults.metal --pipelines --json").out);
  EXPECT_EQ(json["entryPoints"][0]["assumedConstants"], "needed (0) = 0, doubled_from (4) = 0,0");
  EXPECT_EQ(json["entryPoints"][1]["assumedConstants"], nullptr);
  EXPECT_EQ(json["compiled"], 2);
}

TEST_F(Check, TakesTheConstantsGiven) {
  const Outcome outcome = assay("check mix.metal --pipelines --constant has_mask=true --constant 4=3");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("not given")));
}

TEST_F(Check, CountsAsNativeCodeOnlyWhatBecameIt) {
  write("large.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                       "kernel void fits(device float *p) { *p = 1; }\n"
                       "kernel void large(device float *p) {\n"
                       "  threadgroup float s[10000];\n  s[int(p[0])] = p[1];\n  p[2] = s[int(p[3])]; }\n");
  const Outcome outcome = assay("check large.metal --pipelines --one-per-signature --engine vector");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("1 became native code, one for each kernel function and list of "
                                 "argument types\n1 of 1 run simdgroups as one program\n"
                                 "2 entry points, 1 compiled\n"));
}

TEST_F(Check, FailsIfOneEntryPointDoesNotBecomeNativeCode) {
  write("big.metal", "#include <metal_stdlib>\n"
                     "kernel void ok(device int *x [[buffer(0)]]) { x[0] = 1; }\n"
                     "kernel void big(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                     "  threadgroup int t[8193];\n  t[i] = x[i];\n  x[i] = t[8192 - i];\n}\n");
  const Outcome outcome = assay("check big.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, testing::HasSubstr("  not compiled\n"));
  EXPECT_THAT(outcome.out, testing::EndsWith("2 entry points, 1 compiled\n"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("[threadgroup-memory]"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("32772"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("32768"));
}

TEST_F(Check, FailsIfAFunctionIsUsedAndNothingDefinesIt) {
  write("open.metal", "float hue(float x);\nfloat unused(float x);\n[[visible]] float later(float x);\n"
                      "kernel void k(device float *o) {\n  o[0] = later(hue(o[0]));\n}\n");
  const Outcome outcome = assay("check open.metal");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err,
              testing::StartsWith("open.metal:5:16: error: 'float hue(float)' is declared and used, "
                                  "and not defined [undefined-symbol]"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("open.metal:1:7: note: it is declared here"));
  EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("unused")));
  EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("later")));
}

// GPUDBMetalBenchmark's library, which Apple's compiler 32023.864 built, has a kernel with 131,072 B.
TEST_F(Check, WarnsWithoutPipelinesIfAKernelHasTooMuchThreadgroupMemory) {
  const std::string body = "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device float *o, "
                           "uint i [[thread_position_in_threadgroup]]) {\n";
  write("large.metal", body +
                           "  threadgroup float a[8193];\n  a[i] = o[i];\n"
                           "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  o[i] = a[8192 - i];\n}\n");
  const Outcome outcome = assay("check large.metal");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.err, testing::HasSubstr(
                               "large.metal:3:13: warning: kernel k declares 32784 B of threadgroup memory, "
                               "the limit is 32768 B: it compiles, and no pipeline can be made of it"));
  EXPECT_EQ(assay("check large.metal --pipelines").exitCode, 1);
  write("most.metal", body +
                          "  threadgroup float a[8192];\n  a[i] = o[i];\n"
                          "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  o[i] = a[8191 - i];\n}\n");
  const Outcome most = assay("check most.metal");
  EXPECT_EQ(most.exitCode, 0);
  EXPECT_EQ(most.err, "");
}

TEST_F(Check, TakesDefinesAndIncludePaths) {
  write("inc/n.h", "#define N 5\n");
  write("d.metal", "#include <metal_stdlib>\n#include \"n.h\"\n"
                   "#if N == 5 && FLAG == 1 && VALUE == 7\n"
                   "kernel void yes(device int *x [[buffer(0)]]) { x[0] = 1; }\n#endif\n");
  const Outcome outcome = assay("check d.metal -I inc -D FLAG -D VALUE=7");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::EndsWith("1 entry points, 1 compiled\n"));
}

TEST_F(Check, NoticesAChangedHeader) {
  write("n.h", "#define NAME one\n");
  write("h.metal", "#include <metal_stdlib>\n#include \"n.h\"\n"
                   "kernel void NAME(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  EXPECT_THAT(assay("check h.metal").out, testing::StartsWith("one\n"));
  write("n.h", "#define NAME two\n");
  EXPECT_THAT(assay("check h.metal").out, testing::StartsWith("two\n"));
}

TEST_F(Check, SaysTheSameInJson) {
  const Outcome outcome = assay("check mix.metal --json");
  EXPECT_EQ(outcome.exitCode, 0);
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["compiled"], 2);
  const nlohmann::json &first = json["entryPoints"][0];
  EXPECT_EQ(first["name"], "first");
  EXPECT_EQ(first["arguments"].size(), 5u);
  EXPECT_EQ(first["arguments"][2]["condition"], "has_mask");
  EXPECT_EQ(first["functionConstants"][1]["type"], "int");
  EXPECT_EQ(json["entryPoints"][1]["maxTotalThreadsPerThreadgroup"], 64);
}

TEST_F(Check, HelpHasExamplesAndTheVersionIsOneLine) {
  for (const char *arguments : {"--help", "check --help", "run --help", "translate --help"}) {
    const Outcome outcome = assay(arguments);
    EXPECT_EQ(outcome.exitCode, 0) << arguments;
    EXPECT_THAT(outcome.out, testing::HasSubstr("Examples:\n  assay ")) << arguments;
  }
  EXPECT_EQ(assay("--version").out, "assay " ASSAY_VERSION "\n");
}

} // namespace assay::cli_test
