// The subcommands. Each adds itself to the command line and leaves what it is to do in `action`.
#pragma once

#include "output.h"

#include "../host/library.h"
#include "../host/pipeline.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace assay::cli {

/// Set by the subcommand that was chosen; returns the exit code.
using Action = std::function<int()>;

void addCheck(CLI::App &app, Action &action);
void addRun(CLI::App &app, Action &action);
void addTranslate(CLI::App &app, Action &action);

/// What every command that compiles takes.
struct SourceArguments {
  std::string file;
  std::vector<std::string> includePaths;
  std::vector<std::string> defines; ///< NAME or NAME=VALUE
  bool json = false;

  void addTo(CLI::App &command, bool withJson = true);
  CompileOptions options() const;
};

/// `--constant INDEX|NAME=VALUE`, as the user wrote them, against what the library has.
///   errors  Usage "bad-option", "unknown-function-constant" (names the nearest), "bad-value"
Result<FunctionConstantValues> parseConstants(const std::vector<std::string> &texts, const Library &library);

/// A constant with its value: "BQ_blk (400) = 32".
std::string constantText(const FunctionConstantInfo &info, const ConstantValue &value);

Result<NumericsProfile> numericsByName(const std::string &name);

} // namespace assay::cli
