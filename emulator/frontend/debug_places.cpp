#include "frontend/debug_places.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace assay::frontend {

void mapDebugColumns(llvm::Module &module, const ViewFileSystem &files) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        const llvm::DILocation *at = instruction.getDebugLoc();
        if (!at || at->getInlinedAt())
          continue;
        const SourceView *view = files.view(at->getFilename());
        if (!view)
          continue;
        const uint32_t column = view->originalColumn(at->getLine(), at->getColumn());
        if (column != at->getColumn())
          instruction.setDebugLoc(llvm::DILocation::get(module.getContext(), at->getLine(), column,
                                                        at->getScope(), nullptr, at->isImplicitCode()));
      }
}

} // namespace assay::frontend
