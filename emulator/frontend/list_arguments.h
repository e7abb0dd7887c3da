// Functions that differ in the address space of a reference, called with a list in braces.
//
// Problem.  A list in braces makes a temporary value, which lies in thread memory. Of
//           `T op(const device T &)` and `T op(const thread T &)`, called as `op({1, 2})`, Metal calls the
//           second. Clang does not look at the space of the value while it ranks the functions: it calls one
//           of the others, and then refuses that the reference is bound, or finds the call ambiguous.
// Choice.   A function with an enable_if attribute is ranked only after Clang has tried to make each of its
//           parameters from its argument. Clang's errors name the functions: those with a parameter in
//           another space than thread memory get an attribute that is always true, and the file is parsed
//           again.
//           Definitions outside of a class and explicit specialisations of such a function then no longer
//           fit their declaration. Clang reports them, and they get the attribute, too.
// Rejected. The attribute on every such function: it takes part in the function's mangled name, and a
//           declaration that a macro writes would differ from its definition. A type before the list: the
//           text does not tell which one.
// Limit.    A function outside of a class that has a declaration apart from its definition stays refused.
#pragma once

#include "frontend/view_file_system.h"
#include "frontend/written_token.h"

#include <clang/Basic/Diagnostic.h>

#include <optional>
#include <set>
#include <vector>

namespace assay::frontend {

/// An argument of a call, as the indices of its first and its last token.
struct Argument {
  size_t first = 0, last = 0;
};
/// Those of the call whose function is named by this token; none for a call whose end is not found.
std::vector<Argument> argumentsOf(const WrittenToken &call);
/// Those that are lists in braces.
std::vector<Argument> listsIn(const WrittenToken &call);
/// The name before the parenthesis that holds this token: of a function that is called or declared.
std::optional<WrittenToken> functionAround(WrittenToken inside);

class ListArguments {
public:
  /// The fixes that add the attributes for this diagnostic. A note after an error names a function.
  std::set<SourceFix> consider(const clang::Diagnostic &info, const ViewFileSystem &files);

private:
  bool ambiguous_ = false, refused_ = false; ///< what the last error was
  bool asked_ = false;                       ///< for an attribute, in this run or one before
};

} // namespace assay::frontend
