#include "frontend/air_symbols.h"

#include "frontend/annotations.h"
#include "frontend/memory_spaces.h"
#include "frontend/user_code.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include <fmt/format.h>

#include <map>
#include <vector>

namespace assay::frontend {
namespace {

using namespace clang;

// Empty if the label is no symbol of Apple's compiler.
llvm::StringRef symbolOf(const FunctionDecl *function) {
  const auto *label = function->getAttr<AsmLabelAttr>();
  if (!label)
    return {};
  llvm::StringRef symbol = label->getLabel();
  symbol.consume_front("\1"); // LLVM's mark of a name that is not to be changed
  return symbol.starts_with("air.") ? symbol : llvm::StringRef();
}

// --- the header's definitions

using Definitions = std::map<llvm::StringRef, const FunctionDecl *>;

const NamespaceDecl *namespaceIn(ASTContext &context, const DeclContext *outer, const char *name) {
  const auto found = outer->lookup(&context.Idents.get(name));
  return found.empty() ? nullptr : dyn_cast<NamespaceDecl>(found.front());
}

Definitions definitionsIn(ASTContext &context) {
  Definitions all;
  const NamespaceDecl *metal = namespaceIn(context, context.getTranslationUnitDecl(), "metal");
  const NamespaceDecl *air = metal ? namespaceIn(context, metal, "__assay_air") : nullptr;
  if (!air)
    return all;
  for (const NamespaceDecl *part : air->redecls())
    for (const Decl *decl : part->decls())
      if (const auto *function = dyn_cast<FunctionDecl>(decl))
        if (const llvm::StringRef symbol = symbolOf(function); !symbol.empty())
          all.emplace(symbol, function);
  return all;
}

// --- what fits

// What a type is for a call: kind, size and address space, whatever its names and signs.
std::string shapeOf(const ASTContext &context, QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (type->isVoidType())
    return "void";
  if (type->isPointerType())
    return fmt::format(
        "a pointer to {} memory",
        nameOf(metalMemory(type->getPointeeType().getAddressSpace()).value_or(AddressSpace::Thread)));
  const char *kind = type->isBooleanType()                 ? "a bool"
                     : type->isRealFloatingType()          ? "a floating-point number"
                     : type->isIntegralOrEnumerationType() ? "an integer"
                                                           : "a vector or structure";
  return type->isIncompleteType()
             ? "an incomplete type"
             : fmt::format("{} of {} bytes", kind, context.getTypeSizeInChars(type).getQuantity());
}

// The first difference in words; empty if there is none.
std::string difference(const ASTContext &context, const FunctionDecl *declared, const FunctionDecl *known) {
  const auto differs = [&](const char *what, QualType a, QualType b) -> std::string {
    const std::string left = shapeOf(context, a), right = shapeOf(context, b);
    return left == right ? "" : fmt::format("{} is {} and must be {}", what, left, right);
  };
  if (declared->getNumParams() != known->getNumParams() || declared->isVariadic())
    return fmt::format("it has {} parameters and must have {}", declared->getNumParams(),
                       known->getNumParams());
  for (unsigned i = 0; i < known->getNumParams(); ++i)
    if (std::string text = differs(fmt::format("parameter {}", i + 1).c_str(),
                                   declared->getParamDecl(i)->getType(), known->getParamDecl(i)->getType());
        !text.empty())
      return text;
  return differs("its result", declared->getReturnType(), known->getReturnType());
}

// The symbols that are known, those first that begin like this one.
std::string known(const Definitions &definitions, llvm::StringRef symbol) {
  std::map<std::string, size_t> families; // "air.simd_sum" and how many
  for (const auto &[name, function] : definitions)
    ++families[name.take_until([n = 0](char c) mutable { return c == '.' && n++ > 0; }).str()];
  const std::string family = symbol.take_until([n = 0](char c) mutable { return c == '.' && n++ > 0; }).str();
  std::string text;
  if (families.contains(family)) {
    for (const auto &[name, function] : definitions)
      if (name.starts_with(family + "."))
        text += (text.empty() ? "" : ", ") + name.str();
    return text;
  }
  for (const auto &[name, count] : families)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

class Binder : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  std::vector<FunctionDecl *> declared() {
    visitUsers();
    return std::move(functions_);
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (!symbolOf(function).empty())
      functions_.push_back(function);
    return true;
  }
  void bind(FunctionDecl *function, const Definitions &definitions) {
    const std::string symbol = symbolOf(function).str();
    const auto *label = function->getAttr<AsmLabelAttr>();
    const auto found = definitions.find(symbol);
    const bool used = function->isReferenced() || function->isUsed();
    if (found == definitions.end()) {
      if (used)
        report(function->getLocation(),
               fmt::format("'{}' is a symbol of Apple's compiler that Assay does not know: known are {}",
                           symbol, known(definitions, symbol)));
      return;
    }
    if (const std::string text = difference(context_, function, found->second); !text.empty()) {
      if (used)
        report(function->getLocation(), fmt::format("'{}' does not fit its symbol '{}': {}",
                                                    function->getNameAsString(), symbol, text));
      return;
    }
    auto *plain = AsmLabelAttr::CreateImplicit(context_, symbol, /*IsLiteralLabel=*/true, label->getRange());
    function->dropAttr<AsmLabelAttr>();
    function->addAttr(plain);
  }

private:
  std::vector<FunctionDecl *> functions_;
};

} // namespace

bool bindAirSymbols(ASTContext &context, const ViewFileSystem &files) {
  Binder binder(context, files);
  const std::vector<FunctionDecl *> declared = binder.declared();
  if (declared.empty())
    return false;
  const Definitions definitions = definitionsIn(context);
  if (definitions.empty())
    return true;
  for (FunctionDecl *function : declared)
    binder.bind(function, definitions);
  return false;
}

} // namespace assay::frontend
