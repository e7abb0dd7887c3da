#include "frontend/by_value_fixes.h"

#include "frontend/class_conversions.h"
#include "frontend/conversion_rules.h"
#include "frontend/operand_places.h"
#include "frontend/own_errors.h"
#include "frontend/vector_classes.h"
#include "frontend/written_token.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// An argument of a diagnostic that is a type; none if it is something else.
clang::QualType typeAt(const clang::Diagnostic &info, unsigned argument) {
  if (argument >= info.getNumArgs() || info.getArgKind(argument) != clang::DiagnosticsEngine::ak_qualtype)
    return {};
  return clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(argument)));
}

// Whether an argument of a diagnostic is the type of an object in another memory than that of a thread.
bool isElsewhere(const clang::Diagnostic &info, unsigned argument) {
  const clang::QualType type = typeAt(info, argument);
  return !type.isNull() && type.hasAddressSpace();
}

// Whether two arguments of a diagnostic are a half and a bfloat, in either order.
bool areBothHalves(const clang::Diagnostic &info, unsigned first) {
  const clang::QualType types[] = {typeAt(info, first), typeAt(info, first + 1)};
  return !types[0].isNull() && !types[1].isNull() && areHalfAndBfloat(types[0], types[1]);
}

// Which operand of an operator, 0 or 1, is an enumerator beside a half or a bfloat; 2 if none is.
size_t enumeratorBesideHalf(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_ovl_ambiguous_oper_binary || info.getNumArgs() < 3 ||
      info.getRanges().size() < 2)
    return 2;
  size_t enumerator = 2, halves = 0;
  for (unsigned i : {0u, 1u}) {
    const clang::QualType type = typeAt(info, i + 1);
    if (type->isUnscopedEnumerationType())
      enumerator = i;
    halves += type->isFloat16Type() || type->isBFloat16Type();
  }
  return halves == 1 ? enumerator : 2;
}

// Which operand of an operator, 0 or 1, is a scalar beside a vector that it converts to; 2 if none is.
size_t scalarBesideVector(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_ovl_ambiguous_oper_binary || info.getNumArgs() < 3 ||
      info.getRanges().size() < 2)
    return 2;
  clang::QualType types[2];
  for (unsigned i : {0u, 1u})
    types[i] = typeAt(info, i + 1);
  for (size_t i : {size_t(0), size_t(1)}) {
    const auto vector = vectorClass(types[1 - i]->getAsCXXRecordDecl());
    if (vector && (types[i]->isIntegralOrUnscopedEnumerationType() ||
                   (types[i]->isFloatingType() && vector->element->isFloatingType())))
      return i;
  }
  return 2;
}

// Whether two arguments of a diagnostic are a vector and a packed one of the same elements, in either order.
bool areVectorAndPacked(const clang::Diagnostic &info) {
  std::optional<MetalVector> types[2];
  for (unsigned i : {0u, 1u})
    if (const clang::QualType type = typeAt(info, i); !type.isNull())
      types[i] = vectorClass(type->getAsCXXRecordDecl());
  return types[0] && types[1] && types[0]->packed != types[1]->packed;
}

// Whether Clang has this operator for vectors that are operands of it by a conversion. Most others it has for
// integers alone.
bool takesConverted(std::string_view operation, size_t operands) {
  const std::string_view unary[] = {"+", "-", "~"};
  const std::string_view binary[] = {"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="};
  return operands == 1 ? std::ranges::count(unary, operation) != 0
                       : std::ranges::count(binary, operation) != 0;
}

// Fixes for an operator whose operands are vectors, or objects of classes that convert to a vector and to
// nothing else.
std::set<SourceFix> objectFixes(const clang::Diagnostic &info, const std::vector<clang::QualType> &types,
                                const ViewFileSystem &files) {
  const OperandPlaces places(info.getSourceManager(), files);
  const std::string operation = places.textOf(info.getLocation());
  if (!takesConverted(operation, types.size()) || std::ranges::any_of(types, [](clang::QualType type) {
        return !vectorClass(type->getAsCXXRecordDecl()) && vectorOf(type).empty();
      }))
    return {};
  std::set<SourceFix> fixes;
  for (size_t i = 0; i < std::min<size_t>(types.size(), info.getRanges().size()); ++i) {
    const std::string vector = vectorOf(types[i]);
    const clang::CharSourceRange &range = info.getRanges()[i];
    const auto place = places.operand(range);
    if (vector.empty() || !place)
      continue;
    const std::string to =
        fmt::format("static_cast<__assay_vector_of<{}, decltype(({}))>>(", vector, places.textOf(range));
    fixes.insert({place->file, place->begin, place->end, to, ")"});
  }
  return fixes;
}

// The fix for the object in `v.xy *= object`, where the object becomes a number. A swizzle is a value here,
// and Clang has these assignments for vectors and what converts to them.
std::set<SourceFix> swizzleFixes(const clang::Diagnostic &info, const std::vector<clang::QualType> &types,
                                 const ViewFileSystem &files) {
  const auto target = vectorClass(types[0]->getAsCXXRecordDecl());
  const OperandPlaces places(info.getSourceManager(), files);
  if (!target || vectorClass(types[1]->getAsCXXRecordDecl()) ||
      !places.isArithmeticAssignment(info.getLocation()))
    return {};
  const std::string number = numberOf(types[1], target->element->isFloatingType());
  const auto place = number.empty() ? std::nullopt : places.operand(info.getRanges()[1]);
  if (!place)
    return {};
  return {{place->file, place->begin, place->end,
           fmt::format("static_cast<{}>(static_cast<{}>(", nameOf(*target), number), "))"}};
}

} // namespace

