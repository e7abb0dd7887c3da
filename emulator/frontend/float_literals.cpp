#include "frontend/float_literals.h"

#include <clang/Lex/Preprocessor.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// A preprocessing number that is a floating literal and has no suffix: digits, point and exponent to its end.
bool isUnsuffixedFloat(llvm::StringRef text) {
  const bool hex = text.consume_front_insensitive("0x");
  const llvm::StringRef digits = hex ? "0123456789abcdefABCDEF'" : "0123456789'";
  const llvm::StringRef marks = hex ? "pP" : "eE";
  text = text.ltrim(digits);
  const bool point = text.consume_front(".");
  text = text.ltrim(digits);
  const bool exponent = !text.empty() && marks.contains(text.front());
  if (exponent)
    text = text.drop_front().ltrim("+-").ltrim("0123456789'");
  return (point || exponent) && text.empty();
}

} // namespace

void makeFloatLiteralsSingle(clang::Preprocessor &preprocessor) {
  preprocessor.setTokenWatcher([&preprocessor](const clang::Token &seen) {
    if (seen.isNot(clang::tok::numeric_constant) || !seen.getLiteralData())
      return;
    const llvm::StringRef text(seen.getLiteralData(), seen.getLength());
    if (!isUnsuffixedFloat(text))
      return;
    auto *storage = static_cast<char *>(preprocessor.getPreprocessorAllocator().Allocate(text.size() + 2, 1));
    std::copy(text.begin(), text.end(), storage);
    storage[text.size()] = 'f';
    storage[text.size() + 1] = 0; // the literal parser looks one character further
    // The watcher is shown the very token that the parser is about to receive; Clang has no other place to
    // change one after macro expansion.
    auto &token = const_cast<clang::Token &>(seen);
    token.setLiteralData(storage);
    token.setLength(unsigned(text.size() + 1));
  });
}

} // namespace assay::frontend
