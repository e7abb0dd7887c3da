#include "frontend/reflection.h"

#include "frontend/annotations.h"
#include "frontend/argument_buffers.h"
#include "frontend/attributes.h"
#include "frontend/buffer_types.h"
#include "frontend/diagnostics.h"
#include "frontend/index_constants.h"
#include "frontend/memory_spaces.h"
#include "frontend/resource_types.h"
#include "frontend/struct_fields.h"
#include "frontend/thread_limits.h"
#include "frontend/vector_classes.h"
#include "support/abi/slot_kinds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace assay::frontend {
namespace {

using namespace clang;

class Reflector {
public:
  Reflector(ASTContext &context, const ViewFileSystem &files)
      : context_(context), diagnostics_(context.getDiagnostics()), sources_(context.getSourceManager()),
        files_(files), policy_(metalPolicy(context)) {}

  ReflectedModule run(const Declarations &declarations, const std::vector<const FunctionDecl *> &asked) {
    scope(context_.getTranslationUnitDecl());
    for (const FunctionDecl *function : asked)
      candidate(function);
    for (const DeclGroupRef &group : declarations)
      for (const Decl *decl : group)
        if (const auto *function = dyn_cast<FunctionDecl>(decl);
            function && function->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition)
          candidate(function);
    std::stable_sort(found_.begin(), found_.end(), [&](const FunctionDecl *a, const FunctionDecl *b) {
      return sources_.isBeforeInTranslationUnit(instantiatedAt(a), instantiatedAt(b));
    });
    for (const FunctionDecl *function : found_)
      if (annotation(function, "kernel"))
        kernel(function);
      else
        other(function);
    return std::move(module_);
  }

  void reportSignature(const FunctionDecl &function) {
    refused_ = true;
    kernel(&function);
  }
  void reportConstant(const VarDecl &variable) { programVariable(&variable); }

private:
  // --- declarations

  void scope(const DeclContext *declarations) {
    for (const Decl *decl : declarations->noload_decls()) { // not the PCH's
      if (isa<NamespaceDecl, LinkageSpecDecl>(decl))
        scope(cast<DeclContext>(decl));
      else if (const auto *variable = dyn_cast<VarDecl>(decl))
        programVariable(variable);
      else if (const auto *function = dyn_cast<FunctionDecl>(decl))
        candidate(function);
    }
  }

  void candidate(const FunctionDecl *function) {
    const bool defined = function->doesThisDeclarationHaveABody() || function->isTemplateInstantiation();
    if ((annotation(function, "kernel") || otherKind(function)) && defined &&
        !function->isDependentContext() && seen_.insert(function).second)
      found_.push_back(function);
  }

  // The attribute that makes it another kind of function than a kernel; null for a plain function.
  static const char *otherKind(const FunctionDecl *function) {
    for (const char *kind : {"vertex", "fragment", "object", "mesh", "intersection", "visible", "stitchable"})
      if (annotation(function, kind))
        return kind;
    return nullptr;
  }

  void other(const FunctionDecl *function) {
    OtherFunctionInfo info{kernelName(function, policy_),
                           otherKind(function),
                           userPlace(sources_, instantiatedAt(function), files_),
                           {},
                           {},
                           {}};
    if (isVisible(function)) {
      info.type = metalSpelling(function->getType().getAsString(policy_));
      // A table may hold it although nothing calls it.
      const_cast<FunctionDecl *>(function)->addAttr(UsedAttr::CreateImplicit(context_));
    }
    module_.info.otherFunctions.push_back(std::move(info));
    module_.others.push_back(function);
  }

  void programVariable(const VarDecl *variable) {
    if (const AnnotateAttr *attr = annotation(variable, "function_constant"))
      if (const auto index = integer(attr, 0))
        functionConstant(variable, *index, attr->getLocation());
    if (isGlobalBinding(variable) && variable->isFileVarDecl() && variable->isCanonicalDecl())
      globalBinding(variable);
  }

