// See kept_places.h.
#include "kept_places.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {

using namespace llvm;

KeptPlaces::KeptPlaces(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (const DebugLoc &place = instruction.getDebugLoc();
        instruction.mayReadOrWriteMemory() && place && place.getLine() != 0)
      accesses_.emplace_back(&instruction, place);
}

void KeptPlaces::restore() const {
  for (const auto &[access, place] : accesses_)
    if (auto *instruction = cast_or_null<Instruction>(static_cast<Value *>(access));
        instruction && (!instruction->getDebugLoc() || instruction->getDebugLoc().getLine() == 0))
      instruction->setDebugLoc(place);
}

} // namespace assay::lowering
