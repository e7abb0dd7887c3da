// Memory of an imageblock, `threadgroup_imageblock`, as a type of its own.
//
// Problem.  Overloads may differ only in `threadgroup` and `threadgroup_imageblock`, so that these must be
//           two types. Clang's default space is a superset of five spaces that an attribute can name, and
//           all five are used: the shim's prelude.
// Choice.   An object of an imageblock is in threadgroup memory and has Clang's qualifier __unaligned, which
//           is a part of a type and of a mangled name, and which references, pointers and member calls ignore
//           when they convert. Clang knows that word only together with all of Microsoft's; here it is a
//           keyword under the name __assay_imageblock.
//           Conversions between the two are refused by space_rules.h.
// Limit.    A reference to an object in an imageblock prefers the `threadgroup` overload. No kernel with an
//           imageblock can run (docs/coverage.md).
#pragma once

namespace clang {
class Preprocessor;
} // namespace clang

namespace assay::frontend {

/// Before the first token is read.
void addImageblockWord(clang::Preprocessor &preprocessor);

} // namespace assay::frontend
