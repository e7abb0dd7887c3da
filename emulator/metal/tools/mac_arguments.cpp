// See mac_arguments.h.
#include "mac_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

enum class Takes { Nothing, Next, Joined, JoinedOrNext, ThreeNext };
enum class Where { Driver, Linker, Both };
enum class Does {
  Nothing,
  Processor,
  ForArm,
  ForX86,
  StandardLibrary,
  Framework,
  Runtime,
  Library,
  File,
  Shared,
  InstallName,
  RunPath,
  WholeArchives,
  WholeArchive,
  DeadStrip,
  ExportDynamic,
  Section
};

struct MacOption {
  std::string_view spelling;
  Takes takes;
  Where where;
  Does does;
};

constexpr MacOption kOptions[] = {
#define ASSAY_MAC_OPTION(spelling, takes, where, does) {spelling, Takes::takes, Where::where, Does::does},
#include "mac_options.def"
#undef ASSAY_MAC_OPTION
};

struct Framework {
  std::string_view name, library; ///< without a library it is a part of libMetal.so
};

constexpr Framework kFrameworks[] = {
#define ASSAY_FRAMEWORK(name, library) {name, library},
#include "frameworks.def"
#undef ASSAY_FRAMEWORK
};

// With one of these nothing is linked.
constexpr std::string_view kNoLink[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version"};

/// One option with its values, as it stood in a list of words.
struct Found {
  const MacOption *option = nullptr;
  std::vector<std::string> values;
  size_t words = 1;
};

class Translation {
public:
  explicit Translation(const HostCompiler &compiler) : compiler_(compiler) {}

  Result<HostCommand> run(const std::vector<std::string> &arguments) {
    links_ =
        std::none_of(arguments.begin(), arguments.end(),
                     [](const std::string &word) {
                       return std::find(std::begin(kNoLink), std::end(kNoLink), word) != std::end(kNoLink);
                     }) &&
        std::any_of(arguments.begin(), arguments.end(),
                    [](const std::string &word) { return !word.starts_with('-') || word == "-"; });
    for (size_t i = 0; i < arguments.size(); ++i)
      if (const std::string &word = arguments[i]; word.starts_with("-L") && word.size() > 2)
        libraryFolders_.push_back(word.substr(2));
      else if (word == "-L" && i + 1 < arguments.size())
        libraryFolders_.push_back(arguments[i + 1]);

    for (size_t i = 0; i < arguments.size() && !wrong_;)
      i += isLinkerWord(arguments[i]) ? linkerWords(arguments, i) : driverWord(arguments, i);
    if (wrong_)
      return *wrong_;
    command_.words.insert(command_.words.begin(), compiler_.program);
    addDefaults();
    return std::move(command_);
  }

private:
  static bool isLinkerWord(const std::string &word) { return word.starts_with("-Wl,") || word == "-Xlinker"; }

  void add(std::string word) { command_.words.push_back(std::move(word)); }
  void note(std::string text) {
    if (links_ && std::find(command_.notes.begin(), command_.notes.end(), text) == command_.notes.end())
      command_.notes.push_back(std::move(text));
  }

  // The option at words[at], if it is one of the table's.
  Found find(const std::vector<std::string> &words, size_t at, Where where) {
    const std::string &word = words[at];
    for (const MacOption &option : kOptions) {
      if (option.where != where && option.where != Where::Both)
        continue;
      const bool same = word == option.spelling;
      const bool joins = option.takes == Takes::Joined || option.takes == Takes::JoinedOrNext;
      if (!same && !(joins && word.starts_with(option.spelling)))
        continue;
      if (same && option.takes == Takes::Joined)
        continue; // as -mcpu= and -l without a value: Clang says what it thinks of them
      Found found{&option, {}, 1};
      if (!same) {
        found.values.push_back(word.substr(option.spelling.size()));
        return found;
      }
      const size_t wanted = option.takes == Takes::Nothing ? 0 : option.takes == Takes::ThreeNext ? 3 : 1;
      if (at + wanted >= words.size()) {
        wrong_ = Error::usage("bad-option", fmt::format("{} needs {} after it", word,
                                                        wanted == 1 ? "a value" : "three values"));
        return found;
      }
      found.values.assign(words.begin() + ptrdiff_t(at + 1), words.begin() + ptrdiff_t(at + 1 + wanted));
      found.words += wanted;
      return found;
    }
    return {};
  }

  size_t driverWord(const std::vector<std::string> &words, size_t at) {
    // A value of another option is no option, whatever it looks like.
    static constexpr std::array<std::string_view, 8> kWithValue = {
        "-o", "-x", "-include", "-MF", "-MT", "-MQ", "-Xclang", "-Xpreprocessor"};
    if (std::find(kWithValue.begin(), kWithValue.end(), words[at]) != kWithValue.end() &&
        at + 1 < words.size()) {
      add(words[at]);
      add(words[at + 1]);
      usesRuntime_ |= words[at] == "-x" && words[at + 1].starts_with("objective-c");
      return 2;
    }
    const Found found = find(words, at, Where::Driver);
    if (wrong_)
      return 1;
    // Every file in Objective-C calls the runtime, as little as there may be in it.
    usesRuntime_ |= !words[at].starts_with('-') && (words[at].ends_with(".m") || words[at].ends_with(".mm"));
    if (found.option)
      apply(found);
    else
      add(words[at]);
    return found.words;
  }

  // A run of -Wl, and -Xlinker is one list: a build file may divide an option and its value between them.
  size_t linkerWords(const std::vector<std::string> &words, size_t at) {
    std::vector<std::string> list;
    size_t used = 0;
    while (at + used < words.size() && isLinkerWord(words[at + used])) {
      const std::string &word = words[at + used];
      if (word == "-Xlinker") {
        if (at + used + 1 == words.size()) {
          wrong_ = Error::usage("bad-option", "-Xlinker needs a value after it");
          return used + 1;
        }
        list.push_back(words[at + used + 1]);
        used += 2;
        continue;
      }
      for (size_t begin = 4; begin <= word.size();) {
        const size_t end = std::min(word.find(',', begin), word.size());
        list.push_back(word.substr(begin, end - begin));
        begin = end + 1;
      }
      ++used;
    }
    for (size_t i = 0; i < list.size() && !wrong_;) {
      const Found found = find(list, i, Where::Linker);
      if (wrong_)
        break;
      if (found.option) {
        apply(found);
      } else {
        add("-Xlinker");
        add(list[i]);
      }
      i += found.words;
    }
    return used;
  }

  void apply(const Found &found) {
    const std::string value = found.values.empty() ? "" : found.values.front();
    switch (found.option->does) {
    case Does::Nothing: return;
    case Does::Processor: processor(std::string(found.option->spelling), value); return;
    case Does::ForArm:
      if (compiler_.arm)
        add(value);
      return;
    case Does::ForX86:
      if (!compiler_.arm)
        add(value);
      return;
    case Does::StandardLibrary: standardLibrary(value); return;
    case Does::Framework: framework(value); return;
    case Does::Runtime: usesRuntime_ = true; return;
    case Does::Library: library(value); return;
    case Does::File: add(value); return;
    case Does::Shared:
      add("-shared");
      add("-fPIC");
      return;
    case Does::InstallName: addLinker("-soname", fs::path(value).filename().string()); return;
    case Does::RunPath: addLinker("-rpath", atOrigin(value)); return;
    case Does::WholeArchives: wholeArchives_ = true; return;
    case Does::WholeArchive:
      add("-Wl,--whole-archive");
      add(value);
      add("-Wl,--no-whole-archive");
      return;
    case Does::DeadStrip: add("-Wl,--gc-sections"); return;
    case Does::ExportDynamic: add("-Wl,--export-dynamic"); return;
    case Does::Section: section(found.values); return;
    }
  }

  void addLinker(const std::string &option, const std::string &value) {
    for (const std::string &word : {option, value}) {
      add("-Xlinker");
      add(word);
    }
  }

  // Where a Mac's loader looks, in the words of this one.
  static std::string atOrigin(std::string path) {
    for (const std::string_view place : {"@executable_path", "@loader_path"})
      if (path.starts_with(place))
        return "$ORIGIN" + path.substr(place.size());
    return path;
  }

  // Clang for x86 has no -mcpu=, and knows no processor of another kind.
  void processor(const std::string &option, const std::string &name) {
    const bool cpu = option == "-mcpu=";
    if (compiler_.arm)
      add(option + name);
    else if (cpu && name == "native")
      add("-march=native");
    else if (cpu || name.starts_with("apple-") || name.starts_with("arm"))
      note(fmt::format("{}{}: this machine is not an ARM, so the code is for every x86-64", option, name));
    else
      add(option + name);
  }

  void standardLibrary(const std::string &name) {
    if (name == "libc++" && compiler_.libcxx)
      libcxx_ = true;
    else if (name == "libc++" && compiler_.cxx)
      note("-stdlib=libc++: libc++ is not installed, so libstdc++ is used "
           "(apt-get install libc++-19-dev libc++abi-19-dev)");
  }

  void framework(const std::string &name) {
    // The file system of most Macs ignores case, and so do their build files.
    const auto isNamed = [&](std::string_view other) {
      return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                        [](char a, char b) { return std::tolower(a) == std::tolower(b); });
    };
    usesRuntime_ = true; // every framework of a Mac brings the runtime with it
    if (isNamed("Accelerate") && compiler_.lapack)
      add("-llapack"); // before the BLAS that it calls
    std::vector<std::string_view> names;
    for (const Framework &framework : kFrameworks) {
      if (isNamed(framework.name))
        return framework.library.empty() ? void() : add(std::string(framework.library));
      names.push_back(framework.name);
    }
    note(fmt::format("-framework {}: not in this SDK, which has {}; what the program uses of it is undefined",
                     name, fmt::join(names, ", ")));
  }

  // A library that this build made for itself may have a Mac's name.
  void library(const std::string &name) {
    const std::string dylib = "lib" + name + ".dylib";
    for (const std::string &folder : libraryFolders_)
      if (!fs::exists(fs::path(folder) / ("lib" + name + ".so")) && fs::exists(fs::path(folder) / dylib))
        return add("-l:" + dylib);
    add("-l" + name);
  }

  // An Info.plist has no meaning here. Programs that embed their .metallib mostly load the file all the same;
  // one that reads its section calls getsectiondata, which the linker does not find.
  void section(const std::vector<std::string> &values) {
    if (values[1] != "__info_plist")
      note(fmt::format("-sectcreate {} {}: {} is not put into the program", values[0], values[1], values[2]));
  }

  void addDefaults() {
    std::vector<std::string> front;
    if (!compiler_.cmake)
      front = {"-fblocks", "-fobjc-runtime=gnustep-2.2", "-isystem", compiler_.sdk + "/include",
               "-Wno-unused-command-line-argument"};
    if (libcxx_)
      front.push_back("-stdlib=libc++");
    if (!compiler_.cmake) {
      front.push_back(compiler_.portable ? "-DASSAY_SDK_PORTABLE=1" : "-DASSAY_SDK_APPLE=1");
      front.push_back("-include");
      front.push_back(compiler_.sdk + "/include/assay/host_prefix.h");
    }
    if (links_ && wholeArchives_)
      front.push_back("-Wl,--whole-archive");
    command_.words.insert(command_.words.begin() + 1, front.begin(), front.end());
    if (!links_)
      return;
    if (wholeArchives_)
      add("-Wl,--no-whole-archive");
    add("-Wl,--push-state,--no-as-needed");
    if (!compiler_.cmake) // one unwinder in each process: see the SDK's toolchain.cmake
      add("-lgcc_s");
    if (usesRuntime_)
      for (const std::string &word :
           {"-L" + compiler_.sdk + "/lib", "-Wl,-rpath," + compiler_.sdk + "/lib", std::string("-lMetal")})
        add(word);
    add("-Wl,--pop-state");
    // A Mac's system library has these in it.
    for (const char *name : {"-lm", "-lpthread", "-ldl"})
      add(name);
  }

  const HostCompiler &compiler_;
  HostCommand command_;
  std::optional<Error> wrong_;
  std::vector<std::string> libraryFolders_;
  bool links_ = false;
  bool usesRuntime_ = false;
  bool wholeArchives_ = false;
  bool libcxx_ = false;
};

} // namespace

Result<HostCommand> hostCommand(const HostCompiler &compiler, const std::vector<std::string> &arguments) {
  return Translation(compiler).run(arguments);
}

} // namespace assay::metal
