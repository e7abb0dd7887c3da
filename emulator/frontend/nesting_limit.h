// Ends a compilation at the token where its source is nested too deep.
//
// Problem.  The parser calls itself for each level of statements and expressions. So do, later, the code
//           generator, our own visitors and LLVM's passes, with frames that may be larger. Clang limits the
//           nesting of brackets only: `if (a) if (b) ...` has none.
// Choice.   Each time the parser takes a token, the used part of the deep stack is measured
//           (support/process/deep_stack.h). Past kParserStackBytes, which leaves the rest to the later
//           stages, an error is reported at the token, and this token and all later ones become the end of
//           the file.
// Rejected. Counting levels by kind (each recursion of the parser would have to be known).
#pragma once

#include "support/process/deep_stack.h"

#include <functional>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace assay::frontend {

/// One thirty-second of the deep stack. For each level, a later stage may need several times the stack that
/// the parser needs; these stacks have not been measured. Also, Clang searches all scopes around each name,
/// so the time of a compilation grows with the square of the depth.
inline constexpr size_t kParserStackBytes = kDeepStackBytes / 32;

/// Called with each token on its way to the parser.
std::function<void(clang::Token &)> nestingLimit(clang::Preprocessor &preprocessor);

} // namespace assay::frontend
