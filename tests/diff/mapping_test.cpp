// Mapping files: what they mean, and every mistake at its line and column. Whole messages are compared.
#include "cli/diff/mapping.h"

#include "support/text/result.h"
#include "tests/support/mangle.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace assay::cli::diff {
namespace {

constexpr const char *kWhole = R"([sizes]
heads = 2
keys = "heads * 3"
dim = 4
[inputs.K]
axes = ["h", "k", "d"]
shape = ["heads", "keys", "dim"]
type = "bf16"
values = "h * 100 + k * 10 + d"
[outputs.O]
axes = ["h", "d"]
shape = ["heads", "dim"]
type = "f32"
ulp = 2
atol = 0.5
rtol = "1 / 4"
nan = "bits"
[A]
file = "a.metal"
kernel = "k{dim}"
threadgroups = ["heads", 2]
threads = [32]
constants = { BQ = "heads", 401 = true, 402 = 0.5, 403 = [1, "dim"] }
threadgroup_memory = { 0 = "dim * 16" }
defines = { N = "{keys}", M = 3 }
[A.buffers]
2 = { struct = [{ i32 = "heads" }, { u64 = "keys" }, { u8 = [1, 2] }, { f16 = 1.5 }] }
3 = { packed = true, struct = [{ i32 = 1 }, { u64 = 2 }] }
4 = "zeros:f32[{keys * dim}]"
[A.inputs.K]
buffer = 0
order = ["k", "h", "d"]
type = "f16"
replace = [["-inf", -65504]]
scale = -1
[A.outputs.O]
buffer = 1
[B]
grid = [64]
threads = [64]
kernel = "g"
[B.inputs.K]
buffer = 1
strides = ["keys * 8", 8, 1]
offset = 3
[B.outputs.O]
buffer = 0
fold = [1, 2]
rule = "max"
)";

Result<Mapping> parse(const std::string &text, const std::vector<std::string> &sets = {}) {
  return parseMapping(text, "maps/m.toml", sets);
}

std::string mistake(const std::string &text, const std::vector<std::string> &sets = {}) {
  const Result<Mapping> mapping = parse(text, sets);
  return mapping ? "none" : renderDiagnostics(mapping.error().diagnostics);
}

/// kWhole with one text in place of another.
std::string with(const std::string &from, const std::string &to) {
  std::string text = kWhole;
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Mapping, SaysWhatItSays) {
  const Result<Mapping> mapping = parse(kWhole);
  ASSERT_TRUE(mapping) << renderDiagnostics(mapping.error().diagnostics);
  EXPECT_EQ(mapping->inputs[0].shape, (std::vector<uint64_t>{2, 6, 4}));
  EXPECT_EQ(mapping->outputs[0].tolerance.ulps, 2u);
  EXPECT_EQ(mapping->outputs[0].tolerance.relative, 0.25);
  EXPECT_EQ(mapping->outputs[0].tolerance.nan, compare::NanPolicy::Bits);
  const SideMapping &a = mapping->sides[0], &b = mapping->sides[1];
  EXPECT_EQ(a.file, "maps/a.metal");
  EXPECT_EQ(a.kernel, "k4");
  EXPECT_EQ(a.size.grid, Size(2, 2));
  EXPECT_THAT(a.constants, testing::UnorderedElementsAre("BQ=2", "401=true", "402=0.5", "403=1,4"));
  EXPECT_THAT(a.defines, testing::UnorderedElementsAre("N=6", "M=3"));
  EXPECT_EQ(a.threadgroupMemory.at(0), 64u);
  EXPECT_EQ(a.buffers.at(0), (std::pair<std::string, std::string>("4", "zeros:f32[24]")));
  const Placement &k = a.inputs.at("K");
  EXPECT_EQ(k.strides, (std::vector<uint64_t>{4, 8, 1})); // order k, h, d: a key has 2 heads of 4
  EXPECT_EQ(k.type, ScalarType::Half);
  EXPECT_EQ(k.replace, (std::vector<std::pair<double, double>>{{-INFINITY, -65504}}));
  EXPECT_FALSE(b.size.wholeThreadgroups);
  EXPECT_EQ(b.inputs.at("K").end(), 3u + 48 + 5 * 8 + 3 + 1);
  EXPECT_EQ(b.inputs.at("K").type, ScalarType::BFloat); // the tensor's own
  EXPECT_EQ(b.outputs.at("O").shape, (std::vector<uint64_t>{2, 8}));
  EXPECT_EQ(b.outputs.at("O").type, ScalarType::Float);
}

