// The program `assay diff`: whole reports, exit codes, writers, unwritten elements, recordings, pictures.
#include "tests/cli/program.h"

#include "support/files/npy.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Diff : public Program {
protected:
  Diff() {
    write("twice.metal", kernelWith("x[i] + x[i]"));
    write("times2.metal", kernelWith("2 * x[i]"));
    write("wrong.metal", kernelWith("i == 37 ? 2.5f * x[i] : 2 * x[i]"));
  }
  static std::string kernelWith(const std::string &expression) {
    return "#include <metal_stdlib>\nusing namespace metal;\n"
           "kernel void f(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
           "              uint i [[thread_position_in_grid]]) {\n"
           "  y[i] = " +
           expression + ";\n}\n";
  }
  /// A SPEC of 64 ones.
  static std::string ones() {
    std::string spec = "f32:1";
    for (int i = 1; i < 64; ++i)
      spec += ",1";
    return spec;
  }
  const std::string with = " --kernel f --grid 64 --threads 48";
};

TEST_F(Diff, EqualKernelsHaveEqualBitsAndExitWith0) {
  const Outcome outcome = assay("diff twice.metal times2.metal" + with);
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "A         f (twice.metal), 64 threads in threadgroups of 48\n"
                         "B         f (times2.metal), 64 threads in threadgroups of 48\n"
                         "numerics  apple, math mode fast\n"
                         "made up   --buffer 0=rand:f32[64]:0\n"
                         "made up   --buffer 1=rand:f32[64]:1\n"
                         "output    y f32[64]: 64 elements, 64 with equal bits, 0 different\n"
                         "equal bits: 64 elements\n");
}

TEST_F(Diff, FilesMayBeLinkedWithBothSides) {
  const std::string head = "#include <metal_stdlib>\nusing namespace metal;\nfloat f(float);\n";
  const auto kernelThatCalls = [&](const std::string &value) {
    return head +
           "kernel void f(device const float *x, device float *y, uint i [[thread_position_in_grid]]) {\n"
           "  y[i] = " +
           value + ";\n}\n";
  };
  write("a.metal", kernelThatCalls("f(x[i]) + f(x[i])"));
  write("b.metal", kernelThatCalls("2 * f(x[i])"));
  write("f.metal", head + "float f(float x) { return x * x; }\n");
  const Outcome outcome = assay("diff a.metal b.metal --link f.metal" + with);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(assay("diff a.metal b.metal" + with).exitCode, 1);
  write("mapping.toml", "[A]\nlink = [\"f.metal\"]\nkernel = \"f\"\ngrid = [4]\nthreads = [4]\n"
                        "[A.buffers]\n0 = \"f32:1,2,3,4\"\n"
                        "[B]\nlink = [\"f.metal\"]\nkernel = \"f\"\ngrid = [4]\nthreads = [4]\n"
                        "[B.buffers]\n0 = \"f32:1,2,3,4\"\n"
                        "[outputs]\ny = { shape = [4], type = \"f32\" }\n"
                        "[A.outputs]\ny = { buffer = 1 }\n[B.outputs]\ny = { buffer = 1 }\n");
  const Outcome mapped = assay("diff a.metal b.metal --mapping mapping.toml");
  EXPECT_EQ(mapped.exitCode, 0) << mapped.err;
}

TEST_F(Diff, ADifferenceIsNamedWithItsWriters) {
  const Outcome outcome = assay("diff times2.metal wrong.metal --buffer 0=" + ones() + with);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.out, "A         f (times2.metal), 64 threads in threadgroups of 48\n"
                         "B         f (wrong.metal), 64 threads in threadgroups of 48\n"
                         "numerics  apple, math mode fast\n"
                         "made up   --buffer 1=rand:f32[64]:1\n"
                         "output    y f32[64]: 64 elements, 63 with equal bits, 1 different\n"
                         "  ulps    1048577-2097152: 1; largest distance 0.5, relative 0.2\n"
                         "  first   [37]: A 2 (0x40000000), B 2.5 (0x40200000): 2097152 ulps, 0.5 apart\n"
                         "          A written by thread (37,0,0) of the grid, threadgroup (0,0,0), simdgroup "
                         "1, lane 5 at times2.metal:5:8\n"
                         "          B written by thread (37,0,0) of the grid, threadgroup (0,0,0), simdgroup "
                         "1, lane 5 at wrong.metal:5:8\n"
                         "different: 1 of 64 elements, in 1 of 1 outputs\n");
}

