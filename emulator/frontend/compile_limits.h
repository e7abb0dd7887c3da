// Ends compilations that would otherwise take too long.
//
// Problem.  With macros that double their argument, or templates that instantiate themselves twice, ten lines
//           of source make a compiler run for hours and take all memory.
// Choice.   Tokens that the parser sees, macro expansions, template instantiations and the characters of a
//           string in constant memory are counted. The limits are above the needs of the largest known
//           sources and do not depend on the machine. Past a limit, Clang gets a fatal error at that place,
//           after which it instantiates nothing more, and an end of file, so that it parses nothing more.
//           Clang itself limits the steps of constant evaluation, and nesting.
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
  /// Called for each token before the parser sees it; a token past the limit becomes the end of the file.
  void count(clang::Token &token);

private:
  friend struct MacroCounter;
  friend struct TemplateCounter;
  void stop(clang::SourceLocation where, const char *what, uint64_t limit);

  clang::Preprocessor *preprocessor_ = nullptr;
  uint64_t tokens_ = 0, macros_ = 0, templates_ = 0;
  uint64_t constantText_ = 0; ///< characters of the string that the last tokens are parts of
  bool stopped_ = false;
};

/// Reports a fatal error, after which Clang instantiates no more templates. The caller ends the tokens.
void stopCompilation(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                     const std::string &message);

} // namespace assay::frontend
