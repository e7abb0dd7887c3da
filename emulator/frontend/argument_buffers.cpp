#include "frontend/argument_buffers.h"

#include "frontend/annotations.h"
#include "frontend/diagnostics.h"
#include "frontend/memory_spaces.h"
#include "frontend/resource_types.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

// Kinds of Metal's resources that a member may not have here, by the beginning of the class's name, where
// Apple's library has an underscore before some.
constexpr std::array<llvm::StringLiteral, 4> kUnsupported = {
    "acceleration_structure", "intersection_function_table", "render_pipeline_state",
    "compute_pipeline_state"};

constexpr size_t kMostMembers = 4096; // arrays of resources count once

struct Element {
  QualType type;      ///< of one element if it is an array (of arrays)
  uint64_t count = 1; ///< of elements
};

std::optional<AddressSpace> bufferSpace(QualType pointee) {
  const LangAS space = pointee.getAddressSpace();
  return isDevice(space) || isConstant(space) ? metalMemory(space) : std::nullopt;
}

const CXXRecordDecl *recordOf(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() ? record->getDefinition() : nullptr;
}

// The beginning of the class's name if it is a resource that is not supported here.
std::optional<llvm::StringLiteral> unsupported(const CXXRecordDecl *record) {
  for (const llvm::StringLiteral &kind : kUnsupported)
    if (record && inMetal(record) && record->getIdentifier() &&
        record->getName().ltrim('_').starts_with(kind))
      return kind;
  return std::nullopt;
}

class Members {
public:
  Members(const ASTContext &context, const MemberError &error, const Unsupported &unsupported)
      : context_(context), error_(error), unsupported_(unsupported) {}

  // Each class is looked at once, however often it occurs in others.
  bool isArgumentBuffer(const CXXRecordDecl *record) {
    if (const auto known = known_.find(record); known != known_.end())
      return known->second;
    return known_[record] = holdsResources(record);
  }

  // Returns the first index after the struct's own.
  uint64_t add(const CXXRecordDecl *record, const std::string &prefix, uint64_t offset, uint64_t firstId) {
    const ASTRecordLayout &layout = context_.getASTRecordLayout(record);
    uint64_t nextId = firstId;
    for (const FieldDecl *field : record->fields()) {
      if (tooMany_)
        return nextId;
      if (holdsUnion(field->getType()) && !isArgumentBufferItself(field) && refused_.insert(field).second)
        error_(
            field->getLocation(),
            field->getIdentifier()
                ? fmt::format("member '{}' is a union or has one: an argument buffer cannot contain unions",
                              field->getNameAsString())
                : "an argument buffer cannot contain a union");
      const uint64_t at = offset + layout.getFieldOffset(field->getFieldIndex()) / 8;
      const std::optional<int64_t> id = idOf(field);
      if (id && (*id < 0 || *id > UINT32_MAX / 2))
        error_(field->getLocation(), fmt::format("id({}) is out of range", *id));
      const uint64_t fieldId = id ? firstId + uint64_t(*id) : nextId;
      // source: "attribute 'id' set location to 0, but minimum is 1", of Apple's compiler in issue 1171 of
      // SPIRV-Cross.
      if (fieldId < nextId && !memberWith(fieldId, 1))
        error_(
            field->getLocation(),
            fmt::format("id({}) of member '{}' must be at least {}: indices increase from member to member",
                        *id, field->getNameAsString(), nextId - firstId));
      nextId = addField(field, prefix + field->getNameAsString(), at, fieldId);
    }
    return nextId;
  }

  std::vector<MemberInfo> take() { return std::move(members_); }

private:
  bool holdsResources(const CXXRecordDecl *record) {
    for (const FieldDecl *field : record->fields()) {
      const QualType type = element(field->getType()).type;
      const bool pointer = type->isPointerType() || type->isReferenceType();
      if (annotation(field, "id") || handlesOf(type) || isFunctionTable(type) || isTensor(type) ||
          (pointer && bufferSpace(type->getPointeeType())))
        return true;
      const CXXRecordDecl *inner = recordOf(type);
      if (unsupported(inner) || (inner && !inMetal(inner) && isArgumentBuffer(inner)))
        return true;
    }
    return false;
  }

  // The library's own classes, such as vectors, are no structures to a program. Each class is looked at once.
  bool holdsUnion(QualType type) {
    const CXXRecordDecl *record = recordOf(element(type).type);
    if (!record || inMetal(record) || context_.getSourceManager().isInSystemHeader(record->getLocation()))
      return false;
    if (const auto known = unions_.find(record); known != unions_.end())
      return known->second;
    return unions_[record] = record->isUnion() || llvm::any_of(record->fields(), [&](const FieldDecl *field) {
                               return holdsUnion(field->getType());
                             });
  }

  // Its members are looked at by themselves.
  bool isArgumentBufferItself(const FieldDecl *field) {
    const CXXRecordDecl *record = recordOf(element(field->getType()).type);
    return record && !record->isUnion() && isArgumentBuffer(record);
  }

  std::optional<int64_t> idOf(const FieldDecl *field) const {
    const AnnotateAttr *attr = annotation(field, "id");
    const Expr *index = attr ? annotationArgument(attr, 0) : nullptr;
    Expr::EvalResult result;
    if (!index || index->isValueDependent() || !index->EvaluateAsInt(result, context_))
      return std::nullopt;
    return result.Val.getInt().getExtValue();
  }