TEST_F(Diff, AToleranceIsWhatIsAskedFor) {
  const std::string diff = "diff times2.metal wrong.metal --buffer 0=" + ones() + with;
  EXPECT_EQ(assay(diff + " --ulp 2097152").exitCode, 0);
  EXPECT_EQ(assay(diff + " --ulp 2097151").exitCode, 1);
  EXPECT_EQ(assay(diff + " --atol 0.5").exitCode, 0);
  EXPECT_EQ(assay(diff + " --atol 0.49").exitCode, 1);
  EXPECT_EQ(assay(diff + " --rtol 0.2").exitCode, 0); // of B, which is 2.5
  EXPECT_EQ(assay(diff + " --rtol 0.19").exitCode, 1);
  EXPECT_THAT(assay(diff + " --atol 0.5").out,
              HasSubstr("equal within the tolerance: 1 of 64 elements do not have equal bits"));
}

TEST_F(Diff, SeesWhatASideNeverWrites) {
  write("half.metal",
        "#include <metal_stdlib>\n"
        "kernel void f(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
        "              uint i [[thread_position_in_grid]]) {\n  if (i % 2 == 0) y[i] = 2 * x[i];\n}\n");
  const Outcome outcome = assay("diff times2.metal half.metal" + with);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("64 elements, 32 with equal bits, 32 different\n  never written: A 0, B 32\n"
                        "  first   [1]: A "));
  EXPECT_THAT(outcome.out, HasSubstr(", B unwritten\n          A written by thread (1,0,0)"));
  const Outcome same = assay("diff half.metal half.metal" + with);
  EXPECT_EQ(same.exitCode, 0); // visible, but no difference
  EXPECT_THAT(same.out, HasSubstr("32 written by neither\n  never written: A 32, B 32\n"
                                  "equal bits: 32 elements; 32 written by neither side\n"));
}

// Half of what is there is what it was before, and yet all of it is written.
TEST_F(Diff, AStoreOfTheSameValueIsAStore) {
  write("relu.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void f(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                      "  y[i] = max(y[i], 0.0f);\n}\n");
  write("keep.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void f(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                      "  if (y[i] < 0) y[i] = 0;\n}\n");
  EXPECT_THAT(assay("diff relu.metal relu.metal" + with).out,
              HasSubstr("64 elements, 64 with equal bits, 0 different\nequal bits"));
  const Outcome outcome = assay("diff relu.metal keep.metal" + with);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("never written: A 0, B "));
}

// Simdgroup matrices are stored by the runtime, not by an instruction of the kernel.
TEST_F(Diff, SeesStoresOfSimdgroupMatrices) {
  for (const auto &[name, factor] : {std::pair{"one.metal", "1.0f"}, std::pair{"two.metal", "2.0f"}})
    write(name, "#include <metal_stdlib>\nusing namespace metal;\n"
                "kernel void f(device float *y [[buffer(0)]]) {\n"
                "  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(" +
                    std::string(factor) + ");\n  simdgroup_store(m, y, 16);\n}\n");
  const std::string call = " --kernel f --threadgroups 1 --threads 32 --buffer 0=poison:f32[8,16]";
  EXPECT_THAT(assay("diff one.metal one.metal" + call).out,
              HasSubstr("128 elements, 64 with equal bits, 0 different, 64 written by neither"));
  EXPECT_THAT(assay("diff one.metal two.metal" + call).out,
              HasSubstr("  first   [0,0]: A 1 (0x3f800000), B 2 (0x40000000): 8388608 ulps, 1 apart\n"
                        "          A written by thread (0,0,0)"));
}

// A byte of an output may well be 0xA5, the poison.
TEST_F(Diff, AValueThatLooksLikePoisonIsAValue) {
  write("a5.metal", "#include <metal_stdlib>\n"
                    "kernel void f(device uchar *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                    "  if (i != 3) y[i] = 0xA5;\n}\n");
  const Outcome outcome =
      assay("diff a5.metal a5.metal --kernel f --grid 8 --threads 8 --buffer 0=poison:u8[8]");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("8 elements, 7 with equal bits, 0 different, 1 written by neither"));
}

