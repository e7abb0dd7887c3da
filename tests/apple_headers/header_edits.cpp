#include "header_edits.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::apple_headers {

namespace {

struct Word {
  std::string_view text;
  size_t begin, end; ///< in the headers
};

std::vector<Word> wordsOf(const std::string &text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = true;
  const char *begin = text.data();
  clang::Lexer lexer({}, language, begin, begin, begin + text.size());
  std::vector<Word> words;
  bool isPragma = false;
  for (clang::Token token; !lexer.LexFromRawLexer(token) || token.isNot(clang::tok::eof);) {
    if (token.isAtStartOfLine())
      isPragma = token.is(clang::tok::hash);
    if (isPragma)
      continue;
    const size_t end = lexer.getCurrentBufferOffset(), first = end - token.getLength();
    words.push_back({std::string_view(text).substr(first, end - first), first, end});
  }
  return words;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// A memory that stock Clang does not have.
bool isUnknownMemory(std::string_view word) {
  return isOneOf(word, {"ray_data", "object_data", "threadgroup_imageblock", "coherent"});
}

/// A memory that is not the thread's.
bool isElsewhere(std::string_view word) {
  return isOneOf(word, {"device", "constant", "threadgroup"});
}

/// What stands in parentheses after this word is no list of parameters.
bool isAttributeWord(std::string_view word) {
  return isOneOf(word, {"__attribute__", "__declspec", "alignas", "decltype", "noexcept", "coherent"});
}

/// The literal without its suffix, as a value of the type; empty: it has another suffix.
std::string withoutSuffix(std::string_view literal, std::string_view suffix, std::string_view type) {
  const bool isHexadecimalInteger = literal.starts_with("0x") && literal.find('p') == literal.npos;
  if (isHexadecimalInteger || !literal.ends_with(suffix))
    return "";
  literal.remove_suffix(suffix.size());
  return std::string(type) + "(" + std::string(literal) + ")";
}

class HeaderEditor {
public:
  HeaderEditor(const std::string &text, std::string_view memory)
      : text_(text), words_(wordsOf(text)), memory_(memory) {}

  std::string run() {
    editWords();
    readScope();
    if (!ended())
      throw std::runtime_error("a closing brace too many, before '" + someText() + "'");
    return edited();
  }

private:
  struct Edit {
    size_t begin, end;
    std::string text;
  };

  /// A declaration: the numbers of its words.
  struct Parts {
    size_t first;          ///< of the first `template`
    size_t head;           ///< after the templates
    size_t parameters = 0; ///< the last parenthesis that may open a list of parameters; 0: none
    size_t afterParameters = 0;
    size_t headEnd = 0; ///< its `{`, `;`, `=`, or the `:` of its initialisers
    size_t body = 0;    ///< its `{`; 0: none
  };

  bool ended() const { return at_ >= words_.size(); }
  bool see(std::string_view word) const { return !ended() && words_[at_].text == word; }
  std::string someText() const { return text_.substr(words_[at_].begin, 80); }

  void skipBrackets() { at_ = afterBrackets(at_); }

  /// The word after the bracket that belongs to this one.
  size_t afterBrackets(const size_t first) const {
    const std::string_view open = words_[first].text;
    const std::string_view close = open == "(" ? ")" : open == "[" ? "]" : "}";
    size_t at = first + 1;
    while (at < words_.size() && words_[at].text != close)
      at = isOneOf(words_[at].text, {"(", "[", "{"}) ? afterBrackets(at) : at + 1;
    if (at >= words_.size())
      throw std::runtime_error("no '" + std::string(close) + "' for '" +
                               text_.substr(words_[first].begin, 80) + "'");
    return at + 1;
  }

  void skipAngles() {
    for (int depth = 0; !ended();) {
      if (see("(") || see("[") || see("{")) {
        skipBrackets();
        continue;
      }
      depth += see("<") ? 1 : see(">") ? -1 : see(">>") ? -2 : 0;
      ++at_;
      if (depth <= 0)
        return;
    }
  }

  void skipToSemicolon() {
    while (!ended() && !see(";") && !see("}"))
      if (see("(") || see("[") || see("{"))
        skipBrackets();
      else
        ++at_;
    if (see(";"))
      ++at_;
  }

  /// Up to the closing brace of the scope, which stays.
  void readScope() {
    while (!ended() && !see("}"))
      if (at_ + 1 < words_.size() && words_[at_ + 1].text == ":" &&
          isOneOf(words_[at_].text, {"public", "protected", "private"}))
        at_ += 2;
      else
        readDeclaration();
  }

  void enterScope() {
    ++at_;
    readScope();
    if (!see("}"))
      throw std::runtime_error("the headers end inside of a scope");
    ++at_;
  }

  void readDeclaration() {
    Parts parts{at_, at_};
    while (see("template")) {
      ++at_;
      if (see("<"))
        skipAngles();
      parts.head = at_;
    }
    if (see("namespace") || see("extern")) {
      while (!ended() && !see("{") && !see(";"))
        ++at_;
      return see("{") ? enterScope() : void(++at_);
    }
    const size_t word = at_ + see("typedef");
    if (word < words_.size() && isOneOf(words_[word].text, {"struct", "class", "union"}))
      return readClass(parts);
    if (isOneOf(words_[at_].text, {"enum", "using", "typedef", "static_assert"}))
      return skipToSemicolon();
    readFunction(parts);
  }

  void readClass(const Parts &parts) {
    while (!ended() && !see("{") && !see(";"))
      if (see("("))
        skipBrackets();
      else
        ++at_;
    const bool isDropped = mentionsUnknownMemory(parts.first, at_);
    if (see("{")) {
      const bool isNested = std::exchange(inClass_, true);
      isDropped ? skipBrackets() : enterScope();
      inClass_ = isNested;
    }
    skipToSemicolon();
    if (isDropped)
      drop(parts.first);
  }

  /// A function, or a variable.
  void readFunction(Parts parts) {
    bool hasInitialisers = false;
    while (!ended() && !see(";") && !see("}") && !parts.body) {
      if (see("(")) {
        const bool isAttribute = at_ > 0 && isAttributeWord(words_[at_ - 1].text);
        const size_t open = at_;
        skipBrackets();
        if (!isAttribute && !parts.headEnd) {
          parts.parameters = open;
          parts.afterParameters = at_;
        }
      } else if (see("{") && isBody(parts, hasInitialisers)) {
        parts.body = at_;
        skipBrackets();
      } else if (see("[") || see("{")) {
        skipBrackets();
      } else {
        if (!parts.headEnd && parts.parameters && see(":"))
          hasInitialisers = true;
        if (!parts.headEnd && (see("=") || hasInitialisers) && words_[at_ - 1].text != "operator")
          parts.headEnd = at_;
        ++at_;
      }
    }
    if (see(";"))
      ++at_;
    if (!parts.headEnd)
      parts.headEnd = parts.body ? parts.body : at_ - 1;
    edit(parts);
  }

  bool isBody(const Parts &parts, bool hasInitialisers) const {
    if (!parts.parameters || (parts.headEnd && !hasInitialisers))
      return false;
    return !hasInitialisers || isOneOf(words_[at_ - 1].text, {")", "}"});
  }

  /// What a declaration becomes that ends at at_.
  void edit(const Parts &parts) {
    if (mentionsUnknownMemory(parts.first, parts.headEnd) || isForOtherObjects(parts))
      return drop(parts.first);
    if (!parts.parameters)
      return;
    if (const Word *memory = memoryOfObjects(parts))
      replace(memory->begin, memory->end, "");
    const auto word = [&](size_t at) { return words_[at].text; };
    const auto contains = [&](size_t first, size_t last, std::string_view wanted) {
      return std::any_of(words_.begin() + first, words_.begin() + last,
                         [&](const Word &part) { return part.text == wanted; });
    };
    if (!parts.body) {
      // A copy between memories, which stock Clang cannot default.
      const bool isDefault = word(parts.headEnd) == "=" && word(parts.headEnd + 1) == "default";
      if (isDefault && std::any_of(words_.begin() + parts.head, words_.begin() + parts.afterParameters,
                                   [](const Word &part) { return isElsewhere(part.text); }))
        replace(words_[parts.headEnd].begin, words_[parts.headEnd + 1].end, "");
      return;
    }
    // What the arguments of a pack convert to is in the body alone.
    const bool isConstant =
        contains(parts.head, parts.parameters, "constexpr") &&
        (memory_ == "thread" || !inClass_ || contains(parts.head, parts.parameters, "static"));
    const bool mayRefuse =
        contains(parts.body, at_, "static_assert") || contains(parts.first, parts.afterParameters, "...");
    if (!isConstant && !contains(parts.head, parts.parameters, "auto") && !(mayRefuse && memory_ == "thread"))
      replace(words_[parts.headEnd].begin, words_[at_ - 1].end, ";");
  }

  bool mentionsUnknownMemory(size_t first, size_t last) const {
    return std::any_of(words_.begin() + first, words_.begin() + last,
                       [](const Word &word) { return isUnknownMemory(word.text); });
  }

  /// A member function for objects in another memory than the one that is asked for.
  bool isForOtherObjects(const Parts &parts) const {
    if (!parts.parameters)
      return false;
    const Word *memory = memoryOfObjects(parts);
    if (isForAnyObject(parts))
      return memory != nullptr;
    return (memory ? memory->text : "thread") != memory_;
  }

  /// The memory after a function's parameters; null if it is the thread's.
  const Word *memoryOfObjects(const Parts &parts) const {
    for (size_t at = parts.afterParameters; at < parts.headEnd && words_[at].text != "->"; ++at)
      if (isElsewhere(words_[at].text))
        return &words_[at];
    return nullptr;
  }

  /// Functions of a class that have no object yet, or none at all.
  bool isForAnyObject(const Parts &parts) const {
    if (!inClass_)
      return true;
    bool hasType = false;
    for (size_t at = parts.head; at + 1 < parts.parameters; ++at)
      if (isOneOf(words_[at].text, {"static", "friend", "~"}))
        return true;
      else if (words_[at].text == "__attribute__")
        at = afterBrackets(at + 1) - 1;
      else
        hasType |= !isOneOf(words_[at].text, {"constexpr", "inline", "explicit"});
    return !hasType;
  }

  void drop(size_t first) { replace(words_[first].begin, words_[at_ - 1].end, ""); }

  void replace(size_t begin, size_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text)});
  }

  /// Literals; `float2(x, y)`, which stock Clang has with braces alone; and packed vectors, which become a
  /// class.
  void editWords() {
    for (size_t i = 0; i < words_.size(); ++i) {
      const std::string_view word = words_[i].text;
      if (std::isdigit(static_cast<unsigned char>(word[0])))
        editLiteral(words_[i]);
      else if (isVector(word) && i + 1 < words_.size() && words_[i + 1].text == "(")
        editConstructor(i + 1);
      else if (word == "__packed_vector_type__" || word == "packed_vector_type")
        editPacked(i);
    }
  }

  void editLiteral(const Word &word) {
    for (const auto &[suffix, type] : {std::pair("bf", "bfloat"), std::pair("h", "half")})
      if (std::string value = withoutSuffix(word.text, suffix, type); !value.empty())
        return replace(word.begin, word.end, std::move(value));
  }

  static bool isVector(std::string_view word) {
    return word.size() > 3 && word.back() >= '2' && word.back() <= '4' &&
           isOneOf(word.substr(0, word.size() - 1), {"bool", "char", "uchar", "short", "ushort", "int",
                                                     "uint", "long", "ulong", "half", "float", "bfloat"});
  }

  /// at: the opening parenthesis
  void editConstructor(size_t at) {
    const size_t last = afterBrackets(at) - 1;
    bool hasComma = false;
    for (size_t i = at + 1, depth = 0; i < last; ++i) {
      depth += isOneOf(words_[i].text, {"(", "{", "["});
      depth -= isOneOf(words_[i].text, {")", "}", "]"});
      hasComma |= depth == 0 && words_[i].text == ",";
    }
    if (!hasComma)
      return;
    replace(words_[at].begin, words_[at].end, "{");
    replace(words_[last].begin, words_[last].end, "}");
  }

  /// `typedef __attribute__((__packed_vector_type__(2))) short packed_short2;`, and
  /// `T __attribute__((packed_vector_type(N)))` among a template's arguments.
  void editPacked(size_t at) {
    constexpr size_t kBefore = 3, kAfter = 6; // "__attribute__ ( (" and "( N ) ) )"
    const size_t first = at - kBefore, after = at + kAfter;
    const std::string size(words_[at + 2].text);
    if (words_[first - 1].text == "typedef") {
      size_t end = after;
      while (words_[end].text != ";")
        ++end;
      const std::string type = text_.substr(words_[after].begin, words_[end - 2].end - words_[after].begin);
      replace(words_[first].begin, words_[end - 2].end, "__packed<" + type + ", " + size + ">");
    } else if (words_[first - 1].text == "T") {
      replace(words_[first - 1].begin, words_[after - 1].end, "__packed<T, " + size + ">");
    }
  }

  /// Edits inside of another one have no effect.
  std::string edited() {
    std::ranges::sort(edits_, [](const Edit &a, const Edit &b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::string result;
    size_t copied = 0;
    for (const Edit &edit : edits_) {
      if (edit.begin < copied)
        continue;
      result += text_.substr(copied, edit.begin - copied) + edit.text;
      copied = edit.end;
    }
    return result + text_.substr(copied);
  }

  const std::string &text_;
  std::vector<Word> words_;
  std::vector<Edit> edits_;
  const std::string_view memory_;
  bool inClass_ = false;
  size_t at_ = 0;
};

} // namespace

std::string editedHeaders(const std::string &preprocessed, std::string_view memory) {
  return HeaderEditor(preprocessed, memory).run();
}

} // namespace assay::apple_headers
