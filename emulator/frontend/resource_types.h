// What reflection asks of the types of arguments and members: their scalars, textures and samplers.
#pragma once

#include "support/abi/module_info.h"

#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace assay::frontend {

/// The scalar at the bottom of a scalar, vector, matrix, atomic or array type, and the components of a
/// vector.
std::pair<std::optional<ScalarType>, uint32_t> scalarOf(clang::QualType type);

/// A texture or a sampler, or a metal::array of one of them.
struct Handles {
  std::optional<TextureUse> texture;
  bool sampler = false;
  uint32_t count = 1; ///< of the elements

  explicit operator bool() const { return (texture || sampler) && count; }
};
Handles handlesOf(clang::QualType type);

bool isFunctionTable(clang::QualType type); ///< a visible_function_table

} // namespace assay::frontend
