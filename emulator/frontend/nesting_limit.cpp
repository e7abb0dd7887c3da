#include "frontend/nesting_limit.h"

#include <clang/Lex/Preprocessor.h>

namespace assay::frontend {

std::function<void(clang::Token &)> nestingLimit(clang::Preprocessor &preprocessor) {
  return [&preprocessor, over = false](clang::Token &token) mutable {
    const size_t used = deepStackUsed();
    if (!over && used <= kParserStackBytes)
      return;
    if (!over) {
      clang::DiagnosticsEngine &engine = preprocessor.getDiagnostics();
      const unsigned id = engine.getCustomDiagID(
          clang::DiagnosticsEngine::Fatal,
          "statements or expressions are nested too deep: the compiler has %0 MB of stack for them and needs more here; "
          "split them up, or write a loop");
      engine.Report(token.getLocation(), id) << unsigned(kParserStackBytes >> 20);
    }
    over = true;
    const clang::SourceLocation where = token.getLocation();
    token.startToken();
    token.setKind(clang::tok::eof);
    token.setLocation(where);
  };
}

} // namespace assay::frontend
