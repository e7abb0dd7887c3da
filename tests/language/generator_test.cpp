// Random programs compute what their evaluator knows, and their mutations are refused at the line of the
// mistake. ASSAY_LANGUAGE_SEEDS=n runs n seeds instead of the usual ones, ASSAY_LANGUAGE_FIRST_SEED=s begins
// at s.
#include "exact_value.h"
#include "generator.h"
#include "initial_lists.h"
#include "judge.h"
#include "known_failures.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace assay::language {
namespace {

uint64_t number(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The failing row as a file, which anybody can compile.
std::string written(const Row &row) {
  const std::string path = testing::TempDir() + row.name + ".metal";
  std::ofstream(path) << makeProgram({&row}, row.refused, false).text;
  return path;
}

Table tableOf(const auto &make) {
  Table table;
  table.name = "generated";
  const uint64_t first = number("ASSAY_LANGUAGE_FIRST_SEED", 1), count = number("ASSAY_LANGUAGE_SEEDS", 24);
  for (uint64_t seed = first; seed < first + count; ++seed)
    make(table.rows, seed);
  return table;
}

// The part of a row's name after its seed, or `programs`.
std::string kindOf(const Row &row) {
  const size_t dot = row.name.find('.', row.name.find('.') + 1);
  return dot == std::string::npos ? "generated programs" : "mutation " + row.name.substr(dot + 1);
}

void expectAll(const Table &table, const Verdicts &verdicts) {
  ASSERT_EQ(verdicts.size(), table.rows.size());
  const std::map<std::string, std::string> known = knownFailures();
  std::map<std::string, bool> holds; // of each kind: whether every row does
  for (const Row &row : table.rows) {
    const std::string &verdict = verdicts.at(row.name);
    holds.try_emplace(kindOf(row), true).first->second &= verdict.empty();
    if (!known.count(kindOf(row)))
      EXPECT_EQ(verdict, "") << row.name << ", written to " << written(row);
  }
  for (const auto &[kind, all] : holds)
    EXPECT_FALSE(all && known.count(kind)) << kind << " now passes: remove it from known_failures.txt";
}

} // namespace

TEST(GeneratedPrograms, ComputeWhatTheirEvaluatorKnows) {
  const Table table =
      tableOf([](std::vector<Row> &rows, uint64_t seed) { rows.push_back(generatedProgram(seed)); });
  expectAll(table, judgeAccepted(table));
}

TEST(GeneratedPrograms, HaveTheInitialValuesOfTheirLists) {
  const Table table =
      tableOf([](std::vector<Row> &rows, uint64_t seed) { rows.push_back(initialLists(seed)); });
  expectAll(table, judgeAccepted(table));
}

TEST(GeneratedPrograms, AreRefusedWithAMistakeAtItsLine) {
  const Table table = tableOf([](std::vector<Row> &rows, uint64_t seed) {
    if (seed % 4 == 0)
      for (Row &row : mutations(seed))
        rows.push_back(std::move(row));
  });
  expectAll(table, judgeRefused(table));
}

TEST(GeneratedPrograms, DifferBySeedAndRepeat) {
  EXPECT_EQ(generatedProgram(5).given, generatedProgram(5).given);
  EXPECT_NE(generatedProgram(5).given, generatedProgram(6).given);
  EXPECT_EQ(initialLists(5).code, initialLists(5).code);
  EXPECT_NE(initialLists(5).code, initialLists(6).code);
}

TEST(ExactValue, FollowsTheConversionsOfTheLanguage) {
  const auto scalar = [](Scalar s, int v) { return Value{{s, 1}, {{v, double(v)}}, true}; };
  EXPECT_EQ(binary('+', scalar(Scalar::Uchar, 200), scalar(Scalar::Uchar, 100)).v[0].i, 300);
  EXPECT_EQ(binary('-', scalar(Scalar::Uint, 0), scalar(Scalar::Int, 1)).v[0].i, 4294967295);
  EXPECT_FALSE(binary('*', scalar(Scalar::Int, 65536), scalar(Scalar::Int, 65536)).exact);
  EXPECT_EQ(typeOfBinary({Scalar::Half, 1}, {Scalar::Long, 1}), (Type{Scalar::Half, 1}));
  EXPECT_EQ(convert(scalar(Scalar::Int, -1), {Scalar::Uchar, 2}).v[1].i, 255);
  EXPECT_FALSE(convert(Value{{Scalar::Float, 1}, {{0, -1.0}}, true}, {Scalar::Uint, 1}).exact);
  EXPECT_EQ(literal(Value{{Scalar::Half, 2}, {{0, 0.25}, {0, -1.5}}, true}),
            "half2(0.250000h, (-1.500000h))");
}

} // namespace assay::language
