#include "frontend/operator_fixes.h"

#include "frontend/instantiations.h"
#include "frontend/vector_classes.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using namespace clang;

const FunctionDecl *namedFunction(const clang::Diagnostic &info) {
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (info.getArgKind(i) == DiagnosticsEngine::ak_nameddecl)
      return dyn_cast<FunctionDecl>(reinterpret_cast<NamedDecl *>(info.getRawArg(i)));
  return nullptr;
}

// `decltype(a), decltype(b)`; empty if a parameter has no name.
std::string typesOf(const FunctionDecl *function) {
  std::string types;
  for (const ParmVarDecl *parameter : function->parameters()) {
    if (parameter->getName().empty())
      return {};
    types += fmt::format("{}decltype({})", types.empty() ? "" : ", ", parameter->getName().str());
  }
  return types;
}

// Where a declarator ends, before the body or the semicolon, and where the result type after an arrow begins.
struct DeclaratorEnd {
  std::optional<uint32_t> result, end;
};
DeclaratorEnd declaratorEnd(const WrittenToken &name) {
  DeclaratorEnd found;
  int depth = 0;
  for (size_t i = name.at; i < name.tokens.size() && !found.end; ++i) {
    const RawToken &token = name.tokens[i];
    if (depth == 0 && token.is("->"))
      found.result = token.offset + token.length;
    if (depth == 0 && (token.is("{") || token.is(";")))
      found.end = token.offset;
    depth += opensGroup(token) ? 1 : closesGroup(token) ? -1 : 0;
  }
  return found;
}

void reportIn(const DeclContext &scope, ASTContext &context, const ViewFileSystem &files) {
  DiagnosticsEngine &diagnostics = context.getDiagnostics();
  for (const Decl *decl : scope.noload_decls()) {
    if (const auto *inner = dyn_cast<NamespaceDecl>(decl))
      reportIn(*inner, context, files);
    const auto *declared = dyn_cast<FunctionTemplateDecl>(decl);
    if (!declared || !declared->getTemplatedDecl()->isOverloadedOperator() ||
        !files.isUsers(context.getSourceManager(), declared->getLocation()))
      continue;
    const auto all = declared->specializations();
    const auto made = std::ranges::find_if(all, isOperatorWithoutClasses);
    if (made == all.end())
      continue;
    diagnostics.Report(declared->getLocation(), diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
        << kOperatorWithoutClasses;
    noteInstantiation(diagnostics, *made);
  }
}

} // namespace

void reportOperatorsWithoutClasses(ASTContext &context, const ViewFileSystem &files) {
  reportIn(*context.getTranslationUnitDecl(), context, files);
}

bool isOperatorWithoutClasses(const FunctionDecl *function) {
  return function->isOverloadedOperator() && !isa<CXXMethodDecl>(function) && function->getNumParams() > 0 &&
         std::ranges::none_of(function->parameters(), [](const ParmVarDecl *parameter) {
           const QualType type = parameter->getType().getNonReferenceType();
           return (type->isRecordType() && !vectorClass(type->getAsCXXRecordDecl())) ||
                  type->isEnumeralType();
         });
}

std::set<SourceFix> operatorFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != diag::note_function_template_spec_here)
    return {};
  const FunctionDecl *function = namedFunction(info);
  const FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
  if (!pattern || !isOperatorWithoutClasses(function))
    return {};
  const std::string types = typesOf(pattern);
  const auto name = writtenTokenAt(info.getSourceManager(), pattern->getLocation(), files);
  const auto [result, end] = types.empty() || !name ? DeclaratorEnd() : declaratorEnd(*name);
  if (!end)
    return {};
  if (result) // Clang takes no condition there
    return {{name->file, *result, *end, " metal::__assay::OperandsResult<", fmt::format(", {}> ", types)}};
  return {{name->file, *end, *end,
           fmt::format(" __attribute__((enable_if(metal::__assay::kOperands<{}>, \"\"))) ", types), ""}};
}

} // namespace assay::frontend
