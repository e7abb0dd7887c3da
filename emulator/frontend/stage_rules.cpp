#include "frontend/stage_rules.h"

#include "frontend/annotations.h"
#include "frontend/attributes.h"
#include "frontend/memory_spaces.h"
#include "frontend/resource_types.h"
#include "frontend/thread_words.h"
#include "frontend/user_code.h"
#include "frontend/vector_classes.h"
#include "support/abi/slot_kinds.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

namespace assay::frontend {
namespace {

using namespace clang;

// The types that chapter 5.2.3 lists for the attributes of vertex and fragment functions.
struct Types {
  const char *attribute;
  const char *text;
  uint32_t scalars;    ///< a bit for each ScalarType
  uint32_t components; ///< at most
  uint32_t least = 1;
  bool onlyNumbers = false; ///< formats of pixels, such as rgba8unorm<half4>, are refused as well
};
constexpr uint32_t bit(ScalarType type) {
  return 1u << unsigned(type);
}
constexpr uint32_t kFloat = bit(ScalarType::Float), kUInt = bit(ScalarType::UInt);
constexpr uint32_t kIndex = kUInt | bit(ScalarType::UShort), kLayer = kIndex | bit(ScalarType::UChar);
constexpr uint32_t kColor =
    kIndex | kFloat | bit(ScalarType::Half) | bit(ScalarType::Short) | bit(ScalarType::Int);
constexpr std::array kTypes = {
    Types{"position", "a float4", kFloat, 4, 4, true},
    Types{"vertex_id", "ushort or uint", kIndex, 1},
    Types{"instance_id", "ushort or uint", kIndex, 1},
    Types{"base_vertex", "ushort or uint", kIndex, 1},
    Types{"base_instance", "ushort or uint", kIndex, 1},
    Types{"amplification_id", "ushort or uint", kIndex, 1},
    Types{"amplification_count", "ushort or uint", kIndex, 1},
    Types{"render_target_array_index", "uchar, ushort or uint", kLayer, 1},
    Types{"viewport_array_index", "uchar, ushort or uint", kLayer, 1},
    Types{"clip_distance", "float or an array of floats", kFloat, 1},
    Types{"point_size", "a float", kFloat, 1},
    Types{"point_coord", "a float2", kFloat, 2, 2},
    Types{"barycentric_coord", "float, float2 or float3", kFloat, 3},
    Types{"front_facing", "a bool", bit(ScalarType::Bool), 1},
    Types{"sample_id", "a uint", kUInt, 1},
    Types{"sample_mask", "a uint", kUInt, 1},
    Types{"primitive_id", "a uint", kUInt, 1},
    Types{"depth", "a float", kFloat, 1},
    Types{"stencil", "a uint", kUInt, 1},
    Types{"color", "float, half, int, uint, short, ushort or a vector of these that is not packed", kColor,
          4},
};

enum class Takes : uint8_t { Vertices, Fragments, Threads };
struct Stage {
  const char *name;
  Takes takes;
};
constexpr std::array kStages = {Stage{"kernel", Takes::Threads}, Stage{"vertex", Takes::Vertices},
                                Stage{"fragment", Takes::Fragments}, Stage{"object", Takes::Threads},
                                Stage{"mesh", Takes::Threads}};

// Attributes of arguments, and the functions that have such arguments. What is not here is for several
// stages, or the tables differ between versions and systems: amplification_id, primitive_id and
// thread_index_in_simdgroup, which shipped vertex functions have.
// source: MSL specification, 5.2.3.1 to 5.2.3.6; "invalid 'vertex_id' attribute for input declaration in a
// fragment function", as kagurasumusun/llvm-project measured for all pairs.
struct Input {
  const char *attribute;
  Takes takes;
};
constexpr std::array kInputs = {
    Input{"vertex_id", Takes::Vertices},
    Input{"instance_id", Takes::Vertices},
    Input{"base_vertex", Takes::Vertices},
    Input{"base_instance", Takes::Vertices},
    Input{"patch_id", Takes::Vertices},
    Input{"position_in_patch", Takes::Vertices},
    Input{"position", Takes::Fragments},
    Input{"front_facing", Takes::Fragments},
    Input{"point_coord", Takes::Fragments},
    Input{"sample_id", Takes::Fragments},
    Input{"sample_mask", Takes::Fragments},
    Input{"barycentric_coord", Takes::Fragments},
    Input{"thread_position_in_grid", Takes::Threads},
    Input{"thread_position_in_threadgroup", Takes::Threads},
    Input{"thread_index_in_threadgroup", Takes::Threads},
    Input{"threadgroup_position_in_grid", Takes::Threads},
    Input{"threads_per_grid", Takes::Threads},
    Input{"threads_per_threadgroup", Takes::Threads},
    Input{"threadgroups_per_grid", Takes::Threads},
};

const char *functionsOf(Takes takes) {
  return takes == Takes::Vertices    ? "vertex functions"
         : takes == Takes::Fragments ? "fragment functions"
                                     : "kernel, object and mesh functions";
}

// "assay.color" is "color", "assay.builtin.thread_position_in_grid" is "thread_position_in_grid". Empty for
// what is not written as an attribute.
llvm::StringRef attributeOf(const AnnotateAttr *attr) {
  llvm::StringRef name = attr->getAnnotation();
  if (!name.consume_front(llvm::StringRef(kAnnotationPrefix.data(), kAnnotationPrefix.size())))
    return {};
  name.consume_front("builtin.");
  return name.contains(' ') || name.contains('.') ? llvm::StringRef() : name;
}

bool hasAttributesBut(const Decl *decl, llvm::StringRef one) {
  return llvm::any_of(decl->specific_attrs<AnnotateAttr>(), [&](const AnnotateAttr *attr) {
    return !attributeOf(attr).empty() && attributeOf(attr) != one;
  });
}

bool hasAttributes(const Decl *decl) {
  return hasAttributesBut(decl, "");
}

class StageChecker : public UserCodeVisitor {
public:
  StageChecker(ASTContext &context, ThreadWords &words, const ViewFileSystem &files)
      : UserCodeVisitor(context, files), threadWords_(words) {}

