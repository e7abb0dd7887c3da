#include "frontend/generic_pairs.h"

#include "frontend/annotations.h"
#include "frontend/memory_spaces.h"
#include "frontend/method_spaces.h"
#include "frontend/written_token.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/DiagnosticSema.h>

#include <optional>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

// A function's definition in the text.
struct Written {
  std::string file;
  uint32_t end = 0;             ///< after the parameters
  std::vector<bool> isOfThread; ///< whether the word is there, for each parameter
};

std::optional<Written> writtenAt(const SourceManager &sources, SourceLocation name,
                                 const ViewFileSystem &files) {
  const auto function = name.isMacroID() ? std::nullopt : writtenTokenAt(sources, name, files);
  if (!function || !function->tokens[function->at + 1].is("("))
    return std::nullopt;
  Written written{function->file, 0, {false}};
  int groups = 0, angles = 0;
  for (size_t i = function->at + 1; function->tokens[i].kind != TokenKind::End; ++i) {
    const RawToken &token = function->tokens[i];
    groups += opensGroup(token) ? 1 : closesGroup(token) ? -1 : 0;
    if (groups == 0) {
      written.end = token.offset + token.length;
      return function->tokens[i + 1].is("{") ? std::optional(written) : std::nullopt;
    }
    angles += token.is("<") ? 1 : token.is(">") ? -1 : token.is(">>") ? -2 : 0;
    if (token.is(",") && groups == 1 && angles == 0)
      written.isOfThread.push_back(false);
    else if (token.is("thread"))
      written.isOfThread.back() = true;
  }
  return std::nullopt;
}

// Whether the first function has the word `thread` wherever the second one has it, and elsewhere.
bool hasMore(const Written &first, const Written &second) {
  bool more = false;
  for (size_t i = 0; i < first.isOfThread.size() && i < second.isOfThread.size(); ++i) {
    if (second.isOfThread[i] && !first.isOfThread[i])
      return false;
    more |= first.isOfThread[i] != second.isOfThread[i];
  }
  return more && first.isOfThread.size() == second.isOfThread.size();
}

constexpr llvm::StringLiteral kForThread = "for.thread"; // of __ASSAY_FOR_THREAD

FunctionDecl *genericOf(const FunctionDecl &forThread) {
  const ASTContext &context = forThread.getASTContext();
  for (NamedDecl *declared : forThread.getDeclContext()->getRedeclContext()->lookup(forThread.getDeclName()))
    if (auto *other = dyn_cast<FunctionDecl>(declared);
        other && !annotation(other, kForThread) && context.hasSameType(other->getType(), forThread.getType()))
      return other;
  return nullptr;
}

// Whether what a pointer or reference is made of may be in other than thread memory.
bool mayBeElsewhere(const ASTContext &context, const Expr *value, GenericPointers &pointers,
                    const FunctionDecl *function) {
  value = value->IgnoreParenImpCasts();
  const QualType type = value->getType();
  const LangAS space =
      context.getBaseElementType(type->isPointerType() ? type->getPointeeType() : type).getAddressSpace();
  return !isThread(space) || pointers.isGeneric(value, function);
}

// The function without a space of one of thread memory, or the other way round.
CXXMethodDecl *partnerOf(const CXXMethodDecl &method) {
  const bool isForThread = annotation(&method, "method.thread");
  for (NamedDecl *declared : method.getParent()->lookup(method.getDeclName()))
    if (auto *other = dyn_cast<CXXMethodDecl>(declared);
        other && !other->isImplicit() && differInObjectAlone(*other, method) &&
        (isForThread ? hasGenericObject(other) : annotation(other, "method.thread") != nullptr))
      return other;
  return nullptr;
}

// For a `const` function and an object that is not const, Clang takes only the one without a space.
void redirectMember(CallExpr &call, const CXXMethodDecl &callee, GenericPointers &pointers,
                    const FunctionDecl *function) {
  const bool isForThread = annotation(&callee, "method.thread");
  if (!isForThread && !hasGenericObject(&callee))
    return;
  const Expr *object = nullptr;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(&call))
    object = member->getImplicitObjectArgument();
  else if (isa<CXXOperatorCallExpr>(call) && call.getNumArgs())
    object = call.getArg(0);
  CXXMethodDecl *partner = object ? partnerOf(callee) : nullptr;
  if (partner && isForThread == mayBeElsewhere(callee.getASTContext(), object, pointers, function))
    setCallee(call, *partner);
}

} // namespace

std::set<SourceFix> genericPairFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != diag::err_redefinition || info.getNumArgs() == 0 ||
      info.getArgKind(0) != DiagnosticsEngine::ak_nameddecl)
    return {};
  const auto *second = dyn_cast_or_null<FunctionDecl>(reinterpret_cast<NamedDecl *>(info.getRawArg(0)));
  const FunctionDecl *first = second ? second->getPreviousDecl() : nullptr;
  if (!first || first->getPreviousDecl() || isa<CXXMethodDecl>(second) ||
      second->getDescribedFunctionTemplate() || second->isTemplateInstantiation())
    return {};
  const SourceManager &sources = info.getSourceManager();
  const auto a = writtenAt(sources, first->getLocation(), files),
             b = writtenAt(sources, second->getLocation(), files);
  if (!a || !b || (!hasMore(*a, *b) && !hasMore(*b, *a)))
    return {};
  const Written &forThread = hasMore(*a, *b) ? *a : *b;
  return {{forThread.file, forThread.end, forThread.end, " __ASSAY_FOR_THREAD", ""}};
}

void setCallee(CallExpr &call, CXXMethodDecl &method) {
  ASTContext &context = method.getASTContext();
  method.markUsed(context);
  if (auto *member = dyn_cast<MemberExpr>(call.getCallee()->IgnoreParens())) {
    member->setMemberDecl(&method);
  } else if (auto *name = dyn_cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts())) {
    name->setDecl(&method);
    name->setType(method.getType());
    if (auto *decay = dyn_cast<ImplicitCastExpr>(call.getCallee()))
      decay->setType(context.getPointerType(method.getType()));
  }
}

void redirectCall(CallExpr &call, GenericPointers &pointers, const FunctionDecl *function) {
  const FunctionDecl *callee = call.getDirectCallee();
  if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee); method && !method->isStatic())
    return redirectMember(call, *method, pointers, function);
  auto *name = dyn_cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  FunctionDecl *other =
      callee && name && annotation(callee, kForThread) ? genericOf(*callee->getCanonicalDecl()) : nullptr;
  if (!other || call.isInstantiationDependent())
    return;
  for (unsigned i = 0; i < callee->getNumParams() && i < call.getNumArgs(); ++i)
    if (pointers.isThread(callee->getParamDecl(i)) && !pointers.isThread(other->getParamDecl(i)) &&
        mayBeElsewhere(other->getASTContext(), call.getArg(i), pointers, function)) {
      other->markUsed(other->getASTContext());
      name->setDecl(other);
      return;
    }
}

} // namespace assay::frontend
