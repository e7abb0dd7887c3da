// Places in the user's file for instructions: instructions of the shim have the place of the user's call.
#include "source_place.h"

namespace assay::lowering {

bool inShim(llvm::StringRef file) {
  return file.starts_with(llvm::StringRef(kShimRoot.data(), kShimRoot.size()));
}

SourcePlace placeOf(const llvm::DILocation *location) {
  for (; location; location = location->getInlinedAt()) {
    const llvm::DISubprogram *function = location->getScope()->getSubprogram();
    if (location->getLine() == 0 || inShim(location->getFilename()) || (function && function->isArtificial()))
      continue;
    return {location->getFilename().str(), location->getLine(), location->getColumn()};
  }
  return {};
}

SourcePlace placeOf(const llvm::Instruction &instruction) {
  return placeOf(instruction.getDebugLoc().get());
}

SourcePlace placeOf(const llvm::Function &function) {
  const llvm::DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return {};
  return {subprogram->getFilename().str(), subprogram->getLine(), 0};
}

uint64_t callsAround(const llvm::Instruction &instruction) {
  uint64_t calls = 0;
  for (const llvm::DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt())
    calls = (calls ^ (uint64_t(at->getLine()) << 16 ^ at->getColumn())) * 0x9E3779B97F4A7C15;
  return calls;
}

} // namespace assay::lowering
