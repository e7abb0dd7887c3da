// Links several sources into one library, as Apple's linker does with several .air files.
//
// Problem.  Xcode compiles each .metal file by itself and links all of a target: a function that one file
//           declares may be defined in another. A kernel must become one function without calls, with all
//           that it reaches.
// Choice.   Each source is compiled as it would be alone, so that macros, `using` and names of one file never
//           meet those of another. Then LLVM's linker joins the modules, and everything after that sees one
//           module. What the linker would not notice is checked first: symbols with two definitions or with
//           none, two entry functions of one name, and files that disagree about a type (link_symbols.h).
// Apart.    Each file keeps its own inline functions and instantiations of templates, and everything that is
//           static or in an unnamed namespace. Two of these with the same name may differ, because Apple's
//           compiler has mostly inlined them before it links. Such a function or variable is shared only if
//           another file declares it without defining it.
// Constants. `constant` variables belong to their file, like `const` ones of C++, unless they are `extern`.
//           Two files may give one index to different function constants, since each function has its own;
//           a kernel that reads both cannot be run.
// Rejected. One text of all sources (their names would meet). A library of its own for each source, linked
//           with what it needs: a function table holds the functions of one module.
#pragma once

#include "frontend/link_symbols.h"
#include "frontend/reflection.h"
#include "support/text/result.h"

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace assay::frontend {

/// A compiled source before it is joined with others.
struct LinkUnit {
  std::string file; ///< what messages call it
  ReflectedModule reflected;
  std::unique_ptr<llvm::Module> module;
  std::vector<LinkSymbol> symbols;
};

/// Fills ModuleInfo::needs and ModuleInfo::gives. A linked module has none.
void listSymbols(LinkUnit &unit);

/// Warnings "undefined-symbol" for symbols that the source uses and does not define, each at its first use. A
/// visible function does not count as missing, because pipelines may link it. For Metal, such a source alone
/// is no library; other sources may define the symbols.
std::vector<Diagnostic> undefinedSymbols(const LinkUnit &unit);

/// The modules belong to one context, and their debug places are the user's. The result has the name of the
/// first, and no symbols.
///   errors   Kernel "duplicate-symbol", "undefined-symbol", "symbol-type", with the places
Result<LinkUnit> link(std::vector<LinkUnit> units);

} // namespace assay::frontend
