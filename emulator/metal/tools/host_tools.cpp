// See host_tools.h. With ASSAY_SDK_PORTABLE=1 in the environment programs are not built as for a Mac, and
// uname is the system's.
#include "host_tools.h"

#include "commands.h"
#include "files.h"
#include "mac_arguments.h"

#include <assay/mac_version.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

bool isPortable() {
  const char *setting = std::getenv("ASSAY_SDK_PORTABLE");
  return setting && std::strcmp(setting, "1") == 0;
}

bool isArm() {
#if defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

int compilerCommand(const std::string &name, const std::string &sdk,
                    const std::vector<std::string> &arguments) {
  HostCompiler compiler;
  compiler.cxx = name.ends_with("++");
  compiler.program = compiler.cxx ? ASSAY_HOST_CLANGXX : ASSAY_HOST_CLANG;
  compiler.sdk = sdk;
  compiler.arm = isArm();
  compiler.libcxx = fs::exists("/usr/lib/llvm-19/include/c++/v1/__config");
  for (const char *folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"})
    compiler.lapack = compiler.lapack || fs::exists(fs::path(folder) / "liblapack.so");
  compiler.portable = isPortable();
  compiler.cmake = name.starts_with("toolchain-");
  const Result<HostCommand> command = hostCommand(compiler, arguments);
  if (!command)
    return complain(name.c_str(), command.error());
  for (const std::string &note : command->notes)
    std::fprintf(stderr, "%s: note: %s\n", name.c_str(), note.c_str());
  return become(name.c_str(), command->words);
}

// The options are those of both systems' uname.
int unameCommand(const std::string &name, const std::string &, const std::vector<std::string> &arguments) {
  utsname system;
  if (isPortable() || uname(&system)) {
    std::vector<std::string> words = {"/bin/uname"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return become(name.c_str(), words);
  }
  const std::string machine = isArm() ? "arm64" : "x86_64";
  std::string wanted;
  for (const std::string &argument : arguments) {
    if (argument.size() < 2 || argument[0] != '-' ||
        argument.find_first_not_of("amnprsv", 1) != std::string::npos)
      return complain(
          name.c_str(),
          Error::usage("bad-option", fmt::format("'{}' is not understood", argument), "uname [-amnprsv]"));
    wanted += argument.substr(1);
  }
  if (wanted.empty())
    wanted = "s";
  const bool all = wanted.find('a') != std::string::npos;
  const auto asks = [&](char letter) { return all || wanted.find(letter) != std::string::npos; };
  std::string line;
  const auto print = [&](const std::string &part) { line += (line.empty() ? "" : " ") + part; };
  if (asks('s'))
    print("Darwin");
  if (asks('n'))
    print(system.nodename);
  if (asks('r'))
    print(ASSAY_DARWIN_RELEASE);
  if (asks('v'))
    print("Darwin Kernel Version " ASSAY_DARWIN_RELEASE);
  if (asks('m'))
    print(machine);
  if (!all && asks('p'))
    print(isArm() ? "arm" : "i386");
  std::puts(line.c_str());
  return 0;
}

int swVersCommand(const std::string &name, const std::string &, const std::vector<std::string> &arguments) {
  const std::string version = fmt::format("{}.{}", ASSAY_MAC_MAJOR, ASSAY_MAC_MINOR);
  if (arguments.empty()) {
    fmt::print("ProductName:\t\tmacOS\nProductVersion:\t\t{}\nBuildVersion:\t\tAssay\n", version);
    return 0;
  }
  std::string option = arguments[0];
  if (option.starts_with("--"))
    option.erase(0, 1);
  if (option == "-productName")
    std::puts("macOS");
  else if (option == "-productVersion")
    std::puts(version.c_str());
  else if (option == "-buildVersion")
    std::puts("Assay");
  else
    return complain(name.c_str(),
                    Error::usage("bad-option", fmt::format("'{}' is not understood", arguments[0]),
                                 "sw_vers [-productName|-productVersion|-buildVersion]"));
  return 0;
}

int xcodeSelectCommand(const std::string &name, const std::string &sdk,
                       const std::vector<std::string> &arguments) {
  const std::string option = arguments.empty() ? "" : arguments[0];
  if (option == "-p" || option == "--print-path" || option == "-print-path") {
    std::puts(sdk.c_str());
    return 0;
  }
  return complain(name.c_str(), Error::usage("bad-option", fmt::format("'{}' is not understood", option),
                                             "xcode-select -p"));
}

// What programs ask by sysctlbyname: `sysctl hw.ncpu` prints the name too, -n only the answer.
int sysctlCommand(const std::string &name, const std::string &, const std::vector<std::string> &arguments) {
  if (isPortable()) {
    std::vector<std::string> words = {"/sbin/sysctl"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return become(name.c_str(), words);
  }
  const bool bare = !arguments.empty() && arguments[0] == "-n";
  if (arguments.size() == bare || (arguments[0].starts_with('-') && !bare))
    return complain(name.c_str(),
                    Error::usage("bad-option", "what is wanted is not understood", "sysctl [-n] NAME..."));
  int result = 0;
  for (size_t i = bare; i < arguments.size(); ++i) {
    const std::string &question = arguments[i];
    const std::string prefix = bare ? "" : question + ": ";
    char text[256] = "";
    size_t size = sizeof text;
    int64_t number = 0;
    if (assay_findNumber(question.c_str(), &number, &size)) {
      fmt::print("{}{}\n", prefix, number);
    } else if (!sysctlbyname(question.c_str(), text, &size, nullptr, 0)) {
      fmt::print("{}{}\n", prefix, text);
    } else {
      std::fprintf(stderr, "sysctl: unknown oid '%s'\n", question.c_str());
      result = 1;
    }
  }
  return result;
}

// Signatures and the names in Mach-O headers: programs of this system have neither.
int codesignCommand(const std::string &, const std::string &, const std::vector<std::string> &) {
  return 0;
}

int metalTool(const std::string &, const std::string &, const std::vector<std::string> &arguments) {
  return metalCommand(arguments);
}
int metallibTool(const std::string &, const std::string &, const std::vector<std::string> &arguments) {
  return metallibCommand(arguments);
}
int metalArTool(const std::string &, const std::string &, const std::vector<std::string> &arguments) {
  return metalArCommand(arguments);
}

constexpr struct {
  std::string_view name;
  HostTool tool;
} kTools[] = {
#define ASSAY_HOST_TOOL(name, function) {name, function},
#include "host_tools.def"
#undef ASSAY_HOST_TOOL
};

} // namespace

HostTool findHostTool(const std::string &name) {
  for (const auto &each : kTools)
    if (each.name == name)
      return each.tool;
  return nullptr;
}

std::string hostToolNames() {
  std::string names;
  for (const auto &each : kTools)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

} // namespace assay::metal
