#include "program.h"
#include "support/files/hash.h"
#include "support/files/npy.h"

namespace assay::cli_test {
namespace {

class Run : public Program {};

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(float)};
}

} // namespace

TEST_F(Run, SaysWhatRanAndWhatCameOut) {
  const Outcome outcome = assay(std::string(kAddRun) + "--schedule canonical --out 2=sum.npy");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string sum = floats({11, 22, 33, 44});
  EXPECT_EQ(withoutTimes(outcome.out), "kernel    add (add.metal)\n"
                                       "grid      4 threads in threadgroups of 4 threads: 4 threads in 1 "
                                       "threadgroups\n"
                                       "numerics  apple, math mode fast\n"
                                       "engine    fiber\n"
                                       "schedule  canonical, 1 worker\n"
                                       "compile   T s (cold)\n"
                                       "run       T s\n"
                                       "buffer 2  sum float[4] digest " +
                                           hashBytes(sum) +
                                           "\n"
                                           "          11 22 33 44\n"
                                           "wrote     sum.npy (buffer 2)\n");
  const Result<NpyArray> array = parseNpy(read("sum.npy"), "sum.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->type, ScalarType::Float);
  EXPECT_THAT(array->shape, testing::ElementsAre(4));
  EXPECT_EQ(array->data, sum);
}

TEST_F(Run, CountsMakingCodeAsCompiling) {
  write("places.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                        "kernel void places(device uint2 *out [[buffer(0)]],\n"
                        "                   uint2 local [[thread_position_in_threadgroup]],\n"
                        "                   uint i [[thread_index_in_threadgroup]]) {\n"
                        "  out[i] = local;\n}\n");
  const auto cached = [&](const char *threads) {
    const Outcome outcome = assay(std::string("run places.metal --kernel places --threadgroups 1 --json ") +
                                  "--engine vector "
                                  "--buffer 0=zeros:u32[128] --threads " +
                                  threads);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("compileCached").get<bool>();
  };
  EXPECT_FALSE(cached("64"));
  EXPECT_TRUE(cached("64"));
  EXPECT_FALSE(cached("8,8")) << "threadgroups of another shape need another code";
  EXPECT_TRUE(cached("8,8"));
}

TEST_F(Run, ChecksWhatDependsOnAPoisonedBuffer) {
  write("add.metal",
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void add(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
        "  out[i] += 1;\n}\n");
  const std::string run = "run add.metal --kernel add --grid 4 --threads 4 --check --json --buffer 0=";
  const Outcome outcome = assay(run + "poison:f32[4]");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.out, testing::HasSubstr("\"rule\": \"uninitialised-device\""));
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("writes to out[0] depends on out[0], which nobody has written"));
  EXPECT_EQ(assay(run + "zeros:f32[4]").exitCode, 0);
}

TEST_F(Run, ChecksARaceAndItsRepair) {
  const auto kernel = [](const char *barrier) {
    return std::string("#include <metal_stdlib>\nusing namespace metal;\n"
                       "kernel void turn(device float *out [[buffer(0)]], "
                       "uint i [[thread_index_in_threadgroup]]) {\n"
                       "  threadgroup float shared[64];\n  shared[i] = i;\n  ") +
           barrier + "\n  out[i] = shared[63 - i];\n}\n";
  };
  const std::string run =
      "run turn.metal --kernel turn --threadgroups 1 --threads 64 --buffer 0=zeros:f32[64] ";
  write("turn.metal", kernel(""));
  EXPECT_EQ(assay(run).exitCode, 0) << "nobody asks for a check";
  Outcome outcome = assay(run + "--check");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.out, testing::HasSubstr("check     1 finding, 64 instances"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("turn.metal:7:12: warning: read of shared[31] by thread 32"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("turn.metal:5:13: note: the write by thread 31"));
  EXPECT_EQ(assay(run + "--check=inactive-lane,barrier-skipped").exitCode, 0);
  EXPECT_EQ(assay(run + "--check=-race-threadgroup,-uninitialised-threadgroup").exitCode, 0);
  write("accepted.txt",
        "race-threadgroup turn.metal:5 the values are not used\nrace-grid turn.metal as well\n");
  outcome = assay(run + "--check --suppress accepted.txt");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, testing::HasSubstr("check     no findings; 1 suppressed\n"));
  EXPECT_THAT(outcome.err, testing::StartsWith("accepted.txt:2:1: warning: no finding of race-grid is in "
                                               "turn.metal [unused-suppression]\n"));
  EXPECT_EQ(assay(run + "--suppress accepted.txt").exitCode, 2) << "without --check";

  outcome = assay(run + "--check=all --json");
  EXPECT_EQ(outcome.exitCode, 3);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(json.at("ok").get<bool>());
  const auto &finding = json.at("findings").at(0);
  EXPECT_EQ(finding.at("rule"), "race-threadgroup");
  EXPECT_EQ(finding.at("where").at("line"), 7);
  EXPECT_EQ(finding.at("count"), 64);
  EXPECT_EQ(finding.at("notes").at(0).at("where").at("line"), 5);
  EXPECT_THAT(finding.at("hint").get<std::string>(), testing::HasSubstr("threadgroup_barrier"));

  EXPECT_EQ(assay(run + "--check --sarif found.sarif").exitCode, 3);
  const auto sarif = nlohmann::json::parse(read("found.sarif"));
  EXPECT_EQ(sarif.at("runs").at(0).at("results").at(0).at("ruleId"), "race-threadgroup");
  EXPECT_THAT(complaint(run + "--sarif found.sarif"), testing::StartsWith("2 error: --sarif writes what"));
  EXPECT_EQ(assay(run + "--check --junit found.xml").exitCode, 3);
  EXPECT_THAT(read("found.xml"), testing::HasSubstr("name=\"race-threadgroup\">\n      <failure message="));
  EXPECT_THAT(complaint(run + "--junit found.xml"), testing::StartsWith("2 error: --junit writes what"));

  write("turn.metal", kernel("threadgroup_barrier(mem_flags::mem_threadgroup);"));
  outcome = assay(run + "--check");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("check     no findings"));
  EXPECT_TRUE(nlohmann::json::parse(assay(run + "--check --json").out).at("findings").empty());
}

