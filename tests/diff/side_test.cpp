// Sides of several dispatches, textures as outputs, and memory that a side touches only in part.
#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Sides : public Program {
protected:
  /// The sum of eight rows of 64 by one kernel, against parts of 16 and their sum.
  void writeSums(const std::string &fold) const {
    write("one.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "kernel void sums(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
          "                 uint row [[thread_position_in_grid]]) {\n"
          "  float sum = 0;\n  for (uint i = 0; i < 64; ++i)\n    sum += x[row * 64 + i];\n"
          "  y[row] = sum;\n}\n");
    write("two.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "kernel void part(device const float *x [[buffer(0)]], device float *p [[buffer(1)]],\n"
          "                 uint2 at [[thread_position_in_grid]]) {\n"
          "  float sum = 0;\n  for (uint i = 0; i < 16; ++i)\n"
          "    sum += x[at.y * 64 + at.x * 16 + i];\n  p[at.y * 4 + at.x] = sum;\n}\n"
          "kernel void reduce(device const float *p [[buffer(0)]], device float *y [[buffer(1)]],\n"
          "                   constant uint &parts [[buffer(2)]],\n"
          "                   uint row [[thread_position_in_grid]]) {\n"
          "  float sum = 0;\n  for (uint i = 0; i < parts; ++i)\n    " +
              fold + "\n  y[row] = sum;\n}\n");
    write("sums.toml", R"([sizes]
rows = 8
[inputs.x]
shape = ["rows", 64]
axes = ["r", "i"]
type = "f32"
values = "r + i"
[outputs.y]
shape = ["rows"]
axes = ["r"]
[A]
file = "one.metal"
kernel = "sums"
grid = ["rows"]
threads = [8]
inputs.x = { buffer = 0 }
outputs.y = { buffer = 1, type = "f32" }
[B]
file = "two.metal"
inputs.x = { buffer = 0 }
outputs.y = { buffer = 5, type = "f32" }
[B.buffers]
3 = "poison:f32[{rows * 4}]"
[[B.steps]]
kernel = "part"
grid = [4, "rows"]
threads = [4]
bind = { 1 = 3 }
[[B.steps]]
kernel = "reduce"
grid = ["rows"]
threads = [8]
bind = { 0 = 3, 1 = 5 }
buffers = { 2 = "u32:4" }
)");
  }
};

// Whole numbers: every order of adding gives the same bits.
TEST_F(Sides, MayBeSeveralDispatches) {
  writeSums("sum += p[row * 4 + i];");
  const Outcome outcome = assay("diff --mapping sums.toml");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("B         part (two.metal), 4 x 8 threads in threadgroups of 4; then reduce "
                        "(two.metal), 8 threads in threadgroups of 8\n"));
  EXPECT_THAT(outcome.out, HasSubstr("equal bits: 8 elements\n"));
}

TEST_F(Sides, OfSeveralDispatchesNameTheOneThatWrote) {
  writeSums("sum += i == 2 && row == 5 ? 0 : p[row * 4 + i];");
  const Outcome outcome = assay("diff --mapping sums.toml --json");
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  const json document = json::parse(outcome.out);
  const json &first = document["outputs"][0]["first"];
  EXPECT_EQ(first["index"], 5);
  EXPECT_EQ(first["a"]["value"], 64 * 5 + 64 * 63 / 2);
  EXPECT_EQ(first["b"]["value"], 64 * 5 + 64 * 63 / 2 - (16 * 5 + 16 * 32 + 16 * 15 / 2));
  EXPECT_EQ(first["b"]["writer"]["dispatch"], 1);
  EXPECT_EQ(document["sides"]["B"]["steps"][1]["kernel"], "reduce");
  EXPECT_THAT(assay("diff --mapping sums.toml").out,
              HasSubstr("B written by dispatch 2, thread (5,0,0) of the grid"));
}