  // Variables of one slot are one resource if they have one type.
  void globalBinding(const VarDecl *variable) {
    unsupported_.clear();
    taken_.clear();
    explicitSlots_.clear();
    GlobalBinding global{argument(variable, variable->getNameAsString()), {}, {}};
    global.unsupported = unsupported_;
    for (const GlobalBinding &other : module_.globals)
      if (const ArgumentInfo &a = other.argument, &b = global.argument;
          a.kind != ArgumentKind::Builtin && a.kind == b.kind && a.index == b.index && a.type != b.type)
        error(variable->getLocation(),
              fmt::format("'{}' has the slot of '{}' and another type: '{}' and '{}'", b.name, a.name, b.type,
                          a.type));
    module_.globals.push_back(std::move(global));
    module_.globalVariables.push_back(variable);
  }

  void functionConstant(const VarDecl *variable, int64_t index, SourceLocation where) {
    FunctionConstantInfo info;
    info.name = variable->getQualifiedNameAsString();
    info.index = uint32_t(index);
    if (index != kComputedConstant) {
      if (index < 0 || index > kMaxFunctionConstant)
        error(where, fmt::format("function_constant({}) is out of range: indices are 0 to {}", index,
                                 kMaxFunctionConstant));
      for (const FunctionConstantInfo &other : module_.info.functionConstants)
        if (other.index == info.index && other.name != info.name)
          error(where, fmt::format("function_constant({}) is already used by '{}'", index, other.name));
    }
    const auto [type, components] = scalarOf(variable->getType());
    if (!type || !isNumber(variable->getType())) {
      error(where, fmt::format("function constant '{}' must be a scalar or a vector", info.name));
      return;
    }
    info.type = *type;
    info.components = components;
    module_.info.functionConstants.push_back(info);
    module_.constants.push_back(variable);
  }

  // --- kernels

  void kernel(const FunctionDecl *function) {
    KernelInfo info;
    info.name = kernelName(function, policy_);
    info.function = function->getQualifiedNameAsString();
    if (info.name.empty())
      error(annotation(function, "host_name")->getLocation(), "host_name needs a string literal");
    readThreadLimits(context_, *function, info);
    info.where = userPlace(sources_, instantiatedAt(function), files_);
    unsupported_.clear();
    if (!function->isExternallyVisible())
      error(function->getLocation(),
            fmt::format("kernel '{}' has no name outside of its file: it cannot be static "
                        "or in an unnamed namespace",
                        info.name));
    else if (function->isInlined()) // Clang generates it where it is called, and nothing calls it
      const_cast<FunctionDecl *>(function)->addAttr(UsedAttr::CreateImplicit(context_));
    if (!function->getReturnType()->isVoidType())
      error(function->getLocation(), fmt::format("kernel '{}' must return void", info.name));
    for (const KernelInfo &other : module_.info.kernels)
      if (other.name == info.name)
        error(instantiatedAt(function), fmt::format("two kernels have the name '{}'", info.name));

    std::vector<Binding> bindings;
    for (const ParmVarDecl *parameter : function->parameters())
      for (Binding &binding : bindingsOf(parameter))
        bindings.push_back(std::move(binding));
    parameters_.clear();
    for (const Binding &binding : bindings)
      parameters_.push_back(binding.decl);
    explicitSlots_.clear();
    for (const DeclaratorDecl *parameter : parameters_)
      for (const SlotKindInfo &kind : kSlotKinds)
        if (const AnnotateAttr *attr = annotation(parameter, kind.attribute))
          if (const auto index = integer(attr, 0))
            for (uint32_t i = 0; i < handlesOf(parameter->getType()).count; ++i)
              explicitSlots_.insert({kind.attribute, uint32_t(*index) + i});
    taken_.clear();
    for (const Binding &binding : bindings)
      info.arguments.push_back(binding.isAttribute ? attributeArgument(binding.decl, binding.name)
                                                   : argument(binding.decl, binding.name));
    shapes(function);
    widths(function);
    info.unsupported = unsupported_;
    module_.info.kernels.push_back(std::move(info));
    module_.kernels.push_back(function);
  }