// 65536 * 65537 = 4295032832, which is 65536 in 32 bits. Of the quotient nothing is known that could wrap.
TEST_F(Run, AnIndexThatWrappedIsNamedByEveryEngine) {
  write("wide.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void wide(device float *out [[buffer(0)]], constant uint *n [[buffer(1)]],\n"
                      "                 uint i [[thread_position_in_grid]]) {\n"
                      "  const uint row = n[0] + i / 1024, stride = n[1];\n"
                      "  out[row * stride] = 1;\n"
                      "}\n");
  const std::string run = "run wide.metal --kernel wide --grid 64 --threads 64 --buffer 0=zeros:f32[1024] "
                          "--buffer 1=u32:65536,65537 --schedule canonical ";
  for (const char *engine : {"--engine fiber", "--engine vector", "--check --junit found.xml"}) {
    const Outcome outcome = assay(run + engine);
    EXPECT_EQ(outcome.exitCode, 1) << engine;
    EXPECT_EQ(outcome.err,
              "wide.metal:6:21: error: write of 4 bytes at byte 262144 of buffer(0) 'out', which has 4096 "
              "bytes: its index wrapped in 32 bits, from 4295032832 to 65536 [out-of-bounds]\n"
              "  compute the index in 64 bits: make its first operand ulong, long or size_t\n"
              "note: kernel wide, threadgroup (0,0,0), thread (0,0,0) in threadgroup, simdgroup 0, lane 0\n")
        << engine;
  }
  EXPECT_THAT(read("found.xml"), testing::HasSubstr("<error message=\"write of 4 bytes at byte 262144"));
  const Outcome larger =
      assay("run wide.metal --kernel wide --grid 64 --threads 64 --buffer 0=zeros:f32[1024] "
            "--buffer 1=u32:65535,65537 --engine fiber");
  EXPECT_THAT(larger.err, testing::HasSubstr("at byte 17179869180 of buffer(0)"))
      << "65535 * 65537 = 2^32 - 1";
  EXPECT_THAT(larger.err, testing::Not(testing::HasSubstr("wrapped")));
}

