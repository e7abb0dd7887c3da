// Member functions that differ in the address space of their object.
//
// Problem.  `T get() const device` and `T get() const thread` are two functions: each object calls its own, and
//           inside, `this` points to that space, so that `device T &operator[](size_t i) device` may return a
//           reference to a member. Clang has the qualifier in its types (OpenCL C++ uses it), but its parser reads
//           it in OpenCL alone.
// Choice.   The source view writes the qualifier as an annotation, with a number of enable_if attributes that keeps
//           overloads apart until their class is complete. At that moment Clang tells its listener about the class,
//           before it parses any body, and the listener gives each annotated member function the qualified type.
//           All that follows is Clang's own: overload resolution, `this`, templates, mangling, code generation.
//           `thread` needs a space that is neither a superset of the others, as the default space is, nor a stranger
//           to it: __ptr64 converts both ways, and in IR it is the default space (makeThreadSpacePlain()). An object
//           in thread memory fits functions of each space, for Clang; that of `thread` wins because it carries the
//           most enable_if attributes, and space_rules.h refuses a call that is left with a wrong one. Constructors
//           are the other way round: Clang itself leaves out those of other spaces, and `thread`, the default,
//           must not win against that of a constant.
//           Without a qualifier a function is of `thread` where others of its name have one, as in Metal; elsewhere
//           it serves objects in every space, for Clang; space_rules.h refuses all but those in thread memory.
// Rejected. enable_if alone (the last one defined served all objects); explicit object parameters (a body would have
//           to name its object); OpenCL C++ as the language (see compile.h).
// Limit.    A qualified member function that is defined outside of its class is refused.
#pragma once

#include <clang/AST/ASTMutationListener.h>

#include <string_view>

namespace clang {
class TargetInfo;
} // namespace clang

namespace assay::frontend {

/// What the source view puts in the place of a trailing `device`, `constant`, `threadgroup` or `thread`; empty for
/// any other word.
std::string_view methodSpaceText(std::string_view word);

class MethodSpaces : public clang::ASTMutationListener {
public:
  void CompletedTagDefinition(const clang::TagDecl *tag) override;
};

/// Gives the space that stands for `thread` the number of the default one in IR. The table lives as long as the
/// program.
void makeThreadSpacePlain(clang::TargetInfo &target);

} // namespace assay::frontend
