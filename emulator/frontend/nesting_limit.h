// Ends a compilation at the token where its source is nested too deep.
//
// Problem.  The parser calls itself for each level of statements and expressions. So do, later, the code
//           generator, our own visitors and LLVM's passes, with frames that may be larger. Clang limits the
//           nesting of brackets only: `if (a) if (b) ...` has none.
// Choice.   At each token that the parser takes, look how much of the deep stack is used
//           (support/process/deep_stack.h). Past kParserStackBytes, which leaves the rest to the later
//           stages, the token gets an error, and it and all later tokens become the end of the file.
// Rejected. Counting levels by kind (each recursion of the parser would have to be known).
#pragma once

#include "support/process/deep_stack.h"

#include <functional>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace assay::frontend {

/// A thirty-second part. A later stage may need several times the stack of the parser for each level; the
/// stacks of the stages have not been measured. And for each name Clang looks through all scopes around it:
/// the time of a compilation grows with the square of the depth.
inline constexpr size_t kParserStackBytes = kDeepStackBytes / 32;

/// Called with each token on its way to the parser.
std::function<void(clang::Token &)> nestingLimit(clang::Preprocessor &preprocessor);

} // namespace assay::frontend
