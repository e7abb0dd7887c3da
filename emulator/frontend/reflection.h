// Makes a ModuleInfo from Clang's AST: kernels, their arguments, function constants.
//
// It reads the annotations that the source view wrote. Errors of Metal that are legal in plain C++
// (an argument without an address space, two arguments in one slot) are reported through Clang's diagnostics,
// so that they are placed like all others.
#pragma once

#include "frontend/instantiations.h"
#include "frontend/view_file_system.h"
#include "support/abi/module_info.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace assay::frontend {

/// A variable at program scope that is set before a thread starts (global_bindings.h).
struct GlobalBinding {
  ArgumentInfo argument;
  std::string unsupported; ///< why a kernel that uses it cannot be run; empty if it can
  std::string symbol;      ///< of the variable in IR; empty if nothing uses it
};

struct ReflectedModule {
  ModuleInfo info;                                  ///< without facts from IR (symbols, bytes)
  std::vector<const clang::FunctionDecl *> kernels; ///< same order as info.kernels
  std::vector<const clang::VarDecl *> constants;    ///< same order as info.functionConstants
  std::vector<const clang::FunctionDecl *> others;  ///< same order as info.otherFunctions
  std::vector<GlobalBinding> globals;
  std::vector<const clang::VarDecl *> globalVariables; ///< same order as globals
};

/// declarations   that code is generated for
/// asked          functions whose instantiation was asked for; code is generated for those that are wanted
ReflectedModule reflect(clang::ASTContext &context, const ViewFileSystem &files,
                        const Declarations &declarations,
                        const std::vector<const clang::FunctionDecl *> &asked);

/// In a program that Clang refuses: reports what is wrong with the arguments of a kernel or with a function
/// constant, except a missing address space. Does not look into structures.
void reportSignature(clang::ASTContext &context, const ViewFileSystem &files,
                     const clang::FunctionDecl &kernel);
void reportFunctionConstant(clang::ASTContext &context, const ViewFileSystem &files,
                            const clang::VarDecl &variable);

} // namespace assay::frontend
