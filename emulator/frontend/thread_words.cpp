#include "frontend/thread_words.h"

#include "frontend/shim_files.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/MacroInfo.h>

#include <algorithm>

namespace assay::frontend {

using namespace clang;

ThreadWords::Word ThreadWords::before(SourceLocation mark) {
  auto [tokens, i] = tokenAt(mark);
  int depth = 0;
  while (i-- > 0) {
    const RawToken &t = tokens[i];
    if (t.is(")") || t.is(">") || t.is("]"))
      ++depth;
    else if (t.is(">>"))
      depth += 2;
    else if (t.is("(") || t.is("<") || t.is("[")) {
      if (--depth < 0 && !t.is("("))
        return Word::None;
      if (depth < 0) { // `T (&x)[4]`, `V<int> (*x)[4]`, or the list of parameters
        depth = 0;
        const bool inner = tokens[i + 1].is("&") || tokens[i + 1].is("*");
        if (i == 0 || !inner ||
            !(tokens[i - 1].kind == TokenKind::Identifier || tokens[i - 1].is(">") || tokens[i - 1].is(">>")))
          return Word::None;
      }
    } else if (depth == 0 && t.kind == TokenKind::Identifier) {
      if (t.is("thread"))
        return Word::Thread;
      if (isMacro(t.text))
        return Word::Macro;
      if (const Word given = wordGiven(tokens, i, mark); given != Word::None)
        return given;
    } else if (depth == 0 && !t.is("::") && !t.is("*") && !t.is("&") && !t.is("##")) {
      return Word::None;
    }
  }
  return Word::None;
}

// The file's tokens, and which of them is spelt at a place.
std::pair<const std::vector<RawToken> &, size_t> ThreadWords::tokenAt(SourceLocation where) {
  const auto [file, offset] = sources_.getDecomposedSpellingLoc(where);
  std::vector<RawToken> &tokens = tokens_[file];
  if (tokens.empty()) {
    const llvm::StringRef text = sources_.getBufferData(file);
    tokens = lexRaw(std::string_view(text.data(), text.size()));
  }
  const auto at = std::lower_bound(tokens.begin(), tokens.end(), offset,
                                   [](const RawToken &t, uint32_t o) { return t.offset < o; });
  return {tokens, size_t(at - tokens.begin())};
}

// Which parameter of a macro a token in the macro's body is; none outside of such a body.
std::optional<unsigned> ThreadWords::parameterOfMacro(const std::vector<RawToken> &tokens, size_t i) {
  size_t hash = i;
  while (hash > 0 && tokens[hash].inDirective && !tokens[hash].startsLine)
    --hash;
  const size_t open = hash + 3;
  if (!tokens[i].inDirective || open >= i || !tokens[hash + 1].is("define") || !tokens[open].is("(") ||
      !tokens[open].joined)
    return std::nullopt;
  unsigned number = 0;
  for (size_t k = open + 1; k < i && !tokens[k].is(")"); ++k) {
    if (tokens[k].is(tokens[i].text) || (tokens[k].is("...") && tokens[i].is("__VA_ARGS__")))
      return number;
    number += tokens[k].is(",");
  }
  return std::nullopt;
}

// What the use of a macro gives for the parameter that the token is; `mark` lies in the expansion.
ThreadWords::Word ThreadWords::wordGiven(const std::vector<RawToken> &body, size_t parameter,
                                         SourceLocation mark) {
  const std::optional<unsigned> number = parameterOfMacro(body, parameter);
  if (!number || !mark.isMacroID())
    return Word::None;
  const auto [tokens, name] = tokenAt(sources_.getImmediateExpansionRange(mark).getBegin());
  int depth = 0;
  unsigned argument = 0;
  for (size_t i = name + 1; i < tokens.size(); ++i) {
    const RawToken &t = tokens[i];
    if (t.is("("))
      ++depth;
    else if (t.is(")") && --depth <= 0)
      break;
    else if (t.is(",") && depth == 1)
      ++argument;
    else if (argument == *number && t.is("thread"))
      return Word::Thread;
    else if (argument == *number && t.kind == TokenKind::Identifier &&
             (isMacro(t.text) || parameterOfMacro(tokens, i)))
      return Word::Macro;
  }
  return Word::None;
}

bool ThreadWords::isMacro(std::string_view word) const {
  const IdentifierInfo *identifier =
      preprocessor_.getIdentifierInfo(llvm::StringRef(word.data(), word.size()));
  if (!identifier->hadMacroDefinition())
    return false;
  for (const MacroDirective *d = preprocessor_.getLocalMacroDirectiveHistory(identifier); d;
       d = d->getPrevious())
    if (const auto *definition = dyn_cast<DefMacroDirective>(d))
      if (!isShimPath(sources_.getFilename(definition->getInfo()->getDefinitionLoc())))
        return true;
  return false;
}

ThreadWords::Word ThreadWords::inAlias(QualType type) {
  for (;;) {
    const TypedefNameDecl *alias = nullptr;
    if (const auto *named = type->getAs<TypedefType>())
      alias = named->getDecl();
    else if (const auto *made = type->getAs<TemplateSpecializationType>(); made && made->isTypeAlias())
      alias = cast<TypeAliasTemplateDecl>(made->getTemplateName().getAsTemplateDecl())->getTemplatedDecl();
    if (!alias || !alias->getTypeSourceInfo())
      return Word::None;
    const QualType means = alias->getUnderlyingType();
    if (means->isPointerType() || means->isReferenceType())
      return Word::None;
    if (const Word word = inAlias(alias); word != Word::None)
      return word;
    type = means;
  }
}

// `using TF = thread float`, `using TF = float thread`, `typedef thread float TF`
ThreadWords::Word ThreadWords::inAlias(const TypedefNameDecl *alias) {
  if (!isa<TypeAliasDecl>(alias))
    return before(alias->getLocation());
  auto [tokens, i] = tokenAt(alias->getLocation());
  while (i < tokens.size() && !tokens[i].is("=") && !tokens[i].is(";"))
    ++i;
  for (int depth = 0; i < tokens.size() && !tokens[i].is(";"); ++i) {
    depth += tokens[i].is("(") + tokens[i].is("<") - tokens[i].is(")") - tokens[i].is(">");
    if (depth == 0 && tokens[i].is("thread"))
      return Word::Thread;
  }
  return Word::None;
}

SourceLocation ThreadWords::endOfSpecifiers(const Decl *declarator, TypeLoc type) {
  SourceLocation mark = declarator->getLocation();
  while (const auto step = stepInto(type)) {
    type = step->inner;
    if (step->mark.isValid())
      mark = step->mark;
  }
  return declarations_.try_emplace(declarator->getBeginLoc(), mark).first->second;
}

SourceLocation ThreadWords::wordsOfAll(const NamedDecl *decl, TypeLoc type) {
  const bool shares = isa<VarDecl, FieldDecl, TypedefDecl>(decl) && !isa<ParmVarDecl>(decl);
  return shares ? endOfSpecifiers(decl, type) : SourceLocation();
}

ThreadWords::Word ThreadWords::at(SourceLocation mark, SourceLocation shared, QualType to) {
  Word word = before(mark);
  if (word == Word::None)
    word = inAlias(to);
  if (word == Word::None && shared.isValid())
    word = before(shared);
  return word;
}

} // namespace assay::frontend