  void run() { visitUsers(); }

  bool VisitDeclaratorDecl(DeclaratorDecl *decl) override {
    if (isa<FunctionDecl>(decl))
      return true;
    onlyOnce(decl);
    const auto *variable = dyn_cast<VarDecl>(decl);
    if (variable && variable->isLocalVarDecl())
      onlyForParameters(variable, "local",
                        [](auto *attr) { return isBoundSlot(attributeOf(attr)) || isBuiltin(attr); });
    if (const AnnotateAttr *attr = annotation(decl, "attribute"); attr && isa<FieldDecl>(decl))
      attributeMember(decl, attr);
    if (!decl->isInvalidDecl() && !decl->getType()->isDependentType())
      for (const Types &types : kTypes)
        if (const AnnotateAttr *attr = annotation(decl, types.attribute))
          typeOf(decl, types, attr);
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    const Stage *stage = nullptr;
    for (const Stage &other : kStages)
      if (const AnnotateAttr *attr = annotation(function, other.name)) {
        if (stage)
          report(attr->getLocation(), fmt::format("'{}' cannot be a {} function and a {} function",
                                                  function->getNameAsString(), stage->name, other.name));
        stage = &other;
      }
    const std::string_view name = stage ? stage->name : "";
    onlyForParameters(function, "a function", [](auto *attr) {
      return isId(attr) || isBoundSlot(attributeOf(attr)) || attributeOf(attr) == "stage_in";
    });
    const AnnotateAttr *early = annotation(function, "early_fragment_tests");
    if (early && name != "fragment")
      report(early->getLocation(), "[[early_fragment_tests]] is for fragment functions only");
    if (name.empty())
      return true;
    inputsOnce(function);
    for (const ParmVarDecl *parameter : function->parameters())
      idAlone(parameter, name);
    if (name == "kernel" || function->isDependentContext()) // reflection.h says what a kernel cannot take
      return true;
    inputsOf(function, *stage);
    resources(function);
    if (name != "vertex" && name != "fragment")
      return true;
    for (const ParmVarDecl *parameter : function->parameters()) {
      argument(parameter, name);
      if (name == "vertex")
        vertexArgument(parameter, annotation(function, "patch") != nullptr);
      else
        fragmentArgument(parameter);
    }
    if (!function->isInvalidDecl())
      result(function, name);
    return true;
  }

private:
  void onlyOnce(const DeclaratorDecl *decl) {
    std::set<llvm::StringRef> seen;
    for (const auto *attr : decl->specific_attrs<AnnotateAttr>())
      if (const llvm::StringRef name = attributeOf(attr);
          !attr->isInherited() && !name.empty() && name != "condition" && !seen.insert(name).second)
        report(attr->getLocation(),
               fmt::format("'{}' has the attribute {} twice", decl->getNameAsString(), name.str()));
  }

