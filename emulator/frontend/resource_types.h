// Answers what reflection asks about the types of arguments and members: their scalars, textures and
// samplers.
#pragma once

#include "support/abi/module_info.h"

#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class DeclaratorDecl;
class ParmVarDecl;
} // namespace clang

namespace assay::frontend {

/// The scalar at the bottom of a scalar, vector, matrix, atomic or array type, and the components of a
/// vector.
std::pair<std::optional<ScalarType>, uint32_t> scalarOf(clang::QualType type);

/// Whether it is a scalar or a vector that is not packed.
bool isNumber(clang::QualType type);

/// Whether it is a number, a packed vector, a matrix, an atomic, or a metal::array of these: what lies in a
/// buffer, and is no handle.
bool isValue(clang::QualType type);

/// The same two of a type that an attribute of [[stage_in]] may have: a number of 8, 16 or 32 bits.
std::optional<std::pair<ScalarType, uint32_t>> attributeNumberOf(clang::QualType type);

/// A texture or a sampler, or a metal::array of one of them.
struct Handles {
  std::optional<TextureUse> texture;
  bool sampler = false;
  uint32_t count = 1; ///< of the elements

  explicit operator bool() const { return (texture || sampler) && count; }
};
Handles handlesOf(clang::QualType type);

bool isFunctionTable(clang::QualType type); ///< a visible_function_table

bool isTensor(clang::QualType type); ///< any metal::tensor
/// A tensor that the host binds: a tensor_handle whose element has a type that such tensors may have.
std::optional<TensorUse> hostTensorOf(clang::QualType type);

/// Something that the host binds for a kernel.
struct Binding {
  const clang::DeclaratorDecl *decl; ///< a parameter, or a member of a structure that is passed by value
  std::string name;                  ///< "input.data" for a member of a nested structure, else plain
  uint64_t offset = 0;               ///< bytes from the beginning of the parameter
  bool isAttribute = false;          ///< a member of what is [[stage_in]]
};

/// What the host binds for a parameter of a kernel: the parameter itself or, if it is a structure with
/// pointers, references, textures and the like, or with structures of these, the members in their order. Of a
/// structure that is [[stage_in]], they are all members, by the name "in.position".
std::vector<Binding> bindingsOf(const clang::ParmVarDecl *parameter);

} // namespace assay::frontend
