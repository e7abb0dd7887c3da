// Which memory a generic pointer points to: is_device_addrspace(p), addrspace_cast<device T *>(p).
//
// Problem.  In Metal 4.1 a program can ask. A pointer is an address here, which says nothing by itself.
// Choice.   The shim asks by a primitive. Where the pointer was made from one into some memory, or of one of
//           several, the answer is a constant, or a choice beside that of the pointer, except that the null
//           pointer points to none. This pass finds these questions, once when everything is inlined, so that
//           what the answer decides is optimised, and once more when variables are values. A pointer that was
//           loaded from memory is left, and the runtime compares its address with the threadgroup's memory
//           and with the lane's stack: what is in neither is device memory (RuntimeCall::PointsTo).
//           The vector engine leaves kernels with such a question to fibers.
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers"
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Replaces the questions whose answer the code tells.
void answerPointsTo(llvm::Function &function);

} // namespace assay::lowering
