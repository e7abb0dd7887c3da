// Conversions between half and bfloat that Clang makes and IR does not have.
//
// Problem.  In `bfloat + half` Clang ranks half above bfloat and converts, as for any two floating types; its code
//           generator then widens or narrows one type of 16 bits to the other, which is no valid IR.
// Choice.   Such a cast becomes two, by way of float, which holds every value of both: one rounding.
#pragma once

namespace llvm {
class Module;
}

namespace assay::frontend {

void castHalvesThroughFloat(llvm::Module &module);

} // namespace assay::frontend
