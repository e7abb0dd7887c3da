// What Clang does with one source: rules, reflection, code generation, entry wrappers.
#pragma once

#include "frontend/compile.h"
#include "frontend/link_symbols.h"
#include "frontend/reflection.h"
#include "frontend/space_alias_macros.h"
#include "frontend/view_file_system.h"

#include <clang/Frontend/FrontendAction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

namespace assay::frontend {

/// The results of one run of Clang.
struct Product {
  ReflectedModule reflected;
  std::unique_ptr<llvm::Module> module;
  std::vector<LinkSymbol> symbols;
  bool ended = false;      ///< by a fatal error
  bool asksPlaces = false; ///< __LINE__ and its like
  bool wantsAirSymbols = false;
};

/// All arguments must outlive it. `aliases` gets the macros that stand for address spaces.
std::unique_ptr<clang::FrontendAction> kernelAction(llvm::LLVMContext &context, const ViewFileSystem &files,
                                                    const SourceRequest &request, SpaceAliases &aliases,
                                                    Product &product);

} // namespace assay::frontend