TEST_F(Run, RefusesChecksThatAreNone) {
  EXPECT_THAT(
      complaint(std::string(kAddRun) + "--check=races"),
      testing::StartsWith("2 error: there is no check 'races' [bad-option]\n  there are default, all, "));
  EXPECT_THAT(
      complaint(std::string(kAddRun) + "--check --schedule parallel"),
      testing::StartsWith("2 error: --check and --schedule parallel exclude each other [bad-option]"));
}

TEST_F(Run, ASecondRunCompilesNothing) {
  EXPECT_THAT(assay(kAddRun).out, testing::HasSubstr("(cold)"));
  EXPECT_THAT(assay(kAddRun).out, testing::HasSubstr("(cached)"));
  EXPECT_THAT(assay(std::string(kAddRun) + "--numerics ieee").out, testing::HasSubstr("(cold)"));
}

TEST_F(Run, AChangedKernelIsCompiledAgain) {
  assay(kAddRun);
  std::string changed = kAdd;
  changed.replace(changed.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  write("add.metal", changed);
  const Outcome outcome = assay(kAddRun);
  EXPECT_THAT(outcome.out, testing::HasSubstr("(cold)"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("-9 -18 -27 -36"));
}

TEST_F(Run, ADamagedCacheIsCompiledAgain) {
  assay(kAddRun);
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path() / "cache"))
    if (entry.is_regular_file()) {
      const uintmax_t half = entry.file_size() / 2;
      const std::string bytes = read(std::filesystem::relative(entry.path(), folder.path()).string());
      std::filesystem::remove(entry.path()); // another test may have the same file
      std::ofstream(entry.path(), std::ios::binary) << bytes.substr(0, half);
    }
  const Outcome outcome = assay(kAddRun);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("(cold)"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("11 22 33 44"));
  EXPECT_THAT(assay(kAddRun).out, testing::HasSubstr("(cached)"));
}

TEST_F(Run, TheCacheCanBeTurnedOff) {
  setenv("ASSAY_CACHE", "off", 1);
  setenv("ASSAY_CACHE_DIR", (folder / "never").c_str(), 1);
  assay(kAddRun);
  EXPECT_THAT(assay(kAddRun).out, testing::HasSubstr("(cold)"));
  unsetenv("ASSAY_CACHE");
  EXPECT_FALSE(exists("never"));
}

TEST_F(Run, ShowsThatAnOutputWasNotWritten) {
  write("lazy.metal", "#include <metal_stdlib>\n"
                      "kernel void lazy(device uint *x [[buffer(0)]]) { x[1] = 7; }\n");
  const Outcome outcome = assay("run lazy.metal --kernel lazy --grid 1 --threads 1 --buffer 0=poison:u32[2]");
  EXPECT_THAT(outcome.out, testing::HasSubstr("          2779096485 7\n"));
}

