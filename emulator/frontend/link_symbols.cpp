#include "frontend/link_symbols.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"
#include "frontend/view_file_system.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

class SymbolReader {
public:
  SymbolReader(ASTContext &context, const ViewFileSystem &files)
      : context_(context), sources_(context.getSourceManager()), files_(files),
        policy_(metalPolicy(context)) {}

  bool isUsers(const Decl &decl) const { return files_.isUsers(sources_, decl.getLocation()); }

  LinkSymbol read(const llvm::GlobalValue &value, const ValueDecl &decl, bool withTypes) {
    LinkSymbol symbol;
    symbol.symbol = value.getName().str();
    symbol.defined = !value.isDeclaration();
    symbol.shared = value.hasLinkOnceLinkage() || value.hasWeakLinkage();
    if (!withTypes && symbol.defined)
      return symbol;
    const auto *function = llvm::dyn_cast<FunctionDecl>(&decl);
    symbol.visible = function && isVisible(function);
    symbol.name = decl.getQualifiedNameAsString();
    symbol.type = metalSpelling(decl.getType().getAsString(policy_));
    symbol.canonical = decl.getType().getCanonicalType().getAsString(policy_);
    if (withTypes)
      collect(decl.getType(), symbol.structures);
    symbol.where = userPlace(sources_, decl.getLocation(), files_);
    return symbol;
  }

private:
  using Structures = std::map<std::string, std::string>;

  void collect(QualType type, Structures &found) {
    const QualType canonical = type.getCanonicalType();
    if (const auto *function = canonical->getAs<FunctionProtoType>()) {
      collect(function->getReturnType(), found);
      for (const QualType parameter : function->param_types())
        collect(parameter, found);
    } else if (const QualType pointee = canonical->getPointeeType(); !pointee.isNull()) {
      collect(pointee, found);
    } else if (const auto *array = context_.getAsArrayType(canonical)) {
      collect(array->getElementType(), found);
    } else if (const auto *enumeration = canonical->getAs<EnumType>()) {
      if (isUsers(*enumeration->getDecl()))
        found[canonical.getUnqualifiedType().getAsString(policy_)] =
            enumeration->getDecl()->getIntegerType().getAsString(policy_);
    } else if (const CXXRecordDecl *record = canonical->getAsCXXRecordDecl()) {
      collect(*record, canonical.getUnqualifiedType().getAsString(policy_), found);
    }
  }

  void collect(const CXXRecordDecl &record, const std::string &name, Structures &found) {
    const CXXRecordDecl *definition = record.getDefinition();
    if (!definition || definition->isInvalidDecl() || !isUsers(*definition) ||
        !found.try_emplace(name).second)
      return;
    const ASTRecordLayout &layout = context_.getASTRecordLayout(definition);
    std::string text = std::to_string(layout.getSize().getQuantity());
    for (const CXXBaseSpecifier &base : definition->bases()) {
      text += " : " + base.getType().getCanonicalType().getAsString(policy_);
      collect(base.getType(), found);
    }
    for (const FieldDecl *field : definition->fields()) {
      text += fmt::format("; {} {} {}", layout.getFieldOffset(field->getFieldIndex()),
                          field->getType().getCanonicalType().getAsString(policy_), field->getName().str());
      collect(field->getType(), found);
    }
    found[name] = std::move(text);
  }

  ASTContext &context_;
  const SourceManager &sources_;
  const ViewFileSystem &files_;
  PrintingPolicy policy_;
};

} // namespace

std::vector<LinkSymbol> linkSymbols(CodeGenerator &generator, ASTContext &context,
                                    const ViewFileSystem &files, bool withTypes) {
  SymbolReader reader(context, files);
  std::vector<LinkSymbol> symbols;
  for (const llvm::GlobalValue &value : generator.GetModule()->global_values()) {
    if (value.hasLocalLinkage() || value.hasAppendingLinkage() || value.getName().starts_with("llvm."))
      continue;
    const auto *decl = llvm::dyn_cast_or_null<ValueDecl>(generator.GetDeclForMangledName(value.getName()));
    if (!decl || !reader.isUsers(*decl))
      continue;
    // The definition's place, not that of a declaration before it.
    if (const auto *function = llvm::dyn_cast<FunctionDecl>(decl)) {
      if (const FunctionDecl *definition = function->getDefinition())
        decl = definition;
    } else if (const auto *variable = llvm::dyn_cast<VarDecl>(decl)) {
      if (const VarDecl *definition = variable->getDefinition())
        decl = definition;
    }
    symbols.push_back(reader.read(value, *decl, withTypes));
  }
  return symbols;
}

} // namespace assay::frontend
