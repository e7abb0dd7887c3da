// Keeps the flush of arithmetic whose operands turn out late to be constants.
//
// Problem.  LLVM deletes x * 1 and, with it, the flush of a subnormal x. Apple's compiler does, too, so it is
//           right for a constant that the text has (optimizer.h runs before the neutral module is finished,
//           and every engine then sees the same). But the engines optimise once more, each in its own way. A
//           factor from an array of the thread may become 1 for simdgroups, whose code promotes the array,
//           and not for fibers. The results then differ for a subnormal x.
//           If all operands become constants, LLVM 19 computes the result itself, and looks at the denormal
//           mode for scalars only. Simdgroups compute with vectors: as_type<float>(lane) * 0x1p100f was a
//           vector of numbers where the processor gives zeros. If one side of a comparison becomes a
//           constant, LLVM may compare integers: all bits of the other side, or the number that it was
//           converted from (lowering/zero_compares.h). That happens in the pass that finds the constant.
// Choice.   In the neutral module, such an operation has a mark as conversions have
//           (lowering/flushed_casts.h): LLVM deletes the operation, and the mark remains and flushes. Where
//           the operation remains, the processor flushes, and the mark goes without a trace. Marked is the
//           result where one operand may still become a constant: one from memory of the thread, a choice,
//           or a position in the grid. Where all may, the operands are marked, too, as are the operands of a
//           comparison, unless they cannot be subnormal: a converted integer, or what is marked already. Of a
//           comparison of which one side may, both are marked where LLVM could compare integers.
// Rejected. Marks for all arithmetic: they would stand between operations that belong together in inner
//           loops. Running the same optimisation for both engines: it is their code that differs.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// For a profile that flushes in hardware, when the neutral module is optimised.
void markLateConstants(llvm::Function &function);

} // namespace assay::lowering
