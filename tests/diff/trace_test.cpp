// `assay diff --trace`: the first value that differs, of pairs of kernels whose first difference is known.
#include "tests/cli/program.h"

#include <set>

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Lines are counted from the kernel's first.
constexpr const char *kFold = R"(#include <metal_stdlib>
using namespace metal;
template <typename T> static T weighted(T x, T by) {
  T product = x * by;
  return product;
}
kernel void fold(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float shared[64];
  float acc = 0;
  float low = 1;
  for (uint k = 0; k < 4; ++k)
    acc += weighted(x[(i + k) % 64], 0.5f);
  float4 both(acc, 1, 2, 3);
  shared[i % 64] = acc;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane > 3)
    low = shared[lane - 1];
  else {
    low -= acc;
  }
  both.yz = float2(simd_sum(low), low);
  y[i] = both.x + both.y * both.z;
}
)";

class Trace : public Program {
protected:
  Trace() { write("a.metal", kFold); }

  static std::string replaced(std::string text, const std::string &what, const std::string &by) {
    const size_t at = text.find(what);
    EXPECT_NE(at, text.npos) << what;
    return at == text.npos ? text : text.replace(at, what.size(), by);
  }
  static std::string renamed(const std::string &text, const std::string &from, const std::string &to) {
    return std::regex_replace(text, std::regex("\\b" + from + "\\b"), to);
  }

  /// What the trace says of a.metal and this one.
  json trace(const std::string &other, const std::string &options = "") const {
    write("b.metal", other);
    const Outcome outcome =
        assay("diff a.metal b.metal --kernel fold --grid 64 --threads 64 --trace --json " + options);
    EXPECT_NE(outcome.exitCode, 2) << outcome.out << outcome.err;
    const json document = json::parse(outcome.out, nullptr, false);
    if (document.is_discarded() || !document.contains("trace")) {
      ADD_FAILURE() << outcome.out << outcome.err;
      return {};
    }
    EXPECT_TRUE(document["trace"]["a"]["sameBits"]);
    EXPECT_TRUE(document["trace"]["b"]["sameBits"]);
    return document["trace"];
  }
  static int lineOf(const json &traced, const char *side) {
    return traced["value"].is_null() ? 0 : int(traced["value"][side]["where"]["line"]);
  }
};

TEST_F(Trace, SaysThatAllIsEqual) {
  const json same = trace(kFold);
  EXPECT_EQ(same["different"], 0);
  EXPECT_TRUE(same["value"].is_null());
  EXPECT_TRUE(same["flow"].is_null());
  // acc, low, both, shared and y once, product and acc in the loop four times, one of two branches, both.yz;
  // the loop's begin, five conditions and four steps, the helper's result four times, one condition.
  EXPECT_EQ(same["compared"], 64 * (2 + 8 + 2 + 1 + 1 + 1 + 1 + 5 + 4 + 4 + 1));
  EXPECT_EQ(same["a"]["unpaired"], 0);
  EXPECT_THAT(assay("diff a.metal b.metal --kernel fold --grid 64 --threads 64 --trace").out,
              HasSubstr("1920 values compared, 0 different\n  every value that was compared is equal\n"));
}

TEST_F(Trace, NamesTheStatementThatIsOther) {
  const json found = trace(replaced(kFold, "low = shared[lane - 1]", "low = shared[lane - 1] * 1.5f"));
  EXPECT_EQ(found["first"], "value");
  EXPECT_EQ(lineOf(found, "a"), 18);
  EXPECT_EQ(lineOf(found, "b"), 18);
  const json &a = found["value"]["a"];
  EXPECT_EQ(a["expression"], "low");
  EXPECT_EQ(a["statement"], "low = shared[lane - 1]");
  EXPECT_EQ(a["lane"], 4); // the first that comes there
  EXPECT_EQ(a["threadPositionInGrid"], json({4, 0, 0}));
  EXPECT_FLOAT_EQ(float(found["value"]["b"]["value"]["values"][0]), float(a["value"]["values"][0]) * 1.5f);
  EXPECT_GT(found["value"]["ulps"], 0);
}