TEST_F(Run, TakesConstantsByNameAndByIndex) {
  write("fc.metal",
        "#include <metal_stdlib>\n"
        "constant int scale [[function_constant(7)]];\nconstant bool negate [[function_constant(8)]];\n"
        "kernel void f(device int *x [[buffer(0)]]) { x[0] = negate ? -scale : scale; }\n");
  const Outcome outcome = assay("run fc.metal --kernel f --grid 1 --threads 1 --buffer 0=poison:i32[1] "
                                "--constant scale=12 --constant 8=true");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("constants scale (7) = 12, negate (8) = true\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("          -12\n"));
}

TEST_F(Run, BuffersOfArgumentsThatDoNotExistMayBeLeftOut) {
  write("opt.metal", "#include <metal_stdlib>\nconstant bool has_b [[function_constant(0)]];\n"
                     "kernel void f(device int *a [[buffer(0)]],\n"
                     "              const device int *b [[buffer(1), function_constant(has_b)]]) {\n"
                     "  a[0] = 5;\n  if (has_b) a[0] += b[0];\n}\n");
  const std::string run = "run opt.metal --kernel f --grid 1 --threads 1 --buffer 0=i32:0 ";
  EXPECT_THAT(assay(run + "--constant has_b=false").out, testing::HasSubstr("          5\n"));
  EXPECT_THAT(assay(run + "--constant has_b=true --buffer 1=i32:2").out, testing::HasSubstr("          7\n"));
  EXPECT_EQ(assay(run + "--constant has_b=true").exitCode, 2);
}

TEST_F(Run, PassesStructsAsPackedLiterals) {
  write("st.metal", "#include <metal_stdlib>\nstruct P { int n; float f; long l; };\n"
                    "kernel void f(constant P &p [[buffer(0)]], device float *x [[buffer(1)]]) {\n"
                    "  x[0] = p.n; x[1] = p.f; x[2] = p.l;\n}\n");
  const Outcome outcome =
      assay("run st.metal --kernel f --grid 1 --threads 1 '--buffer' '0=i32:3;f32:0.5;i64:-4' "
            "--buffer 1=poison:f32[3]");
  EXPECT_THAT(outcome.out, testing::HasSubstr("          3 0.5 -4\n")) << outcome.err;
  EXPECT_EQ(
      assay("run st.metal --kernel f --grid 1 --threads 1 --buffer 0=i32:3 --buffer 1=poison:f32[3]").err,
      "error: 4 bytes are bound at buffer index 0, constant P &p refers to 16 bytes [buffer-too-small]\n");
}

// Lowering refuses this kernel, so what is told instead of that was found before it.
TEST_F(Run, TellsWhatTheDeclarationShowsBeforeTheCodeIsMade) {
  write("large.metal", "#include <metal_stdlib>\nstruct P { int n; float f; };\n"
                       "kernel void f(constant P &p [[buffer(0)]], device int *x [[buffer(1)]],\n"
                       "              threadgroup int *t [[threadgroup(0)]]) {\n"
                       "  int large[2000000];\n"
                       "  for (int i = 0; i < p.n; ++i) large[x[i]] = t[i];\n"
                       "  x[0] = large[p.n];\n}\n");
  const std::string run = "run large.metal --kernel f --grid 1 ", data = " --buffer 1=zeros:i32[4] ";
  const auto message = [&](const std::string &arguments) { return assay(run + arguments).err; };
  EXPECT_THAT(message("--threads 1 --buffer '0=i32:3;f32:1'" + data), testing::HasSubstr("[thread-memory]"));
  EXPECT_EQ(
      message("--threads 1 --buffer 0=i32:3" + data),
      "error: 4 bytes are bound at buffer index 0, constant P &p refers to 8 bytes [buffer-too-small]\n");
  EXPECT_THAT(message("--threads 1 --struct 0=P:n=1" + data), testing::HasSubstr("[missing-field]"));
  EXPECT_THAT(message("--threads 1 --struct 2=P:n=1,f=2" + data),
              testing::HasSubstr("--struct 2: kernel 'f' has no buffer at this index"));
  EXPECT_THAT(message("--threads 1 --buffer 3=zeros:i32[1]" + data), testing::HasSubstr("[surplus-binding]"));
  EXPECT_THAT(message("--threads 1 --threadgroup-memory 0=8" + data),
              testing::HasSubstr("[threadgroup-memory-length]"));
  EXPECT_THAT(message("--threads 1025" + data), testing::HasSubstr("[threadgroup-size]"));
}

TEST_F(Run, WritesBfloatAsUint16AndReadsItBack) {
  write("bf.metal", "#include <metal_stdlib>\n"
                    "kernel void f(device bfloat *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                    "  x[i] = x[i] + 1.0bf;\n}\n");
  const std::string run = "run bf.metal --kernel f --grid 2 --threads 2 --out 0=o.npy ";
  const Outcome outcome = assay(run + "--buffer 0=bf16:1,-3");
  EXPECT_THAT(outcome.out, testing::HasSubstr("x bfloat[2]")) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("          2 -2\n"));
  const Result<NpyArray> array = parseNpy(read("o.npy"), "o.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->type, ScalarType::UShort);
  EXPECT_THAT(assay(run + "--buffer 0=o.npy:bf16").out, testing::HasSubstr("          3 -1\n"));
}

TEST_F(Run, WarnsOfDataOfAnotherType) {
  const Outcome outcome =
      assay("run add.metal --kernel add --grid 1 --threads 1 --buffer 0=i32:1 --buffer 1=f32:1 "
            "--buffer 2=f32:0");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.err, "warning: buffer 0 is given as int, argument 'a' reads it as float [type-mismatch]\n"
                         "  bits are passed as they are, nothing is converted\n");
}