TEST_F(Diff, SaysThatSeveralThreadsWrote) {
  for (const auto &[name, bias] : {std::pair{"sum.metal", "0"}, std::pair{"sum1.metal", "(i == 0)"}})
    write(name, "#include <metal_stdlib>\nusing namespace metal;\n"
                "kernel void f(device atomic_uint *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                "  atomic_fetch_add_explicit(y, i + " +
                    std::string(bias) + ", memory_order_relaxed);\n}\n");
  const Outcome outcome =
      assay("diff sum.metal sum1.metal --kernel f --grid 64 --threads 32 --buffer 0=u32:0");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(
      outcome.out,
      HasSubstr("[0]: A 2016 (0x000007e0), B 2017 (0x000007e1): 1 apart\n"
                "          A last changed atomically by thread (63,0,0) of the grid, threadgroup (1,0,0), "
                "simdgroup 0, lane 31 at sum.metal:4:3; the last of 64 stores by more than one thread\n"));
}

TEST_F(Diff, ComparesProfilesOfNumerics) {
  write("fma.metal",
        "#include <metal_stdlib>\n"
        "kernel void f(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
        "              uint i [[thread_position_in_grid]]) {\n  y[i] = x[i] * x[i] - 0.25f;\n}\n");
  const Outcome outcome = assay("diff fma.metal fma.metal --numerics-b ieee" + with);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("numerics  A apple, math mode fast; B ieee, math mode safe\n"));
}

TEST_F(Diff, ComparesWithARecording) {
  ASSERT_EQ(assay("run times2.metal --kernel f --grid 64 --threads 48 --buffer 0=rand:f32[64] --buffer "
                  "1=poison:f32[64] "
                  "--out 1=y.npy")
                .exitCode,
            0);
  const std::string inputs = " --buffer 0=rand:f32[64]" + with;
  EXPECT_EQ(assay("diff twice.metal y.npy" + inputs).exitCode, 0);
  EXPECT_EQ(assay("diff y.npy twice.metal" + inputs).exitCode, 0);
  const Outcome outcome = assay("diff wrong.metal y.npy" + inputs);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("B         y.npy, recorded\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  first   [37]: A "));
  EXPECT_THAT(outcome.out, HasSubstr("A written by thread (37,0,0)"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("B written")));
  EXPECT_EQ(complaint("diff twice.metal y.npy --kernel f --grid 32 --threads 32"),
            "2 error: 'y.npy' has 64 elements [64], output 'y' has 32 [32] [output-shape]\n");
}

TEST_F(Diff, WritesOneJsonDocument) {
  const Outcome outcome = assay("diff times2.metal wrong.metal --json --buffer 0=" + ones() + with);
  EXPECT_EQ(outcome.exitCode, 1);
  const json whole = json::parse(outcome.out);
  EXPECT_EQ(whole["ok"], false);
  EXPECT_EQ(whole["equal"], false);
  EXPECT_EQ(whole["generated"], json::array({"1=rand:f32[64]:1"}));
  const json &y = whole["outputs"][0];
  EXPECT_EQ(y["different"], 1);
  EXPECT_EQ(y["ulpHistogram"], json::array({{{"from", 1048577}, {"to", 2097152}, {"count", 1}}}));
  EXPECT_EQ(y["first"]["place"], json::array({37}));
  EXPECT_EQ(y["first"]["b"]["value"], 2.5);
  EXPECT_EQ(y["first"]["b"]["bits"], "0x40200000");
  EXPECT_EQ(y["first"]["b"]["writer"]["lane"], 5);
  EXPECT_EQ(y["first"]["b"]["writer"]["where"]["line"], 5);
}

TEST_F(Diff, DrawsAPicture) {
  const std::string diff = "diff times2.metal wrong.metal --buffer 0=" + ones() + with;
  const Outcome outcome = assay(diff + " --picture map.html");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out, HasSubstr("wrote     map.html\ndifferent: "));
  EXPECT_THAT(read("map.html"), HasSubstr("<rect x=\"37\" y=\"0\" width=\"1\" height=\"1\""));
  EXPECT_EQ(complaint(diff + " --picture map.png"),
            "2 error: --picture map.png: it should be FILE.html [bad-option]\n");
  EXPECT_EQ(complaint(diff + " --picture no/map.html"),
            "2 error: cannot write 'no/map.html': no folder 'no' [unwritable-file]\n");
}

TEST_F(Diff, AKernelAtFaultIsNoDifference) {
  const Outcome outside = assay("diff times2.metal wrong.metal --buffer 0=f32:1" + with);
  EXPECT_EQ(outside.exitCode, 1);
  EXPECT_THAT(outside.err, HasSubstr("times2.metal:5:14: error: A: read of 4 bytes at byte 4 of buffer(0) "
                                     "'x', which has 4 bytes [out-of-bounds]"));
  write("bad.metal", "kernel void f(device int *x) { x[0] = y; }\n");
  EXPECT_EQ(assay("diff times2.metal bad.metal" + with).exitCode, 1);
}

