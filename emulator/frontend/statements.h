// The statements of a source, found by tokens alone, and what a probe can show of each: `x` after `x += 1;`,
// `y` after `float4 y = f(x);`, `x < y` of `if (x < y)`, `x` of `return x;`.
//
// Problem.  `assay diff --trace` looks at the value of every statement of two kernels. It must find them in
//           text that may be in templates, in macros' arguments and in branches of #if. A probe must not
//           change the structure, even if its statement is the whole body of a `for` without braces.
// Choice.   A small parser of blocks, control statements and the statements between them. It tells functions
//           from classes by the tokens before a brace. An assignment gets its probe as a further operand,
//           `x += 1, trace(x);`, which is right wherever the assignment is. A declaration is followed by a
//           probe. The probe of an assignment evaluates the left side again, so an assignment whose left side
//           has a call or an increment gets no probe. A condition, a result and the first value of a loop's
//           variable go through the probe, `if (traced(x < y))`, and are evaluated once. The parts of a `for`
//           are statements of their own: how a loop begins, its condition, its steps.
// Rejected. Clang's syntax tree: a template's body would be seen once for each instance, a macro's arguments
//           not at all, and the statements of the two files are compared as text anyway.
// Limit.    There are no values of calls, of code in lambdas, macros and constexpr functions, of arrays as a
//           whole, of results that are references, and of conditions that declare a variable or contain an
//           #if. If the branches of an #if divide a brace, the code after it may be misread. Then a probe may
//           not compile, and the caller drops it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// What the value of a statement is. Values of two sources correspond only if they are of the same kind.
enum class ValueKind : uint8_t { None, Made, Condition, Result };

/// How a probe shows it.
enum class ValueForm : uint8_t {
  Operand, ///< as a further operand of the statement
  After,   ///< by a statement after the ';'
  Through, ///< the bytes [valueBegin, valueEnd) go through the probe
};

struct SourceStatement {
  uint32_t begin = 0, end = 0; ///< bytes; without the ';', and of a control statement its header
  uint32_t after = 0;          ///< after the ';' if there is one, else `end`
  uint32_t line = 0;           ///< from 1
  std::vector<std::string> tokens;
  std::string value; ///< what a probe shows; empty: nothing
  ValueKind kind = ValueKind::None;
  ValueForm form = ValueForm::Operand;
  uint32_t valueBegin = 0, valueEnd = 0; ///< of Through
};

/// The statements, in the order of the text.
std::vector<SourceStatement> statementsOf(std::string_view text);

} // namespace assay::frontend
