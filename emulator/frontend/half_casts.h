// Replaces conversions between half and bfloat, which Clang makes and IR does not have.
//
// Problem.  In `bfloat + half`, Clang ranks half above bfloat and converts, as for any two floating types.
//           Its code generator then extends or truncates between two types of 16 bits, which is not valid IR.
// Choice.   Such a cast becomes two casts through float, which holds every value of both types. So only one
//           of the two casts rounds.
#pragma once

namespace llvm {
class Module;
}

namespace assay::frontend {

void castHalvesThroughFloat(llvm::Module &module);

} // namespace assay::frontend