TEST_F(Run, TakesRawBytesForAnyType) {
  const std::string run =
      "run add.metal --kernel add --grid 1 --threads 1 --buffer 1=f32:1 --buffer 2=f32:0 ";
  EXPECT_EQ(assay(run + "--buffer 0=u8:0,0,128,63").err, "");
  EXPECT_THAT(assay(run + "--buffer 0=i8:0,0,0,63").err, testing::HasSubstr("[type-mismatch]"));
}

TEST_F(Run, SaysTheSameInJson) {
  const Outcome outcome =
      assay("run add.metal --kernel add --threadgroups 2 --threads 2 --buffer 0=f32:1,inf,nan,2 "
            "--buffer 1=f32:1,1,1,1 --buffer 2=zeros:f32[2,2] --schedule shuffle:9 --json");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["kernel"], "add");
  EXPECT_EQ(json["threadgroups"], 2);
  EXPECT_EQ(json["threads"], 4);
  EXPECT_EQ(json["schedule"], "shuffle:9");
  EXPECT_EQ(json["numerics"], "apple");
  EXPECT_EQ(json["buffers"].size(), 1u);
  EXPECT_EQ(json["buffers"][0]["shape"], (nlohmann::json{2, 2}));
  EXPECT_EQ(json["buffers"][0]["values"], (nlohmann::json{2, "inf", "nan", 3}));
}

constexpr const char *kGather = R"(#include <metal_stdlib>
using namespace metal;
struct Args {
  device const float *table [[id(0)]];
  device float *result [[id(1)]];
  uint count [[id(2)]];
};
kernel void gather(constant Args &args [[buffer(0)]], device const uint *order [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  if (i < args.count)
    args.result[i] = args.table[order[i]];
}
)";
constexpr const char *kGatherRun =
    "run gather.metal --kernel gather --grid 4 --threads 4 --buffer 1=u32:2,1,0,9 "
    "--buffer table=f32:10,20,30 --buffer result=zeros:f32[3] ";

TEST_F(Run, AnArgumentBufferHoldsAddressesOfOtherBuffers) {
  write("gather.metal", kGather);
  const Outcome outcome =
      assay(std::string(kGatherRun) +
            "--buffer '0=addr:table,result;u32:3,0' --out result=out.npy --out 1=order.npy");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, testing::HasSubstr("buffer result float[3] digest " +
                                              hashBytes(floats({30, 20, 10})) + "\n          30 20 10\n"));
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("wrote     out.npy (buffer result)\nwrote     order.npy (buffer 1)\n"));
  EXPECT_EQ(parseNpy(read("out.npy"), "out.npy")->data, floats({30, 20, 10}));
  const Outcome json = assay(std::string(kGatherRun) + "--buffer '0=addr:table,result+4;u32:2,0' --json");
  const nlohmann::json buffers = nlohmann::json::parse(json.out)["buffers"];
  ASSERT_EQ(buffers.size(), 2u) << json.out;
  EXPECT_EQ(buffers[0]["name"], "result");
  EXPECT_EQ(buffers[0]["values"], (nlohmann::json{0, 30, 20})) << "one float further";
}