  void typeOf(const DeclaratorDecl *decl, const Types &types, const AnnotateAttr *attr) {
    const QualType type = decl->getType().getNonReferenceType();
    const auto [scalar, components] = scalarOf(type);
    if (scalar && (types.scalars & bit(*scalar)) && components >= types.least &&
        components <= types.components && isNumber(context_.getBaseElementType(type)))
      return;
    // A member of an imageblock can have the format of a pixel.
    if (scalar || types.onlyNumbers)
      report(attr->getLocation(),
             fmt::format("'{}' with [[{}]] is {}", decl->getNameAsString(), types.attribute, types.text));
  }

  // source: "'%0' attribute only applies to parameters and global builtin variables", as
  // kagurasumusun/llvm-project measured.
  void onlyForParameters(const NamedDecl *decl, std::string_view what,
                         llvm::function_ref<bool(const AnnotateAttr *)> isForThem) {
    for (const auto *attr : decl->specific_attrs<AnnotateAttr>())
      if (isForThem(attr))
        report(attr->getLocation(),
               fmt::format("[[{}]] is for parameters and for variables at program scope, "
                           "and '{}' is {}",
                           attributeOf(attr).str(), decl->getNameAsString(), what));
  }

  void attributeMember(const DeclaratorDecl *member, const AnnotateAttr *attr) {
    const auto index = annotationInteger(context_, attr, 0);
    if (const SlotKindInfo &kind = slotsOf(SlotKind::Attribute); index && !kind.has(*index))
      report(attr->getLocation(), slotOutOfRange(kind, *index));
    // Apps of 2014 to 2018 have packed vectors with an attribute in structures that a vertex function reads
    // from a buffer: middlefeng/MetalExamples. None of them fetches such a structure.
    const QualType type = member->getType();
    if ((type->isRecordType() || type->isArrayType()) && !type->isDependentType() && !isNumber(type) &&
        !isPackedVector(type))
      noAttribute(member, attr);
  }

  void noAttribute(const DeclaratorDecl *member, const AnnotateAttr *attr) {
    report(attr->getLocation(),
           fmt::format("attribute '{}' cannot have type '{}': it is a number, or a vector that is not packed",
                       member->getNameAsString(), member->getType().getAsString(metalPolicy(context_))));
  }

  // Explicit indices of what the host binds for a graphics function.
  void resources(const FunctionDecl *function) {
    std::map<std::pair<std::string, int64_t>, std::string> taken;
    for (const ParmVarDecl *parameter : function->parameters())
      for (const SlotKindInfo &kind : kBoundSlotKinds) {
        const AnnotateAttr *attr = annotation(parameter, kind.attribute);
        const auto index = attr ? annotationInteger(context_, attr, 0) : std::nullopt;
        if (!index)
          continue;
        const Handles handles = handlesOf(parameter->getType());
        const uint32_t count = handles ? handles.count : 1;
        const std::string name = parameter->getNameAsString();
        if (!kind.has(*index, count)) {
          report(attr->getLocation(), slotOutOfRange(kind, *index, count));
          continue;
        }
        if (annotation(parameter, "condition"))
          continue;
        for (int64_t i = *index; i < *index + count; ++i)
          if (const auto [other, added] = taken.try_emplace({kind.attribute, i}, name); !added) {
            report(attr->getLocation(), slotTaken(kind, i, other->second));
            break;
          }
      }
  }

  // An input has one argument, or one member of what is [[stage_in]].
  // source: "declaration with attribute 'position' already specified", as measured in
  // kagurasumusun/llvm-project, also of a member and an argument.
  void inputsOnce(const FunctionDecl *function) {
    std::map<llvm::StringRef, std::pair<const DeclaratorDecl *, std::string>> taken;
    const auto take = [&](const DeclaratorDecl *declared, const std::string &called) {
      for (const auto *attr : declared->specific_attrs<AnnotateAttr>()) {
        const llvm::StringRef name = attributeOf(attr);
        if (annotation(declared, "condition") || !isId(attr))
          continue;
        const auto [other, added] = taken.try_emplace(name, declared, called);
        if (!added && other->second.first != declared)
          report(attr->getLocation(),
                 fmt::format("{} cannot have [[{}]]: {} has it", called, name.str(), other->second.second));
      }
    };
    for (const ParmVarDecl *parameter : function->parameters())
      if (const CXXRecordDecl *record =
              annotation(parameter, "stage_in") ? plainStructure(parameter->getType()) : nullptr)
        for (const FieldDecl *field : record->fields())
          take(field, fmt::format("member '{}.{}'", parameter->getNameAsString(), field->getNameAsString()));
    for (const ParmVarDecl *parameter : function->parameters())
      take(parameter, fmt::format("argument '{}'", parameter->getNameAsString()));
  }

