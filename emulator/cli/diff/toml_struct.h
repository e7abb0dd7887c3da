// The bytes of `{ struct = [..] }` in a mapping file. Only mapping.cpp includes this (toml_reader.h).
#pragma once

#include "toml_reader.h"

#include "../../compare/comparison.h"
#include "../../support/abi/scalar_type.h"

namespace assay::cli::diff {

inline std::string fieldBytes(const TomlReader &reader, const Scope &scope, const toml::node &node,
                              ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  const double value = reader.number(node, scope, "a field");
  const uint64_t bits = compare::bitsOf(value, type);
  if (info.cls != ScalarClass::Float && compare::valueOf(bits, type) != value)
    reader.fail(node, "mapping", fmt::format("{} is no value of {}", value, info.shortName));
  return std::string(reinterpret_cast<const char *>(&bits), info.bytes);
}

// [{i32 = "rows"}, {u64 = ["a", "b"]}]: C's layout, each field aligned to its size, and the struct too.
inline std::string structBytes(const TomlReader &reader, const Scope &scope, const toml::node &node,
                               bool packed) {
  std::string bytes;
  size_t align = 1;
  for (const toml::node &field : reader.arrayOf(node, "'struct'")) {
    const toml::table &table = reader.tableOf(field, "a field");
    if (table.size() != 1)
      reader.fail(field, "mapping",
                  fmt::format("a field has one type and its value, this one has {}", table.size()),
                  "for example {i32 = \"rows\"}");
    const auto only = table.cbegin();
    const toml::key &key = only->first;
    const toml::node &value = only->second;
    const std::optional<ScalarType> type = findScalarType(key.str());
    if (!type) {
      std::vector<std::string> names;
      for (const ScalarTypeInfo &info : kScalarTypes)
        names.emplace_back(info.shortName);
      reader.fail(key.source().begin, "mapping", fmt::format("no type '{}'", key.str()),
                  nearestHint(key.str(), names, "types"));
    }
    const size_t size = scalarTypeInfo(*type).bytes;
    if (!packed) {
      align = std::max(align, size);
      bytes.append((size - bytes.size() % size) % size, '\0');
    }
    if (const toml::array *array = value.as_array())
      for (const toml::node &one : *array)
        bytes += fieldBytes(reader, scope, one, *type);
    else
      bytes += fieldBytes(reader, scope, value, *type);
  }
  bytes.append((align - bytes.size() % align) % align, '\0');
  if (bytes.empty() || bytes.size() > kMaxInlineBytes)
    reader.fail(node, "mapping",
                fmt::format("a struct of {} bytes is not in 1..{}", bytes.size(), kMaxInlineBytes));
  return bytes;
}

} // namespace assay::cli::diff
