// What a command says, as text for people or as one JSON document for machines, and the exit code it ends
// with.
#pragma once

#include "../host/log_state.h"
#include "../support/json.h"
#include "../support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Text goes to stdout, errors and warnings to stderr. With JSON there is one document on stdout, errors and
/// warnings in it, and nothing else.
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
  /// Ends the command with 0, or with 1 if it found the kernel at fault.
  int finish(bool ok = true);

private:
  void printDocument(bool ok);
  bool json_;
  Json document_ = Json::object();
  Json warnings_ = Json::array();
};

bool isTerminal(int fd);

/// Text to standard output; what could not be written is remembered for closeOutput.
void putOut(std::string_view text);
/// Before anything is opened: a standard stream that is closed gets a place that refuses what is written to it, so
/// that no file is ever taken for it. A pipe that nobody reads is an error of writing and no signal.
void openOutput();
/// At the end of the program: its exit code, or 2, with an error, if its output did not reach where it should.
int closeOutput(int exitCode);

/// "[4,128]"
std::string shapeText(const std::vector<uint64_t> &shape);
/// A number, or a string for what JSON has no number for: inf and nan.
Json jsonScalar(const void *value, ScalarType type);
/// Asked before anything runs: an hour of computing should not end in "permission denied".
Result<void> checkWritable(const std::string &path);

} // namespace assay::cli
