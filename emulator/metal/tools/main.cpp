// One program for xcrun and the tools that it finds: the name by which it is called decides.
#include "commands.h"
#include "files.h"
#include "host_tools.h"

#include <cstdio>
#include <exception>
#include <filesystem>

int main(int count, char **words) {
  using namespace assay;
  namespace fs = std::filesystem;
  const std::string name = count ? fs::path(words[0]).filename().string() : "";
  try {
    const std::vector<std::string> arguments(words + (count ? 1 : 0), words + count);
    // Its own place, and not argv[0], which may come from PATH.
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    if (const metal::HostTool tool = metal::findHostTool(name))
      return tool(name, folder.parent_path().string(), arguments);
    return metal::xcrunCommand(arguments, folder.string());
  } catch (const std::exception &error) {
    return metal::complain(name.c_str(), Error::usage("internal", error.what()));
  }
}
