// Keeps the flush of arithmetic whose operands turn out late to be constants.
//
// Problem.  LLVM deletes x * 1 and, with it, the flush of a subnormal x. Apple's compiler does so, too. So
//           this is right for a constant in the source text: the optimiser (optimizer.h) sees it before the
//           neutral module is finished, and every engine gets the same code. But the engines optimise once
//           more, each in its own way. A factor from an array of the thread may become the constant 1 in the
//           code for simdgroups, which promotes the array, and not in the code for fibers. The results then
//           differ for a subnormal x.
//           If all operands become constants, LLVM 19 computes the result itself, and looks at the denormal
//           mode only for scalars. Code for simdgroups computes with vectors: as_type<float>(lane) * 0x1p100f
//           became a vector of other numbers where the processor gives zeros. If one side of a comparison
//           becomes a constant, LLVM may compare integers instead: all bits of the other side, or the integer
//           that the other side was converted from (lowering/zero_compares.h). It does so in the same pass
//           that finds the constant.
// Choice.   In the neutral module, such an operation gets a mark, as conversions do
//           (lowering/flushed_casts.h). If LLVM deletes the operation, the mark remains and flushes. If the
//           operation remains, the processor flushes, and the mark is removed without a trace. The result is
//           marked if one operand may still become a constant: a value from memory of the thread, a choice,
//           or a position in the grid. If all operands of an operation or a comparison may become constants,
//           the operands are marked, too, except those that cannot be subnormal: a converted integer, or a
//           value that is marked already. If one side of a comparison may become a constant, both sides are
//           marked where LLVM could compare integers.
// Rejected. Marks for all arithmetic: they would stand between operations that belong together in inner
//           loops. Running the same optimisation for both engines, which would not help, because their code
//           differs.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// For a profile that flushes in hardware. Runs once the neutral module is optimised.
void markLateConstants(llvm::Function &function);

} // namespace assay::lowering
