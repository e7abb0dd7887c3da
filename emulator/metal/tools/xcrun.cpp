// xcrun: finds and runs the other two. The SDK that is named makes no difference: there is only one.
#include "commands.h"
#include "files.h"

#include <cstdio>
#include <fmt/format.h>

namespace assay::metal {

int xcrunCommand(const std::vector<std::string> &arguments, const std::string &binFolder) {
  bool find = false;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with('-'); ++i) {
    const std::string &a = arguments[i];
    if (a == "-sdk" || a == "--sdk" || a == "-toolchain" || a == "--toolchain")
      ++i;
    else if (a == "-f" || a == "-find" || a == "--find")
      find = true;
    else if (a != "-r" && a != "-run" && a != "--run" && a != "-n" && a != "--no-cache" && a != "-k" &&
             a != "--kill-cache" && a != "-v" && a != "--verbose" && a != "-l" && a != "--log")
      return complain("xcrun", Error::usage("bad-option",
                                            fmt::format("{} is not answered: there is no SDK of Apple's", a),
                                            "xcrun [-sdk NAME] [--find] metal|metallib ..."));
  }
  const std::string tool = i < arguments.size() ? arguments[i] : "";
  if (tool != "metal" && tool != "metallib")
    return complain("xcrun", Error::usage("unknown-tool",
                                          tool.empty() ? "no tool to run" : fmt::format("no tool '{}'", tool),
                                          "there are metal and metallib"));
  if (find) {
    std::printf("%s/%s\n", binFolder.c_str(), tool.c_str());
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + i + 1, arguments.end());
  return tool == "metal" ? metalCommand(rest) : metallibCommand(rest);
}

} // namespace assay::metal
