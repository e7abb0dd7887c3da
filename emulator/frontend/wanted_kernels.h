// Only the kernels that are asked for get a body.
//
// Problem.  Real files instantiate hundreds of kernels by macros, and one of them is run. Most of the time goes
//           into bodies that nobody asked for.
// Choice.   Clang tells its listener when an explicit instantiation is about to be made, its attributes already
//           attached. An invalid declaration gets no body: those that are not wanted are marked so. Their
//           parameters are known all the same, and reflection lists them.
// Rejected. `extern template` in the source view: names are pasted together by macros there, and unknown.
#pragma once

#include <clang/AST/ASTMutationListener.h>
#include <clang/AST/Decl.h>

#include <set>
#include <string>
#include <vector>

namespace assay::frontend {

class WantedKernels : public clang::ASTMutationListener {
public:
  /// names   as kernelName() has them; none: all are wanted
  explicit WantedKernels(const std::vector<std::string> &names) : names_(names.begin(), names.end()) {}

  bool all() const { return names_.empty(); }
  bool wants(const clang::FunctionDecl *kernel) const;

  void InstantiationRequested(const clang::ValueDecl *declaration) override;

private:
  std::set<std::string> names_;
};

} // namespace assay::frontend
