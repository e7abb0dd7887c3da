// Puts questions to the front end: does it accept this call, and with this type?
//
// Each probe is a function on a line of its own, many in one program. A line with an error is refused. It is
// taken out and the others are compiled again, until none is refused: one compilation reports a limited
// number of errors, and rules that read the syntax tree speak only where Clang itself finds no error.
#pragma once

#include "support/abi/language_version.h"

#include <compare>
#include <string>
#include <vector>

namespace assay::apple_headers {

struct Probe {
  std::string what;                    ///< for messages: "float metal::sqrt(float)"
  std::vector<std::string> parameters; ///< types of a0, a1, ..
  std::string call;                    ///< "metal::sqrt(a0)"
  std::string result;                  ///< its type, if it must be accepted; empty: any
  bool accepted = true;
  std::string statements = {}; ///< what is asked instead of the call, if not empty
};

/// What precedes the probes in a program, after the library. Same<A, B> is not the library's, which is
/// judged.
std::string beginningOfPrograms();

/// A probe's function, on one line.
std::string programLine(const Probe &probe, size_t number);

struct Argument {
  std::string type;
  bool isConstant = false; ///< a zero of this type, not a variable
  auto operator<=>(const Argument &) const = default;
};

/// A probe that calls `callee` with its arguments from number `first` on.
Probe callOf(std::string what, const std::vector<Argument> &arguments, const std::string &callee,
             std::string result, bool accepted, size_t first = 0);

/// What differs from the answers of the front end, a line for each probe: its `what` and what happened.
/// Throws std::runtime_error if a message belongs to no probe.
std::vector<std::string> differences(const std::vector<Probe> &probes, LanguageVersion version);

/// The same, as one text with at most 100 lines, for messages.
std::string differencesText(const std::vector<Probe> &probes, LanguageVersion version);

} // namespace assay::apple_headers
