#include "frontend/nesting_limit.h"

#include "frontend/compile_limits.h"

#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>

namespace assay::frontend {

std::function<void(clang::Token &)> nestingLimit(clang::Preprocessor &preprocessor) {
  return [&preprocessor, over = false](clang::Token &token) mutable {
    const size_t used = deepStackUsed();
    if (!over && used <= kParserStackBytes)
      return;
    if (!over) {
      stopCompilation(
          preprocessor.getDiagnostics(), token.getLocation(),
          fmt::format("statements or expressions are nested too deep: the compiler has {} MB of stack for "
                      "them and needs more here; split them up, or write a loop",
                      kParserStackBytes >> 20));
    }
    over = true;
    const clang::SourceLocation where = token.getLocation();
    token.startToken();
    token.setKind(clang::tok::eof);
    token.setLocation(where);
  };
}

} // namespace assay::frontend
