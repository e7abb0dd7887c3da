#include "frontend/later_names.h"

#include "frontend/shim_files.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace assay::frontend {
namespace {

using llvm::StringRef;

struct Versions {
  unsigned macos, ios;
};

StringRef asRef(std::string_view text) {
  return {text.data(), text.size()};
}

StringRef identifierAt(StringRef text) {
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

// features.h: the versions of `#if`, and below it the macros that they define.
llvm::StringMap<Versions> featureVersions(StringRef text) {
  llvm::StringMap<Versions> versions;
  Versions current{0, 0};
  for (StringRef rest = text; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("#if __METAL_VERSION__ >= ")) {
      line.getAsInteger(10, current.macos);
      current.ios = current.macos;
    } else if (line.consume_front("#if __ASSAY_SINCE(")) {
      line.consumeInteger(10, current.macos);
      line.consume_front(", ");
      line.consumeInteger(10, current.ios);
    } else if (line.consume_front("#define __HAVE_")) {
      versions[line.split("__ ").first] = current;
    }
  }
  return versions;
}

// The name that a line of the shim declares at the scope of a namespace, of those that programs use: the
// first argument of a macro that declares functions, or a function, a class, an enumeration, a typedef or a
// constant. Empty for other lines.
StringRef declaredIn(StringRef line) {
  if (line.starts_with("__ASSAY_"))
    return identifierAt(line.split('(').second);
  if (line.starts_with("typedef "))
    return line.ends_with(";") ? line.drop_back().rsplit(' ').second : StringRef();
  if (line.starts_with(" "))
    return {};
  if (line.contains("METAL_FUNC ")) {
    const StringRef before = line.split("METAL_FUNC ").second.split('(').first;
    return before.size() < line.size() ? before.rsplit(' ').second : StringRef();
  }
  for (const char *kind : {"struct ", "enum class ", "class ", "enum ", "using "})
    if (const size_t at = line.find(kind);
        at == 0 || (at != StringRef::npos && line.starts_with("template"))) {
      StringRef name = line.substr(at + StringRef(kind).size());
      if (name.starts_with("__ASSAY_OBJECTS_")) // prelude.h
        name = name.split(' ').second;
      return identifierAt(name);
    }
  if (line.contains("inline constexpr "))
    return line.take_until([](char c) { return c == ';' || c == '=' || c == '{'; })
        .rtrim()
        .rsplit(' ')
        .second;
  return {};
}

void readHeader(StringRef text, const llvm::StringMap<Versions> &features, llvm::StringMap<Versions> &names) {
  std::vector<const Versions *> conditions; // null: of something else
  for (StringRef rest = text; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.starts_with("#if")) {
      line.consume_front("#if __ASSAY_LIBRARY_HAS(");
      const auto feature = features.find(identifierAt(line));
      conditions.push_back(feature == features.end() ? nullptr : &feature->second);
    } else if (line.starts_with("#else") && !conditions.empty()) {
      conditions.back() = nullptr;
    } else if (line.starts_with("#endif") && !conditions.empty()) {
      conditions.pop_back();
    } else if (const StringRef name = declaredIn(line); !name.empty() && !name.starts_with("_")) {
      Versions needed{0, 0};
      for (const Versions *versions : conditions)
        if (versions)
          needed = {std::max(needed.macos, versions->macos), std::max(needed.ios, versions->ios)};
      if (needed.macos == 0)
        continue;
      const auto [known, isNew] = names.try_emplace(name, needed);
      if (!isNew)
        known->second = {std::min(known->second.macos, needed.macos),
                         std::min(known->second.ios, needed.ios)};
    }
  }
}

llvm::StringMap<Versions> readShim() {
  llvm::StringMap<Versions> names;
  const auto files = shimFiles();
  const auto features = std::ranges::find(files, "detail/features.h", &ShimFile::name);
  const llvm::StringMap<Versions> versions = featureVersions(asRef(features->text));
  for (const ShimFile &file : files)
    readHeader(asRef(file.text), versions, names);
  return names;
}

// Macros make the names of vectors from that of their elements: packed_bfloat4, and the reserved bfloat16.
bool isOfBfloats(StringRef name) {
  for (const char *prefix : {"packed_", "vector_", "simd_"})
    name.consume_front(prefix);
  return name.consume_front("bfloat") && name.find_first_not_of("123468") == StringRef::npos;
}

// The name that an error says is not there, in the program or in namespace metal.
StringRef missingName(StringRef message) {
  for (const char *begin : {"use of undeclared identifier '", "unknown type name '", "no template named '",
                            "no type named '", "no member named '"})
    if (StringRef rest = message; rest.consume_front(begin)) {
      const auto [name, where] = rest.split('\'');
      return where.starts_with(" in '") ? StringRef() : name.split('<').first;
    }
  return {};
}

} // namespace

std::string versionText(LanguageVersion version) {
  return fmt::format("{}.{}", unsigned(version) / 100, unsigned(version) / 10 % 10);
}

std::optional<LanguageVersion> firstVersionOf(std::string_view name, bool ios) {
  static const llvm::StringMap<Versions> names = readShim();
  const auto found = names.find(isOfBfloats(asRef(name)) ? "bfloat" : asRef(name));
  if (found == names.end())
    return std::nullopt;
  return LanguageVersion(ios ? found->second.ios : found->second.macos);
}

bool namesOneSince(std::string_view message, LanguageVersion version) {
  for (StringRef rest = asRef(message).split('\'').second; !rest.empty();) {
    StringRef quoted;
    std::tie(quoted, rest) = rest.split('\'');
    const auto first = firstVersionOf({quoted.data(), quoted.size()}, false);
    if (first && *first >= version)
      return true;
  }
  return false;
}

std::string namingLaterVersion(std::string message, LanguageVersion asked, bool ios) {
  if (asked == LanguageVersion::Any)
    return message;
  const StringRef name = missingName(message);
  const auto first = name.empty() ? std::nullopt : firstVersionOf({name.data(), name.size()}, ios);
  return first && *first > asked ? fmt::format("{} needs Metal {} or later", name.str(), versionText(*first))
                                 : message;
}

} // namespace assay::frontend
