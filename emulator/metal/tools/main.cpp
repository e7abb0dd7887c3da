// One program for xcrun, metal and metallib: the name by which it is called decides.
#include "commands.h"
#include "files.h"

#include <cstdio>
#include <exception>
#include <filesystem>

int main(int count, char **words) {
  using namespace assay;
  namespace fs = std::filesystem;
  const std::string name = count ? fs::path(words[0]).filename().string() : "";
  try {
    const std::vector<std::string> arguments(words + (count ? 1 : 0), words + count);
    if (name == "metal")
      return metal::metalCommand(arguments);
    if (name == "metallib")
      return metal::metallibCommand(arguments);
    // Its own place, and not argv[0], which may come from PATH.
    return metal::xcrunCommand(arguments, fs::read_symlink("/proc/self/exe").parent_path().string());
  } catch (const std::exception &error) {
    return metal::complain(name.c_str(), Error::usage("internal", error.what()));
  }
}
