#include "frontend/given_attributes.h"

#include "frontend/attributes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/ParsedAttrInfo.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

llvm::ArrayRef<ParsedAttrInfo::Spelling> spellings() {
  static const std::vector<ParsedAttrInfo::Spelling> all = [] {
    std::vector<ParsedAttrInfo::Spelling> made;
    for (const AttributeInfo &info : attributes())
      made.push_back({AttributeCommonInfo::AS_CXX11, info.name.data()});
    // `__attribute__((max_total_threads_per_threadgroup(n)))`, which Apple's compiler takes, also after the
    // parameters.
    made.push_back({AttributeCommonInfo::AS_GNU, "max_total_threads_per_threadgroup"});
    return made;
  }();
  return all;
}

struct GivenAttribute : ParsedAttrInfo {
  GivenAttribute() {
    OptArgs = 15; // as many as there can be
    Spellings = spellings();
  }

  AttrHandling handleDeclAttribute(Sema &sema, Decl *decl, const ParsedAttr &attribute) const override {
    const llvm::StringRef name = attribute.getAttrName()->getName();
    const AttributeInfo *info = findAttribute(std::string_view(name.data(), name.size()));
    if (!info || info->use == AttributeUse::Hint)
      return AttributeApplied;
    llvm::SmallVector<Expr *> arguments;
    bool known = info->use != AttributeUse::FunctionConstant;
    const bool takesArguments = info->use == AttributeUse::Annotation || info->use == AttributeUse::Slot;
    for (unsigned i = 0; i < attribute.getNumArgs() && takesArguments; ++i) {
      known &= attribute.isArgExpr(i);
      if (known)
        arguments.push_back(attribute.getArgAsExpr(i));
    }
    if (!known) {
      DiagnosticsEngine &diagnostics = sema.getDiagnostics();
      diagnostics.Report(attribute.getLoc(),
                         diagnostics.getCustomDiagID(DiagnosticsEngine::Error,
                                                     "[[%0]] cannot be given to a macro as an argument here: "
                                                     "write it in the macro's body"))
          << name;
      return AttributeNotApplied;
    }
    const std::string_view prefix = info->use == AttributeUse::Builtin ? kBuiltinPrefix : kAnnotationPrefix;
    const std::string text = std::string(prefix) + std::string(info->name);
    sema.AddAnnotationAttr(decl, attribute, text, arguments);
    return AttributeApplied;
  }
};

} // namespace

void registerGivenAttributes() {
  static const ParsedAttrInfoRegistry::Add<GivenAttribute> added("assay", "attributes of Metal");
}

bool ignoresMetalsAttribute(const clang::Diagnostic &warning) {
  if (warning.getID() != diag::warn_unknown_attribute_ignored)
    return false;
  llvm::SmallString<64> text;
  warning.FormatDiagnostic(text);
  const llvm::StringRef name = text.str().split('\'').second.split('\'').first;
  // What `kernel`, `threadgroup` and other words of the shim's prelude have become.
  return name == "__attribute__" || findAttribute(std::string_view(name.data(), name.size()));
}

} // namespace assay::frontend
