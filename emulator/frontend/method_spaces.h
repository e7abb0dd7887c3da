// Member functions that differ in the address space of their object.
//
// Problem.  `T get() const device` and `T get() const thread` are two functions. Each object calls its own,
//           and inside, `this` points to that space, so that `device T &operator[](size_t i) device` can
//           return a reference to a member. Clang has the qualifier in its types (OpenCL C++ uses it), but
//           its parser reads it only in OpenCL.
// Choice.   The source view writes the qualifier as an annotation, together with a number of enable_if
//           attributes that keeps overloads apart until their class is complete. At that moment, before it
//           parses any body, Clang tells its listener about the class, and the listener gives each annotated
//           member function the qualified type. Clang does not read such an attribute before a trailing
//           result (`-> T`), so it is written before `auto`. Clang does the rest itself: overload resolution,
//           `this`, templates, mangling, code generation.
//           `thread` needs a space that is not a superset of the others, as the default space is, but
//           converts to and from the default space. __ptr64 converts both ways, and in IR it is the default
//           space (makeThreadSpacePlain()). For Clang, an object in thread memory fits the functions of every
//           space; the `thread` function wins because it carries the most enable_if attributes, and
//           space_rules.h refuses a call that is left with a wrong one. Constructors are the opposite case:
//           Clang itself leaves out constructors of other spaces, and `thread`, the default, must not win
//           over a constant object's constructor.
//           A function without a qualifier is a `thread` function if others of its name have a qualifier, as
//           in Metal. Otherwise it serves objects in every space for Clang, and space_rules.h refuses all but
//           objects in thread memory.
//           From Metal 4.1 on, it serves every object that no other function of its name is for. Clang would
//           take a `device` function for an object in thread memory, as the narrower one, so the class gets a
//           twin of the function for these, without a body, and thread_twins.h replaces its calls.
//           A `thread` function of the same type is the twin itself (generic_pairs.h).
//           A definition outside of the class must have its declaration's type when Clang compares the two.
//           Before that, Clang applies attributes. One of our own, registered with Clang as a plugin's would
//           be, gives the definition the space that the declaration has by then.
//           The assignments that Clang declares itself belong to the default space, and for an object in
//           thread memory a `device` function of the program would be as good or better. So each is declared
//           twice, if the program's assignments differ in the space: for objects in thread memory, and for
//           all others. A class whose members must be assigned one by one keeps Clang's.
// Rejected. enable_if alone (the last one defined served all objects); explicit object parameters (a body
//           would have to name its object); OpenCL C++ as the language (see compile.h).
// Limit.    A function without a qualifier that is a `thread` function, since others of its name have
//           qualifiers, cannot be defined outside of its class. Templates, members of class templates,
//           constexpr functions, and those with default arguments or a deduced result have no twin: in Metal
//           4.1, too, such a function is one for objects in thread memory, and for generic ones. So is a
//           function beside one with the word `thread` and another type, or with `ray_data`.
//           In a trailing result, members are those of an object in thread memory: `-> decltype((v[i]))` is
//           no reference to device memory.
#pragma once

#include <clang/AST/ASTMutationListener.h>

#include <cstddef>
#include <string_view>

namespace clang {
class CXXMethodDecl;
class FunctionDecl;
class Sema;
class TargetInfo;
} // namespace clang

namespace assay::frontend {

/// The source view's replacement of a trailing `device`, `constant`, `threadgroup`, `thread`, `object_data`,
/// `ray_data` or `threadgroup_imageblock`; empty for any other word.
std::string_view methodSpaceText(std::string_view word);

/// The number of enable_if attributes in that replacement.
size_t enableIfsOf(std::string_view word);

inline constexpr std::string_view kMethodSpaceAttribute = "assay_method_space";

class MethodSpaces : public clang::ASTMutationListener {
public:
  void CompletedTagDefinition(const clang::TagDecl *tag) override;

protected:
  clang::Sema *twins_ = nullptr; ///< set if member functions without a space may have twins
};

/// Whether two member functions differ in nothing but the space of their object.
bool differInObjectAlone(const clang::CXXMethodDecl &a, const clang::CXXMethodDecl &b);

/// The function whose twin this is; null if it is none.
clang::CXXMethodDecl *twinOf(const clang::FunctionDecl *function);

/// Declares the assignments of a complete class that has others for objects in some space.
void declareAssignments(clang::Sema &sema, const clang::TagDecl *tag);

/// Gives the space of `thread` the default space's number in IR. The table lives as long as the program.
void makeThreadSpacePlain(clang::TargetInfo &target);

} // namespace assay::frontend
