// The last chapter of docs/kernels.md: each promise names a test, and each of these tests exists. People
// judge whether a test holds what the promise says. That it exists is checked here, so that a renamed test
// leaves no promise without one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = ASSAY_SOURCE_DIR, kPromises = kRoot / "kernels_msl/promises.md";

std::string textOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The cells of every table row but heads and rules.
struct Row {
  size_t line;
  std::vector<std::string> cells;
};
std::vector<Row> rowsOf(const fs::path &page) {
  std::vector<Row> rows;
  std::ifstream file(page);
  EXPECT_TRUE(file) << page;
  std::string text;
  for (size_t line = 1; std::getline(file, text); ++line) {
    if (!text.starts_with("| "))
      continue;
    Row row{line, {}};
    for (size_t at = 2; at < text.size();) {
      const size_t end = std::min(text.find(" |", at), text.size());
      row.cells.push_back(text.substr(at, end - at));
      at = end + 3;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// "Suite.Name" of every test under tests/, and the names that CMake gives tests, up to a variable in them.
const std::set<std::string> &allTests() {
  static const std::set<std::string> tests = [] {
    std::set<std::string> all;
    const std::regex cpp(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))"), cmake(R"(add_test\(NAME ([\w.]+))");
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(kRoot / "tests")) {
      const bool source = entry.path().extension() == ".cpp";
      if (!source && entry.path().filename() != "CMakeLists.txt")
        continue;
      const std::string text = textOf(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), source ? cpp : cmake), end; at != end; ++at)
        all.insert(source ? (*at)[1].str() + "." + (*at)[2].str() : (*at)[1].str());
    }
    return all;
  }();
  return tests;
}

bool exists(const std::string &test) {
  if (allTests().contains(test))
    return true;
  // Scripts.SweepCounts_decode is Scripts.SweepCounts_${sweep} in CMake.
  const size_t underscore = test.find('_');
  return test.starts_with("Scripts.") && underscore != test.npos &&
         allTests().contains(test.substr(0, underscore + 1));
}

TEST(Promises, NameTestsThatExist) {
  size_t promises = 0;
  for (const Row &row : rowsOf(kPromises)) {
    ASSERT_EQ(row.cells.size(), 2u) << kPromises << ":" << row.line;
    if (row.cells[0] == "promise")
      continue;
    ++promises;
    const std::regex quoted("`([^`]+)`");
    size_t tests = 0;
    for (std::sregex_iterator at(row.cells[1].begin(), row.cells[1].end(), quoted), end; at != end; ++at) {
      ++tests;
      EXPECT_TRUE(exists((*at)[1])) << kPromises << ":" << row.line << ": there is no test " << (*at)[1];
    }
    EXPECT_GT(tests, 0u) << kPromises << ":" << row.line << ": no test holds '" << row.cells[0] << "'";
  }
  EXPECT_GT(promises, 100u);
}

TEST(Promises, ATestThatDoesNotExistIsNoticed) {
  EXPECT_TRUE(exists("Promises.NameTestsThatExist"));
  EXPECT_FALSE(exists("Promises.NameTestsThatDoNotExist"));
  EXPECT_TRUE(exists("Scripts.SweepCounts_decode"));
  EXPECT_FALSE(exists("Scripts.SweepsCount_decode"));
}

// Longer cells are read by nobody: they belong into the text.
TEST(KernelTables, HaveNoCellOfMoreThanAHundredCharacters) {
  for (const Row &row : rowsOf(kRoot / "docs/kernels.md"))
    for (const std::string &cell : row.cells)
      EXPECT_LE(cell.size(), 100u) << "docs/kernels.md:" << row.line << ": " << cell;
}

} // namespace
