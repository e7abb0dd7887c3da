// Expands macros whose expansion contains grammar of Metal that the source view has to see.
//
// Problem.  The source view edits text before Clang expands macros. In `#define CONSTANT(i)
//           [[function_constant(i)]]` and `#define SHARED(T) threadgroup T` the body alone does not say what
//           is declared, so the edit is missing or wrong, and Clang refuses the program.
// Choice.   When a compilation has failed, the user's files are preprocessed once, without the views. Each
//           use of a user's macro that expands to an attribute, to an address space or to another word of
//           the view's rules is replaced by the tokens of its expansion, and the program is compiled again
//           from those texts. Macros of the shim stay as they are written. A program that compiles at once
//           pays nothing.
// Rejected. To preprocess every program first: Clang's notes about macros would be lost, and the places of
//           all mistakes would be those of whole expansions. Rules for each form of macro: there is always
//           another form.
// Not done. A use stays as it is written if its file is included more than once and the use expands to
//           different tokens each time, because one view serves all inclusions. The whole program stays as it
//           is written if such a use counts by __COUNTER__, because the rest would count from 0 again.
#pragma once

#include "frontend/compile.h"
#include "frontend/view_file_system.h"

#include <map>
#include <string>
#include <vector>

namespace assay::frontend {

/// The replacements for each file, by the name with which it was opened. Empty if the source cannot be
/// preprocessed.
///   request   if it has a text, this is used in place of the file
std::map<std::string, std::vector<Edit>> macroExpansions(const SourceRequest &request);

} // namespace assay::frontend
