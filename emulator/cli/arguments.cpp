// What several commands take on the command line.
#include "commands.h"
#include "scalar_text.h"
#include "support/text/metal_options.h"
#include "support/text/write_rounding.h"

#include "../host/nearest.h"
#include "../host/numerics_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace assay::cli {

void addList(CLI::App &command, const std::string &name, std::vector<std::string> &values,
             const std::string &form, const std::string &text) {
  command.add_option(name, values, text)->type_name(form)->expected(1)->allow_extra_args(false)->take_all();
}

void SourceArguments::addTo(CLI::App &command) {
  addFilesTo(command);
  addOptionsTo(command);
  addJsonTo(command);
}

void SourceArguments::addFilesTo(CLI::App &command) {
  command.add_option("FILE", files, "the .metal file; several are linked as one library, as Xcode does it")
      ->required();
}

void SourceArguments::addFileTo(CLI::App &command) {
  command.add_option("FILE", files, "the .metal file")->required()->expected(1);
}

std::string SourceArguments::fileNames() const {
  return fmt::format("{}", fmt::join(files, ", "));
}

void SourceArguments::addJsonTo(CLI::App &command) {
  command.add_flag("--json", json, "print one JSON document instead of text, errors included");
}

void SourceArguments::addOptionsTo(CLI::App &command) {
  command.add_option("-I,--include", includePaths, "also look for #include files in DIR")
      ->type_name("DIR")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--include-first", headers, "include FILE before the first line, as Metal's -include FILE")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--warnings-as-errors", warningsAreErrors,
                   "refuse a source with warnings, as Metal's -Werror");
  command.add_option("-D,--define", defines, "define a macro (VALUE is 1 if not given)")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option_function<std::string>(
          "--std", [this](const std::string &name) { language = *findLanguageVersion(name); },
          "compile as this version of Metal: macos-metal1.0 to metal3.2 are C++14, metal4.0 and 4.1 C++17 "
          "(if "
          "not given: the macros of 3.2, with C++17)")
      ->type_name("VERSION")
      ->check([](const std::string &name) {
        return findLanguageVersion(name)
                   ? std::string()
                   : fmt::format("no version {} of Metal: there are {}", name, kLanguageVersionNames);
      });
}

CompileOptions SourceArguments::options() const {
  CompileOptions options;
  options.languageVersion = language.version;
  if (language.ios)
    options.preprocessorMacros.emplace_back(kIosMacro, "1");
  options.includePaths = includePaths;
  options.headers = headers;
  options.warningsAreErrors = warningsAreErrors;
  for (const std::string &define : defines) {
    const size_t equals = define.find('=');
    if (equals == define.npos)
      options.preprocessorMacros.emplace_back(define, "1");
    else
      options.preprocessorMacros.emplace_back(define.substr(0, equals), define.substr(equals + 1));
  }
  return options;
}

Result<Size> parseSize(std::string_view text, std::string_view option) {
  uint64_t extent[3] = {1, 1, 1};
  std::string_view rest = text;
  for (int i = 0; i < 3; ++i) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent[i]);
    if (error != std::errc())
      break;
    rest.remove_prefix(end - rest.data());
    if (rest.empty())
      return Size(extent[0], extent[1], extent[2]);
    if (rest.front() != ',')
      break;
    rest.remove_prefix(1);
  }
  return Error::usage("bad-option", fmt::format("{} {}: it should be X, X,Y or X,Y,Z", option, text));
}

namespace {

std::string extentsText(const Size &size) {
  return size.depth != 1    ? fmt::format("{} x {} x {}", size.width, size.height, size.depth)
         : size.height != 1 ? fmt::format("{} x {}", size.width, size.height)
                            : fmt::format("{}", size.width);
}

} // namespace

std::string sizeText(const DispatchSize &size) {
  return fmt::format("{} {} of {}", extentsText(size.grid),
                     size.wholeThreadgroups ? "threadgroups" : "threads in threadgroups",
                     extentsText(size.threadgroup));
}

namespace {

using Constants = std::vector<FunctionConstantInfo>;

Constants matching(const Constants &constants, const std::string &key) {
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool isIndex = error == std::errc() && end == key.data() + key.size();
  Constants found;
  for (const FunctionConstantInfo &constant : constants)
    if (isIndex ? constant.index == index : constant.name == key || constant.name.ends_with("::" + key))
      found.push_back(constant);
  return found;
}

Error unknownConstant(const std::string &key, const ModuleInfo &module) {
  const bool isIndex =
      !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::vector<std::string> names;
  for (const FunctionConstantInfo &constant : module.distinctConstants())
    names.push_back(isIndex ? fmt::format("{} ({})", constant.index, constant.name) : constant.name);
  return Error::usage("unknown-function-constant",
                      isIndex ? fmt::format("no function constant has index {}", key)
                              : fmt::format("no function constant '{}'", key),
                      nearestHint(isIndex ? "" : key, names, "function constants"));
}

// Files that are linked may mean different things. Whether that matters is known of one kernel.
Result<FunctionConstantInfo> findConstant(const std::string &key, const ModuleInfo &module,
                                          const std::string &kernelName) {
  if (const KernelInfo *kernel = module.findKernel(kernelName))
    if (const Constants own = matching(module.constantsAt(kernel->functionConstants), key); !own.empty())
      return own.front();
  const Constants all = matching(module.distinctConstants(), key);
  if (all.empty())
    return unknownConstant(key, module);
  for (const FunctionConstantInfo &other : all)
    if (other.type != all[0].type || other.components != all[0].components || other.index != all[0].index)
      return Error::usage("bad-option",
                          fmt::format("--constant {}: the files have two, {} ({}) and {} ({})", key,
                                      all[0].name, all[0].index, other.name, other.index),
                          "name the one that is meant, or check the files one by one");
  return all.front();
}

} // namespace

