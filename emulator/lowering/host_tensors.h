// Tensors that the host binds: from the record of a tensor to its buffer.
//
// Problem.  kernel void k(tensor<device float, dextents<int, 2>> a [[buffer(0)]], ..). Metal gives a kernel
//           eight bytes for a tensor, and the same eight bytes may lie in an argument buffer. So a
//           tensor_handle is the address of a record that the host makes (support/abi/tensor_abi.h). A
//           pointer that is read from memory could point anywhere: the runtime would look it up at each
//           access, could say only that it is in none of all buffers, and the vector engine could not tell
//           what it is.
// Choice.   A tensor in a slot has two parts. The slot has the elements, as a buffer has, and the record is
//           beside it (DispatchAbi::tensors). The shim asks for fields and elements by primitives, and not by
//           loads. After the optimisation this pass looks at the record that such a call is given. Of an
//           argument's record, the elements become the argument's buffer: every later pass sees an ordinary
//           buffer, with its name, its bounds, its marks. Of any other record, they become a load, as of any
//           pointer in an argument buffer. Fields become loads in both cases; those of an argument have a
//           size that is known, and need no check. The address of a plane of scales is a load in both cases.
// Rejected. The kernel's tensor holds pointer, extents and strides: it would not have the size that Metal's
//           has in an argument buffer. A second buffer slot for the record: programs would see it.
// Limit.    Where the address of an argument's record is kept in memory, as in a kernel that is compiled for
//           the debugger, the runtime checks accesses to elements against all memory.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Replaces the primitives of records in the entry.
void resolveHostTensors(Lowering &state);

} // namespace assay::lowering
