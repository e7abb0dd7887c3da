#include "frontend/lambda_rule.h"

#include "frontend/user_code.h"
#include "support/abi/language_version.h"

#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

namespace assay::frontend {
namespace {

using namespace clang;

class Checker : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;
  void run() { visitUsers(); }

  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (isUsersText(lambda->getBeginLoc()))
      report(lambda->getBeginLoc(), "lambda expressions are not supported before Metal 3.2");
    return UserCodeVisitor::TraverseLambdaExpr(lambda);
  }
};

// The value of __METAL_VERSION__, which is what the front end was asked for; see compiler_arguments.h.
unsigned version(const Preprocessor &preprocessor) {
  const MacroInfo *macro = preprocessor.getMacroInfo(preprocessor.getIdentifierInfo("__METAL_VERSION__"));
  unsigned value = 0;
  if (macro && macro->getNumTokens() == 1)
    llvm::StringRef(preprocessor.getSpelling(macro->getReplacementToken(0))).getAsInteger(10, value);
  return value;
}

} // namespace

void checkLambdas(clang::Sema &sema, const ViewFileSystem &files) {
  const unsigned asked = version(sema.getPreprocessor());
  if (asked != 0 && asked < unsigned(LanguageVersion::Metal3_2))
    Checker(sema.Context, files).run();
}

} // namespace assay::frontend
