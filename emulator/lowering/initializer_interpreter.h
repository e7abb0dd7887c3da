// Runs a dynamic initialiser of program-scope variables and keeps their memory byte by byte.
//
// Problem.  `constant S s = {float2x2(3), float4(2)};` is written through unions and class members: stores of
//           one type over storage of another, copies of parts, loads of half a vector. LLVM's own evaluator
//           keeps memory as typed constants. Where the types do not match, it stops, or loses values.
// Choice.   A small interpreter. Values are LLVM constants, and LLVM's constant folder evaluates each
//           instruction. Memory is bytes, with a mark for undefined ones and a table of the addresses stored
//           in it. A variable's new initialiser is made from its memory at the end, so that a run that fails
//           changes nothing.
// Unknown.  A result that depends on a variable without a value is *unknown*. Operations may compute with an
//           unknown value; in `has ? a : 7` it does no harm if it is not chosen. A run that stores an unknown
//           value, or branches on one, fails.
// Limit.    A variable gets a value only from a run that ends, and only if no element is undefined. Memory
//           that such a run does not write is zero, because C++ initialises it to zero first.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <optional>

namespace llvm {
class Function;
class GlobalVariable;
class TargetLibraryInfo;
} // namespace llvm

namespace assay::lowering {

/// Gives each variable that the initialiser writes the value that it computes.
///   beforeUse  is called before the first read or write of each variable: it may run the initialiser of that
///              variable
///   returns    the variables written; none, with the module as it was, if something cannot be computed or
///              takes too many steps
std::optional<llvm::SmallVector<llvm::GlobalVariable *>>
interpretInitializer(llvm::Function &initializer, const llvm::TargetLibraryInfo &library,
                     llvm::function_ref<void(llvm::GlobalVariable &)> beforeUse);

} // namespace assay::lowering
