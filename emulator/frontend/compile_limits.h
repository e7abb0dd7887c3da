// An end for compilations that have none in sight.
//
// Problem.  Macros that double their argument and templates that instantiate two of themselves make a compiler run
//           for hours and take all memory, from ten lines of source.
// Choice.   Tokens that the parser sees, macros that are expanded and templates that are instantiated are counted;
//           the limits are above what the largest known sources need, and do not depend on the machine. Past
//           one, Clang gets a fatal error at that place, after which it instantiates nothing more, and the end of the
//           file, so that it parses nothing more. Steps of constant evaluation and nesting have limits in Clang.
// Rejected. A time limit: the same source would compile on one machine and not on another.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <cstdint>
#include <string>

namespace clang {
class DiagnosticsEngine;
class Preprocessor;
class Sema;
class Token;
} // namespace clang

namespace assay::frontend {

class CompileLimits {
public:
  /// Counts macros from here on.
  void watch(clang::Preprocessor &preprocessor);
  /// Counts templates from here on.
  void watch(clang::Sema &sema);
  /// For each token that the parser is about to see; one past the limit becomes the end of the file.
  void count(clang::Token &token);

private:
  friend struct MacroCounter;
  friend struct TemplateCounter;
  void stop(clang::SourceLocation where, const char *what, uint64_t limit);

  clang::Preprocessor *preprocessor_ = nullptr;
  uint64_t tokens_ = 0, macros_ = 0, templates_ = 0;
  bool stopped_ = false;
};

/// Reports a fatal error, after which Clang instantiates no more templates. The caller ends the tokens.
void stopCompilation(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where, const std::string &message);

} // namespace assay::frontend
