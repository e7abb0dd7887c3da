// The rules of the source view. One function for each; each looks at a token and its neighbours and may add
// an edit. See source_view.h for why.
#include "frontend/attribute_text.h"
#include "frontend/attributes.h"
#include "frontend/declarators.h"
#include "frontend/global_declarations.h"
#include "frontend/method_spaces.h"
#include "frontend/source_view.h"
#include "frontend/tokens.h"
#include "frontend/vector_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::frontend {
namespace {

constexpr const char *kDouble = "__assay_double"; // no type: double is the shim's alone

class ViewEditor {
public:
  ViewEditor(std::string_view source, const SpaceAliases &aliases)
      : source_(source), aliases_(aliases), lexed_(lexSource(source)), tokens_(lexed_->tokens),
        closers_(closersOf(tokens_)), openers_(tokens_.size(), kNone) {
    for (size_t open = 0; open < closers_.size(); ++open)
      if (closers_[open] != kNone)
        openers_[closers_[open]] = open;
  }

  std::vector<Edit> run() {
    for (size_t i = 0; i + 1 < tokens_.size();) {
      const RawToken &t = tokens_[i];
      if (t.inDirective && t.startsLine) {
        i = directive(i);
        continue;
      }
      i = programToken(i);
    }
    unreadVectors();
    // Rules that look ahead may meet in text that is no Metal, such as `typedef typedef`: the first one wins.
    std::ranges::stable_sort(edits_, {}, &Edit::offset);
    std::vector<Edit> result;
    for (Edit &edit : edits_)
      if (result.empty() || result.back().offset + result.back().length <= edit.offset)
        result.push_back(std::move(edit));
    return result;
  }

private:
  // Looks at the token and returns the next one to look at.
  size_t programToken(size_t i) {
    if (i == planned_.first) {
      replace(i, planned_.last, planned_.text);
      return planned_.last + 1;
    }
    if (const size_t next = attributeList(i); next != i)
      return next;
    track(i);
    if (tokens_[i].is("typedef") || tokens_[i].is("using"))
      vectorName(i);
    else if (isVectorAttribute(tokens_, i) && !(i > 0 && tokens_[i - 1].isAny({"::", ":"})))
      vectorAttributes_.push_back(i); // Clang has no such attribute between [[ and ]]
    if (tokens_[i].kind == TokenKind::Identifier)
      addressSpaceWord(i);
    else if (tokens_[i].kind == TokenKind::Literal)
      literalSuffix(i);
    return i + 1;
  }

  // --- vectors ---------------------------------------------------------------------------------------------

  // Metal's vectors are a class here; see vector_typedefs.h.
  void vectorName(size_t i) {
    const size_t begin = bodyBegin_ == kNone ? 0 : bodyBegin_;
    add(vectorTypedef(tokens_, closers_, i, begin));
  }

  void add(std::vector<TokenEdit> edits) {
    for (TokenEdit &edit : edits) {
      const RawToken &first = tokens_[edit.first], &last = tokens_[edit.last];
      std::ranges::replace(edit.text, '\n', ' '); // of a raw string: lines stay where they are
      if (edit.place == TokenEdit::Place::Instead)
        replace(edit.first, edit.last, std::move(edit.text));
      else if (edit.place == TokenEdit::Place::Before)
        edits_.push_back({first.offset, 0, std::move(edit.text)});
      else
        edits_.push_back({last.offset + last.length, 0, std::move(edit.text)});
    }
  }

  // A vector's attribute that no declaration has taken away stands in a type's name, or it is an error.
  void unreadVectors() {
    for (const size_t i : vectorAttributes_) {
      const uint32_t offset = tokens_[i].offset;
      const auto read = [&](const Edit &edit) {
        return edit.offset <= offset && offset < edit.offset + edit.length;
      };
      if (closing(i + 1) == kNone || std::ranges::any_of(edits_, read))
        continue;
      if (std::vector<TokenEdit> edits = vectorAttribute(tokens_, closers_, i); !edits.empty())
        add(std::move(edits));
      else
        replace(i, closing(i + 1), fmt::format("{}({})", tokens_[i].text, kUnreadVector));
    }
  }

  // --- literals -------------------------------------------------------------------------------------------

