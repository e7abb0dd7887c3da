// Clang's diagnostics as the project's own: placed in the user's file, in Metal's words.
#pragma once

#include "frontend/by_value_fixes.h"
#include "frontend/view_file_system.h"
#include "support/diagnostic.h"

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
  DiagnosticCollector(const ViewFileSystem &files, ByValueFixes &fixes) : files_(files), fixes_(fixes) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;

  std::vector<Diagnostic> take();

private:
  const ViewFileSystem &files_;
  ByValueFixes &fixes_;
  std::vector<Diagnostic> diagnostics_;
  std::set<std::tuple<std::string, uint32_t, uint32_t, std::string>> warned_;
  bool lastShown_ = true; ///< notes follow what they belong to
};

/// An error inside the shim that a program caused is shown where the program caused it: at the first note that names a
/// place of the program. What the shim is like inside is left out.
std::vector<Diagnostic> atUsersPlaces(std::vector<Diagnostic> all);

/// The user's place of a location in a view; file names as the user wrote them.
SourcePlace userPlace(const clang::SourceManager &sources, clang::SourceLocation location,
                      const ViewFileSystem &files);

/// `__global_device float *` → `device float *`, `_Float16` → `half`: the user's own words.
std::string metalSpelling(std::string text);

} // namespace assay::frontend
