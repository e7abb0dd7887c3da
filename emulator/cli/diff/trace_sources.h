// The statements of one side's sources with their probes: its files and what they include in quotes.
#pragma once

#include "alignment.h"
#include "side.h"

#include "../../host/statements.h"
#include "../../support/text/source_probe.h"

#include <string>
#include <vector>

namespace assay::cli::diff {

struct TracedStatement {
  SourceStatement statement;
  SourcePlace where;
  std::string text;
  std::string probeFile; ///< as SourceProbe::file has it
  bool usable = true;    ///< its probe compiles
};

class TraceSources {
public:
  /// errors: Usage "no-such-file", "unreadable-file"
  static Result<TraceSources> read(const Call &call);

  const std::vector<TracedStatement> &statements() const { return statements_; }
  /// A probe for each statement that has a value, named by nameOf.
  std::vector<SourceProbe> probes() const;
  std::vector<AlignedText> texts() const;
  /// Drops the probes on lines with errors. How many that were.
  size_t drop(const std::vector<Diagnostic> &errors);
  size_t dropped() const;
  /// The statement of a probe's name; none of ours if it is not less than statements().size().
  static size_t numberOf(const std::string &name);

private:
  Result<void> add(const std::string &path, const std::string &probeFile, const CompileOptions &options,
                   std::vector<std::string> &seen);
  std::vector<TracedStatement> statements_;
};

} // namespace assay::cli::diff