  // 1.0bf, 1.0BF, 1.0H: suffixes that Clang neither has nor lets a program define without an underscore.
  void literalSuffix(size_t i) {
    const std::string_view t = tokens_[i].text;
    const bool number = t[0] == '.' || (t[0] >= '0' && t[0] <= '9');
    const bool hexadecimal = t.starts_with("0x") || t.starts_with("0X");
    if (!number || (hexadecimal && t.find_first_of("pP") == t.npos))
      return;
    for (const char *suffix : {"bf", "BF", "H"})
      if (t.ends_with(suffix)) {
        const std::string_view digits = t.substr(0, t.size() - std::string_view(suffix).size());
        if (digits.empty() || digits.back() == '_')
          return;
        replace(i, i, fmt::format("{}_{}", digits, suffix));
        return;
      }
  }

  // --- directives -----------------------------------------------------------------------------------------

  // #define bodies are program text and are edited; a macro's brackets do not count for what follows it.
  // #pragma METAL fp contract(..) is Clang's own pragma under another name. Other directives are left alone.
  size_t directive(size_t hash) {
    size_t end = hash + 1;
    while (tokens_[end].kind != TokenKind::End && tokens_[end].inDirective && !tokens_[end].startsLine)
      ++end;
    if (at(hash + 1).is("pragma") && at(hash + 2).is("METAL") && at(hash + 3).is("fp") &&
        at(hash + 4).is("contract"))
      replace(hash + 2, hash + 2, "clang");
    for (const char *word : {"define", "undef", "ifdef", "ifndef"}) // a program's own meaning of double
      if (at(hash + 1).is(word) && at(hash + 2).is("double"))
        replace(hash + 2, hash + 2, kDouble);
    if (!at(hash + 1).is("define"))
      return end;
    const std::vector<char> outside = std::exchange(brackets_, {});
    bodyBegin_ = hash + 3;
    if (at(hash + 3).is("(") && at(hash + 3).joined)
      bodyBegin_ = std::min(closing(hash + 3), end - 1) + 1; // parameters without an end: no body
    for (size_t i = bodyBegin_; i < end;)
      i = programToken(i);
    brackets_ = outside;
    bodyBegin_ = kNone;
    return end;
  }

  // --- [[attributes]] -------------------------------------------------------------------------------------

  // Returns the token after the list if there is one at `i` with an attribute of Metal, else `i`.
  size_t attributeList(size_t i) {
    if (!tokens_[i].is("[") || !at(i + 1).is("[") || !at(i + 1).joined)
      return i;
    const size_t inner = closing(i + 1), outer = closing(i);
    if (inner == kNone || outer != inner + 1 || !tokens_[inner].is("]") || !tokens_[outer].is("]"))
      return i;
    // `float4 vertex [[attribute(0)]];` has no name: Clang says so of the attribute, at its place.
    if (i > 0 && isStageWord(tokens_[i - 1]) && at(outer + 1).is(";"))
      return i;
    std::string text, plain;
    bool metal = false, global = false, builtin = false;
    size_t first = i;
    for (size_t a = i + 2; a < inner;) {
      const size_t end = attributeEnd(a, inner);
      if (isParameter(tokens_[a].text)) {
        plain += fmt::format("{}{}", plain.empty() ? "" : ", ", spelling(a, end)); // given_attributes.h
      } else if (const AttributeInfo *info = findAttribute(attributeName(a, end))) {
        metal = true;
        builtin |= info->use == AttributeUse::Builtin;
        global |= builtin || isBinding(info->name);
        const WrittenAttribute attribute = written(*info, a, end, outer);
        if (info->use == AttributeUse::FunctionConstant && attribute.isWhole() && !attribute.ofArgument &&
            first == i && i > 0 && i != bodyBegin_) {
          const size_t name = pastedName(i - 1);
          if (!edited(name) && maybeConstexpr(name)) {
            first = name;
            // In a macro's body the name may be one of its parameters.
            text = fmt::format("{0}{1}{2} = {{}}; static decltype({0}{1}{2}) {0} ", spelling(name, i),
                               bodyBegin_ == kNone ? "" : "##", kTypeSuffix) +
                   text;
          }
        }
        const bool after = info->name == "max_total_threads_per_threadgroup" && i > 0 &&
                           tokens_[i - 1].is(")") && (at(outer + 1).is("{") || at(outer + 1).is(";"));
        if (after || (i > 0 && isStageWord(tokens_[i - 1])))
          text += fmt::format("__attribute__((annotate(\"{}{}\")))", kMisplacedPrefix, info->name);
        else if (info->name == "depth" && end == a + 4 && at(a + 2).kind == TokenKind::Literal &&
                 at(a + 2).text[0] != '"')
          text += fmt::format("__attribute__((annotate(\"{}depth({}) depth(any)\")))", kMisspeltPrefix,
                              at(a + 2).text);
        else
          text += attributeText(attribute);
      } else if (const AttributeInfo *meant = misspelt(a, end)) {
        metal = true;
        text += fmt::format("__attribute__((annotate(\"{}{} {}\")))", kMisspeltPrefix, attributeName(a, end),
                            meant->name);
      } else {
        plain += fmt::format("{}{}", plain.empty() ? "" : ", ", spelling(a, end));
      }
      a = tokens_[end].is(",") ? end + 1 : end;
    }
    if (!metal)
      return i;
    if (global && at(outer + 1).is(";") && bodyBegin_ == kNone)
      globalBinding(i, builtin);
    if (!plain.empty())
      text = fmt::format("[[{}]] ", plain) + text;
    if (first == i && tokens_[i].joined) // `uint i[[thread_position_in_grid]]`
      text = ' ' + text;
    // `device int *p [[id(1)]][2]`: Clang takes an annotation only after the bounds.
    size_t bound = outer;
    while (at(bound + 1).is("[") && !at(bound + 2).is("[") && closing(bound + 1) != kNone)
      bound = closing(bound + 1);
    if (bound != outer && first == i) {
      const RawToken &last = tokens_[bound];
      std::ranges::replace(text, '\n', ' '); // of a raw string: the line's end stays where it was
      edits_.push_back({last.offset + last.length, 0, text});
      text.clear();
    }
    replace(first, outer, text);
    return outer + 1;
  }