  // Two names of one input. source: what Apple's compiler says of the kernel's name in a published log of a
  // build (larsgeb/m1-gpu-cpp, issue 4).
  void widths(const FunctionDecl *kernel) {
    const auto is = [](const DeclaratorDecl *parameter, assay::Builtin builtin) {
      return builtinOf(parameter) == builtin;
    };
    const auto has = [&](assay::Builtin builtin) {
      return llvm::any_of(parameters_, [&](auto *parameter) { return is(parameter, builtin); });
    };
    if (has(assay::Builtin::ThreadExecutionWidth) && has(assay::Builtin::ThreadsPerSimdgroup))
      error(kernel->getLocation(), "a kernel cannot have both thread_execution_width and "
                                   "threads_per_simdgroup, which are one value");
  }

  // Positions and sizes are all scalars, or all vectors of one length. source: "expecting input declarations
  // with either all scalar types or all vector types with the same number of elements", which Apple's
  // compiler says of the kernel's name.
  void shapes(const FunctionDecl *kernel) {
    const DeclaratorDecl *first = nullptr;
    for (const DeclaratorDecl *parameter : parameters_) {
      const auto builtin = builtinOf(parameter);
      if (!builtin || builtinInfo(*builtin).components != 3)
        continue;
      if (!first)
        first = parameter;
      else if (scalarOf(parameter->getType()).second != scalarOf(first->getType()).second)
        return error(kernel->getLocation(),
                     fmt::format("arguments '{}' and '{}' have types of different lengths: positions and "
                                 "sizes are all scalars, or all vectors of one length",
                                 first->getNameAsString(), parameter->getNameAsString()));
    }
  }

  ArgumentInfo argument(const DeclaratorDecl *parameter, std::string name) {
    ArgumentInfo info;
    info.name = std::move(name);
    const auto *ofFunction = dyn_cast<ParmVarDecl>(parameter);
    const QualType type = parameter->getType().getUnqualifiedType();
    info.type = metalSpelling((ofFunction ? ofFunction->getOriginalType() : type).getAsString(policy_));
    refuseOtherAttributes(parameter);
    if (const AnnotateAttr *attr = annotation(parameter, "condition"))
      condition(attr, info);
    if (const auto builtin = builtinOf(parameter)) {
      builtinArgument(parameter, *builtin, info);
      return info;
    }
    if (const Handles handles = handlesOf(type)) {
      handleArgument(parameter, handles, info);
      return info;
    }
    if (isFunctionTable(type)) {
      info.kind = ArgumentKind::FunctionTable;
      slot(parameter, info);
      return info;
    }
    if (std::optional<TensorUse> tensor = hostTensorOf(type)) {
      tensorArgument(parameter, *std::move(tensor), info);
      return info;
    }
    if (const std::optional<std::string> why = whyNoBuffer(type)) {
      error(parameter->getLocation(), fmt::format("argument '{}' {}", info.name, *why));
      return info;
    }
    const bool reference = type->isReferenceType();
    if (const AnnotateAttr *attr = tileInput(parameter)) {
      unsupported(fmt::format("argument '{}' is [[{}]], of a tile function: only compute kernels are run",
                              info.name, attr->getAnnotation().substr(kAnnotationPrefix.size()).str()));
      return info;
    }
    if (annotation(parameter, "stage_in")) {
      error(parameter->getLocation(),
            fmt::format("argument '{}' of type '{}' cannot be [[stage_in]]: it is a structure whose members "
                        "have [[attribute(n)]]",
                        info.name, info.type));
      return info;
    }
    if (const auto *record = type->getAsCXXRecordDecl();
        record && inMetal(record) && !isTensor(type) && !reference && !isValue(type)) {
      unsupported(fmt::format("argument '{}' of type '{}' is not supported", info.name, info.type));
      return info;
    }
    if (isTensor(type.getNonReferenceType())) {
      unsupported(fmt::format(
          "argument '{}' of type '{}' is not supported: the host binds a tensor_handle by value, over device "
          "or constant memory, with elements that are integers, half, bfloat, float or a packed format",
          info.name, info.type));
      return info;
    }
    if (!type->isPointerType() && !reference && isMisspelt(parameter))
      return info; // metal_rules.h names the attribute
    if (!type->isPointerType() && !reference) {
      error(parameter->getLocation(),
            fmt::format(
                "kernel argument '{}' of type '{}' is not supported: buffers are pointers or references to "
                "device or constant memory, textures and samplers are values or metal::array of them, ids "
                "carry "
                "an attribute",
                info.name, info.type));
      return info;
    }
    const QualType pointee = type->getPointeeType();
    info.isReference = reference;
    const std::optional<AddressSpace> space = metalMemory(pointee.getAddressSpace());
    if (!space || space == AddressSpace::Thread) {
      if (refused_)
        return info;
      error(parameter->getLocation(),
            fmt::format("kernel argument '{}' needs an address space: device, constant or threadgroup",
                        info.name));
      return info;
    }
    info.space = *space;
    if (space == AddressSpace::Threadgroup)
      info.kind = ArgumentKind::ThreadgroupMemory;
    info.access = pointee.isConstQualified() ? Access::Read : Access::ReadWrite;
    if (refused_) {
      slot(parameter, info);
      return info;
    }
    if (!pointee->isVoidType() && !pointee->isIncompleteType() && !pointee->isDependentType()) {
      info.pointeeBytes = uint32_t(context_.getTypeSizeInChars(pointee).getQuantity());
      info.pointeeAlign = uint32_t(context_.getTypeAlignInChars(pointee).getQuantity());
    }
    info.element = scalarOf(pointee).first;
    if (info.kind == ArgumentKind::Buffer)
      info.structure = structs_.of(pointee);
    if (info.kind == ArgumentKind::Buffer)
      info.members = argumentBufferMembers(
          context_, parameter, [this](SourceLocation where, const std::string &text) { error(where, text); },
          [this](std::string why) { unsupported(std::move(why)); });
    slot(parameter, info);
    return info;
  }

