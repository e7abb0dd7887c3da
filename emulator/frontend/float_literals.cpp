#include "frontend/float_literals.h"

#include <clang/Lex/Preprocessor.h>

#include <deque>
#include <memory>
#include <string>

namespace assay::frontend {
namespace {

// Whether a preprocessing number is a floating literal without a suffix: only digits, point and exponent.
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

std::function<void(clang::Token &)> floatLiteralsAsSingle() {
  // The texts live as long as the function, since tokens point to them. The literal parser reads one
  // character past the end: the string's terminator.
  const auto texts = std::make_shared<std::deque<std::string>>();
  return [texts](clang::Token &token) {
    if (token.isNot(clang::tok::numeric_constant) || !token.getLiteralData())
      return;
    const llvm::StringRef text(token.getLiteralData(), token.getLength());
    if (!isUnsuffixedFloat(text))
      return;
    texts->push_back(text.str() + 'f');
    token.setLiteralData(texts->back().c_str());
    token.setLength(unsigned(texts->back().size()));
  };
}

} // namespace assay::frontend
