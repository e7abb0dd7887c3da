// Ends a compilation whose source is nested too deep, at the token where that is.
//
// Problem.  The parser calls itself for each level of statements and expressions, and so do, later, the generator of
//           code, our own visitors and the passes of LLVM, with frames that may be larger. Clang limits the nesting of
//           brackets only: `if (a) if (b) ...` has none.
// Choice.   At each token that the parser takes, look how much of the deep stack (support/deep_stack.h) is gone. Past
//           kParserStackBytes, which leaves the later stages the rest, the token gets an error, and it and all that
//           follow are the end of the file.
// Rejected. Counting levels by kind (each recursion of the parser would have to be known).
#pragma once

#include "support/deep_stack.h"

#include <functional>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace assay::frontend {

/// An eighth, because a later stage may take several times as much stack for each level as the parser does. How much
/// each takes has not been measured.
inline constexpr size_t kParserStackBytes = kDeepStackBytes / 8;

/// To be called with each token on its way to the parser.
std::function<void(clang::Token &)> nestingLimit(clang::Preprocessor &preprocessor);

} // namespace assay::frontend
