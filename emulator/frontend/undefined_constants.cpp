#include "frontend/undefined_constants.h"

#include "frontend/user_code.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticAST.h>
#include <clang/Basic/DiagnosticSema.h>

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

// The last token of the right operand of the shift at this token; none if the text is not that of a shift. A
// macro's text ends with its directive.
std::optional<size_t> endOfOperand(const WrittenToken &shift) {
  const RawToken &op = shift.tokens[shift.at];
  const bool assigns = op.is("<<=") || op.is(">>=");
  if (!assigns && !op.is("<<") && !op.is(">>"))
    return std::nullopt;
  int depth = 0;
  for (size_t i = shift.at + 1; i < shift.tokens.size(); ++i) {
    const RawToken &token = shift.tokens[i];
    const bool leaves = op.inDirective && (!token.inDirective || token.startsLine);
    const bool ends = leaves || (assigns ? endsAssigned(token) : endsOperand(token));
    if (depth == 0 && (ends || closesGroup(token)))
      return i - 1 > shift.at ? std::optional(i - 1) : std::nullopt;
    if (leaves || token.inDirective != op.inDirective || token.kind == TokenKind::End)
      return std::nullopt;
    depth += opensGroup(token) ? 1 : closesGroup(token) ? -1 : 0;
  }
  return std::nullopt;
}

/// An object whose shifts count within the width of what is shifted (msl_shim/detail/traits.h).
SourceFix countWithinAnyWidth(std::string file, uint32_t begin, uint32_t end) {
  return {std::move(file), begin, end, "metal::__assay::ShiftCount{long(", ")}"};
}

class Operations : public UserCodeVisitor {
public:
  using UserCodeVisitor::UserCodeVisitor;

  bool VisitBinaryOperator(BinaryOperator *op) override {
    const Expr *left = op->getLHS(), *right = op->getRHS();
    if (isDependent(left) || isDependent(right) || !right->getType()->isIntegralOrEnumerationType())
      return true;
    if (op->isShiftOp() || op->isShiftAssignOp())
      shift(op);
    else if (op->getOpcode() == BO_Div || op->getOpcode() == BO_Rem)
      division(op);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override { return conversion(cast); }
  bool VisitExplicitCastExpr(ExplicitCastExpr *cast) override { return conversion(cast); }

  bool changedCounts = false;

private:
  static bool isDependent(const Expr *operand) {
    return operand->isTypeDependent() || operand->isValueDependent();
  }

  void shift(BinaryOperator *op) {
    const Expr *count = op->getRHS();
    QualType type = op->getLHS()->getType();
    if (const auto *assignment = dyn_cast<CompoundAssignOperator>(op))
      type = assignment->getComputationLHSType();
    if (!type->isIntegralOrEnumerationType())
      return;
    const std::optional<llvm::APSInt> known = count->getIntegerConstantExpr(context_);
    const uint64_t width = context_.getIntWidth(type);
    if (!known || (!known->isNegative() && known->ult(width)))
      return;
    const uint64_t reduced = known->getLoBits(64).getZExtValue() & (width - 1);
    op->setRHS(IntegerLiteral::Create(context_, llvm::APInt(known->getBitWidth(), reduced),
                                      context_.getIntTypeForBitwidth(known->getBitWidth(), known->isSigned()),
                                      count->getBeginLoc()));
    changedCounts = true;
  }

  // Few divisors are constants, and fewer are 0 or -1: the dividend is computed for these alone.
  void division(BinaryOperator *op) {
    Expr::EvalResult left, right;
    if (!op->getRHS()->EvaluateAsInt(right, context_))
      return;
    const llvm::APSInt &divisor = right.Val.getInt();
    const bool isMinusOne = divisor.isSigned() && divisor.isAllOnes();
    if ((divisor != 0 && !isMinusOne) || !op->getLHS()->EvaluateAsInt(left, context_))
      return;
    if (divisor == 0 || left.Val.getInt().isMinSignedValue())
      op->setLHS(readFromMemory(op->getLHS()));
  }

  bool conversion(CastExpr *cast) {
    const Expr *operand = cast->getSubExpr();
    llvm::APFloat value(0.0f);
    if (cast->getCastKind() != CK_FloatingToIntegral || isDependent(operand) ||
        !operand->EvaluateAsFloat(value, context_))
      return true;
    llvm::APSInt converted(unsigned(context_.getIntWidth(cast->getType())),
                           cast->getType()->isUnsignedIntegerOrEnumerationType());
    bool exact = false;
    if (value.convertToInteger(converted, llvm::APFloat::rmTowardZero, &exact) & llvm::APFloat::opInvalidOp)
      cast->setSubExpr(readFromMemory(cast->getSubExpr()));
    return true;
  }

  // Clang does not compute with what it loads from a temporary variable.
  Expr *readFromMemory(Expr *operand) const {
    const QualType type = operand->getType();
    auto *temporary =
        new (context_) MaterializeTemporaryExpr(type, operand, /*BoundToLvalueReference=*/false);
    return ImplicitCastExpr::Create(context_, type, CK_LValueToRValue, temporary, nullptr, VK_PRValue,
                                    FPOptionsOverride());
  }
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

std::set<SourceFix> undefinedConstantFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const bool large = info.getID() == diag::note_constexpr_large_shift;
  if (!large && info.getID() != diag::note_constexpr_negative_shift)
    return {};
  const auto shift = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  const std::optional<size_t> last = shift ? endOfOperand(*shift) : std::nullopt;
  if (!last)
    return {};
  const uint32_t begin = shift->tokens[shift->at + 1].offset,
                 end = shift->tokens[*last].offset + shift->tokens[*last].length;
  if (info.getLocation().isMacroID())
    return {countWithinAnyWidth(shift->file, begin, end)};
  // Clang tells the width with a count that is too large alone. No type is wider than 64 bits, and a negative
  // count is a large one after that mask.
  constexpr unsigned kWidth = 2; // of the note's arguments
  const uint64_t width = large ? info.getRawArg(kWidth) : 64;
  return {{shift->file, begin, end, "((", fmt::format(") & {})", width - 1)}};
}

std::set<SourceFix> templateArgumentFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (info.getID() != diag::err_ovl_no_viable_function_in_call &&
      info.getID() != diag::err_ovl_no_viable_member_function_in_call)
    return {};
  std::optional<WrittenToken> token = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  if (!token)
    return {};
  // Of `S::f<..>` the place is that of S.
  const auto isName = [&] {
    const RawToken &at = token->tokens[token->at];
    return at.kind == TokenKind::Identifier || at.is("::");
  };
  while (isName())
    ++token->at;
  if (!token->tokens[token->at].is("<"))
    return {};
  const size_t close = closingAngle(token->tokens, token->at);
  if (close == kNone)
    return {};
  std::set<SourceFix> fixes;
  for (; token->at < close; ++token->at)
    if (const std::optional<size_t> last = endOfOperand(*token))
      fixes.insert(countWithinAnyWidth(token->file, token->tokens[token->at + 1].offset,
                                       token->tokens[*last].offset + token->tokens[*last].length));
  return fixes;
}

void defineConstants(ASTContext &context, const ViewFileSystem &files, const Declarations &declarations) {
  Operations operations(context, files);
  operations.visitAll(declarations);
  if (operations.changedCounts)
    Forgetter(context, files).visitAll(declarations);
}

} // namespace assay::frontend