// The layout of a C compiler is the judge.
TEST(Mapping, LaysStructsOutAsCDoes) {
  struct Judge {
    int32_t heads = 2;
    uint64_t keys = 6;
    uint8_t bytes[2] = {1, 2};
    uint16_t half = 0x3e00;
  };
  static_assert(sizeof(Judge) == 24);
  Judge judge;
  const std::string bytes = parse(kWhole)->sides[0].structs.at(2);
  ASSERT_EQ(bytes.size(), sizeof judge);
  Judge read;
  std::memcpy(&read, bytes.data(), sizeof read);
  EXPECT_EQ(read.heads, judge.heads);
  EXPECT_EQ(read.keys, judge.keys);
  EXPECT_EQ(read.bytes[1], judge.bytes[1]);
  EXPECT_EQ(read.half, judge.half);
  EXPECT_EQ(parse(kWhole)->sides[0].structs.at(3), std::string("\1\0\0\0\2\0\0\0\0\0\0\0", 12));
}

TEST(Mapping, StructsByTheirFieldsAreTextsWithNumbers) {
  const Result<Mapping> mapping =
      parse(with("4 = \"zeros:f32[{keys * dim}]\"", "4 = { struct = \"n::P:rows={keys},by={1 / heads}\" }"));
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->sides[0].namedStructs.at(4), "n::P:rows=6,by=0.5");
}

TEST(Mapping, TakesSizesFromTheCommandLine) {
  const Result<Mapping> mapping = parse(kWhole, {"heads=5", "dim=heads*2"});
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->inputs[0].shape, (std::vector<uint64_t>{5, 15, 10}));
  EXPECT_EQ(mistake(kWhole, {"head=5"}), "error: --set head=5: no size 'head' in maps/m.toml [bad-option]\n"
                                         "  did you mean 'heads'?\n");
  EXPECT_EQ(mistake(kWhole, {"heads"}), "error: --set heads: it should be NAME=VALUE [bad-option]\n");
  EXPECT_EQ(mistake(kWhole, {"heads=x"}), "error: --set heads=x: no size 'x' [bad-option]\n");
}

TEST(Mapping, NamesAnUnknownKey) {
  EXPECT_EQ(mistake(with("replace =", "repalce =")),
            "maps/m.toml:34:1: error: K of A has no 'repalce' [unknown-key]\n"
            "  repalce = [[\"-inf\", -65504]]\n"
            "  ^\n"
            "  did you mean 'replace'?\n");
  EXPECT_EQ(mistake(with("[outputs.O]", "[output.O]")),
            "maps/m.toml:10:2: error: a mapping file has no 'output' [unknown-key]\n"
            "  [output.O]\n"
            "   ^\n"
            "  did you mean 'outputs'?\n");
}

// For toml++ 3.3 these letters cannot occur.
TEST(Mapping, RefusesLettersThatNoKeyHas) {
  EXPECT_THAT(mistake(with("dim = 4", "d\u0498m = 4")), testing::HasSubstr("maps/m.toml:4:2: error: "));
  EXPECT_THAT(mistake(with("dim = 4", "dim = 'a'\u00e9")), testing::HasSubstr("maps/m.toml:4:10: error: "));
  EXPECT_THAT(mistake(with("dim = 4", "\"d\u0498m\" = 4")),
              testing::HasSubstr("cannot be the name of a size"));
}