TEST_F(Sides, OfSeveralDispatchesAreTracedAgainstEachOther) {
  writeSums("sum += p[row * 4 + i];");
  std::string mapping = read("sums.toml");
  const std::string steps = mapping.substr(mapping.find("[B]\n"));
  std::string other = steps;
  other.replace(other.find("two.metal"), 9, "old.metal").replace(1, 1, "A");
  for (size_t at; (at = other.find("B.")) != std::string::npos;)
    other.replace(at, 1, "A");
  write("old.metal", read("two.metal"));
  writeSums("sum += i == 2 && row == 5 ? 0 : p[row * 4 + i];");
  write("both.toml", mapping.substr(0, mapping.find("[A]\n")) + other + steps);
  const json found = json::parse(assay("diff --mapping both.toml --trace --json").out)["trace"];
  EXPECT_EQ(found["value"]["a"]["dispatch"], 1);
  EXPECT_EQ(found["value"]["a"]["where"]["line"], 15);
  EXPECT_EQ(found["value"]["b"]["threadPositionInGrid"], json({5, 0, 0}));
  EXPECT_EQ(found["value"]["b"]["visit"], 2);
}

// The second dispatch of B adds again what is there: it has statements that A's only dispatch has, too.
TEST_F(Sides, OfUnequalNumbersOfDispatchesAreTracedAsFarAsBothGo) {
  writeSums("sum += p[row * 4 + i];");
  EXPECT_THAT(complaint("diff --mapping sums.toml --trace"),
              HasSubstr("A has 8 x 1 x 1 threads and B 4 x 8 x 1: which correspond is not known"));
  const auto step = [](const std::string &side) {
    return "[[" + side + ".steps]]\nkernel = \"sums\"\ngrid = [8]\nthreads = [8]\n";
  };
  const auto side = [&](const std::string &name, const std::string &file, int steps) {
    std::string text = "[" + name + "]\nfile = \"" + file + "\"\ninputs.x = { buffer = 0 }\n" +
                       "outputs.y = { buffer = 1, type = \"f32\" }\n";
    while (steps-- > 0)
      text += step(name);
    return text;
  };
  const std::string sums = read("sums.toml"), tensors = sums.substr(0, sums.find("[A]\n"));
  std::string other = read("one.metal");
  other.replace(other.find("x[row"), 1, "(row == 3 && i == 7) + x");
  write("other.metal", other);
  for (const bool longer : {false, true}) {
    write("same.toml",
          tensors + side("A", "one.metal", longer ? 3 : 1) + side("B", "one.metal", longer ? 1 : 3));
    const Outcome same = assay("diff --mapping same.toml --trace");
    EXPECT_EQ(same.exitCode, 0) << same.err;
    EXPECT_THAT(same.out, HasSubstr(longer ? "  2 of the 3 dispatches of A are not traced: B has only 1\n"
                                           : "  2 of the 3 dispatches of B are not traced: A has only 1\n"));
    EXPECT_THAT(same.out, HasSubstr("  every value that was compared is equal\n"));
    EXPECT_THAT(same.out, testing::Not(HasSubstr("flow")));

    write("other.toml",
          tensors + side("A", "one.metal", longer ? 3 : 2) + side("B", "other.metal", longer ? 2 : 3));
    const json found = json::parse(assay("diff --mapping other.toml --trace --json").out)["trace"];
    EXPECT_EQ(found["a"]["untracedDispatches"], longer ? 1 : 0);
    EXPECT_EQ(found["b"]["untracedDispatches"], longer ? 0 : 1);
    EXPECT_EQ(found["onlyOneSide"], 0);
    EXPECT_EQ(found["value"]["a"]["dispatch"], 0);
    EXPECT_EQ(found["value"]["b"]["threadPositionInGrid"], json({3, 0, 0}));
    EXPECT_EQ(found["value"]["b"]["visit"], 7);
    // Whatever follows in the thread, in both dispatches: 57 of its 64 sums, and what it stores.
    EXPECT_EQ(found["different"], 2 * 58);
  }
}

