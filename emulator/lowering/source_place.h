// Finds the place of an instruction in the user's file.
#pragma once

#include "support/text/diagnostic.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

namespace assay::lowering {

/// Whether a file is one of the shim's.
bool inShim(llvm::StringRef file);

/// The innermost place in user code. Functions of the shim are marked artificial (or carry no debug
/// information at all), and their instructions belong to the line that calls them.
SourcePlace placeOf(const llvm::DILocation *location);
SourcePlace placeOf(const llvm::Instruction &instruction);
SourcePlace placeOf(const llvm::Function &function);

/// A number for the chain of calls through which an instruction was inlined. Copies of the instruction have
/// the same number.
uint64_t callsAround(const llvm::Instruction &instruction);

} // namespace assay::lowering
