// Converts Clang's diagnostics to Assay's, which have places in the user's file and use Metal's words.
#pragma once

#include "frontend/compile_fixes.h"
#include "frontend/slips.h"
#include "frontend/view_file_system.h"
#include "support/text/diagnostic.h"

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace clang {
class SourceManager;
}

namespace assay::frontend {

class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  DiagnosticCollector(const ViewFileSystem &files, CompileFixes &fixes) : files_(files), fixes_(fixes) {}
  void BeginSourceFile(const clang::LangOptions &, const clang::Preprocessor *preprocessor) override {
    fixes_.watch(preprocessor);
  }
  void EndSourceFile() override { fixes_.watch(nullptr); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;

  /// From now on, errors of declarations are reported. Each is put before the errors at later places of its
  /// file.
  void reachDeclarations() { declarations_ = true; }

  /// Whether there is an error between `first` and `last`, two places of one file.
  bool hasErrorBetween(const SourcePlace &first, const SourcePlace &last) const;

  std::vector<Diagnostic> take();
  bool refused() const { return refused_; } ///< by an error where Clang only warns
  bool ended() const { return ended_; }     ///< by a fatal error: a limit, a header that is not found

private:
  const ViewFileSystem &files_;
  CompileFixes &fixes_;
  std::vector<Diagnostic> diagnostics_;
  std::set<std::tuple<std::string, uint32_t, uint32_t, std::string>> warned_;
  Slips slips_;
  size_t lastError_ = 0;  ///< where the last error is in the list, if no declarations have been reached
  bool lastShown_ = true; ///< a note is shown if its diagnostic was
  bool ofArray_ = false;  ///< the last diagnostic was about an array of variable length
  bool declarations_ = false;
  bool refused_ = false, ended_ = false, saidMain_ = false;
};

/// Moves an error inside the shim to the place in the program that caused it, which is that of the first note
/// with a place in the program. Details of the shim are left out, and so are errors in the shim if the
/// program has errors of its own.
std::vector<Diagnostic> atUsersPlaces(std::vector<Diagnostic> all);

/// The errors that trials have left (compile_fixes.h). Those that name a helper of a trial are replaced by
/// the errors that their lines had before the trials.
std::vector<Diagnostic> withoutTrialNames(const std::vector<Diagnostic> &before,
                                          const std::vector<Diagnostic> &after);

/// The user's place for a location in a view; file names are as the user wrote them.
SourcePlace userPlace(const clang::SourceManager &sources, clang::SourceLocation location,
                      const ViewFileSystem &files);

/// Uses Metal's words: `__global_device float *` → `device float *`, `_Float16` → `half`.
std::string metalSpelling(std::string text);

} // namespace assay::frontend
