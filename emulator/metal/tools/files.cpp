#include "files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace assay::metal {

Result<std::string> readAll(const std::string &path) {
  if (path == "-")
    return std::string{std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    return Error::usage("bad-file", fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

Result<void> writeAll(const std::string &path, const std::string &bytes) {
  std::ofstream file;
  if (path != "-")
    file.open(path, std::ios::binary);
  std::ostream &out = path == "-" ? std::cout : file;
  out << bytes << std::flush;
  if (!out)
    return Error::usage("bad-file", fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  return {};
}

int become(const char *tool, std::vector<std::string> words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return complain(
      tool, Error::usage("bad-file", fmt::format("cannot run '{}': {}", words[0], std::strerror(errno))));
}

int complain(const char *tool, const Error &error) {
  const std::string text = renderDiagnostics(error.diagnostics);
  if (error.kind == ErrorKind::Usage)
    std::fprintf(stderr, "%s: ", tool);
  std::fputs(text.c_str(), stderr);
  return int(error.kind);
}

} // namespace assay::metal
