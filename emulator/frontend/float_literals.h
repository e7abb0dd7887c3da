// An unsuffixed floating literal is a float in Metal, templates included.
//
// Problem.  Clang's -cl-single-precision-constant wraps a double literal in a cast to float, and
//           instantiating a template drops that cast. So x + 0.5 with a dependent x is computed in double,
//           and the bits differ from Metal's. Also, fmin(1, x + 0.5) does not compile.
// Choice.   The suffix f is added to the token on its way from the preprocessor to the parser. Macros have
//           been expanded by then, so stringised or pasted tokens do not change.
// Rejected. An edit of the source view: "#x" would show it. A cast that survives: Clang's TreeTransform
//           removes every implicit one.
//
// The C++ that `assay translate` writes is compiled by a stock Clang and keeps the problem.
#pragma once

#include <functional>

namespace clang {
class Token;
}

namespace assay::frontend {

/// Called with each token on its way to the parser, which then sees `1.0` as `1.0f`. The function must live
/// as long as the tokens do.
std::function<void(clang::Token &)> floatLiteralsAsSingle();

} // namespace assay::frontend
