// Makes a program smaller while something stays true of it.
//
// Choice.   Edits of the tree, largest first, until none of them keeps what must stay true: runs of
//           statements go away, a construct is replaced by one of its bodies, an expression by one of its
//           operands or by a constant, the grid and the inputs become small. What would not compile is not
//           even tried (wellFormed). The order is fixed, so the result is, too.
// Limit.    An edit keeps a legal program legal: it takes statements away, or makes a value the same for more
//           threads. Nothing else may be added here.
#pragma once

#include "program.h"

#include <functional>

namespace assay::engines {

using Predicate = std::function<bool(const Program &)>;

/// The smallest program found with at most `trials` questions. `holds` is true of the program itself.
Program shrink(Program program, const Predicate &holds, size_t trials = 1500);

} // namespace assay::engines