TEST(Mapping, NamesAnUnknownSizeAtItsColumn) {
  EXPECT_EQ(mistake(with("\"heads\", \"keys\", \"dim\"", "\"heads\", \"2 * kyes\", \"dim\"")),
            "maps/m.toml:7:24: error: no size 'kyes' [unknown-size]\n"
            "  shape = [\"heads\", \"2 * kyes\", \"dim\"]\n"
            "                         ^\n"
            "  did you mean 'keys'?\n");
  EXPECT_EQ(mistake(with("{keys * dim}", "{keys * dmi}")),
            "maps/m.toml:29:24: error: no size 'dmi' [unknown-size]\n"
            "  4 = \"zeros:f32[{keys * dmi}]\"\n"
            "                         ^\n"
            "  did you mean 'dim'?\n");
}

TEST(Mapping, NamesAnUnknownTensorAxisAndType) {
  EXPECT_EQ(mistake(with("[B.inputs.K]", "[B.inputs.k]")),
            "maps/m.toml:42:11: error: no input 'k' [unknown-tensor]\n"
            "  [B.inputs.k]\n"
            "            ^\n"
            "  inputs: K\n");
  EXPECT_EQ(mistake(with("order = [\"k\", \"h\"", "order = [\"k\", \"x\"")),
            "maps/m.toml:32:15: error: K of A has no axis 'x' [mapping]\n"
            "  order = [\"k\", \"x\", \"d\"]\n"
            "                ^\n"
            "  axes: h, k, d\n");
  EXPECT_EQ(mistake(with("\"bf16\"", "\"bf17\"")), "maps/m.toml:8:8: error: no type 'bf17' [mapping]\n"
                                                   "  type = \"bf17\"\n"
                                                   "         ^\n"
                                                   "  did you mean 'bf16'?\n");
}

// Only the first line: the place and the fact.
std::string fact(const std::string &text) {
  const std::string whole = mistake(text);
  return whole.substr(0, whole.find('\n'));
}

