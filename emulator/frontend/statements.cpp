// See statements.h.
#include "frontend/statements.h"

#include "frontend/tokens.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace assay::frontend {
namespace {

constexpr size_t kMostNested = 200; // blocks in blocks; Clang itself refuses more than 256

bool isOneOf(const RawToken &token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.is(word); });
}
bool isAssignment(const RawToken &token) {
  return isOneOf(token, {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
}
bool isStep(const RawToken &token) {
  return isOneOf(token, {"++", "--"});
}
bool isWord(const RawToken &token) {
  return token.kind == TokenKind::Identifier;
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {
    for (const RawToken &token : lexRaw(text))
      if (token.inDirective)
        directives_.push_back(token.offset);
      else if (token.kind != TokenKind::End)
        tokens_.push_back(token);
    lineStarts_.push_back(0);
    for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
      lineStarts_.push_back(uint32_t(at + 1));
  }

  std::vector<SourceStatement> parse() {
    for (size_t at = 0; at < tokens_.size();)
      at = scope(at, 0) + 1; // a stray '}' ends nothing
    std::sort(found_.begin(), found_.end(),
              [](const SourceStatement &a, const SourceStatement &b) { return a.begin < b.begin; });
    return std::move(found_);
  }

private:
  bool is(size_t at, std::string_view word) const { return at < tokens_.size() && tokens_[at].is(word); }

  // After the bracket that closes the one at `at`.
  size_t afterBracket(size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      depth += opensGroup(tokens_[at]);
      depth -= closesGroup(tokens_[at]);
      if (depth == 0)
        return at + 1;
    }
    return at;
  }

  // Declarations of a namespace or a class. Returns the place of the '}' that ends it.
  size_t scope(size_t at, size_t nested) {
    size_t begin = at;
    while (at < tokens_.size()) {
      const RawToken &token = tokens_[at];
      if (token.is("}"))
        return at;
      if (token.is(";")) {
        begin = ++at;
      } else if (token.is("(") || token.is("[")) {
        at = afterBracket(at);
      } else if (token.is("{")) {
        at = declarationBrace(begin, at, nested);
        if (!goesOn_)
          begin = at;
      } else {
        ++at;
      }
    }
    return at;
  }

  // The brace of a declaration that began at `begin`. goesOn_: the declaration is not at its end.
  size_t declarationBrace(size_t begin, size_t brace, size_t nested) {
    goesOn_ = false;
    bool parameters = false, initialiser = false, isEnum = false, constant = false, members = false;
    for (size_t i = begin; i < brace; ++i) {
      const RawToken &token = tokens_[i];
      if (token.is("template") && is(i + 1, "<")) {
        i = afterAngle(i + 1) - 1;
      } else if (token.is("(") || token.is("[")) {
        parameters |= token.is("(") && i > begin && !isOneOf(tokens_[i - 1], {"alignas", "__attribute__"});
        i = afterBracket(i) - 1;
      } else {
        initialiser |= token.is("=") && !(i > begin && tokens_[i - 1].is("operator"));
        isEnum |= token.is("enum");
        constant |= isOneOf(token, {"constexpr", "consteval"});
        members |= parameters && token.is(":");
      }
    }
    if (nested > kMostNested || isEnum || initialiser || (members && isWord(tokens_[brace - 1]))) {
      goesOn_ = !isEnum;
      return afterBracket(brace);
    }
    if (parameters && !constant) {
      resultHasValue_ = resultIsValue(begin, brace);
      return block(brace + 1, nested + 1);
    }
    if (parameters)
      return afterBracket(brace);
    const size_t end = scope(brace + 1, nested + 1);
    goesOn_ = false;
    return end + 1;
  }

  // Whether what a function returns can go through a probe: a reference would become one to a copy.
  bool resultIsValue(size_t begin, size_t brace) const {
    bool isValue = true;
    for (size_t i = begin; i < brace && isValue; ++i)
      if (tokens_[i].is("template") && is(i + 1, "<"))
        i = afterAngle(i + 1) - 1;
      else if (opensGroup(tokens_[i]))
        i = afterBracket(i) - 1;
      else
        isValue = !isOneOf(tokens_[i], {"&", "&&", "decltype", "void"});
    return isValue;
  }

  size_t afterAngle(size_t at) const {
    const size_t close = closingAngle(tokens_, at);
    return close == kNone ? tokens_.size() : close + 1;
  }

  // Statements up to and with the '}'.
  size_t block(size_t at, size_t nested) {
    while (at < tokens_.size() && !tokens_[at].is("}")) {
      const size_t next = statement(at, nested);
      at = std::max(next, at + 1);
    }
    return at + 1;
  }

  size_t statement(size_t at, size_t nested) {
    if (at >= tokens_.size() || tokens_[at].is("}"))
      return at;
    const RawToken &token = tokens_[at];
    if (token.is(";"))
      return at + 1;
    if (token.is("{"))
      return nested > kMostNested ? afterBracket(at) : block(at + 1, nested + 1);
    if (nested > kMostNested)
      return at + 1;
    if (token.is("[") && is(at + 1, "["))
      return statement(afterBracket(at), nested + 1);
    if (isOneOf(token, {"__attribute__", "_Pragma"}) && is(at + 1, "("))
      return statement(afterBracket(at + 1), nested + 1);
    if (token.is("case") || (token.is("default") && is(at + 1, ":")))
      return afterLabel(at);
    if (isOneOf(token, {"if", "for", "while", "switch"}))
      return control(at, nested);
    if (isOneOf(token, {"do", "else"}))
      return statement(at + 1, nested + 1);
    // A macro before a loop, such as one for a pragma.
    if (isWord(token) && at + 1 < tokens_.size() && isOneOf(tokens_[at + 1], {"for", "while", "if", "do"}))
      return statement(at + 1, nested + 1);
    return simple(at);
  }

  size_t afterLabel(size_t at) const {
    for (int questions = 0; at < tokens_.size() && !isOneOf(tokens_[at], {";", "{", "}"}); ++at) {
      questions += tokens_[at].is("?");
      if (tokens_[at].is(":") && questions-- == 0)
        return at + 1;
    }
    return at;
  }

  size_t control(size_t at, size_t nested) {
    size_t open = at + 1;
    const bool constant = is(open, "constexpr");
    if (constant)
      ++open;
    if (!is(open, "("))
      return open;
    const size_t body = afterBracket(open);
    if (body <= open + 1 || !is(body - 1, ")")) {
      add(at, body, {}, {});
    } else if (tokens_[at].is("for")) {
      add(at, body, {}, {});
      loop(at, open + 1, body - 1);
    } else {
      const size_t from = partsOf(open + 1, body - 1, ";").back().begin;
      add(at, body, constant ? Shown{} : condition(from, body - 1), {});
    }
    size_t end = statement(body, nested + 1);
    if (tokens_[at].is("if") && is(end, "else"))
      end = statement(end + 1, nested + 1);
    return end;
  }

  // What a probe shows of a statement.
  struct Shown {
    std::string value;
    ValueKind kind = ValueKind::None;
    ValueForm form = ValueForm::Operand;
    size_t begin = 0, end = 0; // tokens, of Through
  };
  struct Part {
    size_t begin, end;
  };

  // What stands between separators, brackets passed over.
  std::vector<Part> partsOf(size_t begin, size_t end, std::string_view separator) const {
    std::vector<Part> parts{{begin, end}};
    for (size_t i = begin; i < end; i = opensGroup(tokens_[i]) ? afterBracket(i) : i + 1)
      if (tokens_[i].is(separator)) {
        parts.back().end = i;
        parts.push_back({i + 1, end});
      }
    return parts;
  }

  Shown through(size_t begin, size_t end, ValueKind kind) const {
    if (begin >= end || tokens_[begin].is("{"))
      return {};
    // The probe would begin in one branch of an #if and end in another.
    const auto directive = std::upper_bound(directives_.begin(), directives_.end(), tokens_[begin].offset);
    if (directive != directives_.end() && *directive < tokens_[end - 1].offset)
      return {};
    return {joined(begin, end), kind, ValueForm::Through, begin, end};
  }

  Shown condition(size_t begin, size_t end) const {
    const size_t op = firstAssignment(begin, end);
    if (op < end && declares(begin, op))
      return {};
    return through(begin, end, ValueKind::Condition);
  }

  // The three parts of the header of a `for`.
  void loop(size_t at, size_t begin, size_t end) {
    const std::vector<Part> parts = partsOf(begin, end, ";");
    if (parts.size() != 3)
      return; // over a range
    const Part &first = parts[0], &middle = parts[1], &last = parts[2];
    if (first.begin < first.end && partsOf(first.begin, first.end, ",").size() == 1) {
      Shown shown = valueOf(first.begin, first.end);
      if (shown.form == ValueForm::After) { // no statement can follow it: its first value goes through
        const size_t op = firstAssignment(first.begin, first.end);
        const bool isReference =
            std::any_of(tokens_.begin() + ptrdiff_t(first.begin), tokens_.begin() + ptrdiff_t(op),
                        [](const RawToken &t) { return isOneOf(t, {"&", "&&"}); });
        Shown begun = op < first.end && !isReference ? through(op + 1, first.end, ValueKind::Made) : Shown{};
        if (!begun.value.empty())
          begun.value = shown.value;
        shown = begun;
      }
      add(first.begin, first.end, shown, {});
    }
    // It has the tokens of the whole header: those of `i < n` alone are like those of many others.
    if (middle.begin < middle.end)
      add(middle.begin, middle.end, condition(middle.begin, middle.end), Part{at, end + 1});
    if (last.begin < last.end)
      for (const Part &step : partsOf(last.begin, last.end, ","))
        if (step.begin < step.end)
          add(step.begin, step.end, valueOf(step.begin, step.end), {});
  }

  // Up to the ';'.
  size_t simple(size_t at) {
    size_t end = at;
    while (end < tokens_.size() && !tokens_[end].is(";")) {
      if (tokens_[end].is("}"))
        return end; // no statement
      end = opensGroup(tokens_[end]) ? afterBracket(end) : end + 1;
    }
    if (end >= tokens_.size())
      return end;
    add(at, end, valueOf(at, end), {});
    return end + 1;
  }

  std::string joined(size_t begin, size_t end) const {
    std::string all;
    for (size_t i = begin; i < end; ++i) {
      all += i > begin ? " " : "";
      all += tokens_[i].text;
    }
    return all;
  }

  // The first operator at the level of the statement that assigns; `end` if there is none.
  size_t firstAssignment(size_t begin, size_t end) const {
    size_t op = begin;
    while (op < end && !isAssignment(tokens_[op]))
      op = opensGroup(tokens_[op]) ? afterBracket(op) : op + 1;
    return std::min(op, end);
  }

  static Shown made(std::string value, ValueForm form = ValueForm::Operand) {
    return value.empty() ? Shown{} : Shown{std::move(value), ValueKind::Made, form};
  }

  // What a probe of the statement [begin, end) shows.
  Shown valueOf(size_t begin, size_t end) const {
    if (tokens_[begin].is("return"))
      return resultHasValue_ ? through(begin + 1, end, ValueKind::Result) : Shown{};
    if (isOneOf(tokens_[begin],
                {"break", "continue", "goto", "using", "typedef", "static_assert", "struct", "class", "union",
                 "enum", "template", "asm", "delete", "namespace", "extern", "static"}))
      return {};
    if (isStep(tokens_[begin]))
      return made(isPlain(begin + 1, end) ? joined(begin + 1, end) : "");
    if (isStep(tokens_[end - 1]))
      return made(isPlain(begin, end - 1) ? joined(begin, end - 1) : "");
    const size_t op = firstAssignment(begin, end);
    if (op >= end)
      return made(constructed(begin, end), ValueForm::After);
    if (op == begin)
      return {};
    if (declares(begin, op))
      return made(isWord(tokens_[op - 1]) ? std::string(tokens_[op - 1].text) : "", ValueForm::After);
    if (!isPlain(begin, op))
      return {};
    const bool isName = std::none_of(tokens_.begin() + ptrdiff_t(begin), tokens_.begin() + ptrdiff_t(op),
                                     [](const RawToken &t) { return isOneOf(t, {"[", "(", "*", "->"}); });
    const bool again = std::any_of(tokens_.begin() + ptrdiff_t(op + 1), tokens_.begin() + ptrdiff_t(end),
                                   [](const RawToken &t) { return isAssignment(t) || isStep(t); });
    return made(isName || !again ? joined(begin, op) : "");
  }

  // `float x`, `device T *p`, `vec<T, 4> v`: two words one after the other, with * and & between them or not.
  bool declares(size_t begin, size_t end) const {
    for (size_t i = begin; i + 1 < end; i = opensGroup(tokens_[i]) ? afterBracket(i) : i + 1) {
      if (!isWord(tokens_[i]) && !tokens_[i].is(">") && !tokens_[i].is(">>"))
        continue;
      size_t next = i + 1;
      while (next < end && isOneOf(tokens_[next], {"*", "&", "&&"}))
        ++next;
      if (next < end && isWord(tokens_[next]) && !tokens_[i].is("this"))
        return true;
      if (tokens_[i].is("auto") && is(next, "["))
        return true; // a structured binding
    }
    return false;
  }

  // Reading it again changes nothing: no call, no step, no choice.
  bool isPlain(size_t begin, size_t end) const {
    if (begin >= end)
      return false;
    for (size_t i = begin; i < end; ++i) {
      if (isStep(tokens_[i]) || isAssignment(tokens_[i]) || isOneOf(tokens_[i], {"?", "{", ","}))
        return false;
      if (tokens_[i].is("(") && i > begin &&
          (isWord(tokens_[i - 1]) || isOneOf(tokens_[i - 1], {")", "]", ">"})))
        return false;
    }
    return true;
  }

  // `float4 v(0);`, `float x{1};`
  std::string constructed(size_t begin, size_t end) const {
    for (size_t i = begin + 2; i < end; ++i) {
      if (!opensGroup(tokens_[i]))
        continue;
      if (tokens_[i].is("[") || afterBracket(i) != end || !isWord(tokens_[i - 1]) ||
          !(isWord(tokens_[i - 2]) || tokens_[i - 2].is(">")))
        return {};
      return std::string(tokens_[i - 1].text);
    }
    return {};
  }

  // texts   the tokens that stand for it, if not its own
  void add(size_t begin, size_t end, const Shown &shown, std::optional<Part> texts) {
    SourceStatement one;
    one.begin = tokens_[begin].offset;
    one.end = tokens_[end - 1].offset + tokens_[end - 1].length;
    one.after = end < tokens_.size() && tokens_[end].is(";") ? tokens_[end].offset + 1 : one.end;
    one.line =
        uint32_t(std::upper_bound(lineStarts_.begin(), lineStarts_.end(), one.begin) - lineStarts_.begin());
    const Part named = texts.value_or(Part{begin, end});
    for (size_t i = named.begin; i < named.end; ++i)
      one.tokens.emplace_back(tokens_[i].text);
    // A token that a backslash divides would have to be put together first.
    if (!shown.value.empty() && shown.value.find('\\') == shown.value.npos) {
      one.value = shown.value;
      one.kind = shown.kind;
      one.form = shown.form;
      if (one.form == ValueForm::Through) {
        one.valueBegin = tokens_[shown.begin].offset;
        one.valueEnd = tokens_[shown.end - 1].offset + tokens_[shown.end - 1].length;
      }
    }
    found_.push_back(std::move(one));
  }

  std::string_view text_;
  std::vector<RawToken> tokens_;
  std::vector<uint32_t> lineStarts_, directives_;
  std::vector<SourceStatement> found_;
  bool goesOn_ = false;
  bool resultHasValue_ = false; // of the function at hand
};

} // namespace

std::vector<SourceStatement> statementsOf(std::string_view text) {
  return Parser(text).parse();
}

} // namespace assay::frontend