// The values of a helper's statement are those of the call that differs.
TEST_F(Trace, NamesTheVisitInALoop) {
  const json found = trace(
      replaced(kFold, "T product = x * by;", "T product = x * by + (x > 0.9f ? 1 : 0);"),
      "--buffer 0=f32:" + [] {
        std::string values;
        for (int i = 0; i < 64; ++i)
          values += std::string(i ? "," : "") + (i == 5 ? "0.95" : "0.25");
        return values;
      }());
  EXPECT_EQ(lineOf(found, "a"), 4);
  const json &b = found["value"]["b"];
  EXPECT_EQ(b["threadPositionInGrid"], json({2, 0, 0})); // x[2 + 3] is the first that is large
  EXPECT_EQ(b["visit"], 3);
  EXPECT_FLOAT_EQ(float(b["value"]["values"][0]), 0.95f * 0.5f + 1);
}

TEST_F(Trace, TakesRenamedVariables) {
  const std::string other =
      renamed(renamed(renamed(kFold, "acc", "total"), "low", "least"), "shared", "tile");
  const json same = trace(other);
  EXPECT_EQ(same["different"], 0);
  EXPECT_EQ(same["a"]["unpaired"], 0);
  EXPECT_EQ(same["names"].size(), 3u);
  const json found = trace(replaced(other, "least -= total", "least += total"));
  EXPECT_EQ(lineOf(found, "a"), 20);
  EXPECT_EQ(found["value"]["a"]["expression"], "low");
  EXPECT_EQ(found["value"]["b"]["expression"], "least");
}

TEST_F(Trace, TakesStatementsInAnotherOrder) {
  const std::string other = replaced(replaced(kFold, "  float low = 1;\n", ""), "  float4 both(acc",
                                     "  float low = 1;\n  float4 both(acc");
  const json same = trace(other);
  EXPECT_EQ(same["different"], 0);
  EXPECT_EQ(same["b"]["unpaired"], 0);
  // What is in another place and has another text has no partner: what depends on it is named.
  const json found = trace(replaced(other, "low = 1;", "low = 1.25f;"));
  EXPECT_EQ(found["b"]["unpaired"], 1);
  EXPECT_EQ(lineOf(found, "a"), 20);
  EXPECT_EQ(lineOf(found, "b"), 20);
}

TEST_F(Trace, PassesOverStatementsOfOneSide) {
  const json found = trace(replaced(
      replaced(kFold, "  float low = 1;\n", "  float low = 1;\n  uint2 unused = uint2(i, lane) * 3;\n"),
      "both.x + both.y", "both.x - both.y"));
  EXPECT_EQ(found["b"]["unpaired"], 1);
  EXPECT_EQ(lineOf(found, "a"), 23);
  EXPECT_EQ(lineOf(found, "b"), 24);
}

TEST_F(Trace, NamesTheElementOfAVector) {
  const json found = trace(replaced(kFold, "both(acc, 1, 2, 3)", "both(acc, 1, 2.5f, 3)"));
  EXPECT_EQ(lineOf(found, "a"), 14);
  EXPECT_EQ(found["value"]["element"], 2);
  EXPECT_EQ(found["value"]["b"]["value"]["values"][2], 2.5);
}

// The condition of the first lane that goes another way, before what comes of it.
TEST_F(Trace, NamesTheConditionWhereBranchesPart) {
  const json found = trace(replaced(kFold, "lane > 3", "lane > 5"));
  EXPECT_EQ(found["first"], "value");
  EXPECT_EQ(lineOf(found, "a"), 17);
  EXPECT_EQ(found["value"]["a"]["expression"], "lane > 3");
  EXPECT_EQ(found["value"]["b"]["expression"], "lane > 5");
  EXPECT_EQ(found["value"]["a"]["threadPositionInGrid"], json({4, 0, 0}));
  EXPECT_EQ(found["value"]["a"]["value"]["type"], "bool");
  EXPECT_EQ(found["value"]["a"]["value"]["values"], json::array({true}));
  EXPECT_EQ(found["value"]["b"]["value"]["values"], json::array({false}));
  const std::set<int> branches{18, 20};
  EXPECT_TRUE(branches.count(int(found["flow"]["visit"]["where"]["line"])));
}

