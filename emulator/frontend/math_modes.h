// Decides which math mode applies at each place: `#pragma METAL fp math_mode(safe|relaxed|fast)`, and the
// mode of the build.
//
// Problem.  An unqualified sqrt(x) is precise::sqrt in safe mode and fast::sqrt otherwise, and the mode
//           depends on the place of the call: on the build, the rest of the file, or a block.
// Choice.   The shim's function asks __assay_safe_math(), and this file answers for each place. Clang reports
//           where the pragmas are, the AST shows how far they reach, and the debug location of each of the
//           program's calls shows which pragma reaches it. A function of the shim that asks, itself or
//           through others, is copied once if some of its callers are in the other mode. Macros and templates
//           need no rule: a call is where it is written, or where the macro is expanded.
// Reach.    In a block, from the pragma to the end of the block. Outside of functions, to the next such
//           pragma or the end of the compilation, past the ends of headers.
// Rejected. Rewriting names in the source view (sqrt may be the program's own, or a member);
//           using-declarations of metal::precise in the block (argument-dependent look-up also finds the
//           others, and qualified names are not affected); fast-math flags on calls (calls that return a
//           class carry none).
// Not here. x / y is correctly rounded in every mode, and the profile and its own pragma decide contraction.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

namespace assay::frontend {

struct MathModePragma {
  clang::SourceLocation where;
  clang::SourceLocation end; ///< invalid: to the end of the compilation
  bool safe = false;
};

class MathModes {
public:
  explicit MathModes(bool safe) : safe_(safe) {}

  /// Collects the pragmas of a compilation that is about to start. The modes must outlive it.
  void watch(clang::Preprocessor &preprocessor);

  /// Replaces every call of __assay_safe_math. Columns must still be in the source view's numbering.
  void resolve(llvm::Module &module, clang::ASTContext &context);

private:
  bool safe_; ///< of the build
  std::vector<MathModePragma> pragmas_;
};

} // namespace assay::frontend
