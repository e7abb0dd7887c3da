// Runs clang++-19 with the flags of a kernel, for tests of what it says.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace assay::test {

struct ClangRun {
  int status;
  std::string text; ///< standard output and error
};

inline ClangRun runClang(const std::string &arguments) {
  const std::string command = std::string(ASSAY_CLANG " " ASSAY_METAL_FLAGS " ") + arguments + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return {-1, "no pipe"};
  ClangRun run{0, {}};
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    run.text.append(buffer.data(), n);
  run.status = pclose(pipe);
  return run;
}

} // namespace assay::test