TEST_F(Trace, NamesTheHeaderOfALoop) {
  const json fewer = trace(replaced(kFold, "k < 4", "k < 3"));
  EXPECT_EQ(fewer["first"], "value");
  EXPECT_EQ(lineOf(fewer, "a"), 12);
  EXPECT_EQ(fewer["value"]["a"]["expression"], "k < 4");
  EXPECT_EQ(fewer["value"]["a"]["visit"], 3); // k is 3
  EXPECT_EQ(fewer["value"]["a"]["threadPositionInGrid"], json({0, 0, 0}));
  const json begin = trace(replaced(kFold, "uint k = 0", "uint k = lane == 9"));
  EXPECT_EQ(begin["value"]["a"]["expression"], "k");
  EXPECT_EQ(begin["value"]["a"]["statement"], "uint k = 0");
  EXPECT_EQ(begin["value"]["a"]["lane"], 9);
  EXPECT_EQ(begin["value"]["b"]["value"]["values"], json::array({true})); // before it is one of uint
  const json step = trace(replaced(kFold, "++k", "k += 1 + (i == 40)"));
  EXPECT_EQ(step["value"]["a"]["threadPositionInGrid"], json({40, 0, 0}));
}

TEST_F(Trace, NamesTheResultOfAFunction) {
  const json found = trace(replaced(kFold, "return product", "return product * 2"));
  EXPECT_EQ(lineOf(found, "a"), 5);
  EXPECT_EQ(found["value"]["b"]["expression"], "product * 2");
  EXPECT_FLOAT_EQ(float(found["value"]["b"]["value"]["values"][0]),
                  2 * float(found["value"]["a"]["value"]["values"][0]));
}

// One way to write a loop for another: what makes values has partners.
TEST_F(Trace, TakesALoopWithAnotherHeader) {
  const json same = trace(replaced(
      replaced(kFold, "for (uint k = 0; k < 4; ++k)\n    acc", "uint k = 0;\n  while (k < 4) {\n    acc"),
      "0.5f);\n", "0.5f);\n    ++k;\n  }\n"));
  EXPECT_EQ(same["different"], 0);
  EXPECT_TRUE(same["flow"].is_null()) << same["flow"];
  EXPECT_EQ(same["a"]["unpaired"], 0);
}

// A condition that declares has no probe: what only one side does is told before the values that come of it.
TEST_F(Trace, TellsWhatOnlyOneSideDoes) {
  write("a.metal", replaced(kFold, "if (lane > 3)", "if (bool upper = lane > 3)"));
  const json found = trace(replaced(kFold, "if (lane > 3)", "if (bool upper = lane > 5)"));
  EXPECT_EQ(found["first"], "flow");
  EXPECT_EQ(found["flow"]["visit"]["threadPositionInGrid"], json({4, 0, 0}));
  const std::set<int> branches{18, 20};
  EXPECT_TRUE(branches.count(int(found["flow"]["visit"]["where"]["line"])));
  EXPECT_EQ(found["flow"]["otherVisits"], 0);
}

TEST_F(Trace, TellsWhichVisitsOfALoopAreMissing) {
  const json fewer = trace(replaced(kFold, "k < 4", "k < 3"));
  EXPECT_EQ(fewer["flow"]["side"], "A");
  EXPECT_EQ(fewer["flow"]["visit"]["visit"], 3);
  EXPECT_EQ(fewer["flow"]["otherVisits"], 3);
  const json more = trace(replaced(kFold, "k < 4", "k < 6"));
  EXPECT_EQ(more["flow"]["side"], "B");
  EXPECT_EQ(more["flow"]["visit"]["visit"], 4);
  EXPECT_EQ(more["flow"]["otherVisits"], 4);
}

TEST_F(Trace, AllowsWhatIsAllowedOfOutputs) {
  const std::string other = replaced(kFold, "low = shared[lane - 1]", "low = shared[lane - 1] * 1.0000002f");
  EXPECT_EQ(lineOf(trace(other), "a"), 18);
  EXPECT_TRUE(trace(other, "--rtol 1e-3")["value"].is_null());
}

