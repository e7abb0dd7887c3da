#include "frontend/argument_conversions.h"

#include "frontend/class_conversions.h"
#include "frontend/conversion_rules.h"
#include "frontend/list_arguments.h"
#include "frontend/vector_classes.h"

#include <clang/Basic/DiagnosticSema.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace assay::frontend {
namespace {

// What a note says of an argument that does not fit.
struct Unfit {
  std::vector<clang::QualType> types; ///< of the argument, and of the parameter
  uint64_t isObject = 0, number = 0;  ///< whether it is the object of a method; which argument, from 1
};
Unfit unfitArgument(const clang::Diagnostic &note) {
  Unfit unfit;
  for (unsigned i = 0; i < note.getNumArgs() && unfit.types.size() < 2; ++i)
    if (note.getArgKind(i) == clang::DiagnosticsEngine::ak_qualtype) {
      unfit.types.push_back(clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(note.getRawArg(i))));
      if (unfit.types.size() == 2 && i + 2 < note.getNumArgs()) {
        unfit.isObject = note.getRawArg(i + 1);
        unfit.number = note.getRawArg(i + 2);
      }
    }
  return unfit;
}

std::string conversionOf(const Unfit &unfit) {
  if (unfit.types.size() < 2 || unfit.isObject)
    return {};
  const auto &[from, to] = std::pair(unfit.types[0], unfit.types[1]);
  if (const std::string vector = vectorThatMakes(to); !vector.empty() && from->isArithmeticType())
    return "__assay_splat<" + vector + ">(";
  const std::string number = numberOf(from);
  return !number.empty() && vectorClass(to.getNonReferenceType()->getAsCXXRecordDecl())
             ? "static_cast<" + number + ">("
             : "";
}

// The same of the operand that a vector is changed by. A vector of bfloats takes a half, and one of integers
// takes no float.
std::string conversionOfAssigned(const Unfit &unfit) {
  if (unfit.types.size() < 2 || unfit.isObject)
    return {};
  const auto vector = vectorClass(unfit.types[1].getNonReferenceType()->getAsCXXRecordDecl());
  if (vector && areHalfAndBfloat(vector->element, unfit.types[0].getNonReferenceType()))
    return "__assay_splat<" + nameOf(*vector) + ">(";
  const std::string number =
      vector ? numberOf(unfit.types[0], vector->element->isFloatingType()) : std::string();
  return number.empty() ? "" : "static_cast<" + number + ">(";
}

} // namespace

void ArgumentConversions::remember(const clang::Diagnostic &error, const ViewFileSystem &files) {
  const unsigned id = error.getID();
  call_ = id == clang::diag::err_ovl_no_viable_function_in_call ||
                  id == clang::diag::err_ovl_no_viable_member_function_in_call
              ? writtenTokenAt(error.getSourceManager(), error.getLocation(), files)
              : std::nullopt;
  assigned_.reset();
  if (id != clang::diag::err_ovl_no_viable_oper || error.getRanges().size() < 2)
    return;
  const OperandPlaces places(error.getSourceManager(), files);
  changes_ = places.isArithmeticAssignment(error.getLocation());
  if (changes_ || places.textOf(error.getLocation()) == "=")
    assigned_ = places.operand(error.getRanges()[1]);
}

std::set<SourceFix> ArgumentConversions::consider(const clang::Diagnostic &info,
                                                  const ViewFileSystem &files) {
  const unsigned id = info.getID();
  if (!clang::DiagnosticIDs::isBuiltinNote(id))
    remember(info, files);
  if (id != clang::diag::note_ovl_candidate_bad_conv || (!call_ && !assigned_))
    return {};
  const Unfit unfit = unfitArgument(info);
  if (assigned_) {
    const std::string conversion = changes_ ? conversionOfAssigned(unfit) : conversionOf(unfit);
    return conversion.empty()
               ? std::set<SourceFix>()
               : std::set{SourceFix{assigned_->file, assigned_->begin, assigned_->end, conversion, ")"}};
  }
  const std::string conversion = conversionOf(unfit);
  if (conversion.empty() || unfit.number == 0)
    return {};
  const std::vector<Argument> arguments = argumentsOf(*call_);
  if (unfit.number > arguments.size())
    return {};
  const auto [first, last] = arguments[unfit.number - 1];
  const RawToken &end = call_->tokens[last];
  return {SourceFix{call_->file, call_->tokens[first].offset, end.offset + end.length, conversion, ")"}};
}

} // namespace assay::frontend
