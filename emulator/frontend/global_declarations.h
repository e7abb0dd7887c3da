// Where the declaration of a variable with Metal's attributes begins, if it stands at program scope.
//
// `uint2 gid [[thread_position_in_grid]];` there is a constant that each thread finds set. The source view
// makes it one that another file defines, so that Clang neither wants an initialiser nor knows a value
// (global_bindings.h).
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

/// None in a function, in a class, among parameters, and for a declaration that is static or names a type.
///   openers      for each bracket that closes, the one that opens; size_t(-1) for other tokens
///   attribute    the token after the variable's name
///   isConstant   whether a word is the address space `constant`, or an alias of it
std::optional<GlobalDeclaration> globalDeclaration(const std::vector<RawToken> &tokens,
                                                   const std::vector<size_t> &openers, size_t attribute,
                                                   const std::function<bool(std::string_view)> &isConstant);

} // namespace assay::frontend
