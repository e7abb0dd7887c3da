#include "frontend/version_rules.h"

#include "frontend/attributes.h"
#include "frontend/user_code.h"

#include <clang/AST/Attr.h>

#include <fmt/format.h>

namespace assay::frontend {
namespace {

using namespace clang;

struct Since {
  llvm::StringRef attribute;
  LanguageVersion version;
};

// As [[attributes]]: the words kernel, vertex and fragment are of every version.
constexpr Since kSince[] = {
    {"function_constant", LanguageVersion::Metal1_2},
    {"condition", LanguageVersion::Metal1_2}, // function_constant on an argument
    {"id", LanguageVersion::Metal2_0},
    {"early_fragment_tests", LanguageVersion::Metal2_0},
    {"host_name", LanguageVersion::Metal2_2},
    {"kernel", LanguageVersion::Metal2_3},
    {"vertex", LanguageVersion::Metal2_3},
    {"fragment", LanguageVersion::Metal2_3},
    {"required_threads_per_threadgroup", LanguageVersion::Metal4_0},
};

std::string numberOf(LanguageVersion version) {
  return fmt::format("{}.{}", unsigned(version) / 100, unsigned(version) / 10 % 10);
}

class Checker : public UserCodeVisitor {
public:
  Checker(ASTContext &context, const ViewFileSystem &files, LanguageVersion asked)
      : UserCodeVisitor(context, files), asked_(asked) {}
  void run(const Declarations &declarations) {
    visitUsers();
    visitInstantiations(declarations); // host_name
  }

  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (asked_ < LanguageVersion::Metal3_2 && isUsersText(lambda->getBeginLoc()))
      report(lambda->getBeginLoc(), "lambda expressions need Metal 3.2 or later");
    return UserCodeVisitor::TraverseLambdaExpr(lambda);
  }

  bool VisitDecl(Decl *decl) override {
    for (const auto *attribute : decl->specific_attrs<AnnotateAttr>()) {
      llvm::StringRef name = attribute->getAnnotation();
      if (!name.consume_front(llvm::StringRef(kAnnotationPrefix.data(), kAnnotationPrefix.size())))
        continue;
      for (const Since &row : kSince)
        if (row.attribute == name && asked_ < row.version && isUsersText(attribute->getLocation()))
          report(attribute->getLocation(),
                 fmt::format("[[{}]] needs Metal {} or later",
                             name == "condition" ? "function_constant" : name.str(), numberOf(row.version)));
    }
    return true;
  }

private:
  LanguageVersion asked_;
};

} // namespace

void checkVersion(clang::ASTContext &context, const ViewFileSystem &files, LanguageVersion asked,
                  const Declarations &declarations) {
  if (asked != LanguageVersion::Any && asked < LanguageVersion::Metal4_0)
    Checker(context, files, asked).run(declarations);
}

} // namespace assay::frontend