TEST_F(Sides, OfSeveralDispatchesAreRefusedWhereTheyContradictThemselves) {
  writeSums("sum += p[row * 4 + i];");
  const std::string mapping = read("sums.toml");
  const auto with = [&](const std::string &what, const std::string &by) {
    std::string text = mapping;
    text.replace(text.find(what), what.size(), by);
    write("sums.toml", text);
    return complaint("diff --mapping sums.toml");
  };
  EXPECT_THAT(with("file = \"two.metal\"", "file = \"two.metal\"\nthreads = [4]\ngrid = [1]"),
              HasSubstr("B has 'steps': 'grid' is for one dispatch"));
  EXPECT_THAT(with("bind = { 1 = 3 }", "bind = { 1 = 3 }\nstd = \"metal3.1\""),
              HasSubstr("a step has no 'std'"));
  EXPECT_THAT(with("kernel = \"reduce\"\n", ""), HasSubstr("a step of B needs 'kernel'"));
}

class Textures : public Sides {
protected:
  Textures() {
    for (const auto &[name, factor] :
         {std::pair("half.metal", "0.5f"), {"other.metal", "at.y == 1 ? 0.25f : 0.5f"}})
      write(name, "#include <metal_stdlib>\nusing namespace metal;\n"
                  "kernel void dim(texture2d<float, access::read> in [[texture(0)]],\n"
                  "                texture2d<float, access::write> out [[texture(1)]],\n"
                  "                uint2 at [[thread_position_in_grid]]) {\n"
                  "  float4 texel = in.read(at) * (" +
                      std::string(factor) + ");\n  out.write(texel, at);\n}\n");
  }
  const std::string call =
      " --kernel dim --grid 3,2 --threads 3,2 --texture 0=rg32float[2,3]:1,2,3,4,5,6,7,8,9,10,"
      "11,12 --texture 1=poison:rg32float[2,3]";
};

TEST_F(Textures, AreComparedByTexels) {
  const Outcome same = assay("diff half.metal half.metal" + call);
  EXPECT_EQ(same.exitCode, 0) << same.err;
  EXPECT_THAT(same.out,
              HasSubstr("output    out f32[2,3,2]: 12 elements, 12 with equal bits, 0 different\n"));
  const Outcome outcome = assay("diff half.metal other.metal --json" + call);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  const json output = json::parse(outcome.out)["outputs"][0];
  EXPECT_EQ(output["different"], 6);
  EXPECT_EQ(output["first"]["place"], json({1, 0, 0}));
  EXPECT_EQ(output["first"]["a"]["value"], 3.5);
  EXPECT_EQ(output["first"]["b"]["value"], 1.75);
  EXPECT_EQ(output["worstAbsolute"]["place"], json({1, 2, 1}));
  EXPECT_EQ(output["worstAbsolute"]["absolute"], 3);
  EXPECT_EQ(output["worstRelative"]["relative"], 1);
}

TEST_F(Textures, AreTraced) {
  const json found = json::parse(assay("diff half.metal other.metal --trace --json" + call).out)["trace"];
  EXPECT_EQ(found["value"]["a"]["where"]["line"], 6);
  EXPECT_EQ(found["value"]["a"]["threadPositionInGrid"], json({0, 1, 0}));
  EXPECT_TRUE(found["b"]["sameBits"]);
}

TEST_F(Textures, HaveAPlaceInAMapping) {
  const auto side = [](const char *name, const char *file) {
    return "[" + std::string(name) + "]\nfile = \"" + file +
           "\"\nkernel = \"dim\"\ngrid = [3, 2]\nthreads = [3, 2]\n"
           "textures = { 0 = \"rand:rg32float[2,3]:1\", 1 = \"poison:rg32float[2,3]\" }\n"
           "outputs.red = { texture = 1, type = \"f32\", strides = [6, 2] }\n";
  };
  write("m.toml", "[outputs.red]\nshape = [2, 3]\n" + side("A", "half.metal") + side("B", "other.metal"));
  const Outcome outcome = assay("diff --mapping m.toml");
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("output    red f32[2,3]: 6 elements, 3 with equal bits, 3 different\n"));
}

