// The vector classes of the shim in Clang's syntax tree: vec<T[N]> and packed_vec<T[N], ..> in the namespace
// __assay_vectors (msl_shim/detail/vec_names.h).
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <optional>

namespace assay::frontend {

struct VectorType {
  clang::QualType element;
  unsigned length = 0;
  bool packed = false;
};

inline bool inVectorNamespace(const clang::DeclContext *context) {
  const auto *space = llvm::dyn_cast_or_null<clang::NamespaceDecl>(context);
  return space && space->getIdentifier() && space->getName() == "__assay_vectors";
}

inline std::optional<VectorType> vectorClass(const clang::CXXRecordDecl *record) {
  const auto *special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!special || !inVectorNamespace(special->getDeclContext()))
    return std::nullopt;
  const clang::TemplateArgument &elements = special->getTemplateArgs()[0];
  const auto *array = elements.getKind() == clang::TemplateArgument::Type
                          ? llvm::dyn_cast<clang::ConstantArrayType>(elements.getAsType().getCanonicalType())
                          : nullptr;
  if (!array)
    return std::nullopt;
  return VectorType{array->getElementType(), unsigned(array->getZExtSize()), special->getName() != "vec"};
}

} // namespace assay::frontend