  // --- [[stage_in]]

  ArgumentInfo attributeArgument(const DeclaratorDecl *member, std::string name) {
    ArgumentInfo info;
    info.name = std::move(name);
    info.kind = ArgumentKind::Attribute;
    info.space = AddressSpace::Thread;
    const QualType type = member->getType().getUnqualifiedType();
    info.type = metalSpelling(type.getAsString(policy_));
    if (const AnnotateAttr *attr = annotation(member, "condition"))
      condition(attr, info);
    if (!annotation(member, "attribute")) {
      error(member->getLocation(),
            fmt::format("'{}' is a member of what is [[stage_in]]: it needs [[attribute(n)]]", info.name));
      return info;
    }
    const auto number = attributeNumberOf(type);
    if (!number) {
      error(member->getLocation(),
            fmt::format("attribute '{}' cannot have type '{}': it is a number of 8, 16 or 32 bits, or a "
                        "vector of them, and not a bool or a bfloat",
                        info.name, info.type));
      return info;
    }
    std::tie(info.element, info.components) = *number;
    info.pointeeBytes = uint32_t(context_.getTypeSizeInChars(type).getQuantity());
    slot(member, info);
    return info;
  }

  // --- textures and samplers

  void handleArgument(const DeclaratorDecl *parameter, const Handles &handles, ArgumentInfo &info) {
    info.space = AddressSpace::Thread;
    info.count = handles.count;
    info.kind = handles.texture ? ArgumentKind::Texture : ArgumentKind::Sampler;
    if (handles.texture) {
      info.textureType = handles.texture->type;
      info.depthTexture = handles.texture->depth;
      info.element = handles.texture->element;
      info.access = handles.texture->access;
    }
    slot(parameter, info);
  }

  void tensorArgument(const DeclaratorDecl *parameter, TensorUse tensor, ArgumentInfo &info) {
    info.kind = ArgumentKind::Tensor;
    info.space = tensor.space;
    info.element = tensor.element.scalar;
    info.access = tensor.access;
    info.pointeeBytes = info.pointeeAlign = scalarTypeInfo(tensor.element.scalar).bytes;
    info.tensor = std::move(tensor);
    slot(parameter, info);
  }

