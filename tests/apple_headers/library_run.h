// Hands the library, as the front end compiles it, to a reader of syntax trees.
#pragma once

#include "support/abi/language_version.h"

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <string>

namespace assay::apple_headers {

/// Compiles a program for this version of Metal, and lets `consumer` see what it and the library declare.
/// Throws std::runtime_error if the front end's Clang refuses the program.
void readLibrary(const std::string &program, LanguageVersion version,
                 std::unique_ptr<clang::ASTConsumer> consumer);

} // namespace assay::apple_headers
