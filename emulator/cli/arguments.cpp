// What several commands take on the command line.
#include "commands.h"
#include "scalar_text.h"

#include "../host/nearest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace assay::cli {

void SourceArguments::addTo(CLI::App &command, bool withJson) {
  command.add_option("FILE", file, "the .metal file")->required();
  command.add_option("-I,--include", includePaths, "look for #include files in DIR, too")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  command.add_option("-D,--define", defines, "define a macro (VALUE is 1 if not given)")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->take_all();
  if (withJson)
    command.add_flag("--json", json, "print one JSON document instead of text, errors included");
}

CompileOptions SourceArguments::options() const {
  CompileOptions options;
  options.includePaths = includePaths;
  for (const std::string &define : defines) {
    const size_t equals = define.find('=');
    if (equals == define.npos)
      options.preprocessorMacros.emplace_back(define, "1");
    else
      options.preprocessorMacros.emplace_back(define.substr(0, equals), define.substr(equals + 1));
  }
  return options;
}

namespace {

const FunctionConstantInfo *findConstant(const ModuleInfo &module, const std::string &key) {
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool isIndex = error == std::errc() && end == key.data() + key.size();
  for (const FunctionConstantInfo &constant : module.functionConstants)
    if (isIndex ? constant.index == index : constant.name == key || constant.name.ends_with("::" + key))
      return &constant;
  return nullptr;
}

Error unknownConstant(const std::string &key, const ModuleInfo &module) {
  const bool isIndex =
      !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::vector<std::string> names;
  for (const FunctionConstantInfo &constant : module.functionConstants)
    names.push_back(isIndex ? fmt::format("{} ({})", constant.index, constant.name) : constant.name);
  return Error::usage("unknown-function-constant",
                      isIndex ? fmt::format("no function constant has index {}", key)
                              : fmt::format("no function constant '{}'", key),
                      nearestHint(isIndex ? "" : key, names, "function constants"));
}

} // namespace

Result<FunctionConstantValues> parseConstants(const std::vector<std::string> &texts, const Library &library) {
  FunctionConstantValues values;
  for (const std::string &text : texts) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return Error::usage("bad-option",
                          fmt::format("--constant {}: it should be INDEX=VALUE or NAME=VALUE", text));
    const std::string key = text.substr(0, equals);
    const FunctionConstantInfo *constant = findConstant(library.reflection(), key);
    if (!constant)
      return unknownConstant(key, library.reflection());
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

Result<NumericsProfile> numericsByName(const std::string &name) {
  for (const NumericsProfile &profile : {kAppleNumerics, kIeeeNumerics})
    if (profile.name == name)
      return profile;
  return Error::usage("bad-option", fmt::format("--numerics {}: no such profile", name),
                      "profiles: apple (the default), ieee");
}

} // namespace assay::cli
