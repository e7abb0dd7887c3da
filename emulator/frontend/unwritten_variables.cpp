// See unwritten_variables.h.
#include "frontend/unwritten_variables.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"
#include "frontend/user_code.h"

#include "support/abi/unwritten_text.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/Analysis/ValueTracking.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using namespace clang;

// Each element of a small array is a part of its own and has a name; a large one is one part.
constexpr uint64_t kMostNamedElements = 64;
// A variable with more parts is not looked at.
constexpr size_t kMostParts = 4096;

class Parts {
public:
  explicit Parts(const ASTContext &context) : context_(context) {}

  void add(QualType type, uint64_t offset, const std::string &name) {
    type = type.getCanonicalType();
    if (parts.size() > kMostParts || type->isReferenceType() || type->isPointerType())
      return;
    const uint64_t bytes = uint64_t(context_.getTypeSizeInChars(type).getQuantity());
    if (const auto *vector = type->getAs<VectorType>()) {
      const uint64_t element = uint64_t(context_.getTypeSizeInChars(vector->getElementType()).getQuantity());
      for (uint64_t i = 0; i < vector->getNumElements(); ++i)
        put(offset + i * element, element, 0,
            vector->getNumElements() <= 4 ? fmt::format("{}.{}", name, "xyzw"[i])
                                          : fmt::format("{}[{}]", name, i));
    } else if (const auto *array = context_.getAsConstantArrayType(type)) {
      addArray(*array, offset, bytes, name);
    } else if (const auto *record = type->getAsCXXRecordDecl()) {
      addRecord(*record, offset, name);
    } else if (type->isScalarType()) {
      put(offset, bytes, 0, name);
    }
  }

  std::vector<UnwrittenPart> parts;

private:
  void put(uint64_t offset, uint64_t bytes, uint64_t stride, std::string name) {
    parts.push_back({uint32_t(offset), uint32_t(bytes), uint32_t(stride), std::move(name)});
  }

  void addArray(const ConstantArrayType &array, uint64_t offset, uint64_t bytes, const std::string &name) {
    const uint64_t count = array.getSize().getZExtValue();
    if (!count)
      return;
    const uint64_t stride = bytes / count;
    Parts first(context_);
    first.add(array.getElementType(), 0, "");
    uint64_t data = 0;
    for (const UnwrittenPart &part : first.parts)
      data += part.bytes;
    if (count * first.parts.size() > kMostNamedElements && data == stride)
      return put(offset, bytes, stride, name);
    for (uint64_t i = 0; i < count && parts.size() <= kMostParts; ++i)
      add(array.getElementType(), offset + i * stride, fmt::format("{}[{}]", name, i));
  }

  void addRecord(const CXXRecordDecl &record, uint64_t offset, const std::string &name) {
    if (record.isInvalidDecl() || !record.isCompleteDefinition())
      return;
    const ASTRecordLayout &layout = context_.getASTRecordLayout(&record);
    for (const CXXBaseSpecifier &base : record.bases())
      if (const CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl(); type && !base.isVirtual())
        addRecord(*type, offset + uint64_t(layout.getBaseClassOffset(type).getQuantity()), name);
    if (record.isUnion()) { // views of the same data: the first one names it
      if (!record.field_empty())
        add(record.field_begin()->getType(), offset, name);
      return;
    }
    const bool inLibrary = inMetal(&record) || record.getNameAsString().starts_with("__");
    for (const FieldDecl *field : record.fields()) {
      const uint64_t bits = layout.getFieldOffset(field->getFieldIndex());
      // What the library calls its members says nothing to the user.
      const std::string member =
          inLibrary || field->getName().empty() ? name : fmt::format("{}.{}", name, field->getNameAsString());
      if (field->isBitField()) {
        const uint64_t end = bits + field->getBitWidthValue(context_);
        put(offset + bits / 8, (end + 7) / 8 - bits / 8, 0, member);
      } else {
        add(field->getType(), offset + bits / 8, member);
      }
    }
  }

  const ASTContext &context_;
};

class Namer : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool TraverseTypeLoc(TypeLoc) override { return true; }

  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->isStaticLocal() && variable->hasInit() && hasValue(*variable))
      annotate(*variable, std::string(kDeclaredWithValue));
    if (!variable->hasLocalStorage() || isa<ParmVarDecl, ImplicitParamDecl, DecompositionDecl>(variable) ||
        variable->isInvalidDecl() || variable->getDeclContext()->isDependentContext() ||
        variable->getType()->isDependentType() || variable->getType()->isIncompleteType() ||
        variable->getType().getAddressSpace() != LangAS::Default || hasValue(*variable) ||
        !inUserFile(variable->getLocation()))
      return true;
    Parts parts(context_);
    parts.add(variable->getType(), 0, variable->getNameAsString());
    if (parts.parts.empty() || parts.parts.size() > kMostParts)
      return true;
    const UnwrittenVariable text{variable->getNameAsString(),
                                 userPlace(sources_, variable->getLocation(), files_),
                                 std::move(parts.parts)};
    annotate(*variable, textOf(text));
    return true;
  }

private:
  void annotate(VarDecl &variable, const std::string &text) {
    variable.addAttr(AnnotateAttr::CreateImplicit(context_, text, nullptr, 0, variable.getSourceRange()));
  }

  // A default constructor counts as none: what it leaves open has no value.
  static bool hasValue(const VarDecl &variable) {
    const Expr *value = variable.getInit();
    if (!value)
      return false;
    const auto *made = dyn_cast<CXXConstructExpr>(value->IgnoreUnlessSpelledInSource());
    return !made || made->requiresZeroInitialization() ||
           std::any_of(made->arg_begin(), made->arg_end(),
                       [](const Expr *argument) { return !isa<CXXDefaultArgExpr>(argument); });
  }
};

StringRef textOfAnnotation(const llvm::Value *text) {
  StringRef result;
  llvm::getConstantStringInfo(text->stripPointerCasts(), result);
  return result;
}

void setText(llvm::Module &module, auto &memory, StringRef kind, StringRef text) {
  llvm::LLVMContext &context = module.getContext();
  memory.setMetadata(kind, llvm::MDNode::get(context, {llvm::MDString::get(context, text)}));
}

} // namespace

void nameUnwrittenVariables(ASTContext &context, const ViewFileSystem &files,
                            const Declarations &declarations) {
  Namer(context, files).visitAll(declarations);
}

void keepUnwritten(llvm::Module &module) {
  if (const auto *all = module.getNamedGlobal("llvm.global.annotations"))
    for (const llvm::Use &entry : cast<llvm::ConstantArray>(all->getInitializer())->operands()) {
      const auto *fields = cast<llvm::ConstantStruct>(entry);
      auto *variable = dyn_cast<llvm::GlobalVariable>(fields->getOperand(0)->stripPointerCasts());
      if (variable && textOfAnnotation(fields->getOperand(1)) == StringRef(kDeclaredWithValue))
        setText(module, *variable, kDeclaredWithValue, "");
    }
  for (const llvm::Function &function : module) {
    if (!function.getName().starts_with("llvm.var.annotation"))
      continue;
    for (const llvm::User *user : function.users()) {
      const auto *call = cast<llvm::CallBase>(user);
      auto *memory = dyn_cast<llvm::AllocaInst>(call->getArgOperand(0)->stripPointerCasts());
      const StringRef text = textOfAnnotation(call->getArgOperand(1));
      if (memory && text.starts_with(kUnwritten))
        setText(module, *memory, kUnwritten, text);
    }
  }
}

} // namespace assay::frontend
