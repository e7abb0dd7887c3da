// xcrun: finds and runs the other tools. The SDK that is named makes no difference: there is only one.
#include "commands.h"
#include "files.h"
#include "host_tools.h"

#include <assay/mac_version.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// Tools that are the same on both systems, and are taken from PATH.
constexpr std::string_view kSame[] = {"ar", "ranlib", "nm", "strip", "make", "cmake", "git"};

int becomeSame(const std::string &tool, const std::vector<std::string> &arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), tool);
  return become("xcrun", std::move(words));
}

/// --show-sdk-path and its like. An empty text: no such question.
std::string answer(const std::string &question, const std::string &sdk) {
  if (question == "show-sdk-path" || question == "show-sdk-platform-path")
    return sdk;
  if (question == "show-sdk-version" || question == "show-sdk-platform-version")
    return fmt::format("{}.{}", ASSAY_MAC_MAJOR, ASSAY_MAC_MINOR);
  if (question == "show-sdk-build-version")
    return "Assay";
  return {};
}

} // namespace

int xcrunCommand(const std::vector<std::string> &arguments, const std::string &binFolder) {
  const std::string sdk = fs::path(binFolder).parent_path().string();
  bool find = false;
  std::string answers;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with('-'); ++i) {
    const std::string &a = arguments[i];
    const std::string said = answer(a.substr(std::min(a.find_first_not_of('-'), a.size())), sdk);
    if (a == "-sdk" || a == "--sdk" || a == "-toolchain" || a == "--toolchain")
      ++i;
    else if (a == "-f" || a == "-find" || a == "--find")
      find = true;
    else if (!said.empty())
      answers += said + "\n";
    else if (a != "-r" && a != "-run" && a != "--run" && a != "-n" && a != "--no-cache" && a != "-k" &&
             a != "--kill-cache" && a != "-v" && a != "--verbose" && a != "-l" && a != "--log")
      return complain("xcrun", Error::usage("bad-option", fmt::format("{} is not answered", a),
                                            "xcrun [-sdk NAME] [--find] [--show-sdk-path] [TOOL ...]"));
  }
  if (!answers.empty()) {
    std::fputs(answers.c_str(), stdout);
    return 0;
  }
  const std::string tool = i < arguments.size() ? arguments[i] : "";
  const bool same = std::find(std::begin(kSame), std::end(kSame), tool) != std::end(kSame);
  const HostTool hostTool = findHostTool(tool);
  if (!hostTool && !same)
    return complain("xcrun", Error::usage("unknown-tool",
                                          tool.empty() ? "no tool to run" : fmt::format("no tool '{}'", tool),
                                          "there are " + hostToolNames()));
  if (find && !same) {
    std::printf("%s/%s\n", binFolder.c_str(), tool.c_str());
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + ptrdiff_t(i) + 1, arguments.end());
  if (find)
    return becomeSame("which", {tool});
  return same ? becomeSame(tool, rest) : hostTool(tool, sdk, rest);
}

} // namespace assay::metal