  static bool isBinding(std::string_view name) {
    return name == "buffer" || name == "texture" || name == "sampler" || name == "threadgroup";
  }

  // Words before a variable at program scope that each thread finds set; see global_declarations.h.
  void globalBinding(size_t attribute, bool builtin) {
    const auto isConstant = [&](std::string_view word) { return spaceWord(word, aliases_) == "constant"; };
    const auto global = globalDeclaration(tokens_, openers_, attribute, isConstant);
    if (!global)
      return;
    // `constant uint &constant n [[buffer(0)]];`, as AdaptiveCpp writes it: C++ has no constant references.
    for (size_t k = global->begin; k + 1 < attribute; ++k)
      if (tokens_[k].is("&") && isConstant(tokens_[k + 1].text))
        replace(k + 1, k + 1, "");
    const std::string words =
        std::string(global->isExtern ? "" : "extern ") + (global->isConst || !builtin ? "" : "const ");
    const uint32_t offset = tokens_[global->begin].offset;
    if (const auto same = std::ranges::find(edits_, offset, &Edit::offset); same != edits_.end())
      same->text = words + same->text;
    else
      edits_.push_back({offset, 0, words});
  }

  // Whether it is a parameter of the macro whose body is being edited.
  bool isParameter(std::string_view word) const {
    for (size_t i = bodyBegin_; bodyBegin_ != kNone && i-- > 0 && !tokens_[i].startsLine;)
      if (tokens_[i].is(word) && i != bodyBegin_ - 1)
        return !tokens_[i - 1].is("define");
    return false;
  }

  // Null for names of C++ and of other compilers, and for names that resemble none of Metal's.
  const AttributeInfo *misspelt(size_t a, size_t end) const {
    const std::string name = attributeName(a, end);
    for (const char *known : {"deprecated", "maybe_unused", "nodiscard", "noreturn", "fallthrough", "likely",
                              "unlikely", "no_unique_address", "carries_dependency", "unroll"})
      if (name == known)
        return nullptr;
    return name.empty() ? nullptr : misspeltAttribute(name);
  }

  size_t attributeEnd(size_t a, size_t limit) const {
    int depth = 0;
    for (; a < limit; ++a) {
      const std::string_view t = tokens_[a].text;
      if (t == "(" || t == "[" || t == "{")
        ++depth;
      else if (t == ")" || t == "]" || t == "}")
        --depth;
      else if (t == "," && depth == 0)
        break;
      if (t == ")" && depth == 0) // `color(0) index(0)`, as naga writes, has no comma
        return a + 1;
    }
    return a;
  }

