#include "declarations.h"

#include "tokens.h"

#include <algorithm>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

class Reader : TokenReader {
public:
  explicit Reader(const std::string &text) : TokenReader(text) {}

  Declarations run() {
    readScope("", nullptr);
    expectEnd();
    return std::move(found_);
  }

private:
  /// The declarations up to a closing brace or the end. record: null outside of a class.
  void readScope(const std::string &space, Record *record, bool isPrivate = false) {
    Record hidden;
    while (!ended() && !see("}"))
      if (see("public") || see("protected") || see("private")) {
        isPrivate = !see("public");
        at_ += 2;
      } else if (see("{"))
        skipBrackets(); // the rest of a body
      else if (see(";"))
        ++at_;
      else if (see("namespace") ||
               (see("inline") && at_ + 1 < tokens_.size() && tokens_[at_ + 1] == "namespace"))
        readNamespace(space);
      else
        readDeclaration(space, isPrivate ? &hidden : record);
  }

  void readNamespace(const std::string &space) {
    std::string name;
    while (!ended() && !see("{") && !see(";"))
      name = tokens_[at_++];
    if (!see("{"))
      return;
    ++at_;
    readScope(space.empty() ? name : space + "::" + name, nullptr);
    closeScope();
  }

  void closeScope() {
    if (!see("}"))
      throw std::runtime_error("the text ends inside of a namespace or a class");
    ++at_;
  }

  void readDeclaration(const std::string &space, Record *record) {
    const size_t head = at_;
    while (see("template")) {
      ++at_;
      if (see("<"))
        skipBrackets();
    }
    const size_t first = at_;
    const std::string headText = joined(tokens_.begin() + head, tokens_.begin() + first);
    for (; !ended() && !see(";") && !see("{") && !see("}");)
      if (see("(") || see("["))
        skipBrackets();
      else
        ++at_;
    const Tokens declaration(tokens_.begin() + first, tokens_.begin() + at_);
    if (see("{")) {
      if (!declaration.empty() && (declaration[0] == "struct" || declaration[0] == "class"))
        return readRecord(declaration, space);
      skipBrackets();
    }
    keepFunction(declaration, space, headText, record);
  }

  void readRecord(const Tokens &declaration, const std::string &space) {
    Record record;
    size_t at = 1;
    while (at < declaration.size() && !isWord(declaration[at]))
      ++at;
    if (at < declaration.size())
      record.name = declaration[at++];
    if (at < declaration.size() && declaration[at] == "<") {
      size_t end = at;
      for (int depth = 0; end < declaration.size(); ++end) {
        depth += declaration[end] == "<" ? 1 : declaration[end] == ">" ? -1 : 0;
        if (!depth)
          break;
      }
      record.arguments = joined(declaration.begin() + at + 1, declaration.begin() + end);
    }
    ++at_; // {
    readScope(space, &record, declaration[0] == "class");
    closeScope();
    found_.records.push_back(std::move(record));
  }

  void keepFunction(const Tokens &all, const std::string &space, const std::string &head, Record *record) {
    const bool isFunction =
        !all.empty() &&
        (all[0] == "METAL_FUNC" || (all[0] == "static" && all.size() > 1 && all[1] == "METAL_FUNC"));
    Tokens constants;
    const Tokens declaration = isFunction ? withoutMacros(all, constants) : Tokens{};
    const size_t open = parametersOf(declaration);
    if (open == 0 || !isWord(declaration[open - 1]))
      return;
    Function function;
    function.space = space;
    function.head = head;
    function.result = joined(declaration.begin(), declaration.begin() + (open - 1));
    function.name = declaration[open - 1];
    size_t at = open + 1, begin = at;
    for (int depth = 0; at < declaration.size(); ++at) {
      const std::string &token = declaration[at];
      const bool ends = depth == 0 && (token == "," || token == ")");
      if (ends && at > begin)
        function.parameters.push_back(
            parameter(Tokens(declaration.begin() + begin, declaration.begin() + at)));
      if (ends)
        begin = at + 1;
      if (ends && token == ")")
        break;
      depth += token == "(" || token == "<" ? 1 : token == ")" || token == ">" ? -1 : 0;
    }
    for (size_t end = begin; end <= declaration.size(); ++end)
      if (end == declaration.size() || declaration[end] == ":" || declaration[end] == "=") {
        function.qualifiers = joined(declaration.begin() + begin, declaration.begin() + end);
        break;
      }
    for (Parameter &parameter : function.parameters)
      parameter.isConstant = std::ranges::find(constants, parameter.name) != constants.end();
    (record ? record->members : found_.functions).push_back(std::move(function));
  }

  /// Neither METAL_..., with its arguments, nor what says nothing about a call.
  ///   constants   the arguments of METAL_CONST_ARG
  static Tokens withoutMacros(const Tokens &all, Tokens &constants) {
    Tokens kept;
    for (size_t at = 0; at < all.size(); ++at) {
      if (all[at].starts_with("METAL_")) {
        if (all[at] == "METAL_CONST_ARG" && at + 2 < all.size())
          constants.push_back(all[at + 2]);
        if (at + 1 < all.size() && all[at + 1] == "(")
          for (int depth = 0; ++at < all.size();) {
            depth += all[at] == "(" ? 1 : all[at] == ")" ? -1 : 0;
            if (!depth)
              break;
          }
      } else if (all[at] != "static" && all[at] != "constexpr" && all[at] != "explicit") {
        kept.push_back(all[at]);
      }
    }
    return kept;
  }

  /// The place of the parenthesis before the parameters; 0: this is no function, or an operator.
  static size_t parametersOf(const Tokens &declaration) {
    int depth = 0;
    for (size_t at = 0; at < declaration.size(); ++at) {
      if (declaration[at] == "operator")
        return 0;
      if (declaration[at] == "(" && depth == 0 && at > 0 && declaration[at - 1] != "coherent")
        return at;
      depth += declaration[at] == "<" || declaration[at] == "("   ? 1
               : declaration[at] == ">" || declaration[at] == ")" ? -1
                                                                  : 0;
    }
    return 0;
  }

  static Parameter parameter(Tokens tokens) {
    Parameter read;
    for (size_t at = 0; at < tokens.size(); ++at)
      if (tokens[at] == "=") {
        read.hasDefault = true;
        tokens.resize(at);
      }
    if (tokens.size() > 1 && isWord(tokens.back()) && tokens[tokens.size() - 2] != "::") {
      read.name = tokens.back();
      tokens.pop_back();
    }
    read.type = joined(tokens.begin(), tokens.end());
    return read;
  }

  Declarations found_;
};

} // namespace

std::string Function::key() const {
  std::string text = name + "(";
  for (const Parameter &parameter : parameters)
    text += (text.back() == '(' ? "" : ", ") + parameter.type;
  return space + "::" + text + ")";
}

std::string Function::text() const {
  return result + " " + key();
}

Declarations readDeclarations(const std::string &preprocessed) {
  return Reader(preprocessed).run();
}

} // namespace assay::apple_headers