class LargeSides : public Sides {
protected:
  void SetUp() override {
    if (const std::string why = whyNotMeasured(); !why.empty())
      GTEST_SKIP() << why;
    write("far.metal",
          "#include <metal_stdlib>\nusing namespace metal;\n"
          "kernel void far(device float *big [[buffer(0)]], device float *y [[buffer(1)]],\n"
          "                uint i [[thread_position_in_grid]]) {\n"
          "  big[536870912 + i] = i;\n  y[i] = big[536870912 + i];\n}\n"
          "kernel void low(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
          "  y[i] = 2 * float(i);\n}\n"
          "kernel void high(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
          "  y[1000000000 + i] = i == 5 ? 3 : 1;\n}\n"
          "kernel void both(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
          "  y[i] = float(i) + float(i);\n  y[1000000000 + i] = 1;\n}\n"
          "kernel void rows(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
          "  y[i * 1024 * 32768 + 5 * i] = i;\n}\n"
          "kernel void columns(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
          "  y[5 * i * 32768 + i * 1024] = i == 3 ? 2 : i;\n}\n");
  }
  static std::string side(const std::string &name, const std::string &more) {
    return "[" + name + "]\nfile = \"far.metal\"\n" + more;
  }
};

// Half a buffer of 4 GB that no output lies in, on both sides.
TEST_F(LargeSides, CostWhatTheyTouch) {
  const Measured run = measure("diff far.metal far.metal --kernel far --grid 1024 --threads 64 "
                               "--buffer 0=zeros:f32[1073741824] --output y --trace");
  EXPECT_EQ(run.exitCode, 0) << run.out << run.err;
  EXPECT_LT(run.kilobytes, kMostKilobytes);
}

// Bits that were there before are no result: most elements are written by neither side.
TEST_F(LargeSides, AreComparedWhereTheyAreTouched) {
  for (const std::string spec : {"zeros", "poison"}) {
    const std::string call = " --grid 64 --threads 32 --json --buffer 0=" + spec + ":f32[1073741824]";
    const Measured same = measure("diff far.metal far.metal --kernel both --trace" + call);
    EXPECT_EQ(same.exitCode, 0) << same.err;
    EXPECT_LT(same.kilobytes, kMostKilobytes);
    const json equal = json::parse(same.out)["outputs"][0];
    EXPECT_EQ(equal["elements"], 1073741824);
    EXPECT_EQ(equal["equalBits"], 128);
    EXPECT_EQ(equal["unwrittenOnBoth"], 1073741824 - 128);

    const Measured other =
        measure("diff far.metal far.metal --kernel both --kernel-b low --picture p.html" + call);
    EXPECT_EQ(other.exitCode, 1) << other.err;
    EXPECT_LT(other.kilobytes, kMostKilobytes);
    const json different = json::parse(other.out)["outputs"][0];
    EXPECT_EQ(different["equalBits"], 64);
    EXPECT_EQ(different["different"], 64);
    EXPECT_EQ(different["unwrittenA"], 1073741824 - 128);
    EXPECT_EQ(different["unwrittenB"], 1073741824 - 64);
    EXPECT_EQ(different["first"]["index"], 1000000000);
    EXPECT_EQ(different["first"]["a"]["value"], 1);
    EXPECT_EQ(different["first"]["a"]["writer"]["where"]["line"], 16);
    EXPECT_TRUE(different["first"]["b"]["unwritten"]);
    EXPECT_THAT(read("p.html"), HasSubstr(": 64 different, some written by one side only"));
  }
}