TEST_F(Run, AnAddressThatLeadsNowhereIsReportedAtTheAccess) {
  write("gather.metal", kGather);
  EXPECT_THAT(
      complaint(std::string(kGatherRun) + "--buffer '0=addr:table;u64:0;u32:3,0;addr:result'"),
      testing::StartsWith("1 gather.metal:11:20: error: write of 4 bytes at address 0x0: a null pointer "
                          "[out-of-bounds]\n"));
  EXPECT_THAT(
      complaint(std::string(kGatherRun) + "--buffer '0=addr:table,result;u32:4,0'"),
      testing::StartsWith("1 gather.metal:11:22: error: read of 4 bytes outside all memory of the kernel, at "
                          "byte 36 of a buffer that is used but not bound, which is the nearest and has 12 "
                          "bytes [out-of-bounds]\n"));
}

TEST_F(Run, MistakesInAddressesAreNamed) {
  write("gather.metal", kGather);
  EXPECT_EQ(complaint(std::string(kGatherRun) + "--buffer 0=addr:tabel"),
            "2 error: --buffer 0: no --buffer is given for address 'tabel' [unknown-buffer]\n  did you mean "
            "'table'?\n");
  EXPECT_EQ(complaint(std::string(kGatherRun) + "--buffer 0=addr:1+17"),
            "2 error: --buffer 0: byte 17 is past the end of buffer 1, which has 16 [bad-spec]\n");
  EXPECT_EQ(complaint(std::string(kGatherRun) + "--buffer table=f32:1"),
            "2 error: --buffer is given twice for name 'table' [bad-option]\n");
}

constexpr const char *kLog = R"(#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log logger("sums", "debug");
kernel void k(device const float2 *x [[buffer(0)]], uint2 i [[thread_position_in_grid]]) {
  if (i.x == 1)
    logger.log_error("row %u\nx = %.1v2f\n", i.y, x[i.y]);
}
)";
constexpr const char *kSwap = R"(#include <metal_stdlib>
using namespace metal;
kernel void swap_pairs(device uint *x [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint tile[32];
  tile[i] = x[i];
  x[i] = tile[i ^ 1];
}
)";

TEST_F(Run, LockstepRunsWhatCountsOnIt) {
  write("swap.metal", kSwap);
  const std::string run = "run swap.metal --kernel swap_pairs --grid 4 --threads 4 --buffer 0=u32:1,2,3,4 ";
  const Outcome together = assay(run + "--lockstep --schedule canonical");
  EXPECT_EQ(together.exitCode, 0) << together.err;
  EXPECT_THAT(together.out, testing::HasSubstr("schedule  canonical, 1 worker, lanes in lockstep\n"));
  EXPECT_THAT(together.out, testing::HasSubstr("\n          2 1 4 3\n"));
  const Outcome alone = assay(run + "--engine fiber");
  EXPECT_THAT(alone.out, testing::Not(testing::HasSubstr("\n          2 1 4 3\n")));
  EXPECT_THAT(alone.out, testing::Not(testing::HasSubstr("lockstep")));
}

constexpr const char *kLogRun = "run log.metal --kernel k --grid 2,2 --threads 2 --buffer 0=f32:1,2,3,4 ";

TEST_F(Run, PrintsWhatAKernelLogsLineByLineWithItsThread) {
  write("log.metal", kLog);
  for (const char *how : {"--schedule canonical", "--schedule parallel --workers 2", ""}) {
    const Outcome outcome = assay(std::string(kLogRun) + how);
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.err, "[thread (1,0,0)] row 0\n[thread (1,0,0)] x = 1.0,2.0\n"
                           "[thread (1,1,0)] row 1\n[thread (1,1,0)] x = 3.0,4.0\n");
  }
}

