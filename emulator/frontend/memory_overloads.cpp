#include "frontend/memory_overloads.h"

#include "frontend/list_arguments.h"
#include "frontend/metal_rule_texts.h"
#include "frontend/own_errors.h"
#include "frontend/written_token.h"

#include <clang/Basic/DiagnosticSema.h>

namespace assay::frontend {
namespace {

// Whether the text of the call's file declares the function once: then there is no other to call. A function
// of a header is not declared there, and may have others.
bool isDeclaredOnce(const WrittenToken &call) {
  const RawToken &name = call.tokens[call.at];
  size_t declared = 0;
  for (size_t i = 1; i + 1 < call.tokens.size(); ++i) {
    const RawToken &before = call.tokens[i - 1];
    const bool type = before.kind == TokenKind::Identifier && !before.isAny({"return", "else", "do", "case"});
    declared +=
        call.tokens[i].is(name.text) && call.tokens[i + 1].is("(") && (type || before.isAny({"*", "&", ">"}));
  }
  return declared == 1;
}

bool isAmbiguous(unsigned id) {
  using namespace clang::diag;
  return id == err_ovl_ambiguous_call || id == err_ovl_ambiguous_member_call ||
         id == err_ovl_ambiguous_init || id == err_ovl_ambiguous_conversion_in_cast;
}

bool isWithoutFunction(unsigned id) {
  using namespace clang::diag;
  return id == err_ovl_no_viable_function_in_call || id == err_ovl_no_viable_member_function_in_call ||
         id == err_ovl_no_viable_function_in_init || id == err_ovl_no_viable_conversion_in_cast;
}

// The call that an error is about; none if it is about something else.
std::optional<WrittenToken> callOf(const clang::Diagnostic &info, const ViewFileSystem &files) {
  if (isAmbiguous(info.getID()) || isWithoutFunction(info.getID()))
    return writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  const bool used = isOwnError(info, kUsedAsThread);
  if (!used && !isOwnError(info, llvm::StringRef(kGivenOtherMemory).split("%0").second))
    return std::nullopt;
  auto place = writtenTokenAt(info.getSourceManager(), info.getLocation(), files);
  return used && place ? functionAround(std::move(*place)) : place;
}

std::set<SourceFix> aroundArguments(const WrittenToken &call, const std::string &helper) {
  std::set<SourceFix> fixes;
  for (const auto &[first, last] : argumentsOf(call)) {
    const RawToken &begin = call.tokens[first], &end = call.tokens[last];
    if (begin.kind != TokenKind::Literal && !begin.is("{"))
      fixes.insert({call.file, begin.offset, end.offset + end.length, helper + "(", ")"});
  }
  return fixes;
}

} // namespace

std::set<SourceFix> MemoryOverloads::consider(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const clang::SourceManager &sources = info.getSourceManager();
  if (info.getID() == clang::diag::err_ovl_ambiguous_oper_binary) {
    std::set<SourceFix> fixes;
    const OperandPlaces places(sources, files);
    for (const clang::CharSourceRange &range : info.getRanges())
      if (const auto place = places.operand(range))
        fixes.insert({place->file, place->begin, place->end, "__assay_in_memory(", ")"});
    return fixes;
  }
  if (info.getLocation().isInvalid() || clang::DiagnosticIDs::isBuiltinNote(info.getID()))
    return {};
  const std::optional<WrittenToken> call = callOf(info, files);
  if (!call)
    return {};
  const std::pair name(call->file, call->tokens[call->at].offset);
  if (!isWithoutFunction(info.getID())) {
    if (!isAmbiguous(info.getID()) && isDeclaredOnce(*call))
      return {};
    calls_.insert(name);
    return aroundArguments(*call, "__assay_in_memory");
  }
  // It goes around the other helper, since fixes of one place are put in the order of their texts.
  return calls_.count(name) ? aroundArguments(*call, "__assay_const_memory") : std::set<SourceFix>();
}

} // namespace assay::frontend
