// Precompiled forms, kept in memory.
#pragma once

#include "frontend/compile.h"

#include <map>
#include <optional>
#include <string>

namespace assay::frontend {

class Shelf : public PrecompiledStore {
public:
  std::optional<std::string> get(const std::string &key) override {
    const auto found = kept.find(key);
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const std::string &key, const std::string &bytes) override { kept[key] = bytes; }

  std::map<std::string, std::string> kept;
};

} // namespace assay::frontend
