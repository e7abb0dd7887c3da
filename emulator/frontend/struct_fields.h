// The fields of structs that buffer arguments point to, so that a command line can give them by name.
//
// Problem.  A host program has the declaration of the struct, but `assay run` has only text. If 160 bytes are
//           counted out by hand, one of them will be wrong, and the kernel runs with it.
// Choice.   The declaration itself is the list: its leaves, at the offsets that Clang gave them. Structs
//           inside are flattened, arrays are kept as extents (FieldInfo), so the list is as long as the
//           source. Each type has one list in a module, because a file may instantiate a thousand kernels
//           that take it. A struct that an address in another struct points to has a list, too.
// Rejected. The members of argument_buffers.h for every struct: these have ids, and their presence says that
//           a struct is an argument buffer.
// Limit.    Bit-fields and the library's classes that hold no plain value are named as the reason why a list
//           cannot be used, and so is a declaration of more than kMostFields leaves.
#pragma once

#include "support/abi/module_info.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

#include <map>
#include <optional>

namespace assay::frontend {

class StructFields {
public:
  static constexpr size_t kMostFields = 4096;

  /// Lists are added to `structs`, which outlives this.
  StructFields(const clang::ASTContext &context, std::vector<StructInfo> &structs)
      : context_(context), structs_(structs) {}

  /// The index in `structs` of a struct that the program declares; none for any other type.
  std::optional<uint32_t> of(clang::QualType type);

private:
  const clang::ASTContext &context_;
  std::vector<StructInfo> &structs_;
  std::map<const clang::CXXRecordDecl *, uint32_t> known_;
};

} // namespace assay::frontend