  // `name` or `metal::name`; anything else that is qualified is not Metal's.
  std::string attributeName(size_t a, size_t end) const {
    if (a + 2 < end && tokens_[a].is("metal") && tokens_[a + 1].is("::"))
      a += 2;
    return a < end && !at(a + 1).is("::") ? spelling(a, a + 1) : std::string();
  }

  WrittenAttribute written(const AttributeInfo &info, size_t a, size_t end, size_t outer) const {
    WrittenAttribute attribute{info};
    size_t open = a;
    while (open < end && !tokens_[open].is("("))
      ++open;
    attribute.hasList = open < end;
    attribute.arguments = attribute.hasList ? spelling(open + 1, end - 1) : std::string();
    attribute.count = attribute.hasList ? countArguments(tokens_, open + 1, end - 1) : 0;
    attribute.ofArgument = insideParentheses() || insideRecord();
    const RawToken &next = at(outer + 1);
    attribute.beforeInitialiser = !attribute.ofArgument && (next.is("=") || next.is("{")) &&
                                  next.inDirective == tokens_[outer].inDirective;
    return attribute;
  }

  // The first token of a name that ends with `last` and that ## may put together: `scale_##part##_##which`.
  size_t pastedName(size_t last) const {
    while (bodyBegin_ != kNone && last >= bodyBegin_ + 2 && tokens_[last - 1].is("##"))
      last -= 2;
    return last;
  }

  // A function constant declared constexpr, or by a macro that may contain it, is declared twice: first as it
  // is written, under another name and with a dummy value, then with that type and its real value.
  bool maybeConstexpr(size_t name) const {
    bool plain = false;
    for (size_t k = name; k-- > 0 && (tokens_[k].kind == TokenKind::Identifier || tokens_[k].is("::"));) {
      if (tokens_[k].is("constexpr"))
        return true;
      plain |= spaceWord(tokens_[k].text, aliases_) == "constant";
    }
    return !plain;
  }

  // --- address spaces -------------------------------------------------------------------------------------

  void addressSpaceWord(size_t i) {
    const RawToken &t = tokens_[i];
    // diagnostics.cpp words the error.
    if (t.is("double"))
      replace(i, i, kDouble);
    if (t.is("long") && at(i + 1).is("double"))
      replace(i, i, "");
    // The shim's macro takes a scope; `coherent device T *` has none.
    if (t.is("coherent") && at(i + 1).kind == TokenKind::Identifier)
      replace(i, i, "coherent()");
    const std::string_view word = spaceWord(t.text, aliases_);
    const bool threadgroup = word == "threadgroup", constant = word == "constant", alias = word != t.text;
    const std::string_view method = methodSpaceText(word);
    if (method.empty())
      return;
    if (insideParentheses() && word != "thread" && arrayParameter(i))
      return;
    if (trailingQualifier(i)) {
      qualifyMethod(i, std::string(method));
      return;
    }
    if (!threadgroup && !constant)
      return;
    if (!atDeclarationStart(i) || (threadgroup && hasSpecifier(i, "extern"))) // no variable is both
      return;
    std::string object(t.text);
    if (threadgroup && !alias)
      object = "__assay_threadgroup_object";
    else if (threadgroup || (insideFunction() && !hasSpecifier(i, "static") && !hasSpecifier(i, "extern")))
      object = fmt::format("static {}", t.text); // in a function there is no other storage in that space
    if (insideFunction())
      splitDeclaration(i, object);
    if (object != t.text && declaresObject(tokens_, closers_, i))
      replace(i, i, object);
  }

  void splitDeclaration(size_t i, const std::string &object) {
    const MixedDeclaration mixed = mixedDeclaration(tokens_, closers_, i);
    for (const DeclaratorCut &cut : mixed.cuts)
      replace(cut.comma, cut.comma,
              fmt::format("; {} {}", cut.isObject ? object : std::string(tokens_[i].text),
                          spelling(i + 1, mixed.specifiersEnd)));
  }

