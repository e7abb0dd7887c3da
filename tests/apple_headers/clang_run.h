// Runs stock Clang, which knows nothing of Metal, on a text.
#pragma once

#include "../host/temporary_folder.h"

#include <string>
#include <sys/wait.h>

namespace assay::apple_headers {

struct ClangRun {
  int code = -1; ///< the exit code
  std::string out, err;
};

/// text: the file that is compiled; its name is plain in messages
inline ClangRun runClang(const std::string &arguments, const std::string &text) {
  const testing_support::TemporaryFolder folder;
  folder.write("plain", text);
  const std::string command =
      "cd '" + folder.path().string() + "' && " ASSAY_CLANG " -x c++ " + arguments + " plain >out 2>err";
  const int status = std::system(command.c_str());
  const auto read = [&](const char *name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
}

} // namespace assay::apple_headers