// One kernel has lanes where the other has threads: their positions are given.
TEST_F(Trace, TakesAThreadsPositionByExpressions) {
  write("one.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                     "kernel void f(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                     "  float v = i * 2.0f;\n  y[i] = v;\n}\n");
  write("many.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void f(device float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
                      "  uint row = i / 32;\n  float v = row * (row == 3 ? 4.0f : 2.0f);\n"
                      "  if (i % 32 == 0)\n    y[row] = v;\n}\n");
  write("port.toml", "[outputs.y]\nshape = [8]\n[A]\nfile = \"one.metal\"\nkernel = \"f\"\ngrid = [8]\n"
                     "threads = [8]\noutputs.y = { buffer = 0, type = \"f32\" }\n"
                     "[B]\nfile = \"many.metal\"\nkernel = \"f\"\nthreadgroups = [8]\nthreads = [32]\n"
                     "outputs.y = { buffer = 0, type = \"f32\" }\n");
  EXPECT_THAT(complaint("diff --mapping port.toml --trace"),
              HasSubstr("2 error: A has 8 x 1 x 1 threads and B 256 x 1 x 1: which correspond is not known"));
  const Outcome outcome = assay("diff --mapping port.toml --trace --trace-thread x*32 --json");
  const json found = json::parse(outcome.out)["trace"];
  EXPECT_EQ(found["value"]["a"]["threadPositionInGrid"], json({3, 0, 0}));
  EXPECT_EQ(found["value"]["b"]["threadPositionInGrid"], json({96, 0, 0}));
  EXPECT_EQ(lineOf(found, "a"), 4);
  EXPECT_EQ(lineOf(found, "b"), 5);
  // The mapping may say it, too.
  write("port.toml", read("port.toml") + "[trace]\nthread = [\"x * 32\"]\nlines = [[4, 5]]\n");
  EXPECT_EQ(json::parse(assay("diff --mapping port.toml --trace --json").out)["trace"], found);
}

TEST_F(Trace, TakesPairsOfLines) {
  write("b.metal", "#include <metal_stdlib>\nusing namespace metal;\n"
                   "kernel void fold(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
                   "                 uint i [[thread_position_in_grid]]) {\n"
                   "  float whatever = max(min(x[i], 3.0f), -2.0f);\n  y[i] = whatever;\n}\n");
  const std::string diff = "diff a.metal b.metal --kernel fold --grid 64 --threads 64 --trace --json ";
  const json found = json::parse(assay(diff + "--pair 10=5").out)["trace"];
  EXPECT_EQ(lineOf(found, "a"), 10);
  EXPECT_EQ(lineOf(found, "b"), 5);
  EXPECT_THAT(assay(diff + "--pair 9=5").out,
              HasSubstr("no statement on line 9 of a.metal makes a value that a probe can show"));
  EXPECT_THAT(complaint("diff a.metal b.metal --kernel fold --grid 64 --threads 64 --trace --pair 10"),
              HasSubstr("--pair 10: it should be LINE=LINE"));
}

TEST_F(Trace, NeedsTwoKernels) {
  EXPECT_THAT(complaint("diff a.metal a.npy --kernel fold --grid 64 --threads 64 --trace"),
              HasSubstr("--trace needs two kernels, B is recorded"));
  EXPECT_THAT(complaint("diff a.metal a.metal --kernel fold --grid 64 --threads 64 --pair 1=1"),
              HasSubstr("--pair is for --trace, which is not given"));
}

// The promise of trace.h: where one right side is changed, of a statement that makes a value, that statement
// is the first that is named, or every value is equal. Statements are chosen by a rule of this test's own.
struct Judged {
  const char *name, *file, *call; ///< no file: kFold
  size_t least;                   ///< mutants that are told from the original
};
// Every line in release. What a mutant finds is no matter of a sanitizer, which sees our code on some lines.
#ifdef ASSAY_ASAN
constexpr size_t kEveryLine = 4;
#else
constexpr size_t kEveryLine = 1;
#endif
class TraceMutants : public Trace, public testing::WithParamInterface<Judged> {};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

TEST_P(TraceMutants, AreNamedAtTheirLine) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/kernels_msl/" + GetParam().file);
  const std::string original =
      *GetParam().file ? std::string{std::istreambuf_iterator<char>(file), {}} : std::string(kFold);
  ASSERT_FALSE(original.empty());
  write("a.metal", original);
  const std::vector<std::string> lines = linesOf(original);
  // A scalar or an element that gets a value, on one line: no pointer, no second declarator.
  const std::regex statement(R"(^ +((const )?(float|uint|ulong|bool) )?\w+(\[[^=]*\])? [-+*/]?= [^,{]*;.*$)"),
      passing(R"(^ +((if|while) \(.*\)( \{| return;|)|for \(.*;.*;.*\)( \{|)|return [^{]*;)$)");
  const std::pair<const char *, const char *> changes[] = {
      {" * ", " + "},  {" + ", " - "},     {" - ", " + "}, {" / ", " * "},
      {" < ", " <= "}, {" = 0;", " = 1;"}, {"(", "1 + ("}};
  size_t named = 0, equal = 0;
  for (size_t at = 0; at < lines.size(); at += kEveryLine) {
    const bool passes = std::regex_match(lines[at], passing);
    if (!passes && !std::regex_match(lines[at], statement))
      continue;
    const size_t from = passes ? lines[at].find_first_not_of(' ') : lines[at].find("= ");
    for (const auto &[what, by] : changes) {
      if (passes && what[0] == '(')
        continue;
      const size_t place = lines[at].find(what, what[1] == '=' ? from - 1 : from + 1);
      if (place == std::string::npos)
        continue;
      std::string mutant;
      for (size_t i = 0; i < lines.size(); ++i)
        mutant += (i == at ? std::string(lines[i]).replace(place, std::strlen(what), by) : lines[i]) + "\n";
      write("b.metal", mutant);
      // A mutant may write where another threadgroup writes: in one order, its bits are those of each run.
      const Outcome outcome =
          assay(std::string("diff a.metal b.metal --trace --json --workers 1 ") + GetParam().call);
      const json document = json::parse(outcome.out, nullptr, false);
      if (document.is_discarded() || !document.contains("trace"))
        continue; // it does not compile, or leaves its buffers
      const json &found = document["trace"];
      EXPECT_TRUE(found["b"]["sameBits"]);
      if (found["first"].is_null()) {
        EXPECT_TRUE(document["equal"]) << lines[at] << " with" << by;
        ++equal;
        continue;
      }
      ++named;
      EXPECT_EQ(found["first"], "value") << lines[at] << " with" << by;
      EXPECT_EQ(lineOf(found, "a"), int(at) + 1) << lines[at] << " with" << by;
      EXPECT_EQ(lineOf(found, "b"), int(at) + 1) << lines[at] << " with" << by;
      break; // one that can be told from the original is enough for a line
    }
  }
  EXPECT_GE(named, GetParam().least / kEveryLine);
  RecordProperty("named", int(named));
  RecordProperty("equal", int(equal));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, TraceMutants,
    testing::Values(
        Judged{"gated_delta_net", "recurrence/gated_delta_net.metal",
               "--kernel gated_delta_net_f32 --threadgroups 2 --threads 16 --threadgroup-memory 0=256 "
               "--buffer 0=rand:f32[48]:1 --buffer 1=rand:f32[48]:2 --buffer 2=rand:f32[96]:3 "
               "--buffer 3=rand:f32[6]:4 --buffer 4=rand:f32[6]:5 --buffer 5=rand:f32[512]:6 "
               "--buffer 6=poison:f32[3,2,16] --buffer 7=poison:f32[512] --buffer 8=u32:16,16,1,2,3,1,0,0",
               8},
        Judged{"sum", "reduce/sum.metal",
               "--kernel sum_f32 --threadgroups 2 --threads 96 --threadgroup-memory 0=16 "
               "--buffer 0=rand:f32[1000] --buffer 1=zeros:f32[2] --buffer 2=u32:1000",
               2},
        Judged{"l2_norm", "recurrence/l2_norm.metal",
               "--kernel l2_norm_bf16 --threadgroups 2 --threads 32 --threadgroup-memory 0=128 "
               "--buffer 0=rand:bf16[2,50] --buffer 1=poison:bf16[2,50] --buffer 2=f32:1e-6,50",
               4},
        Judged{"fold", "", "--kernel fold --grid 64 --threads 64", 3}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace assay::cli_test