  // `f() const device {`, `T() threadgroup = default;`, `T(x) device : a_(x) {`
  bool trailingQualifier(size_t i) const {
    size_t before = i;
    const auto begins = [&] { // a macro's body, or what follows a directive
      return before == 0 || before == bodyBegin_ || tokens_[before - 1].inDirective != tokens_[i].inDirective;
    };
    while (!begins() && isWord(tokens_[before - 1], {"const", "volatile", "noexcept", "thread", "device",
                                                     "constant", "threadgroup"}))
      --before;
    if (begins() || !tokens_[before - 1].is(")"))
      return false; // a macro's parameters are no function's
    if (const size_t open = openers_[before - 1];
        open != kNone && open > 0 && tokens_[open - 1].is("coherent"))
      return false;
    const RawToken &next = at(i + 1);
    return next.is("{") || next.is(";") || next.is("=") || next.is(":") || next.is("->") ||
           isWord(next, {"const", "volatile", "noexcept", "override"});
  }

  // `f() device const {`, `f() const device noexcept {`: Clang reads an attribute only after those words.
  // `auto f() const device -> T {`: it reads none there, but one before `auto`.
  void qualifyMethod(size_t i, std::string text) {
    size_t last = i;
    while (isWord(at(last + 1), {"const", "volatile"}))
      ++last;
    if (at(last + 1).is("noexcept")) {
      const size_t open = ++last + 1;
      if (at(open).is("(") && closing(open) != kNone)
        last = closing(open);
    }
    const size_t placeholder = at(last + 1).is("->") ? placeholderBefore(i) : kNone;
    if (placeholder != kNone) {
      edits_.push_back({tokens_[placeholder].offset, 0, text + ' '});
      replace(i, i, "");
    } else if (last != i) {
      replace(i, i, "");
      edits_.push_back({tokens_[last].offset + tokens_[last].length, 0, ' ' + text});
    } else {
      replace(i, i, std::move(text));
    }
  }

  // The `auto` of the function whose parameters end before the words that lead to token i.
  size_t placeholderBefore(size_t i) const {
    while (i > 0 && !tokens_[i].is(")"))
      --i;
    size_t k = openers_[i];
    if (k == kNone)
      return kNone;
    while (k-- > 0 && !tokens_[k].is(";") && !tokens_[k].is("{") && !tokens_[k].is("}"))
      if (tokens_[k].is("auto"))
        return k;
    return kNone;
  }

  // A parameter `constant T x[2][3]` becomes a pointer, but Clang checks the address space before that. So it
  // is written as a pointer: `constant T (*x)[3]`. Without a name, `constant T[2][3]` is `constant T (*)[3]`.
  bool arrayParameter(size_t i) {
    int angles = 0;
    for (size_t k = i + 1; tokens_[k].kind != TokenKind::End; ++k) {
      const RawToken &t = tokens_[k];
      const bool closesArguments = angles > 0 && (t.is(">") || t.is(">>"));
      angles += t.is("<") - t.is(">") - 2 * t.is(">>");
      if (angles > 0)
        continue;
      // `x[4]`, or `x OPTIONAL(..)[4]`: a macro between the name and its bounds; not `const T (&x)[4]`
      size_t name = k - 1, bound = k;
      const RawToken &inner = at(k + 1);
      const bool declarator = inner.is("&") || inner.is("&&") || inner.is("*");
      if (t.is("(") && !declarator && tokens_[name].kind == TokenKind::Identifier && closing(k) != kNone)
        --name, bound = closing(k) + 1;
      const bool afterArguments = closesArguments && at(k + 1).is("[");
      if (afterArguments)
        name = k, bound = k + 1;
      if (at(bound).is("[") && (afterArguments || tokens_[name].kind == TokenKind::Identifier) &&
          !at(bound + 1).is("[")) {
        const size_t close = closing(bound);
        if (close == kNone || name <= i)
          return false;
        const bool more = at(close + 1).is("[") && !at(close + 2).is("[");
        const std::string macro = bound == name + 1 ? "" : ' ' + spelling(name + 1, bound);
        if (afterArguments || isType(tokens_, name, i)) {
          if (!inParameterList(tokens_, i))
            return false; // `sizeof(threadgroup float[4])`
          planned_ = {name, close, fmt::format("{} {}{}", tokens_[name].text, more ? "(*)" : "*", macro)};
        } else {
          planned_ = {name, close,
                      fmt::format(fmt::runtime(more ? " (*{}){}" : " *{}{}"), tokens_[name].text, macro)};
        }
        return true;
      }
      if (t.kind != TokenKind::Identifier && !t.is("::") && !t.is(">") && !t.is(">>"))
        return false;
    }
    return false;
  }

