// Makes the vector classes of the shim plain old data, as Metal's vectors are, for the layout of structures.
//
// Problem.  Members of a derived class may lie in the padding at the end of its base. The C++ ABI forbids
//           that if the base is plain old data (POD) in the sense of C++03. Metal's vectors are types of the
//           compiler, so `struct Light { float3 position; float intensity; };` is POD, and a member of a
//           class that derives from it begins after its padding. The shim's vectors are classes with
//           constructors, so it was not, and the member lay 12 bytes too early.
// Choice.   When a vector class is complete, Clang's note that it is not POD is taken back. Clang has no
//           function for that, so the note is changed through an explicit instantiation, which may name
//           private members.
//           Matrices keep the note: they are classes with constructors in Metal, too.
// Rejected. Another C++ ABI, such as Apple's for ARM: there a class with constructors can be POD, so
//           structures of the program would be laid out differently, too.
// Limit.    A stock Clang, which compiles what `assay translate` writes, still uses the padding.
// source: Itanium C++ ABI, 2.2 "POD data types"; offsets by Clang for vectors of its own (ext_vector_type).
#pragma once

namespace clang {
class TagDecl;
} // namespace clang

namespace assay::frontend {

/// To be called when a class is complete. Any class but the shim's vectors stays as it is.
void makeVectorsPlain(const clang::TagDecl *tag);

} // namespace assay::frontend
