// The METALLIC_* variables that tune and guard Foundry's FlashAttention: read once, checked at once.
#pragma once

#include "emulator/support/text/result.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace assay::kernels::foundry {

/// Value of a variable, or nothing where it is not set. Tests give their own.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
/// Of this process.
Environment processEnvironment();

struct Knobs {
#define FOUNDRY_SWITCH(member, name, meaning) bool member = false;
#define FOUNDRY_CHOICE(member, name, values, meaning) std::optional<int> member;
#define FOUNDRY_COUNT(member, name, least, most, meaning) std::optional<int> member;
#include "knobs.def"

  /// Every variable of the table, or the first that has a value which it cannot have.
  ///   errors   Usage "knob"
  static Result<Knobs> read(const Environment &environment);
};

/// A line of the table, for whoever lists or documents them.
struct KnobInfo {
  std::string_view name, meaning;
  std::string values; ///< "0, 1", "half2, half4", "at most 64"
};
std::span<const KnobInfo> knobTable();

} // namespace assay::kernels::foundry