  // Whether only specifiers lie between the start of a statement and this word.
  bool atDeclarationStart(size_t i) const {
    if (insideParentheses())
      return false;
    size_t before = i;
    while (before > 0 && before != bodyBegin_ &&
           isWord(tokens_[before - 1], {"const", "constexpr", "static", "volatile", "inline", "extern"}))
      --before;
    if (before == 0 || before == bodyBegin_)
      return true;
    const RawToken &t = tokens_[before - 1];
    if (t.inDirective && !tokens_[before].inDirective)
      return true;
    return t.is(";") || t.is("{") || t.is("}") || t.is(":") || t.is(")") || t.is("else") || t.is(">") ||
           t.is("]");
  }

  bool hasSpecifier(size_t i, std::string_view word) const {
    return specifierBefore(i, word) || specifierAfter(i, word);
  }
  bool specifierBefore(size_t i, std::string_view word) const {
    while (i > 0 && isWord(tokens_[i - 1], {"const", "constexpr", "static", "volatile", "inline", "extern"}))
      if (tokens_[--i].is(word))
        return true;
    return false;
  }
  bool specifierAfter(size_t i, std::string_view word) const {
    while (isWord(at(i + 1), {"const", "constexpr", "static", "volatile", "inline", "extern"}))
      if (tokens_[++i].is(word))
        return true;
    return false;
  }

  // --- helpers --------------------------------------------------------------------------------------------

  static bool isWord(const RawToken &t, std::initializer_list<std::string_view> words) {
    return t.kind == TokenKind::Identifier && std::find(words.begin(), words.end(), t.text) != words.end();
  }

  static bool isStageWord(const RawToken &t) { return isWord(t, {"kernel", "vertex", "fragment"}); }

  const RawToken &at(size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }

  void track(size_t i) {
    const RawToken &t = tokens_[i];
    if (t.is("(") || t.is("[") || t.is("{"))
      brackets_.push_back(opensRecord(tokens_, i) ? kRecord : t.text[0]);
    else if ((t.is(")") || t.is("]") || t.is("}")) && !brackets_.empty())
      brackets_.pop_back();
  }
  bool insideParentheses() const { return !brackets_.empty() && brackets_.back() == '('; }
  bool insideRecord() const { return !brackets_.empty() && brackets_.back() == kRecord; }
  bool insideFunction() const { return !brackets_.empty() && brackets_.back() == '{'; } ///< or a namespace

  size_t closing(size_t open) const { return open < closers_.size() ? closers_[open] : kNone; }

  std::string spelling(size_t first, size_t last) const { return spelledTokens(tokens_, first, last); }

  bool edited(size_t i) const {
    return !edits_.empty() && edits_.back().offset + edits_.back().length > tokens_[i].offset;
  }

  // Replaces tokens [first, last], both included, and keeps the number of lines.
  void replace(size_t first, size_t last, std::string text) {
    const uint32_t begin = tokens_[first].offset, end = tokens_[last].offset + tokens_[last].length;
    const std::string_view old = source_.substr(begin, end - begin);
    const auto linesOf = [](std::string_view some) { return std::count(some.begin(), some.end(), '\n'); };
    if (linesOf(text) > linesOf(old)) // a raw string that the rule writes twice
      std::ranges::replace(text, '\n', ' ');
    for (auto n = linesOf(old) - linesOf(text); n > 0; --n)
      text += tokens_[first].inDirective ? "\\\n" : "\n";
    edits_.push_back({begin, end - begin, std::move(text)});
  }

  std::string_view source_;
  const SpaceAliases &aliases_;
  const std::shared_ptr<const LexedText> lexed_;
  const std::vector<RawToken> &tokens_;
  std::vector<size_t> closers_, openers_;
  static constexpr char kRecord = 'r'; ///< the brace of a struct, a class or a union
  std::vector<char> brackets_;
  size_t bodyBegin_ = kNone; ///< first token of the #define body being edited
  /// A later replacement, decided before the tokens in between are processed.
  struct Planned {
    size_t first = kNone, last = 0;
    std::string text;
  };
  Planned planned_;
  std::vector<size_t> vectorAttributes_; ///< `ext_vector_type(`
  std::vector<Edit> edits_;
};

} // namespace

std::vector<Edit> viewEdits(std::string_view original, const SpaceAliases &aliases) {
  return ViewEditor(original, aliases).run();
}

} // namespace assay::frontend