  // An id is one value that no host binds: it has neither a slot nor another id.
  void idAlone(const ParmVarDecl *parameter, std::string_view stage) {
    if (!isNumber(parameter->getType()) && !parameter->getType()->isDependentType())
      return; // another rule says what a pointer or a resource cannot have
    llvm::StringRef id;
    for (const auto *attr : parameter->specific_attrs<AnnotateAttr>())
      if (id.empty() && isId(attr))
        id = attributeOf(attr);
    for (const auto *attr : parameter->specific_attrs<AnnotateAttr>()) {
      const llvm::StringRef name = attributeOf(attr);
      const bool bound = // argument() says it of vertex and fragment functions
          stage != "vertex" && stage != "fragment" && isBoundSlot(name);
      if (!id.empty() && name != id && !attr->isInherited() && (bound || isId(attr)))
        report(attr->getLocation(), fmt::format("argument '{}' cannot have [[{}]]: it is [[{}]]",
                                                parameter->getNameAsString(), name.str(), id.str()));
    }
  }

  static bool isBuiltin(const AnnotateAttr *attr) { return findBuiltin(attributeOf(attr)).has_value(); }
  static bool isId(const AnnotateAttr *attr) { return isBuiltin(attr) || inputOf(attr); }

  static const Input *inputOf(const AnnotateAttr *attr) {
    const llvm::StringRef name = attributeOf(attr);
    const auto *found = llvm::find_if(kInputs, [&](const Input &input) { return name == input.attribute; });
    return found == kInputs.end() ? nullptr : found;
  }

  void inputsOf(const FunctionDecl *function, const Stage &stage) {
    for (const ParmVarDecl *parameter : function->parameters())
      for (const auto *attr : parameter->specific_attrs<AnnotateAttr>())
        if (attributeOf(attr) == "depth") // measured there, too
          report(attr->getLocation(), fmt::format("argument '{}' cannot have [[depth]]: a fragment function "
                                                  "returns it",
                                                  parameter->getNameAsString()));
        else if (const Input *input = inputOf(attr); input && input->takes != stage.takes)
          report(attr->getLocation(),
                 fmt::format("argument '{}' of the {} function '{}' cannot have [[{}]]: {} take it",
                             parameter->getNameAsString(), stage.name, function->getNameAsString(),
                             input->attribute, functionsOf(input->takes)));
  }

  // What a vertex or fragment function cannot take. Types of the library that are neither textures nor
  // samplers, structures with other things than numbers, and arrays are not asked.
  // source: "type 'X' is not valid for attribute 'buffer'", as programs that write Metal quote it; "invalid
  // type 'float4' for input declaration in a vertex function", in a test of cristim/mslc about
  // [[attribute(n)]] on an argument. A fragment function takes numbers without attributes:
  // voidxin/MetalFilterDemo builds one.
  void argument(const ParmVarDecl *parameter, std::string_view stage) {
    if (parameter->isInvalidDecl() || parameter->getOriginalType()->isArrayType())
      return;
    const QualType type = parameter->getType();
    const std::string name = parameter->getNameAsString(), text = type.getAsString(metalPolicy(context_));
    const bool value = isValue(type);
    if (value && stage == "vertex" && !hasAttributesBut(parameter, "attribute"))
      report(
          parameter->getLocation(),
          fmt::format("argument '{}' of type '{}' of a vertex function has no attribute such as "
                      "[[vertex_id]]: attributes of a vertex are members of what is [[stage_in]], and other "
                      "data is referred to in constant or device memory",
                      name, text));
    if (isOfThread(parameter))
      report(
          parameter->getLocation(),
          fmt::format("argument '{}' of type '{}' of a {} function is in thread memory: it is a pointer or "
                      "a reference to constant or device memory",
                      name, text, stage));
    const SlotKindInfo *right = slotsFor(type);
    for (const SlotKindInfo &kind : kBoundSlotKinds)
      if (const AnnotateAttr *attr = annotation(parameter, kind.attribute)) {
        if (right && right->attribute != kind.attribute)
          report(attr->getLocation(), slotOfAnotherKind(name, text, kind, *right));
        else if (value || plainStructure(type))
          report(attr->getLocation(), fmt::format("argument '{}' of type '{}' cannot be a {}: a buffer is a "
                                                  "pointer or a reference to constant or device memory",
                                                  name, text, kind.attribute));
      }
  }