TEST_F(Diff, RefusesWhatMakesNoSense) {
  EXPECT_EQ(complaint("diff twice.metal" + with),
            "2 error: without --mapping two files are needed, A and B [bad-option]\n"
            "  each is a .metal file or a recorded .npy\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --grid 1 --threads 1"),
            "2 error: either --mapping or --kernel must be given [bad-option]\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --kernel f --grid 1"),
            "2 error: --threads and either --threadgroups or --grid must be given [bad-option]\n"
            "  --threadgroups counts threadgroups, --grid counts threads\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --ulp x" + with),
            "2 error: --ulp x: it should be a whole number [bad-option]\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --rtol -1" + with),
            "2 error: --rtol -1: it should be a distance of 0 or more [bad-option]\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --nan all" + with),
            "2 error: --nan all: it should be same, bits or differ [bad-option]\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --output z" + with),
            "2 error: no output 'z' [unknown-output]\n  outputs: 1, y\n");
  EXPECT_EQ(complaint("diff twice.metal times2.metal --set a=1" + with),
            "2 error: --set is for the sizes of a mapping, none is given [bad-option]\n");
  EXPECT_EQ(complaint("diff twice.metal gone.metal" + with),
            "2 error: cannot read 'gone.metal': No such file or directory [no-such-file]\n");
  EXPECT_EQ(complaint("diff --mapping gone.toml"),
            "2 error: cannot read 'gone.toml': No such file or directory [no-such-file]\n");
  write("p.metal",
        "struct P { uint n; float s; };\n"
        "kernel void f(constant P &p [[buffer(0)]], device float *y [[buffer(1)]]) { y[0] = p.s; }\n");
  EXPECT_EQ(complaint("diff p.metal p.metal --kernel f --grid 1 --threads 1"),
            "2 error: buffer 0 of 'f' (constant P & p) is not given and cannot be made up [missing-binding]\n"
            "  --buffer 0=SPEC, or --struct 0=TYPE:FIELD=VALUE,..\n");
  write("t.metal",
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void f(device float *y, visible_function_table<float(float)> t) { y[0] = t[0](1); }\n");
  EXPECT_EQ(complaint("diff t.metal t.metal --kernel f --grid 1 --threads 1"),
            "2 error: diff binds no function tables: 'f' takes one (visible_function_table<float (float)> t, "
            "buffer 1) [unsupported]\n"
            "  compare outputs of assay run --table\n");
}

// The same sums, once with keys outermost in float, once with heads outermost in half, padded,
// in another buffer order.
class Mapped : public Diff {
protected:
  Mapped() {
    write("a.metal",
          "#include <metal_stdlib>\n"
          "kernel void sum(device const float *k [[buffer(0)]], device float *o [[buffer(1)]],\n"
          "                constant uint *n [[buffer(2)]], uint h [[thread_position_in_grid]]) {\n"
          "  float s = 0;\n  for (uint i = 0; i < n[1]; ++i) s += k[i * n[0] + h];\n  o[h] = s;\n}\n");
    write("b.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "struct Params { uchar wide; ulong keys; };\n"
          "constant uint row [[function_constant(3)]];\n"
          "kernel void total(device half *out [[buffer(1)]], constant Params &p [[buffer(0)]],\n"
          "                  device const half *k [[buffer(2)]], uint lane [[thread_index_in_simdgroup]],\n"
          "                  uint h [[threadgroup_position_in_grid]]) {\n"
          "  half s = lane < p.keys ? max(k[h * row + lane], half(-1000)) : half(0);\n"
          "  s = simd_sum(s);\n  if (lane == 0) out[h * p.wide] = s;\n}\n");
    write("m.toml", kMapping);
  }
  static constexpr const char *kMapping = R"([sizes]
H = 3
N = 8
row = "N + 5"
[inputs.K]
axes = ["h", "n"]
shape = ["H", "N"]
type = "f16"
values = "h == 1 && n == 2 ? -inf : h * 64 + n"
[outputs.sum]
axes = ["h"]
shape = ["H"]
[A]
file = "a.metal"
kernel = "sum"
grid = ["H"]
threads = ["H"]
[A.buffers]
2 = "u32:{H},{N}"
[A.inputs.K]
buffer = 0
type = "f32"
order = ["n", "h"]
replace = [["-inf", -1000]]
[A.outputs.sum]
buffer = 1
type = "f32"
[B]
file = "b.metal"
kernel = "total"
threadgroups = ["H"]
threads = [32]
constants = { row = "row" }
[B.buffers]
0 = { struct = [{ u8 = 2 }, { u64 = "N" }] }
[B.inputs.K]
buffer = 2
strides = ["row", 1]
[B.outputs.sum]
buffer = 1
type = "f16"
strides = [2]
)";
};