  std::string spelling(QualType type) const { return metalSpelling(type.getAsString(metalPolicy(context_))); }

  Element element(QualType type) const {
    Element result{type.getCanonicalType()};
    for (;;) {
      if (const auto *array = context_.getAsConstantArrayType(result.type)) {
        result.count *= array->getSize().getZExtValue();
        result.type = array->getElementType().getCanonicalType();
        continue;
      }
      const auto *record =
          dyn_cast_or_null<ClassTemplateSpecializationDecl>(result.type->getAsCXXRecordDecl());
      if (!record || !inMetal(record) || record->getName() != "array")
        return result;
      const TemplateArgumentList &arguments = record->getTemplateArgs();
      result.count *= arguments[1].getAsIntegral().getZExtValue();
      result.type = arguments[0].getAsType().getCanonicalType();
    }
  }

  uint64_t addField(const FieldDecl *field, const std::string &name, uint64_t offset, uint64_t id) {
    const Element e = element(field->getType());
    const CXXRecordDecl *inner = recordOf(e.type);
    if (const auto kind = unsupported(inner)) {
      unsupported_(fmt::format(
          "member '{}' of type '{}' is not supported: an argument buffer may hold buffers, textures, "
          "samplers, function tables, tensors and values, no {}s",
          name, spelling(field->getType()), kind->str()));
      return id + e.count;
    }
    const std::optional<TensorUse> tensor = hostTensorOf(e.type);
    if (isTensor(e.type) && !tensor) {
      unsupported_(fmt::format("member '{}' of type '{}' is not supported: an argument buffer holds tensors "
                               "as tensor_handle, over device or constant memory, with elements that are "
                               "integers, half, bfloat, float or a packed format",
                               name, spelling(field->getType())));
      return id + e.count;
    }
    if (inner && !inMetal(inner) && isArgumentBuffer(inner)) {
      const uint64_t bytes = context_.getTypeSizeInChars(e.type).getQuantity();
      for (uint64_t i = 0; i < e.count && !tooMany_; ++i)
        id = add(inner, e.count == 1 ? name + "." : fmt::format("{}[{}].", name, i), offset + i * bytes, id);
      return id;
    }
    if (members_.size() == kMostMembers || id + e.count > UINT32_MAX / 2) {
      tooMany_ = true;
      error_(field->getLocation(),
             fmt::format("an argument buffer with more than {} members, or with an index above {}",
                         kMostMembers, UINT32_MAX / 2));
      return id;
    }
    MemberInfo member;
    member.name = name;
    member.id = uint32_t(id);
    member.type = spelling(field->getType());
    member.offset = uint32_t(offset);
    member.count = uint32_t(e.count);
    if (e.type->isPointerType() || e.type->isReferenceType())
      pointer(field, e.type->getPointeeType(), member);
    else
      member.bytes = uint32_t(context_.getTypeSizeInChars(e.type).getQuantity());
    const Handles handles = handlesOf(e.type);
    member.texture = handles.texture;
    member.sampler = handles.sampler;
    member.functionTable = isFunctionTable(e.type);
    member.tensor = tensor;
    if (const MemberInfo *other = memberWith(id, e.count))
      error_(field->getLocation(), fmt::format("id({}) of member '{}' is already used by member '{}'",
                                               std::max<uint64_t>(id, other->id), name, other->name));
    members_.push_back(std::move(member));
    return id + e.count;
  }

  // A member that has one of these indices.
  const MemberInfo *memberWith(uint64_t id, uint64_t count) const {
    const auto found = std::ranges::find_if(members_, [&](const MemberInfo &other) {
      return other.id < id + count && id < other.id + other.count;
    });
    return found == members_.end() ? nullptr : &*found;
  }

  void pointer(const FieldDecl *field, QualType pointee, MemberInfo &member) {
    member.bytes = 8;
    const std::optional<AddressSpace> space = bufferSpace(pointee);
    if (!space) {
      error_(field->getLocation(),
             fmt::format("member '{}' of an argument buffer points to memory that is neither device nor "
                         "constant",
                         member.name));
      return;
    }
    member.pointsTo = space;
    member.access =
        pointee.isConstQualified() || space == AddressSpace::Constant ? Access::Read : Access::ReadWrite;
  }

  const ASTContext &context_;
  const MemberError &error_;
  const Unsupported &unsupported_;
  std::vector<MemberInfo> members_;
  std::map<const CXXRecordDecl *, bool> known_;  ///< whether it is an argument buffer
  std::map<const CXXRecordDecl *, bool> unions_; ///< whether it is one, or has one in it
  std::set<const FieldDecl *> refused_;          ///< unions that were reported
  bool tooMany_ = false;
};

} // namespace

std::vector<MemberInfo> argumentBufferMembers(const ASTContext &context, const DeclaratorDecl *argument,
                                              const MemberError &error,
                                              const Unsupported &unsupportedMember) {
  const CXXRecordDecl *record = recordOf(argument->getType()->getPointeeType());
  if (const auto kind = unsupported(record))
    unsupportedMember(fmt::format("argument '{}' is not supported: a buffer may hold no {}s",
                                  argument->getNameAsString(), kind->str()));
  Members members(context, error, unsupportedMember);
  if (!record || inMetal(record) || !members.isArgumentBuffer(record))
    return {};
  members.add(record, "", 0, 0);
  return members.take();
}

} // namespace assay::frontend
