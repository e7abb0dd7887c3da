// The vector classes of the shim in Clang's syntax tree: vec<T[N]> and packed_vec<T[N], ..> in the namespace
// __assay_vectors (msl_shim/detail/vec_names.h).
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <optional>
#include <string>

namespace assay::frontend {

struct MetalVector {
  clang::QualType element;
  unsigned length = 0;
  bool packed = false;
};

inline bool inVectorNamespace(const clang::DeclContext *context) {
  const auto *space = llvm::dyn_cast_or_null<clang::NamespaceDecl>(context);
  return space && space->getIdentifier() && space->getName() == "__assay_vectors";
}

inline std::optional<MetalVector> vectorClass(const clang::CXXRecordDecl *record) {
  const auto *special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!special || !inVectorNamespace(special->getDeclContext()))
    return std::nullopt;
  const clang::TemplateArgument &elements = special->getTemplateArgs()[0];
  const auto *array = elements.getKind() == clang::TemplateArgument::Type
                          ? llvm::dyn_cast<clang::ConstantArrayType>(elements.getAsType().getCanonicalType())
                          : nullptr;
  if (!array)
    return std::nullopt;
  return MetalVector{array->getElementType(), unsigned(array->getZExtSize()), special->getName() != "vec"};
}

inline bool isPackedVector(clang::QualType type) {
  const std::optional<MetalVector> vector = vectorClass(type->getAsCXXRecordDecl());
  return vector && vector->packed;
}

/// A scalar's name in a source, wherever it stands: what a class calls it is no name outside.
inline std::string nameOfScalar(clang::QualType type) {
  clang::PrintingPolicy policy{clang::LangOptions()};
  policy.Bool = true;
  return type.getCanonicalType().getUnqualifiedType().getAsString(policy);
}

/// Its name in a source: metal::vec<float, 4>
inline std::string nameOf(const MetalVector &vector) {
  return std::string("metal::") + (vector.packed ? "packed_" : "") + "vec<" + nameOfScalar(vector.element) +
         ", " + std::to_string(vector.length) + ">";
}

/// The type of the elements of the shim's class metal::matrix.
inline std::optional<clang::QualType> matrixElement(const clang::CXXRecordDecl *record) {
  const auto *special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  const auto *space = special ? llvm::dyn_cast<clang::NamespaceDecl>(special->getDeclContext()) : nullptr;
  if (!space || !space->getIdentifier() || space->getName() != "metal" || special->getName() != "matrix")
    return std::nullopt;
  return special->getTemplateArgs()[0].getAsType();
}

/// Whether it is v.x, v.r or v[i].
inline bool isVectorComponent(const clang::Expr *expression) {
  using namespace clang;
  expression = expression->IgnoreParenImpCasts();
  if (const auto *call = llvm::dyn_cast<CallExpr>(expression)) { // also v.operator[](i): component_fixes.h
    const auto *method = llvm::dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
    return method && method->getOverloadedOperator() == OO_Subscript && vectorClass(method->getParent());
  }
  const auto *member = llvm::dyn_cast<MemberExpr>(expression);
  const auto *field = member ? llvm::dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  const RecordDecl *record = field ? field->getParent() : nullptr;
  while (record && record->isAnonymousStructOrUnion())
    record = llvm::dyn_cast<RecordDecl>(record->getParent());
  return vectorClass(llvm::dyn_cast_or_null<CXXRecordDecl>(record)).has_value();
}

} // namespace assay::frontend