TEST_F(Mapped, BringsTwoLayoutsToOneTensor) {
  const Outcome outcome = assay("diff --mapping m.toml");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out, "A         sum (a.metal), 3 threads in threadgroups of 3\n"
                         "B         total (b.metal), 3 threadgroups of 32\n"
                         "mapping   m.toml: H=3 N=8 row=13\n"
                         "numerics  apple, math mode fast\n"
                         "output    sum f16[3] (A f32, B f16): 3 elements, 3 with equal bits, 0 different\n"
                         "equal bits: 3 elements\n");
  EXPECT_EQ(assay("diff --mapping m.toml --set H=7 --set N=15").exitCode, 0);
}

TEST_F(Mapped, FindsEveryWrongWordOfTheMapping) {
  const std::pair<const char *, const char *> kWrong[] = {
      {"order = [\"n\", \"h\"]", "order = [\"h\", \"n\"]"},
      {"replace = [[\"-inf\", -1000]]", "replace = [[\"-inf\", -999]]"},
      {"strides = [\"row\", 1]", "strides = [\"row - 1\", 1]"},
      {"{ u64 = \"N\" }", "{ u64 = \"N - 1\" }"},
      {"\"u32:{H},{N}\"", "\"u32:{N},{H}\""},
      {"type = \"f16\"\nstrides = [2]", "type = \"f16\"\nstrides = [1]"},
      {"buffer = 0\ntype", "buffer = 0\nscale = 2\ntype"}};
  for (const auto &[from, to] : kWrong) {
    std::string text = kMapping;
    ASSERT_NE(text.find(from), text.npos) << from;
    write("m.toml", text.replace(text.find(from), std::string(from).size(), to));
    EXPECT_EQ(assay("diff --mapping m.toml").exitCode, 1) << to;
  }
}

TEST_F(Mapped, NamesTheThreadOfTheElementOnEachSide) {
  std::string text = kMapping;
  text.replace(text.find("[sizes]"), 7, "[sizes]\n"); // line numbers do not matter here
  text.replace(text.find("h * 64 + n\""), 11, "h * 64 + n\"\n");
  write("m.toml", text);
  std::string kernel = read("b.metal");
  kernel.replace(kernel.find("s = simd_sum(s);"), 16, "s = simd_sum(s); if (h == 2) s = -s;");
  write("b.metal", kernel);
  const Outcome outcome = assay("diff --mapping m.toml");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("  first   [h=2]: A 1052 (0x641c), B -1052 (0xe41c): 51256 ulps, 2.1e+03 apart\n"
                        "          A written by thread (2,0,0) of the grid, threadgroup (0,0,0), simdgroup "
                        "0, lane 2 at a.metal:6:8\n"
                        "          B written by thread (64,0,0) of the grid, threadgroup (2,0,0), simdgroup "
                        "0, lane 0 at b.metal:10:"));
}

TEST_F(Mapped, ReportsValuesThatASideDoesNotHave) {
  std::string text = kMapping;
  text.replace(text.find("type = \"f16\"\nvalues"), 12, "type = \"f32\"");
  text.replace(text.find("h * 64 + n\""), 11, "h * 64 + n / 3\"");
  text.replace(text.find("buffer = 2\n"), 11, "buffer = 2\ntype = \"f16\"\n");
  write("m.toml", text);
  EXPECT_THAT(
      assay("diff --mapping m.toml").out,
      HasSubstr(
          "rounded   14 of 24 values of 'K' are not those of the tensor: f16 does not have them (B)\n"));
}

TEST_F(Mapped, TakesARecordingForASide) {
  write("sum.npy", npyBytes(ScalarType::Float, {3}, [] {
          const float sums[] = {28, -1000 + 64 * 7 + 26, 1052};
          return std::string(reinterpret_cast<const char *>(sums), sizeof sums);
        }()));
  EXPECT_EQ(assay("diff - sum.npy --mapping m.toml").exitCode, 0);
  EXPECT_EQ(assay("diff sum.npy - --mapping m.toml").exitCode, 0);
  EXPECT_EQ(assay("diff - sum.npy --mapping m.toml --set H=4").exitCode, 2);
}

TEST_F(Mapped, RefusesOptionsThatTheMappingSays) {
  EXPECT_EQ(complaint("diff --mapping m.toml --kernel x"),
            "2 error: --kernel and --mapping exclude each other [bad-option]\n"
            "  the mapping file says it, for A and for B\n");
  EXPECT_EQ(complaint("diff --mapping m.toml --output sun"),
            "2 error: no output 'sun' [unknown-output]\n  did you mean 'sum'?\n");
}

} // namespace
} // namespace assay::cli_test
