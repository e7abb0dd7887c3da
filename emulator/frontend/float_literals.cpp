#include "frontend/float_literals.h"

#include <clang/Lex/Preprocessor.h>

#include <deque>
#include <memory>
#include <string>

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
  // The watcher lives as long as the preprocessor, and so do the texts that tokens point to. The literal parser
  // looks one character further than the end: at a string's terminator.
  const auto texts = std::make_shared<std::deque<std::string>>();
  preprocessor.setTokenWatcher([texts](const clang::Token &seen) {
    if (seen.isNot(clang::tok::numeric_constant) || !seen.getLiteralData())
      return;
    const llvm::StringRef text(seen.getLiteralData(), seen.getLength());
    if (!isUnsuffixedFloat(text))
      return;
    texts->push_back(text.str() + 'f');
    // The watcher is shown the very token that the parser is about to receive; Clang has no other place to
    // change one after macro expansion.
    auto &token = const_cast<clang::Token &>(seen);
    token.setLiteralData(texts->back().c_str());
    token.setLength(unsigned(texts->back().size()));
  });
}

} // namespace assay::frontend
