// What the tests of the scripts share that build somebody's checkout against libMetal.so.
#pragma once

#include "../host/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

namespace assay::testing_support {

class ScriptTest : public testing::Test {
protected:
  struct Outcome {
    int code = -1;
    std::string out, err;
  };
  /// A word of documented commands, and the variable with the folder that it stands for.
  struct Stand {
    std::string word;
    const char *variable;
    const char *folder() const { return std::getenv(variable); }
  };
  explicit ScriptTest(std::vector<Stand> stands) : stands_(std::move(stands)) {}

  /// command   from the project's folder
  Outcome run(std::string command) const {
    for (const Stand &stand : stands_)
      for (size_t at; (at = command.find(stand.word)) != command.npos;)
        command.replace(at, stand.word.size(), stand.folder() ? stand.folder() : "/nowhere");
    const std::string line = "cd '" ASSAY_SOURCE_DIR "' && { " + command + "; } </dev/null >'" +
                             (folder / "out") + "' 2>'" + (folder / "err") + "'";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "out"), read(folder / "err")};
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expectUsage(const std::string &command, const std::string &message) const {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_EQ(outcome.err, message + "\n") << command;
  }
  /// The lines of a document's blocks of shell that run a script.
  static std::vector<std::string> commandsOf(const std::string &document) {
    std::ifstream file(ASSAY_SOURCE_DIR "/" + document);
    std::vector<std::string> commands;
    bool shell = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("```"))
        shell = line == "```sh";
      else if (shell && line.starts_with("scripts/"))
        commands.push_back(line);
    }
    return commands;
  }

  TemporaryFolder folder;

private:
  std::vector<Stand> stands_;
};

} // namespace assay::testing_support