Result<FunctionConstantValues> parseConstants(const std::vector<std::string> &texts, const ModuleInfo &module,
                                              const std::string &kernel) {
  FunctionConstantValues values;
  for (const std::string &text : texts) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return Error::usage("bad-option",
                          fmt::format("--constant {}: it should be INDEX=VALUE or NAME=VALUE", text));
    const std::string key = text.substr(0, equals);
    const Result<FunctionConstantInfo> constant = findConstant(key, module, kernel);
    if (!constant)
      return constant.error();
    std::string bytes;
    std::string_view rest = std::string_view(text).substr(equals + 1);
    uint32_t given = 0;
    for (bool more = true; more; ++given) {
      const size_t comma = rest.find(',');
      more = comma != rest.npos;
      Result<uint64_t> bits = parseScalar(rest.substr(0, comma), constant->type);
      if (!bits)
        return Error::usage("bad-value", fmt::format("--constant {}: {}", text, bits.error().message()));
      bytes.append(reinterpret_cast<const char *>(&*bits), scalarTypeInfo(constant->type).bytes);
      rest.remove_prefix(more ? comma + 1 : 0);
    }
    const DataType type(constant->type, constant->components);
    if (given != constant->components)
      return Error::usage("bad-value",
                          fmt::format("--constant {}: {} of {} needs {} values, {} are given", text,
                                      constant->name, type.name(), constant->components, given));
    values.setConstantValue(bytes.data(), type, constant->index);
  }
  return values;
}

std::string constantText(const FunctionConstantInfo &info, const ConstantValue &value) {
  std::string text;
  for (uint64_t component : value.components)
    text += (text.empty() ? "" : ",") + formatScalar(&component, value.type);
  return fmt::format("{} ({}) = {}", info.name, info.index, text);
}

std::vector<std::string> withMetalOptions(int argc, char **argv) {
  std::vector<std::string> arguments;
  std::string defaultVersion; // of the oldest macOS, if no version is given
  bool hasVersion = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    hasVersion |= text.starts_with("--std");
    const std::optional<MetalOptionUse> use = findMetalOption(text);
    const auto keep = [&] { arguments.emplace_back(text); }; // Assay's own, or refused by its name
    const auto become = [&](std::string_view option) {
      arguments.push_back(std::string(option) + std::string(use->value.value_or("")));
    };
    if (!use) {
      keep();
      continue;
    }
    switch (use->option) {
    case MetalOption::Language:
      hasVersion = true;
      become("--std=");
      break;
    case MetalOption::OldestMac:
      if (const Result<LanguageVersion> version = defaultLanguageOfMac(*use->value); !version)
        keep();
      else if (*version != LanguageVersion::Any)
        defaultVersion = fmt::format("--std={}", nameOf(*version));
      break;
    case MetalOption::MathMode: become("--math-mode="); break;
    case MetalOption::WriteRounding: become("--texture-write-rounding="); break;
    case MetalOption::FirstHeader: become("--include-first"); break;
    case MetalOption::Folder: become("-I"); break;
    case MetalOption::Define:
    case MetalOption::Undefine: keep(); break;
    case MetalOption::SourceLanguage:
      if (i + 1 < argc && argv[i + 1] == kMetalLanguage)
        ++i;
      else
        keep();
      break;
    case MetalOption::System:
      if (i + 1 < argc)
        ++i;
      else
        keep();
      break;
    case MetalOption::WarningsAreErrors: become("--warnings-as-errors"); break;
    case MetalOption::WithoutEffect: break;
    }
  }
  if (!hasVersion && !defaultVersion.empty())
    arguments.push_back(defaultVersion);
  std::ranges::reverse(arguments);
  return arguments;
}

void NumericsArguments::addTo(CLI::App &command) {
  command
      .add_option("--numerics", numerics,
                  "apple (the default) or ieee, and fields that differ: `assay numerics` lists them")
      ->type_name("PROFILE[,FIELD=VALUE..]");
  command
      .add_option("--math-mode", mathMode,
                  "fast (the default), relaxed or safe, which is the default of ieee; -fno-fast-math is safe")
      ->type_name("MODE");
  command.add_option("--texture-write-rounding", textureWriteRounding, "native or rte, which are the same")
      ->type_name("MODE");
}

Result<Numerics> NumericsArguments::parse() const {
  const Result<NumericsProfile> profile = parseNumerics(numerics);
  if (!profile)
    return profile.error();
  Numerics result{*profile, profile->name == kIeeeNumerics.name ? MathMode::Safe : MathMode::Fast};
  if (const Result<void> known = checkTextureWriteRounding(textureWriteRounding); !known)
    return known.error();
  if (!mathMode.empty()) {
    const Result<MathMode> mode = parseMathMode(mathMode, "--math-mode ");
    if (!mode)
      return mode.error();
    result.mathMode = *mode;
  }
  return result;
}

} // namespace assay::cli
