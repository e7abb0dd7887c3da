// Pointers without an address space, which Metal has from 4.1 on.
//
// Problem.  A generic pointer or reference points to device, threadgroup or thread memory. All pointers to
//           these convert to it, and none back without a cast: `thread float &` does not bind to a member of
//           an object that a member function without a space is called on. For Clang, `thread` memory and
//           generic memory are one space, the default one, and nothing in a type tells them apart.
// Choice.   The words of declarations tell them apart (thread_words.h), as they do in older versions, where
//           pointers without one are refused. space_rules.h asks where a conversion begins and ends.
//           Lowering and the engines need no rule: they compute with addresses, and the default space covers
//           all of them. Which memory an address is in: lowering/points_to.h.
// Limit.    What a template deduced, and what a macro of the program may write, is taken for either.
//           Functions that differ only in `thread` and no space: generic_pairs.h. Member functions and
//           templates that do are one function.
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers"
#pragma once

#include "frontend/thread_words.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

namespace assay::frontend {

class GenericPointers {
public:
  explicit GenericPointers(ThreadWords &words) : words_(words) {}

  /// Whether `thread` is written for the first pointer or reference of a type.
  bool isThread(clang::TypeLoc type) { return wordOf(type) == ThreadWords::Word::Thread; }
  /// Whether no space is written for it.
  bool isGeneric(clang::TypeLoc type) { return wordOf(type) == ThreadWords::Word::None; }
  /// Whether `thread` is written for a variable, a parameter or a member, or for the result of a function.
  bool isThread(const clang::DeclaratorDecl *decl) { return wordOf(decl) == ThreadWords::Word::Thread; }

  /// Whether the pointer, or the object, is reached through a generic pointer, a generic reference, or `this`
  /// of a member function without a space.
  ///   function   in which the value is computed; null: none, or a lambda's
  bool isGeneric(const clang::Expr *value, const clang::FunctionDecl *function);

private:
  /// decl   of which the type is; null of a function's result, and of a type without a declaration
  std::optional<ThreadWords::Word> wordOf(clang::TypeLoc type, const clang::DeclaratorDecl *decl = nullptr);
  std::optional<ThreadWords::Word> wordOf(const clang::DeclaratorDecl *decl);
  bool isGenericDeclaration(const clang::ValueDecl *decl);

  ThreadWords &words_;
};

/// Whether a member function has no space, not even `thread`.
bool hasGenericObject(const clang::CXXMethodDecl *method);

} // namespace assay::frontend
