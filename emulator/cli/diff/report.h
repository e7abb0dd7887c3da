// The results of `assay diff`, as text, as JSON and as a picture.
#pragma once

#include "plan.h"

#include "../output.h"

#include "../../compare/picture.h"

namespace assay::cli::diff {

/// One output of both sides.
struct OutputDiff {
  LogicalOutput output;
  ScalarType sideTypes[2];
  compare::Comparison comparison;
  std::optional<compare::HeatMap> map; ///< if there will be a picture
  bool folded = false;                 ///< an element stands for several of one side's
  /// The differences that are named: the first, and the worst in each sense.
  struct Noted {
    const char *label, *key; ///< in text and in JSON
    compare::Difference difference;
    Writer writers[2] = {}; ///< unknown for a recording and for a texture
  };
  std::vector<Noted> noted = {};
  void note(); ///< from the comparison
};

struct Found {
  std::vector<OutputDiff> outputs;
  bool equal() const;
};

/// "2 (0x40000000)", or "unwritten"
std::string valueText(uint64_t bits, ScalarType type, bool unwritten);
/// ": 1 ulp, 5.96e-08 apart"; empty if a side has not written it
std::string distanceText(const compare::Difference &d, ScalarType type);
std::string tripleText(const uint32_t (&v)[3]);

void report(Output &out, const DiffArguments &arguments, const Plan &plan, const Found &found);
std::string picture(const DiffArguments &arguments, const Plan &plan, const Found &found);

/// The last line, the verdict in words: "different: 2 of 32 elements differ, in 1 of 1 outputs"
std::string verdictText(const Found &found);

} // namespace assay::cli::diff
