// Runs what README.md and docs/*.md show. In a ```console block a line `$ command` is run by bash in a
// directory that holds a copy of kernels_msl/, with bin/ in PATH; the lines below it must be what it prints,
// on either stream, where `...` stands for anything within a line and a line of its own for any lines. In a
// ```cpp, ```metal or ```toml block whose first line is `// file: NAME` (`# file: NAME`), the text is first
// written to that file. Lines of ```sh blocks are for the reader (installing, building):
// the scripts they name must exist.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace fs = std::filesystem;

namespace {

struct Step {
  std::string command;
  std::vector<std::string> expected;
  int line = 0;
};

struct Document {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<Step> steps;
  std::vector<std::string> shellLines;
};

Document parse(const fs::path &path) {
  Document document;
  std::ifstream file(path);
  std::string line, language, body;
  int number = 0;
  while (std::getline(file, line)) {
    ++number;
    if (line.starts_with("```")) {
      for (const std::string mark : {"// file: ", "# file: "})
        if (!language.empty() && body.starts_with(mark)) {
          const size_t end = body.find('\n');
          document.files.emplace_back(body.substr(mark.size(), end - mark.size()), body.substr(end + 1));
        }
      language = language.empty() ? line.substr(3) : std::string();
      body.clear();
      continue;
    }
    if (language.empty())
      continue;
    body += line + "\n";
    if (language == "sh")
      document.shellLines.push_back(line);
    if (language != "console")
      continue;
    if (line.starts_with("$ "))
      document.steps.push_back({line.substr(2), {}, number});
    else if (!document.steps.empty())
      document.steps.back().expected.push_back(line);
  }
  return document;
}

// Glob match where `...` is any text within a line.
bool lineMatches(const std::string &pattern, const std::string &line) {
  size_t at = 0, from = 0;
  bool first = true;
  for (;;) {
    const size_t dots = pattern.find("...", from);
    const std::string piece = pattern.substr(from, dots == std::string::npos ? dots : dots - from);
    const size_t found = line.find(piece, at);
    if (found == std::string::npos || (first && found != 0))
      return false;
    if (dots == std::string::npos)
      return first ? line == piece : line.size() >= piece.size() + at && line.ends_with(piece);
    at = found + piece.size();
    from = dots + 3;
    first = false;
  }
}

bool matches(const std::vector<std::string> &pattern, size_t p, const std::vector<std::string> &lines,
             size_t l) {
  for (; p < pattern.size(); ++p, ++l) {
    if (pattern[p] == "...") {
      for (size_t rest = l; rest <= lines.size(); ++rest)
        if (matches(pattern, p + 1, lines, rest))
          return true;
      return false;
    }
    if (l >= lines.size() || !lineMatches(pattern[p], lines[l]))
      return false;
  }
  return l == lines.size();
}

std::vector<std::string> run(const std::string &command, const fs::path &directory, int &status) {
  const std::string script = "cd '" + directory.string() +
                             "' && export PATH='" ASSAY_BIN_DIR "':$PATH && { " + command +
                             "\n} 2>&1 </dev/null";
  std::ofstream(directory / ".command") << script;
  FILE *pipe = popen(("bash '" + (directory / ".command").string() + "'").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, n);
  status = pclose(pipe);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += "  " + line + "\n";
  return text;
}

class Docs : public testing::TestWithParam<std::string> {};

TEST_P(Docs, ShowWhatReallyHappens) {
  const fs::path source = ASSAY_SOURCE_DIR;
  const Document document = parse(source / GetParam());
  // Documents run at the same time, and so do the tests of several checkouts.
  std::string unique = (fs::temp_directory_path() / "assay_docs.XXXXXX").string();
  ASSERT_TRUE(mkdtemp(unique.data())) << "no folder can be made in " << fs::temp_directory_path();
  const fs::path directory = unique;
  fs::copy(source / "kernels_msl", directory / "kernels_msl", fs::copy_options::recursive);
  for (const auto &[name, text] : document.files) {
    fs::create_directories((directory / name).parent_path());
    std::ofstream(directory / name) << text;
  }
  for (const Step &step : document.steps) {
    int status = 0;
    const std::vector<std::string> lines = run(step.command, directory, status);
    EXPECT_TRUE(matches(step.expected, 0, lines, 0))
        << GetParam() << ":" << step.line << ": $ " << step.command << "\nshown:\n"
        << joined(step.expected) << "printed (exit " << WEXITSTATUS(status) << "):\n"
        << joined(lines);
  }
  for (const std::string &line : document.shellLines) {
    std::istringstream words(line);
    for (std::string word; words >> word && !word.starts_with("#");)
      if (word.starts_with("scripts/")) {
        EXPECT_TRUE(fs::exists(source / word)) << GetParam() << " names " << word;
      }
  }
  fs::remove_all(directory);
}

std::vector<std::string> documents() {
  std::vector<std::string> list{"README.md"};
  for (const auto &entry : fs::directory_iterator(fs::path(ASSAY_SOURCE_DIR) / "docs"))
    if (entry.path().extension() == ".md")
      list.push_back("docs/" + entry.path().filename().string());
  std::sort(list.begin(), list.end());
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Docs, testing::ValuesIn(documents()), [](const auto &info) {
  std::string name = info.param;
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
});

TEST(DocsMatcher, FailsOnADifferentLine) {
  EXPECT_TRUE(matches({"a ... c", "...", "z"}, 0, {"a b c", "x", "y", "z"}, 0));
  EXPECT_FALSE(matches({"a ... c"}, 0, {"a b d"}, 0));
  EXPECT_FALSE(matches({"a"}, 0, {"a", "b"}, 0));
  EXPECT_FALSE(matches({"a", "b"}, 0, {"a"}, 0));
}

} // namespace
