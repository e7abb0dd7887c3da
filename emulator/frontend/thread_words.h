// Whether a pointer or a reference was written with the word `thread`.
//
// Problem.  `thread` leaves nothing in a type, since it is Clang's default address space here. A type without
//           any space looks the same, and Metal refuses it.
// Choice.   The words are read from the source view: those before the `*` or `&`, those before the first
//           declarator of its declaration (`thread T *a, *b`), and those of an alias before it
//           (`using TF = thread float`, then `TF *p`). A macro of the program may stand for `thread`.
// Rejected. An attribute in the type: each conversion between the two forms of one type would need a rule.
#pragma once

#include "frontend/tokens.h"
#include "frontend/view_file_system.h"

#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace assay::frontend {

// A step from a written type to the type inside it: `float (*p)[4]` has an array in a pointer.
struct TypeStep {
  clang::TypeLoc inner;
  clang::SourceLocation mark; ///< the `*` or `&`, if the step led through a pointer or a reference
};

/// Nothing for a type with no other type inside: one with a name.
inline std::optional<TypeStep> stepInto(clang::TypeLoc type) {
  using namespace clang;
  type = type.getUnqualifiedLoc();
  if (const auto paren = type.getAs<ParenTypeLoc>())
    return TypeStep{paren.getInnerLoc(), {}};
  if (const auto attributed = type.getAs<AttributedTypeLoc>())
    return TypeStep{attributed.getModifiedLoc(), {}};
  if (const auto fromMacro = type.getAs<MacroQualifiedTypeLoc>())
    return TypeStep{fromMacro.getInnerLoc(), {}};
  if (const auto array = type.getAs<ArrayTypeLoc>())
    return TypeStep{array.getElementLoc(), {}};
  if (const auto pointer = type.getAs<PointerTypeLoc>())
    return TypeStep{pointer.getPointeeLoc(), pointer.getStarLoc()};
  if (const auto reference = type.getAs<ReferenceTypeLoc>())
    return TypeStep{reference.getPointeeLoc(), reference.getSigilLoc()};
  return std::nullopt;
}

class ThreadWords {
public:
  explicit ThreadWords(clang::Preprocessor &preprocessor)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()) {}

  enum class Word : unsigned char { None, Thread, Macro };
  /// What the words before a `*`, a `&` or a name contain.
  Word before(clang::SourceLocation mark);

  /// What the aliases contain by which a type is named. None for an alias of a pointer or a reference.
  Word inAlias(clang::QualType type);

  /// The place that ends the words of a whole declaration: the first `*` or `&` of its first declarator, or
  /// the declarator's name. `declarator` is that one, or a later one of the same declaration, which is
  /// visited after it.
  clang::SourceLocation endOfSpecifiers(const clang::Decl *declarator, clang::TypeLoc type);

  /// Where the words end that a declarator shares with those before it; of a parameter there are none.
  clang::SourceLocation wordsOfAll(const clang::NamedDecl *decl, clang::TypeLoc type);

  /// What is written for a pointer or reference to `to`: before its mark, for the whole declaration
  /// (wordsOfAll()), or in an alias.
  Word at(clang::SourceLocation mark, clang::SourceLocation shared, clang::QualType to);

private:
  std::pair<const std::vector<RawToken> &, size_t> tokenAt(clang::SourceLocation where);
  static std::optional<unsigned> parameterOfMacro(const std::vector<RawToken> &tokens, size_t i);
  Word wordGiven(const std::vector<RawToken> &body, size_t parameter, clang::SourceLocation mark);
  bool isMacro(std::string_view word) const;
  Word inAlias(const clang::TypedefNameDecl *alias);

  clang::Preprocessor &preprocessor_;
  const clang::SourceManager &sources_;
  std::map<clang::FileID, std::vector<RawToken>> tokens_;
  std::map<clang::SourceLocation, clang::SourceLocation> declarations_; ///< by where they begin
};

} // namespace assay::frontend
