// The subcommands, and the arguments that several of them take: sources, sizes, --constant, the numerics.
// Each add.. function adds a subcommand to the command line, and sets `action` if the subcommand is chosen.
#pragma once

#include "output.h"

#include "../host/library.h"
#include "../host/pipeline.h"
#include "../host/size.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

/// What the chosen subcommand does; returns the exit code.
using Action = std::function<int()>;

void addCheck(CLI::App &app, Action &action);
void addDiff(CLI::App &app, Action &action);
void addNumerics(CLI::App &app, Action &action);
void addRun(CLI::App &app, Action &action);
void addTranslate(CLI::App &app, Action &action);
void addVerify(CLI::App &app, Action &action);

/// An option that may be given several times, each with one value.
///   form   of the value, for the help
void addList(CLI::App &command, const std::string &name, std::vector<std::string> &values,
             const std::string &form, const std::string &text);

/// The arguments of every command that compiles.
struct SourceArguments {
  std::vector<std::string> files; ///< that are linked as one library
  std::vector<std::string> includePaths;
  std::vector<std::string> headers; ///< before the first line
  bool warningsAreErrors = false;
  std::vector<std::string> defines; ///< NAME or NAME=VALUE
  LanguageVersionInfo language{LanguageVersion::Any, ""};
  bool json = false;

  void addTo(CLI::App &command); ///< all of these, in this order
  void addFilesTo(CLI::App &command);
  void addFileTo(CLI::App &command); ///< one only
  void addOptionsTo(CLI::App &command);
  void addJsonTo(CLI::App &command);
  const std::string &file() const { return files.front(); }
  std::vector<std::string> moreFiles() const { return {files.begin() + 1, files.end()}; }
  std::string fileNames() const; ///< for people
  CompileOptions options() const;
};

/// Parses `--constant INDEX|NAME=VALUE` by the function constants of a library's reflection.
///   kernel  whose constants come first, if files of the library have others under the same index or name
///   errors  Usage "bad-option", "unknown-function-constant" (names the nearest), "bad-value"
Result<FunctionConstantValues> parseConstants(const std::vector<std::string> &texts, const ModuleInfo &module,
                                              const std::string &kernel = {});

/// X, X,Y or X,Y,Z. errors: Usage "bad-option"
Result<Size> parseSize(std::string_view text, std::string_view option);

/// "4 x 2 threadgroups of 32": what follows are threads.
std::string sizeText(const DispatchSize &size);

/// A constant with its value: "BQ_blk (400) = 32".
std::string constantText(const FunctionConstantInfo &info, const ConstantValue &value);

/// The command line, last argument first, as CLI11 takes it. Options of Apple's compiler
/// (support/text/metal_options.h) become Assay's, and those without an effect are left out.
std::vector<std::string> withMetalOptions(int argc, char **argv);

/// `--numerics` and `--math-mode` of one command.
struct Numerics {
  NumericsProfile profile = kAppleNumerics;
  MathMode mathMode = MathMode::Fast;
};
struct NumericsArguments {
  std::string numerics = "apple";
  std::string mathMode; ///< empty: the profile's default
  std::string textureWriteRounding = "native";

  void addTo(CLI::App &command);
  /// errors  Usage "bad-numerics", "bad-option"
  Result<Numerics> parse() const;
};

} // namespace assay::cli