  void builtinArgument(const DeclaratorDecl *parameter, assay::Builtin builtin, ArgumentInfo &info) {
    info.kind = ArgumentKind::Builtin;
    info.space = AddressSpace::Thread;
    info.builtin = builtin;
    const auto [type, components] = scalarOf(parameter->getType());
    const auto vector = vectorClass(parameter->getType()->getAsCXXRecordDecl());
    const bool scalarFits =
        (type == ScalarType::UShort || type == ScalarType::UInt) && !(vector && vector->packed);
    for (const assay::Builtin given : builtinsOf(parameter))
      if (const BuiltinInfo &row = builtinInfo(given);
          !scalarFits || (components > 1 && row.components == 1) || components > 3) {
        error(parameter->getLocation(),
              fmt::format("'{}' cannot have type '{}': it is ushort or uint{}", row.metalName, info.type,
                          row.components == 3 ? ", or a vector of 2 or 3 of them" : ""));
        break;
      }
    info.element = type;
  }

  // An explicit index, or the next free one: Metal assigns them in order.
  void slot(const DeclaratorDecl *parameter, ArgumentInfo &info) {
    const SlotKindInfo &slots = slotsOf(info.kind);
    const std::string kind = slots.attribute;
    SourceLocation where = parameter->getLocation();
    for (const SlotKindInfo &other : kSlotKinds)
      if (const AnnotateAttr *attr =
              other.attribute == kind ? nullptr : annotation(parameter, other.attribute))
        error(attr->getLocation(), slotOfAnotherKind(info.name, info.type, other, slots));
    if (const AnnotateAttr *attr = annotation(parameter, kind)) {
      where = attr->getLocation();
      const auto index = integer(attr, 0);
      if (!index) {
        lateSlot(parameter, attr, info);
        return;
      }
      info.index = uint32_t(std::clamp<int64_t>(*index, 0, slots.slots));
      if (!slots.has(*index, info.count))
        error(where, slotOutOfRange(slots, *index, info.count));
      else if (const auto other = takenBy(kind, info); info.condition.empty() && other != taken_.end())
        error(where, slotTaken(slots, other->first.second, other->second));
    } else {
      while (info.index < slots.slots && !isFree(kind, info))
        ++info.index;
      if (!slots.has(info.index, info.count))
        error(where, fmt::format("no {} slot is left for '{}': there are {}", kind, info.name, slots.slots));
    }
    if (info.condition.empty() || !annotation(parameter, kind))
      for (uint32_t i = 0; i < info.count; ++i)
        taken_[{kind, info.index + i}] = info.name;
  }

  // The pipeline's function constants decide about its index, and then whether another argument has it.
  void lateSlot(const DeclaratorDecl *parameter, const AnnotateAttr *attr, ArgumentInfo &info) {
    if (const Expr *index = annotationArgument(attr, 0); index && isNoInteger(index))
      return; // metal_rules.cpp reports it
    const VarDecl *variable = programConstant(attr);
    if (!variable)
      variable = computedConstant(context_, attr, module_.constants);
    if (!variable || !variable->getType()->isIntegralOrUnscopedEnumerationType())
      error(attr->getLocation(),
            fmt::format("the index of '{}' is not a constant: write a number, or compute it from function "
                        "constants and numbers, without calls",
                        info.name));
    else if (isa<VarDecl>(parameter) && !isa<ParmVarDecl>(parameter))
      unsupported(
          fmt::format("'{}', bound at program scope, at an index that is a function constant", info.name));
    else
      info.indexConstant = constantName(variable, attr);
  }

  // Its name in the module's list of function constants, which gets it if it is computed from others.
  std::string constantName(const VarDecl *variable, const AnnotateAttr *attr) {
    if (std::none_of(module_.constants.begin(), module_.constants.end(), [&](const VarDecl *known) {
          return known->getCanonicalDecl() == variable->getCanonicalDecl();
        })) {
      functionConstant(variable, kComputedConstant, attr->getLocation());
      const_cast<VarDecl *>(variable)->addAttr(UsedAttr::CreateImplicit(context_)); // no code may use it
    }
    return variable->getQualifiedNameAsString();
  }

  // Finds an argument that already has one of these slots.
  std::map<std::pair<std::string, uint32_t>, std::string>::iterator takenBy(const std::string &kind,
                                                                            const ArgumentInfo &info) {
    const auto first = taken_.lower_bound({kind, info.index});
    const bool hit =
        first != taken_.end() && first->first.first == kind && first->first.second < info.index + info.count;
    return hit ? first : taken_.end();
  }

