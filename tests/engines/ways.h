// A generated kernel run in all ways that must give the same bytes.
#pragma once

#include "program.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::engines {

/// What buffers 2 and 3 hold after a run, or why it failed.
struct Outcome {
  std::vector<uint32_t> words;
  std::string error;
  bool operator==(const Outcome &) const = default;
};

/// Two ways that differ.
struct Difference {
  std::string way;     ///< the one that differs from the canonical run on fibers
  std::string text;    ///< the first words that differ, or an error
  bool failed = false; ///< it did not run, rather than computed other bytes
};

/// Runs the program in every way, or only as in the way of that name. nullopt if all bytes are equal.
std::optional<Difference> compareWays(const Program &program, const std::string &only = {});

} // namespace assay::engines
