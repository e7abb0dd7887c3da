// Runs a dynamic initialiser of program-scope variables and keeps their memory byte by byte.
//
// Problem.  `constant S s = {float2x2(3), float4(2)};` is written through unions and class members: stores of one
//           type over storage of another, copies of parts, loads of half a vector. LLVM's own evaluator keeps
//           memory as typed constants and stops, or loses what it was told, where the types do not meet.
// Choice.   A small interpreter. Values are LLVM constants, and each instruction is folded by LLVM's constant folder;
//           memory is bytes, with a mark for those that nobody has written. A variable's new initialiser is made
//           from its bytes at the end, so that nothing is changed by a run that fails.
// Limit.    Addresses in memory are not kept: a variable that holds one is not computed here.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Constant;
class DataLayout;
class TargetLibraryInfo;
class Type;
template <class T> class ArrayRef;
} // namespace llvm

namespace assay::lowering {

/// Gives each variable that the initialiser writes the value that it computes.
///   returns  false, with the module as it was, if something cannot be computed or takes too many steps
bool interpretInitializer(llvm::Function &initializer, const llvm::TargetLibraryInfo &library);

/// The constant of a type that lies in memory as these bytes; null for a type with addresses in it.
llvm::Constant *constantFromBytes(llvm::Type *type, llvm::ArrayRef<uint8_t> bytes, const llvm::DataLayout &layout);

} // namespace assay::lowering
