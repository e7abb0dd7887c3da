// "Where is ...": CONTRIBUTING.md and docs/architecture.md name a place for each behaviour. The place must
// exist in the room that the row names. CONTRIBUTING.md's rows also give a name, which must occur there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = ASSAY_SOURCE_DIR;

std::string textOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Of the table whose head begins with "where is", the quoted texts of each row: room, place, name.
std::vector<std::vector<std::string>> rowsOf(const fs::path &page) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(page);
  EXPECT_TRUE(file) << page;
  bool inside = false;
  const std::regex quoted("`([^`]+)`");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| where is "))
      inside = true;
    else if (!line.starts_with("|"))
      inside = false;
    else if (inside && line.starts_with("| ")) {
      const std::string answers = line.substr(line.find(" | ") + 3); // after the behaviour
      std::vector<std::string> &row = rows.emplace_back();
      for (std::sregex_iterator at(answers.begin(), answers.end(), quoted), end; at != end; ++at)
        row.push_back((*at)[1]);
    }
  }
  return rows;
}

fs::path placeOf(const std::string &room, const std::string &place) {
  const fs::path inside = kRoot / "emulator" / room;
  return (fs::is_directory(inside) ? inside : kRoot / room) / place;
}

bool hasWord(const std::string &text, const std::string &word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

TEST(Places, OfContributingExistAndHaveTheName) {
  const auto rows = rowsOf(kRoot / "CONTRIBUTING.md");
  EXPECT_GE(rows.size(), 10u);
  std::set<std::string> rooms;
  for (const std::vector<std::string> &row : rows) {
    ASSERT_EQ(row.size(), 3u) << (row.empty() ? "a row without answers" : row[0]);
    const fs::path place = placeOf(row[0], row[1]);
    ASSERT_TRUE(fs::is_regular_file(place)) << place;
    EXPECT_TRUE(hasWord(textOf(place), row[2])) << place << " has no " << row[2];
    rooms.insert(row[0]);
  }
  EXPECT_GE(rooms.size(), 8u) << "the list is of all rooms";
}

TEST(Places, OfTheArchitectureExist) {
  const auto rows = rowsOf(kRoot / "docs/architecture.md");
  EXPECT_GE(rows.size(), 10u);
  for (const std::vector<std::string> &row : rows) {
    ASSERT_EQ(row.size(), 2u) << (row.empty() ? "a row without answers" : row[0]);
    EXPECT_TRUE(fs::is_regular_file(placeOf(row[0], row[1]))) << row[0] << " has no " << row[1];
  }
}

TEST(Places, AreNoticedWhenTheyAreWrong) {
  EXPECT_FALSE(fs::exists(placeOf("lowering", "no_such_file.h")));
  EXPECT_TRUE(fs::exists(placeOf("msl_shim", "metal_types")));
  EXPECT_FALSE(hasWord("findUserHeaders", "findUserHeader"));
}

} // namespace