  // The slots of what is a texture, a sampler, or a pointer or reference to what the host binds; null for
  // other types.
  static const SlotKindInfo *slotsFor(QualType type) {
    if (const Handles handles = handlesOf(type))
      return &slotsOf(handles.texture ? SlotKind::Texture : SlotKind::Sampler);
    const QualType memory = type->getPointeeType();
    if (memory.isNull())
      return nullptr;
    const LangAS space = memory.getAddressSpace();
    return isDevice(space) || isConstant(space) ? &slotsOf(SlotKind::Buffer)
           : isThreadgroup(space)               ? &slotsOf(SlotKind::Threadgroup)
                                                : nullptr;
  }

  // Whether it points or refers to memory that is declared thread, and is nothing but a resource.
  bool isOfThread(const ParmVarDecl *parameter) {
    const QualType memory = parameter->getType()->getPointeeType();
    if (memory.isNull() || memory.getAddressSpace() != LangAS::Default || !parameter->getTypeSourceInfo())
      return false;
    for (const auto *attr : parameter->specific_attrs<AnnotateAttr>())
      if (const llvm::StringRef name = attributeOf(attr); name != "condition" && !isBoundSlot(name))
        return false;
    const TypeLoc type = parameter->getTypeSourceInfo()->getTypeLoc();
    const auto step = stepInto(type);
    return step && step->mark.isValid() && isUsersText(step->mark) &&
           threadWords_.at(step->mark, threadWords_.wordsOfAll(parameter, type), step->inner.getType()) ==
               ThreadWords::Word::Thread;
  }

  // source: MSL specification, 5.2.3.2, the table of inputs.
  void vertexArgument(const ParmVarDecl *parameter, bool ofPatch) {
    if (annotation(parameter, "stage_in")) {
      fetchedAttributes(parameter);
      if (!ofPatch)
        stageIn(parameter);
    }
    for (const char *other : {"vertex_id", "base_vertex"})
      if (const AnnotateAttr *attr = ofPatch ? annotation(parameter, other) : nullptr)
        report(attr->getLocation(), fmt::format("argument '{}' cannot have [[{}]]: a vertex function with "
                                                "[[patch]] has [[patch_id]] and [[position_in_patch]]",
                                                parameter->getNameAsString(), other));
  }

  // source: MSL specification, 5.6.3.2: the data is a structure, of the fragment's own pixel.
  void fragmentArgument(const ParmVarDecl *parameter) {
    const AnnotateAttr *attr = annotation(parameter, "imageblock_data");
    const CXXRecordDecl *record = parameter->getType()->getAsCXXRecordDecl();
    if (attr && record && record->getIdentifier() && inMetal(record) && record->getName() == "imageblock")
      report(
          attr->getLocation(),
          fmt::format("argument '{}' with [[imageblock_data]] cannot be an imageblock: it is the structure "
                      "that the imageblock has for each pixel",
                      parameter->getNameAsString()));
  }

  // What a vertex function fetches has an index. source: "invalid type of input declaration with attribute
  // 'stage_in'", as programs that write Metal quote it.
  void stageIn(const ParmVarDecl *parameter) {
    const QualType type = parameter->getType();
    const auto refuse = [&](const std::string &why) {
      report(parameter->getLocation(),
             fmt::format("argument '{}' of type '{}' cannot be [[stage_in]]: {}",
                         parameter->getNameAsString(), type.getAsString(metalPolicy(context_)), why));
    };
    // life2nd/XMMetalDemo, which builds, has `float4 position [[attribute(0)]] [[stage_in]]`.
    if (isNumber(type) && !annotation(parameter, "attribute"))
      return refuse("it is a structure whose members have [[attribute(..)]]");
    if (const CXXRecordDecl *record = plainStructure(type))
      for (const FieldDecl *field : record->fields())
        if (isNumber(field->getType()) && !hasAttributes(field))
          return refuse(fmt::format("its member '{}' has no [[attribute(..)]]", field->getNameAsString()));
  }

