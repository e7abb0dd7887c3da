#include "frontend/shift_counts.h"

#include "frontend/user_code.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticAST.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace assay::frontend {
namespace {

using namespace clang;

// Operators that bind less tightly than a shift, and what ends an expression.
bool endsOperand(const RawToken &token) {
  constexpr std::string_view kEnds[] = {"<<", ">>", "<",  ">",  "<=", ">=", "==", "!=", "&",
                                        "^",  "|",  "&&", "||", "?",  ":",  ",",  ";",  "="};
  return token.kind == TokenKind::End || std::ranges::find(kEnds, token.text) != std::end(kEnds);
}
bool endsAssigned(const RawToken &token) {
  return token.kind == TokenKind::End || token.is(",") || token.is(";");
}

// The last token of the right operand of the shift at this token; none if the text is not that of a shift.
std::optional<size_t> endOfOperand(const WrittenToken &shift) {
  const RawToken &op = shift.tokens[shift.at];
  const bool assigns = op.is("<<=") || op.is(">>=");
  if (!assigns && !op.is("<<") && !op.is(">>"))
    return std::nullopt;
  int depth = 0;
  for (size_t i = shift.at + 1; i < shift.tokens.size(); ++i) {
    const RawToken &token = shift.tokens[i];
    const bool ends = assigns ? endsAssigned(token) : endsOperand(token);
    if (depth == 0 && (ends || closesGroup(token)))
      return i - 1 > shift.at ? std::optional(i - 1) : std::nullopt;
    if (token.inDirective || token.kind == TokenKind::End)
      return std::nullopt;
    depth += opensGroup(token) ? 1 : closesGroup(token) ? -1 : 0;
  }
  return std::nullopt;
}

class Counts : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (!op->isShiftOp() && !op->isShiftAssignOp())
      return true;
    Expr *count = op->getRHS();
    const Expr *value = op->getLHS();
    if (value->isTypeDependent() || count->isTypeDependent() || count->isValueDependent())
      return true;
    QualType type = value->getType();
    if (const auto *assignment = dyn_cast<CompoundAssignOperator>(op))
      type = assignment->getComputationLHSType();
    if (!type->isIntegralOrEnumerationType() || !count->getType()->isIntegralOrEnumerationType())
      return true;
    const std::optional<llvm::APSInt> known = count->getIntegerConstantExpr(context_);
    const uint64_t width = context_.getIntWidth(type);
    if (!known || (!known->isNegative() && known->ult(width)))
      return true;
    const uint64_t reduced = known->getLoBits(64).getZExtValue() & (width - 1);
    op->setRHS(IntegerLiteral::Create(context_, llvm::APInt(known->getBitWidth(), reduced),
                                      context_.getIntTypeForBitwidth(known->getBitWidth(), known->isSigned()),
                                      count->getBeginLoc()));
    changed = true;
    return true;
  }

  bool changed = false;
};

// What Clang computed of a variable is computed again when it is asked for.
class Forgetter : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool VisitVarDecl(VarDecl *variable) override {
    EvaluatedStmt *known = variable->getEvaluatedStmt();
    if (known && known->WasEvaluated && !variable->isConstexpr() && !known->Evaluated.needsCleanup()) {
      known->WasEvaluated = false;
      known->Evaluated = APValue();
    }
    return true;
  }
};

} // namespace

std::set<SourceFix> shiftCountFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const bool large = info.getID() == diag::note_constexpr_large_shift;
  if ((!large && info.getID() != diag::note_constexpr_negative_shift) || info.getLocation().isMacroID())
    return {};
  const auto shift = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  const std::optional<size_t> last = shift ? endOfOperand(*shift) : std::nullopt;
  if (!last)
    return {};
  // Clang tells the width with a count that is too large alone. No type is wider than 64 bits, and a negative
  // count is a large one after that mask.
  constexpr unsigned kWidth = 2; // of the note's arguments
  const uint64_t width = large ? info.getRawArg(kWidth) : 64;
  return {{shift->file, shift->tokens[shift->at + 1].offset,
           shift->tokens[*last].offset + shift->tokens[*last].length, "((",
           fmt::format(") & {})", width - 1)}};
}

void reduceShiftCounts(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  Counts counts(context, files);
  counts.visitAll(declarations);
  if (counts.changed)
    Forgetter(context, files).visitAll(declarations);
}

} // namespace assay::frontend
