#include "frontend/debug_places.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace assay::frontend {

void mapDebugPlaces(llvm::Module &module, const ViewFileSystem &files) {
  for (llvm::Function &function : module) {
    if (const llvm::DISubprogram *where = function.getSubprogram(); where && isShimPath(where->getFilename()))
      function.addFnAttr(kShimFunction);
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        const llvm::DILocation *at = instruction.getDebugLoc();
        if (!at || at->getInlinedAt())
          continue;
        const SourceView *view = files.view(at->getFilename());
        if (!view)
          continue;
        const uint32_t column = view->originalColumn(at->getLine(), at->getColumn());
        const SourceView::LineName shown = view->nameOf(at->getLine());
        llvm::DILocalScope *scope = at->getScope();
        if (!shown.file.empty() && shown.file != at->getFilename())
          scope = llvm::DILexicalBlockFile::get(
              module.getContext(), scope,
              llvm::DIFile::get(module.getContext(), shown.file, at->getDirectory()), 0);
        if (column != at->getColumn() || shown.line != at->getLine() || scope != at->getScope())
          instruction.setDebugLoc(llvm::DILocation::get(module.getContext(), shown.line, column, scope,
                                                        nullptr, at->isImplicitCode()));
      }
  }
}

} // namespace assay::frontend