TEST_F(Run, AKernelsLogIsAnArrayInJson) {
  write("log.metal", kLog);
  const Outcome outcome = assay(std::string(kLogRun) + "--json");
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json log = nlohmann::json::parse(outcome.out)["log"];
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1], (nlohmann::json{{"thread", {1, 1, 0}},
                                    {"threadgroup", {0, 1, 0}},
                                    {"level", "error"},
                                    {"subsystem", "sums"},
                                    {"category", "debug"},
                                    {"text", "row 1\nx = 3.0,4.0\n"},
                                    {"where", {{"file", "log.metal"}, {"line", 7}, {"column", 12}}}}));
}

TEST_F(Run, WhatAKernelLoggedBeforeItFailedIsPrinted) {
  write("log.metal", "#include <metal_logging>\nkernel void k(device int *x [[buffer(0)]]) {\n"
                     "  metal::os_log_default.log(\"here\");\n  x[5] = 1;\n}\n");
  const Outcome outcome = assay("run log.metal --kernel k --grid 1 --threads 1 --buffer 0=i32:0");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, testing::StartsWith("[thread (0,0,0)] here\nlog.metal:4:"));
}

TEST_F(Run, AFailedAssertionEndsTheDispatchWithItsExpression) {
  write("assert.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                        "constexpr int checked(int n) { assert(n > 0); return n; }\n"
                        "constant int kOne = checked(1);\n"
                        "kernel void k(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                        "  assert((is_same_v<int, int>));\n"
                        "  int sum = simd_sum(x[i]);\n"
                        "  assert(x[i] < 3 &&\n         \"too large\");\n"
                        "  x[i] = sum + checked(kOne);\n}\n");
  const std::string run = "run assert.metal --kernel k --grid 3 --threads 3 ";
  const std::string asked = run + "-D ASSAY_ASSERTIONS ";
  EXPECT_THAT(assay(asked + "--buffer 0=i32:0,1,2").out, testing::EndsWith("          4 4 4\n"));
  EXPECT_EQ(complaint(asked + "--buffer 0=i32:0,5,9"),
            "1 assert.metal:8:3: error: assertion failed: x[i] < 3 && \"too large\" [assertion]\n"
            "  without -D ASSAY_ASSERTIONS, asserts do nothing, as on a Mac\n"
            "note: kernel k, threadgroup (0,0,0), thread (1,0,0) in threadgroup, simdgroup 0, lane 1\n");
  EXPECT_THAT(assay(run + "--buffer 0=i32:0,5,9").out, testing::EndsWith("          15 15 15\n"));
}

TEST_F(Run, AKernelThatNeverEndsIsReported) {
  write("spin.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void spin(device atomic_uint *x [[buffer(0)]]) {\n"
                      "  while (atomic_load_explicit(x, memory_order_relaxed) == 0) {\n  }\n}\n");
  const Outcome outcome =
      assay("run spin.metal --kernel spin --grid 1 --threads 1 --buffer 0=u32:0 --timeout 0.2");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, testing::HasSubstr("[no-progress]"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("spin.metal:4:"));
}

// Metal's fast tanh is (t-1)/(t+1) with t = exp(2x), which overflows at 50; the function itself is 1 there.
TEST_F(Run, IeeeNumericsTakePreciseFunctions) {
  write("tanh.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void k(device float *x [[buffer(0)]]) { x[0] = tanh(x[0]); }\n");
  const std::string run = "run tanh.metal --kernel k --grid 1 --threads 1 --buffer 0=f32:50 --numerics ";
  EXPECT_THAT(assay(run + "apple").out, testing::EndsWith("          nan\n"));
  EXPECT_THAT(assay(run + "ieee").out, testing::EndsWith("          1\n"));
}

} // namespace assay::cli_test
