// Gives a body only to kernels that are asked for.
//
// Problem.  Real files instantiate hundreds of kernels by macros, and one of them is run. Most of the time
//           goes into bodies that nobody asked for.
// Choice.   Clang tells its listener when it is about to make an explicit instantiation, whose attributes are
//           already attached. An invalid declaration gets no body, so unwanted kernels are marked invalid.
//           Their parameters are still known, and reflection lists them.
// Rejected. `extern template` in the source view: macros paste the names together, so they are not known
//           there.
#pragma once

#include <clang/AST/ASTMutationListener.h>
#include <clang/AST/Decl.h>

#include <set>
#include <string>
#include <vector>

namespace assay::frontend {

class WantedKernels : public clang::ASTMutationListener {
public:
  /// names   as kernelName() gives them; empty: all are wanted
  explicit WantedKernels(const std::vector<std::string> &names) : names_(names.begin(), names.end()) {}

  bool all() const { return names_.empty(); }
  bool wants(const clang::FunctionDecl *kernel) const;

  void InstantiationRequested(const clang::ValueDecl *declaration) override;

private:
  std::set<std::string> names_;
};

} // namespace assay::frontend
