// Apple's headers as stock Clang compiles them: which expressions on the library's classes do they allow?
//
// Problem.  What a class allows depends on its conversions, its bases, conditions of its templates and
//           overloads of operators. No reading of single declarations answers that.
// Choice.   Clang compiles the headers with few changes (header_edits.h) and with declarations of what
//           Apple's compiler has built in (builtin_stubs.h), and then the same lines that the front end is
//           asked (probes.h). Everything is in memory. Nothing of the shim takes part.
// Limits.   The objects of one memory at a time; of random expressions, those of thread memory. Where an
//           answer depends on operators of vectors, which Metal defines otherwise than Clang, or on the
//           memory of a temporary object, it is none: judgement_limits.h.
#pragma once

#include "probes.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class DiagnosticConsumer;
class FrontendAction;
} // namespace clang

namespace assay::apple_headers {

class CompiledHeaders {
public:
  /// preprocessed   as checkout.h gives them
  /// memory         of the objects that are judged
  /// errors         std::runtime_error: Clang refuses the headers
  explicit CompiledHeaders(const std::string &preprocessed, std::string_view memory = "thread");

  /// The first error of each probe that has one, by its number.
  std::map<size_t, std::string> refused(const std::vector<Probe> &probes) const;

  /// Runs an action on a program that begins with the headers.
  void run(const std::string &program, clang::FrontendAction &action,
           clang::DiagnosticConsumer &consumer) const;

private:
  std::string text_;
};

} // namespace assay::apple_headers
