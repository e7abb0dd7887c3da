// Repairs code that Clang refuses and Metal accepts. Clang's own error tells the place, the source view gets
// an insertion there, and the file is parsed again. Only programs that need a repair pay for it.
//
// argument_conversions.h  arguments that need a conversion of the language beside one of a class
// array_parameters.h  parameters whose type is an alias of an array, in an address space
// by_value_fixes.h    operands that must reach an operator by value
// component_fixes.h   components of swizzles on the left of an assignment, and components by number
// deduced_class_fixes.h  swizzles that the arguments of a class template are deduced from
// constant_strings.h  string literals where constant memory is asked for
// functional_casts.h  conditions that begin with a functional cast of a pointer that is cast
// generic_casts.h     casts of pointers without an address space, in Metal 4.1
// generic_pairs.h     functions that differ only in the word thread, in Metal 4.1
// local_spaces.h      local variables in threadgroup or constant memory
// operator_fixes.h    templates of operators, instantiated for vectors and numbers alone
// scalar_braces.h     elements of a vector in several pairs of braces
// tensor_subscripts.h  tensors with several indices between the brackets
// undefined_constants.h  constant shift counts outside the width
// vector_lists.h      functions that differ in a vector's elements, called with a list in braces
// memory_overloads.h  functions that differ in an address space, of which that of thread memory does not fit
// list_arguments.h    functions that differ in an address space, called with a list in braces
#pragma once

#include "frontend/argument_conversions.h"
#include "frontend/constant_strings.h"
#include "frontend/list_arguments.h"
#include "frontend/memory_overloads.h"
#include "frontend/scalar_braces.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/Diagnostic.h>

#include <set>

namespace assay::frontend {

class CompileFixes {
public:
  /// The preprocessor whose macros the text uses; null when the text has been read.
  void watch(const clang::Preprocessor *preprocessor) { strings_.watch(preprocessor); }
  /// Notes the fixes for an error, or for the error that a note belongs to.
  void consider(const clang::Diagnostic &info, const ViewFileSystem &files);

  /// What apply() did. A Trial may repair nothing: then the errors from before the trial are to be shown.
  enum class Applied { Nothing, Repairs, Trial };
  /// Applies what was noted since the last call, in addition to all that was applied before.
  Applied apply(ViewFileSystem &files);

private:
  bool add(const std::set<SourceFix> &fixes);

  ConstantStrings strings_;
  ListArguments lists_;
  ArgumentConversions conversions_;
  MemoryOverloads memories_;
  ScalarBraces braces_;
  std::set<SourceFix> repairs_, trials_, applied_;
  std::set<SourceFix> outdated_;   ///< applied once; others that replace the same text came later
  std::set<SourceFix> lastTrials_; ///< for what the trials leave
};

} // namespace assay::frontend
