// What objects of a program's classes become, and are made from, without a word. In Metal a further
// conversion between numbers and vectors belongs to the language: a float becomes an S that is made from a
// float4. Here both belong to classes, and Clang makes only one such conversion.
#pragma once

#include <clang/AST/Type.h>

#include <string>

namespace assay::frontend {

/// The vector that a class is made from, as text; empty if there is none.
std::string vectorThatMakes(clang::QualType type);
/// The scalar that a class converts to, as text; empty if there is none.
///   floats   whether a floating type counts
std::string numberOf(clang::QualType type, bool floats = true);
/// The only type that a class converts to, if it is a vector, as text; otherwise empty.
std::string vectorOf(clang::QualType type);

} // namespace assay::frontend
