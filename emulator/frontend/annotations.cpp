#include "frontend/annotations.h"
#include "frontend/attributes.h"

#include "frontend/diagnostics.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/Builtins.h>

namespace assay::frontend {

using namespace clang;

const AnnotateAttr *annotation(const Decl *decl, llvm::StringRef name) {
  const AnnotateAttr *result = nullptr;
  for (const auto *attr : decl->specific_attrs<AnnotateAttr>()) {
    llvm::StringRef text = attr->getAnnotation();
    if (text.consume_front("assay.") && text == name)
      result = attr;
  }
  return result;
}

const Expr *annotationArgument(const AnnotateAttr *attr, unsigned n) {
  if (attr->args_size() <= n)
    return nullptr;
  const Expr *e = attr->args_begin()[n];
  for (const Expr *last = nullptr; e != last;) {
    last = e;
    e = e->IgnoreParenImpCasts();
    if (const auto *full = dyn_cast<FullExpr>(e))
      e = full->getSubExpr();
    else if (const auto *asked = dyn_cast<CallExpr>(e); // AttributeUse::Slot
             asked && asked->getBuiltinCallee() == clang::Builtin::BI__builtin_constant_p)
      e = asked->getArg(0);
  }
  return e;
}

std::optional<int64_t> annotationInteger(const ASTContext &context, const AnnotateAttr *attr, unsigned n) {
  const Expr *e = annotationArgument(attr, n);
  Expr::EvalResult result;
  if (!e || e->isValueDependent() || !e->EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

bool isNoInteger(const Expr *argument) {
  const QualType type = argument->getType();
  return type->isRealFloatingType() || type->isPointerType() || type->isArrayType();
}

std::vector<assay::Builtin> builtinsOf(const Decl *decl) {
  std::vector<assay::Builtin> all;
  for (const auto *attr : decl->specific_attrs<AnnotateAttr>()) {
    const std::string_view name(attr->getAnnotation().data(), attr->getAnnotation().size());
    const std::optional<assay::Builtin> builtin =
        name.starts_with(kBuiltinPrefix) ? findBuiltin(name.substr(kBuiltinPrefix.size())) : std::nullopt;
    if (builtin)
      all.push_back(*builtin);
  }
  return all;
}

std::optional<assay::Builtin> builtinOf(const Decl *decl) {
  const std::vector<assay::Builtin> all = builtinsOf(decl);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

bool isMisspelt(const Decl *decl) {
  return llvm::any_of(decl->specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *attr) {
    return attr->getAnnotation().starts_with(llvm::StringRef(kMisspeltPrefix.data(), kMisspeltPrefix.size()));
  });
}

bool isGlobalBinding(const VarDecl *variable) {
  if (isa<ParmVarDecl>(variable) || !variable->isFileVarDecl())
    return false;
  return builtinOf(variable) || annotation(variable, "buffer") || annotation(variable, "texture") ||
         annotation(variable, "sampler") || annotation(variable, "threadgroup");
}

bool inMetal(const Decl *decl) {
  const auto *scope = dyn_cast<NamespaceDecl>(decl->getDeclContext()->getRedeclContext());
  return scope && (scope->getName() == "metal" || inMetal(scope));
}

bool isVisible(const FunctionDecl *function) {
  return annotation(function, "visible") || annotation(function, "stitchable");
}

PrintingPolicy metalPolicy(const ASTContext &context) {
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  policy.SuppressScope = false;
  policy.Bool = true;
  policy.Half = true;
  return policy;
}

std::string kernelName(const FunctionDecl *kernel, const PrintingPolicy &policy) {
  if (const AnnotateAttr *attr = annotation(kernel, "host_name")) {
    const auto *text = dyn_cast_or_null<StringLiteral>(annotationArgument(attr, 0));
    if (!text || !text->getString().empty())
      return text ? text->getString().str() : std::string();
  }
  std::string name;
  llvm::raw_string_ostream text(name);
  if (kernel->isExternC())
    text << kernel->getNameAsString();
  else
    kernel->printQualifiedName(text, policy);
  if (const auto *arguments = kernel->getTemplateSpecializationArgs()) {
    std::string list;
    llvm::raw_string_ostream stream(list);
    printTemplateArgumentList(stream, arguments->asArray(), policy);
    name += metalSpelling(list);
  }
  return name;
}

} // namespace assay::frontend