  // source: "'attribute' index '0' is used more than once", as issue 807 of MoltenVK quotes it.
  void fetchedAttributes(const ParmVarDecl *parameter) {
    const CXXRecordDecl *record = parameter->getType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition())
      return;
    std::map<int64_t, const FieldDecl *> taken;
    for (const FieldDecl *field : record->getDefinition()->fields()) {
      const AnnotateAttr *attr = annotation(field, "attribute");
      if (attr && isPackedVector(field->getType()))
        noAttribute(field, attr);
      const auto index =
          attr && !annotation(field, "condition") ? annotationInteger(context_, attr, 0) : std::nullopt;
      if (!index)
        continue;
      if (const auto [other, added] = taken.try_emplace(*index, field); !added)
        report(attr->getLocation(), slotTaken(slotsOf(SlotKind::Attribute), *index,
                                              fmt::format("{}.{}", parameter->getNameAsString(),
                                                          other->second->getNameAsString())));
    }
  }

  void result(const FunctionDecl *function, std::string_view stage) {
    const QualType type = function->getReturnType();
    // source: the place of "invalid return type 'main0_out' for vertex function" in issue 203 of MoltenVK.
    const SourceLocation written = function->getReturnTypeSourceRange().getBegin();
    const auto refuse = [&](const std::string &why) {
      report(written.isValid() ? written : function->getLocation(),
             fmt::format("the {} function '{}' cannot return '{}': {}", stage, function->getNameAsString(),
                         type.getAsString(metalPolicy(context_)), why));
    };
    if (type->isPointerType() || type->isReferenceType() || handlesOf(type))
      return refuse("it returns a value");
    if (const char *number = isNumber(type) ? numberThatReturns(stage, type) : nullptr)
      return refuse(number);
    const CXXRecordDecl *record = plainStructure(type);
    if (!record)
      return;
    if (stage == "vertex")
      vertexResult(record, refuse);
    else
      fragmentResult(record, refuse);
  }

  // A number is the position, or the color 0. Null if it can be.
  // source: MSL specification, 5.2.3.3 and 5.2.3.5. In published code, more than 3,000 functions return
  // numbers, and none of them another.
  static const char *numberThatReturns(std::string_view stage, QualType type) {
    const auto [scalar, components] = scalarOf(type);
    if (type->isVoidType() || !scalar)
      return nullptr;
    if (stage == "vertex")
      return scalar == ScalarType::Float && components == 4 ? nullptr : "a number is the position, a float4";
    return kColor & bit(*scalar) ? nullptr
                                 : "a color is float, half, int, uint, short, ushort or a vector of these";
  }

  template <class Refuse> void vertexResult(const CXXRecordDecl *record, Refuse refuse) {
    for (const FieldDecl *field : record->fields())
      for (const char *other : {"color", "depth", "sample_mask"})
        if (annotation(field, other))
          return refuse(fmt::format("'{}' with [[{}]] is what a fragment function returns",
                                    field->getNameAsString(), other));
    if (llvm::none_of(record->fields(),
                      [](const FieldDecl *field) { return annotation(field, "position") != nullptr; }))
      refuse("no member has the attribute position");
  }

  // An only member without an attribute is the color 0, as a result that is no structure is.
  template <class Refuse> void fragmentResult(const CXXRecordDecl *record, Refuse refuse) {
    if (std::distance(record->field_begin(), record->field_end()) == 1)
      return;
    std::map<int64_t, std::string> colors;
    for (const FieldDecl *field : record->fields()) {
      const std::string name = field->getNameAsString();
      if (!hasAttributes(field))
        return refuse(fmt::format("its member '{}' has no attribute such as color(0)", name));
      const AnnotateAttr *color = annotation(field, "color");
      const auto index = color && !annotation(field, "index") && !annotation(field, "condition")
                             ? annotationInteger(context_, color, 0)
                             : std::nullopt;
      if (!index)
        continue;
      if (const auto [other, added] = colors.try_emplace(*index, name); !added)
        return refuse(fmt::format("'{}' and '{}' are both color({})", other->second, name, *index));
    }
  }

  // A structure of the user's whose members are all numbers or arrays of numbers; null if it is not.
  const CXXRecordDecl *plainStructure(QualType type) const {
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition() || !inUserFile(record->getLocation()) || record->isUnion())
      return nullptr;
    record = record->getDefinition();
    if (record->getNumBases() > 0 || record->isInvalidDecl() || record->field_empty())
      return nullptr;
    const bool plain = llvm::all_of(record->fields(), [&](const FieldDecl *field) {
      return isNumber(context_.getBaseElementType(field->getType()));
    });
    return plain ? record : nullptr;
  }

  ThreadWords &threadWords_;
};

} // namespace

void checkStages(ASTContext &context, ThreadWords &words, const ViewFileSystem &files) {
  StageChecker(context, words, files).run();
}

} // namespace assay::frontend
