// Finds where the declaration of a variable with Metal's attributes begins, if it is at program scope.
//
// At program scope, `uint2 gid [[thread_position_in_grid]];` is a constant that is set before a thread
// starts. The source view declares it as a constant that another file defines, so that Clang neither wants an
// initialiser nor knows a value (global_bindings.h).
#pragma once

#include "frontend/tokens.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::frontend {

struct GlobalDeclaration {
  size_t begin = 0; ///< its first token
  bool isExtern = false, isConst = false;
};

/// None for a declaration in a function, in a class or among parameters, and none for one that is static or
/// names a type.
///   openers      for each bracket that closes, the one that opens; size_t(-1) for other tokens
///   attribute    the token after the variable's name
///   isConstant   whether a word is the address space `constant`, or an alias of it
std::optional<GlobalDeclaration> globalDeclaration(const std::vector<RawToken> &tokens,
                                                   const std::vector<size_t> &openers, size_t attribute,
                                                   const std::function<bool(std::string_view)> &isConstant);

} // namespace assay::frontend
