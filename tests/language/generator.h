// Random well-typed Metal programs whose result is known, and mutations of them that must be refused.
//
// Problem.  Rules that hold one by one fail together: an overload by address space inside a template whose
//           argument is a swizzle of a product.
// Choice.   A program is built out of expressions that carry their own evaluation in exact_value.h. It keeps
//           the state of its variables as it is written, so every statement knows what it does. What is not
//           exact is not written. Its value is one number folded out of every variable at its end; each
//           statement says in a comment what it computed, so that a program that fails shows where to look.
// Rejected. Arithmetic that rounds (the evaluator would need the rounding of the code under test), and a
//           corpus of programs with recorded results (recorded from what?).
#pragma once

#include "row.h"

namespace assay::language {

/// The program of a seed, as a row of the section "generated" that computes a uint.
Row generatedProgram(uint64_t seed);

/// The same program with one line made wrong, once for each kind of mistake that its text allows.
std::vector<Row> mutations(uint64_t seed);

} // namespace assay::language