  bool isFree(const std::string &kind, const ArgumentInfo &info) {
    for (uint32_t i = 0; i < info.count; ++i)
      if (explicitSlots_.contains({kind, info.index + i}))
        return false;
    return takenBy(kind, info) == taken_.end();
  }

  void condition(const AnnotateAttr *attr, ArgumentInfo &info) {
    if (const VarDecl *variable = programConstant(attr))
      info.condition = constantName(variable, attr);
    else
      error(attr->getLocation(), "function_constant on an argument needs the name of a function constant");
  }

  // The kernel is listed; only running it is an error.
  void unsupported(std::string why) {
    if (unsupported_.empty())
      unsupported_ = std::move(why);
  }

  // What only a tile function's kernel takes; null if it is not. source: MSL specification, table 5.9.
  static const AnnotateAttr *tileInput(const DeclaratorDecl *parameter) {
    for (const char *name :
         {"render_target_array_index", "pixel_position_in_tile", "pixels_per_tile", "tile_index", "color"})
      if (const AnnotateAttr *attr = annotation(parameter, name))
        return attr;
    return nullptr;
  }

  // Refuses attributes that no kernel argument can have, by name.
  void refuseOtherAttributes(const DeclaratorDecl *parameter) {
    for (const auto *attr : parameter->specific_attrs<AnnotateAttr>()) {
      llvm::StringRef name = attr->getAnnotation();
      if (!name.consume_front("assay.") || name.starts_with("builtin.") ||
          name.contains(' ')) // metal_rules.cpp
        continue;
      // Apple's compiler accepts it: WebGPU's translator writes it. Nothing can be bound to it.
      if (name == "user")
        unsupported("an argument with [[user(..)]]");
      else if (name == "id" && isa<FieldDecl>(parameter))
        error(attr->getLocation(),
              "a struct with [[id(n)]] is an argument buffer, which is not passed by value: "
              "declare a reference, `constant A &a [[buffer(n)]]`");
      else if (name != "buffer" && name != "threadgroup" && name != "texture" && name != "sampler" &&
               name != "condition" && name != "stage_in" && !tileInput(parameter))
        error(attr->getLocation(), fmt::format("[[{}]] on a kernel argument is not supported", name.str()));
    }
  }

  // --- types

  // --- annotations

  std::optional<int64_t> integer(const AnnotateAttr *attr, unsigned n) const {
    return annotationInteger(context_, attr, n);
  }

  static const StringLiteral *string(const AnnotateAttr *attr, unsigned n) {
    return dyn_cast_or_null<StringLiteral>(annotationArgument(attr, n));
  }

  static SourceLocation instantiatedAt(const FunctionDecl *function) {
    const SourceLocation where = function->getPointOfInstantiation();
    return where.isValid() ? where : function->getLocation();
  }

  void error(SourceLocation where, const std::string &text) {
    diagnostics_.Report(where, diagnostics_.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << text;
  }

  ASTContext &context_;
  DiagnosticsEngine &diagnostics_;
  SourceManager &sources_;
  const ViewFileSystem &files_;
  PrintingPolicy policy_;
  ReflectedModule module_;
  StructFields structs_{context_, module_.info.structs};
  std::vector<const FunctionDecl *> found_;
  std::set<const FunctionDecl *> seen_;
  std::vector<const DeclaratorDecl *> parameters_;
  std::set<std::pair<std::string, uint32_t>> explicitSlots_;
  std::map<std::pair<std::string, uint32_t>, std::string> taken_;
  std::string unsupported_; ///< of the current kernel
  bool refused_ = false;    ///< the program, by Clang: structures may lack members
};

} // namespace

ReflectedModule reflect(clang::ASTContext &context, const ViewFileSystem &files,
                        const Declarations &declarations, const std::vector<const FunctionDecl *> &asked) {
  return Reflector(context, files).run(declarations, asked);
}

void reportSignature(clang::ASTContext &context, const ViewFileSystem &files, const FunctionDecl &kernel) {
  Reflector(context, files).reportSignature(kernel);
}

void reportFunctionConstant(clang::ASTContext &context, const ViewFileSystem &files,
                            const VarDecl &variable) {
  Reflector(context, files).reportConstant(variable);
}

} // namespace assay::frontend