TEST(Mapping, RefusesKeysThatWouldTakeTheStack) {
  std::string deep = "a";
  for (int part = 0; part < 200'000; ++part)
    deep += ".a";
  EXPECT_EQ(fact(with("dim = 4", deep + " = 4")),
            "maps/m.toml:4:1: error: a key of more than 100 parts [mapping]");
  EXPECT_EQ(fact(with("[A]", "[" + deep + "]\n[A]")),
            "maps/m.toml:18:1: error: a key of more than 100 parts [mapping]");
}

TEST(Mapping, RefusesWhatMakesNoSense) {
  EXPECT_EQ(fact(with("dim = 4", "dim = \"dim + 1\"")),
            "maps/m.toml:4:7: error: size 'dim' is computed from itself [mapping]");
  EXPECT_EQ(fact(with("dim = 4", "dim = \"1 / 0\"")), "maps/m.toml:4:7: error: size 'dim' is inf [mapping]");
  EXPECT_EQ(fact(with("dim = 4", "dim = 2.5")),
            "maps/m.toml:7:27: error: an extent of input 'K' is 2.5, not a whole number [mapping]");
  EXPECT_EQ(fact(with("dim = 4", "dim = 0")),
            "maps/m.toml:7:27: error: an extent of input 'K' is 0, not in 1..1099511627776 [mapping]");
  EXPECT_EQ(fact(with("dim = 4", "max = 4")),
            "maps/m.toml:4:1: error: 'max' cannot be the name of a size [mapping]");
  EXPECT_EQ(fact(with("dim = 4", "dim = 1000000000")),
            "maps/m.toml:7:9: error: a shape of 3 axes and 12000000000 elements is not in 1..8 and "
            "1..4294967296 [mapping]");
  EXPECT_EQ(fact(with("values = ", "from = \"k.npy\"\nvalues = ")),
            "maps/m.toml:5:1: error: input 'K' needs either 'values' or 'from' [mapping]");
  EXPECT_EQ(fact(with("[\"h\", \"d\"]", "[\"h\"]")),
            "maps/m.toml:11:8: error: output 'O' has 1 axes and a shape of 2 [mapping]");
  EXPECT_EQ(fact(with("[\"h\", \"d\"]", "[\"h\", \"dim\"]")),
            "maps/m.toml:11:14: error: 'dim' cannot be the name of an axis [mapping]");
  EXPECT_EQ(fact(with("nan = \"bits\"", "nan = \"no\"")),
            "maps/m.toml:17:7: error: 'no' says nothing about NaNs [mapping]");
  EXPECT_EQ(fact(with("atol = 0.5", "atol = -1")),
            "maps/m.toml:15:8: error: 'atol' is -1, no distance [mapping]");
  EXPECT_EQ(fact(with("threads = [32]", "grid = [3]")),
            "maps/m.toml:18:1: error: either 'threadgroups' or 'grid' must be given [mapping]");
  EXPECT_EQ(fact(with("threads = [32]", "")), "maps/m.toml:18:1: error: a kernel needs 'threads' [mapping]");
  EXPECT_EQ(fact(with("offset = 3", "order = [\"h\", \"k\", \"d\"]")),
            "maps/m.toml:44:11: error: K of B has an 'order' and 'strides'; one of them says it [mapping]");
  EXPECT_EQ(fact(with("{ i32 = \"heads\" }", "{ i32 = -3000000000 }")),
            "maps/m.toml:27:25: error: -3000000000 is no value of i32 [mapping]");
  EXPECT_EQ(fact(with("struct = [{ i32 = 1 }, { u64 = 2 }]", "struct = \"P:n=1\"")),
            "maps/m.toml:28:16: error: 'packed' is for a list of types: a declaration has its own layout "
            "[mapping]");
  EXPECT_EQ(
      fact(with("3 = { packed = true, struct = [{ i32 = 1 }, { u64 = 2 }] }", "0 = { struct = \"P:n=1\" }")),
      "maps/m.toml:18:1: error: buffer 0 of A is given by 'buffers' and by 'K' [mapping]");
  EXPECT_EQ(fact(with("4 = \"zeros", "0 = \"zeros")),
            "maps/m.toml:18:1: error: buffer 0 of A is given by 'buffers' and by 'K' [mapping]");
  EXPECT_EQ(fact(with("buffer = 1\n[B]", "buffer = 31\n[B]")),
            "maps/m.toml:37:10: error: 'buffer' is 31, not in 0..30 [mapping]");
  EXPECT_EQ(fact(with("rule = \"max\"", "rule = \"sum\"")),
            "maps/m.toml:49:8: error: no rule 'sum' [mapping]");
  EXPECT_EQ(fact(with("rule = \"max\"", "")),
            "maps/m.toml:46:1: error: a fold of O of B needs 'mixed' [mapping]");
  EXPECT_EQ(fact(with("[A.outputs.O]\nbuffer = 1\n", "")),
            "maps/m.toml:18:1: error: A does not say where output 'O' is [mapping]");
  EXPECT_EQ(fact("[A]\n"), "maps/m.toml:1:1: error: a mapping file needs 'outputs' [mapping]");
  EXPECT_THAT(fact("[A\n"), testing::StartsWith("maps/m.toml:1:3: error: "));
}

TEST(Mapping, SurvivesMangledFiles) {
  std::mt19937 random(23);
  int parsed = 0;
  for (int i = 0; i < 8000; ++i) {
    const Result<Mapping> mapping =
        parse(testing_support::mangle(kWhole, "[]{}=\"',.#\n 0123456789abdhkABKO*/-", random));
    if (mapping) {
      ++parsed;
      continue;
    }
    ASSERT_FALSE(mapping.error().diagnostics.front().message.empty());
    ASSERT_EQ(mapping.error().kind, ErrorKind::Usage);
  }
  EXPECT_GT(parsed, 100);
}

TEST(Mapping, EveryFileHereParses) {
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/diff/mappings")) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<Mapping> mapping = parseMapping(text, entry.path(), {});
    EXPECT_TRUE(mapping) << renderDiagnostics(mapping.error().diagnostics);
    ++files;
  }
  EXPECT_GE(files, 2);
}

} // namespace
} // namespace assay::cli::diff
