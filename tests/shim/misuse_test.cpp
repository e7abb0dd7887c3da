// What Apple's compiler rejects is rejected here. Each file of misuse/ compiles as it is, and with -DMISUSE
// must fail with the text of its first line, so that it fails for the one reason it is there for.
#include "clang_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

const std::string kFolder = ASSAY_SHIM_TESTS "/misuse/";

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Misuse : public ::testing::TestWithParam<std::string> {};

TEST_P(Misuse, CompilesOnlyWithoutTheMistake) {
  const std::string path = kFolder + GetParam();
  std::ifstream file(path);
  std::string expected;
  std::getline(file, expected);
  const std::string mark = "// error: ";
  ASSERT_EQ(expected.substr(0, mark.size()), mark) << path;

  // What the file includes has been parsed before; a header that it names again says #pragma once.
  const std::string parsed = "-include-pch " ASSAY_SHIM_PCH " -fsyntax-only ";
  const auto correct = assay::test::runClang(parsed + path);
  EXPECT_EQ(correct.status, 0) << correct.text;
  const auto mistaken = assay::test::runClang(parsed + "-DMISUSE " + path);
  EXPECT_NE(mistaken.status, 0) << "this must not compile: " << path;
  EXPECT_THAT(mistaken.text, ::testing::HasSubstr(expected.substr(mark.size())));
}

INSTANTIATE_TEST_SUITE_P(Files, Misuse, ::testing::ValuesIn(files()),
                         [](const auto &file) { return file.param.substr(0, file.param.find('.')); });

} // namespace