TEST_F(LargeSides, MayBeSeveralDispatches) {
  const std::string out = "outputs.y = { buffer = 0, type = \"f32\" }\n",
                    size = "grid = [64]\nthreads = [32]\n";
  write("steps.toml", "[outputs.y]\nshape = [1073741824]\n" + side("A", "kernel = \"both\"\n" + size + out) +
                          side("B", out) + "[[B.steps]]\nkernel = \"low\"\n" + size +
                          "[[B.steps]]\nkernel = \"high\"\n" + size);
  const Measured run = measure("diff --mapping steps.toml --json");
  EXPECT_EQ(run.exitCode, 1) << run.err;
  EXPECT_LT(run.kilobytes, kMostKilobytes);
  const json output = json::parse(run.out)["outputs"][0];
  EXPECT_EQ(output["equalBits"], 127);
  EXPECT_EQ(output["different"], 1);
  EXPECT_EQ(output["first"]["index"], 1000000005);
  EXPECT_EQ(output["first"]["a"]["writer"]["where"]["line"], 16);
  EXPECT_EQ(output["first"]["b"]["writer"]["dispatch"], 1);
}

// Thread i writes element [1024 i, 5 i] on both sides, by other axes.
TEST_F(LargeSides, MayHaveTransposedAxes) {
  const std::string size = "grid = [32]\nthreads = [32]\n",
                    out = "outputs.y = { buffer = 0, type = \"f32\", order = ";
  write("turned.toml", "[outputs.y]\nshape = [32768, 32768]\naxes = [\"q\", \"k\"]\n" +
                           side("A", "kernel = \"rows\"\n" + size + out + "[\"q\", \"k\"] }\n") +
                           side("B", "kernel = \"columns\"\n" + size + out + "[\"k\", \"q\"] }\n"));
  const Measured run = measure("diff --mapping turned.toml --json");
  EXPECT_EQ(run.exitCode, 1) << run.err;
  EXPECT_LT(run.kilobytes, kMostKilobytes);
  const json output = json::parse(run.out)["outputs"][0];
  EXPECT_EQ(output["equalBits"], 31);
  EXPECT_EQ(output["different"], 1);
  EXPECT_EQ(output["unwrittenOnBoth"], 1073741824 - 32);
  EXPECT_EQ(output["first"]["place"], json({3 * 1024, 3 * 5}));
  EXPECT_EQ(output["first"]["a"]["value"], 3);
  EXPECT_EQ(output["first"]["b"]["value"], 2);
}

// 64 elements of 4 GB are read: the input costs a page for each, on every way through the program.
TEST_F(LargeSides, MayHaveLargeInputs) {
  write("sum.metal",
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void touch(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],\n"
        "                  uint i [[thread_position_in_grid]]) {\n"
        "  out[i] = in[i * 1000000] + i;\n}\n");
  const std::string size = "kernel = \"touch\"\ngrid = [64]\nthreads = [64]\n",
                    out = "outputs.y = { buffer = 1, type = \"f32\" }\n";
  for (const std::string values : {"from = \"zeros:f32[1073741824]\"", "values = \"0\""}) {
    write("large.toml", "[inputs.x]\nshape = [1073741824]\ntype = \"f32\"\n" + values +
                            "\n[outputs.y]\nshape = [64]\n[A]\n" + size + out +
                            "inputs.x = { buffer = 0, type = \"f32\" }\n[B]\n" + size + out +
                            "inputs.x = { buffer = 0, type = \"f32\", offset = 7 }\n");
    for (const std::string options : {"", " --trace", " --json", " --trace --json"}) {
      const Measured run = measure("diff sum.metal sum.metal --mapping large.toml" + options);
      EXPECT_EQ(run.exitCode, 1) << run.err; // B reads what is poison for the first thread
      EXPECT_LT(run.kilobytes, kMostKilobytes) << options;
      if (options == " --json") {
        const json output = json::parse(run.out)["outputs"][0];
        EXPECT_EQ(output["equalBits"], 63);
        EXPECT_EQ(output["first"]["index"], 0);
        EXPECT_EQ(output["first"]["a"]["value"], 0);
      }
    }
  }
}

} // namespace
} // namespace assay::cli_test
