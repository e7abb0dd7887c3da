// The output of a command, as text for people or as one JSON document for machines, and its exit code.
#pragma once

#include "../host/log_state.h"
#include "../support/text/finding.h"
#include "../support/text/result.h"
#include "json.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Text goes to stdout, errors and warnings to stderr. With JSON there is only one document on stdout, which
/// has the errors and warnings in it.
class Output {
public:
  explicit Output(bool json) : json_(json) {}

  bool json() const { return json_; }
  Json &document() { return document_; }
  void text(std::string_view line); ///< nothing with JSON
  void warn(const std::vector<Diagnostic> &warnings);
  /// What a kernel logged, each line with the thread that wrote it, on stderr; nothing with JSON.
  void log(const LogMessage &message);
  /// Ends the command. Returns the exit code of the error.
  int fail(const Error &error);
  /// Ends the command with 0, or with 1 if it is not ok: a kernel is at fault, or `diff` found a difference.
  int finish(bool ok = true);
  /// Reports the findings of checkers as a compiler prints them; with JSON, as `findings` of the document.
  ///   suppressed   how many are left out
  void report(const std::vector<Finding> &findings, size_t suppressed = 0);
  /// Ends the command with kFindingsExitCode.
  int finishWithFindings();

private:
  void printDocument(bool ok);
  bool json_;
  Json document_ = Json::object();
  Json warnings_ = Json::array();
};

/// Checkers found something in a kernel that ran to its end.
inline constexpr int kFindingsExitCode = 3;

bool isTerminal(int fd);

/// Writes text to standard output; closeOutput reports an error.
void putOut(std::string_view text);
/// Called before any file is opened. A closed standard stream becomes one on which every operation fails, so
/// that no file gets its number. Writing to a pipe that nobody reads is an error instead of a signal.
void openOutput();
/// Returns the program's exit code; if standard output could not be written, reports that and returns 2.
int closeOutput(int exitCode);

/// "[4,128]"
std::string shapeText(const std::vector<uint64_t> &shape);
/// A number, or a string for inf and nan, for which JSON has no number.
Json jsonScalar(const void *value, ScalarType type);

/// The first values of an array, so that two runs compare at a glance.
struct FirstValues {
  std::string text; ///< "1 2 3 ..."
  Json json;
};
FirstValues firstValues(std::string_view bytes, ScalarType type);
/// Called before anything runs: an hour of computing should not end in "permission denied".
Result<void> checkWritable(const std::string &path);

} // namespace assay::cli
