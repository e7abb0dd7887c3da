// The compiler's type encodings: where a type's encoding ends within that of a method, and how many bytes a
// value of the type takes.
#pragma once

#include <cstddef>

namespace assay::foundation {

/// Where the type at `type` ends, whatever it is made of; raises if the encoding has no end.
const char *afterType(const char *type);

/// The size of a value of a simple type, a pointer, or a structure or an array of these; raises for a type
/// without a known size, or without an end.
size_t sizeOfType(const char *type);

} // namespace assay::foundation