std::set<SourceFix> splatFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  // An operator's error has the ranges of both operands, a conversion's that of the value.
  const bool operands = info.getID() == clang::diag::err_typecheck_invalid_operands;
  const bool unary = info.getID() == clang::diag::err_typecheck_unary_expr;
  const bool conditional = info.getID() == clang::diag::err_typecheck_cond_incompatible_operands;
  if ((!operands && !unary && !conditional &&
       info.getID() != clang::diag::err_typecheck_nonviable_condition) ||
      info.getRanges().size() < (operands || conditional ? 2 : 1))
    return {};
  std::vector<clang::QualType> types;
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (const clang::QualType type = typeAt(info, i); !type.isNull())
      types.push_back(type);
  if (unary)
    return objectFixes(info, types, files);
  if (types.size() != 2)
    return {};
  if (operands)
    if (std::set<SourceFix> fixes = swizzleFixes(info, types, files); !fixes.empty())
      return fixes;
  // The operand that is converted. In `c ? v : k`, where k becomes a number, both belong to one operator.
  const size_t value = operands ? !types[0]->isArithmeticType()
                       : conditional
                           ? types[1]->isArithmeticType() || vectorClass(types[0]->getAsCXXRecordDecl())
                           : 0;
  const std::string number = operands ? "" : numberOf(types[value]);
  const auto target = vectorClass(types[1 - value]->getAsCXXRecordDecl());
  std::string helper, end = ")";
  if (const std::string vector = vectorThatMakes(types[1 - value]);
      !vector.empty() && types[value]->isArithmeticType())
    helper = "__assay_splat<" + vector + ">(";
  else if (target && areHalfAndBfloat(target->element, types[value]))
    helper = "__assay_splat<" + nameOf(*target) + ">(";
  else if (!number.empty() && target && conditional) {
    helper = fmt::format("static_cast<{}>(static_cast<{}>(", nameOf(*target), number);
    end = "))";
  } else if (!number.empty() && target)
    helper = "static_cast<" + number + ">(";
  else
    return operands ? objectFixes(info, types, files) : std::set<SourceFix>();
  const auto place = OperandPlaces(info.getSourceManager(), files).operand(info.getRanges()[value]);
  if (!place)
    return {};
  return {{place->file, place->begin, place->end, helper, end}};
}

std::set<SourceFix> choiceFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const auto mark = isOwnError(info, kChoiceIsValue)
                        ? writtenTokenAt(info.getSourceManager(), info.getLocation(), files)
                        : std::nullopt;
  if (!mark || !mark->tokens[mark->at].is("?"))
    return {};
  int depth = 0, choices = 0;
  for (size_t i = mark->at + 1; i < mark->tokens.size() && depth >= 0; ++i) {
    const RawToken &token = mark->tokens[i];
    depth += opensGroup(token) - closesGroup(token);
    if (depth != 0)
      continue;
    choices += token.is("?");
    if (token.is(":") && choices-- == 0) {
      const RawToken &last = mark->tokens[i - 1];
      return {{mark->file, mark->tokens[mark->at + 1].offset, last.offset + last.length, "__assay_by_value(",
               ")"}};
    }
  }
  return {};
}

std::set<SourceFix> byValueFixes(const clang::Diagnostic &info, const ViewFileSystem &files) {
  const unsigned id = info.getID();
  const bool cast = id == clang::diag::err_bad_cxx_cast_generic && areBothHalves(info, 1);
  const bool mixed = (id == clang::diag::err_typecheck_invalid_operands ||
                      id == clang::diag::err_typecheck_cond_incompatible_operands) &&
                     areBothHalves(info, 0) && info.getRanges().size() >= 2;
  const bool conditional = id == clang::diag::err_typecheck_cond_incompatible_operands && !mixed &&
                           splatFixes(info, files).empty();
  const bool packed = id == clang::diag::err_conditional_ambiguous && info.getRanges().size() >= 2 &&
                      areVectorAndPacked(info);
  const size_t enumerator = enumeratorBesideHalf(info), scalar = scalarBesideVector(info);
  std::set<SourceFix> fixes;
  if (!conditional && !cast && !mixed && !packed && enumerator == 2 && scalar == 2)
    return fixes;
  const OperandPlaces places(info.getSourceManager(), files);
  // The last range of a cast is its operand; in h += b, only b is a value.
  const auto ranges = cast ? info.getRanges().take_back() : info.getRanges();
  const bool assigns = mixed && places.isArithmeticAssignment(info.getLocation());
  for (size_t i = assigns ? 1 : 0; i < ranges.size(); ++i) {
    if ((enumerator < 2 && i != enumerator) || (scalar < 2 && i != scalar))
      continue;
    // One value suffices for a value; what is one needs no copy.
    if (conditional && isElsewhere(info, 1 - unsigned(i)) && !isElsewhere(info, unsigned(i)))
      continue;
    const clang::CharSourceRange &range = ranges[i];
    std::optional<OperandPlace> place;
    if (conditional)
      place = places.parameterUsedAgain(range);
    if (!place)
      place = conditional ? places.used(range) : places.operand(range);
    if (!place && conditional)
      place = places.held(range);
    if (!place)
      continue;
    std::string helper = cast             ? "__assay_between_halves"
                         : enumerator < 2 ? "__assay_promoted"
                                          : "__assay_by_value";
    if (scalar < 2)
      helper = fmt::format("__assay_splat<decltype({})>", places.textOf(ranges[1 - scalar]));
    if (packed && i == 1)
      helper = fmt::format("__assay_like<decltype({})>", places.textOf(ranges[0]));
    if (mixed)
      helper = fmt::format("__assay_beside<decltype({})>", places.textOf(ranges[1 - std::min<size_t>(i, 1)]));
    fixes.insert({place->file, place->begin, place->end, helper + "(", ")"});
  }
  return fixes;
}

} // namespace assay::frontend
