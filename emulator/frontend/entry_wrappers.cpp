#include "frontend/entry_wrappers.h"

#include "frontend/annotations.h"
#include "frontend/argument_values.h"
#include "frontend/resource_types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/CGFunctionInfo.h>
#include <clang/CodeGen/CodeGenABITypes.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using namespace llvm;
using clang::CodeGen::ABIArgInfo;

// msl_shim/detail/async_copy.h: what a thread has started and not waited for.
constexpr StringLiteral kFinishAsyncCopies = "__assay_finish_async_copies";

class WrapperBuilder {
public:
  WrapperBuilder(clang::CodeGenerator &generator, clang::ASTContext &context)
      : generator_(generator), context_(context), module_(*generator.GetModule()),
        builder_(module_.getContext()) {}

  void add(const clang::FunctionDecl *kernel, KernelInfo &info, size_t number) {
    if (kernel->isInvalidDecl() || !info.unsupported.empty()) // see wanted_kernels.h
      return;
    auto *callee =
        cast<Function>(generator_.GetAddrOfGlobal(clang::GlobalDecl(kernel), false)->stripPointerCasts());
    info.entrySymbol = fmt::format("assay.entry.{}", number);
    auto *wrapper = Function::Create(FunctionType::get(builder_.getVoidTy(), false),
                                     GlobalValue::ExternalLinkage, info.entrySymbol, module_);
    wrapper->addFnAttr(Attribute::NoUnwind);
    wrapper->addFnAttr(Attribute::Convergent);
    builder_.SetInsertPoint(BasicBlock::Create(module_.getContext(), "", wrapper));
    values_.setArguments(info.arguments);

    const auto type = context_.getCanonicalType(kernel->getType()).castAs<clang::FunctionProtoType>();
    const auto &abi = clang::CodeGen::arrangeFreeFunctionType(
        generator_.CGM(), clang::CanQual<clang::FunctionProtoType>::CreateUnsafe(clang::QualType(type, 0)));
    SmallVector<Value *> arguments;
    size_t n = 0;
    for (unsigned p = 0; p < kernel->getNumParams(); ++p) {
      const auto &entry = abi.arguments()[p];
      const auto bindings = bindingsOf(kernel->getParamDecl(p));
      const ArgumentInfo *first = &info.arguments[n];
      n += bindings.size();
      if (bindings.front().decl != kernel->getParamDecl(p))
        passValue(structureInMemory(bindings, first, entry.type), entry.info, arguments);
      else if (isBuffer(*first))
        arguments.push_back(values_.pointer(*first));
      else
        passValue(inMemory(*first, entry.type), entry.info, arguments);
    }
    CallInst *call = builder_.CreateCall(callee, arguments);
    giveDebugScope(*wrapper, *callee, *call);
    call->setCallingConv(callee->getCallingConv());
    call->setAttributes(callee->getAttributes());
    if (Function *finish = module_.getFunction(kFinishAsyncCopies))
      builder_.CreateCall(finish)->setDebugLoc(call->getDebugLoc());
    builder_.CreateRetVoid();
  }

private:
  // Without a scope of its own, the wrapper and all code inlined into it would have no line table.
  void giveDebugScope(Function &wrapper, const Function &kernel, CallInst &call) {
    DISubprogram *scope = kernel.getSubprogram();
    if (!scope)
      return;
    DIBuilder debug(module_, false, scope->getUnit());
    auto *own =
        debug.createFunction(scope->getFile(), wrapper.getName(), wrapper.getName(), scope->getFile(),
                             scope->getLine(), debug.createSubroutineType(debug.getOrCreateTypeArray({})),
                             scope->getLine(), DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
    wrapper.setSubprogram(own);
    debug.finalizeSubprogram(own);
    for (BasicBlock &block : wrapper)
      for (Instruction &instruction : block)
        instruction.setDebugLoc(DILocation::get(module_.getContext(), 0, 0, own));
    call.setDebugLoc(DILocation::get(module_.getContext(), scope->getLine(), 0, own));
  }

  static bool isBuffer(const ArgumentInfo &argument) {
    return argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::ThreadgroupMemory;
  }

  // What the host binds, as an object of the type.
  AllocaInst *inMemory(const ArgumentInfo &argument, clang::CanQualType type) {
    switch (argument.kind) {
    case ArgumentKind::Builtin: return builtinInMemory(argument, type);
    case ArgumentKind::Texture:
    case ArgumentKind::Sampler: return handlesInMemory(argument);
    case ArgumentKind::Attribute: return attributeInMemory(argument);
    default: return addressInMemory(argument);
    }
  }

  // A structure that is passed by value: what the host binds to its members (resource_types.h).
  AllocaInst *structureInMemory(const std::vector<Binding> &members, const ArgumentInfo *argument,
                                clang::CanQualType type) {
    AllocaInst *slot = builder_.CreateAlloca(
        ArrayType::get(builder_.getInt8Ty(), context_.getTypeSizeInChars(type).getQuantity()));
    slot->setAlignment(Align(std::max<uint64_t>(context_.getTypeAlignInChars(type).getQuantity(), 16)));
    for (const Binding &member : members) {
      // A reference takes the space of a pointer.
      const clang::QualType declared = member.decl->getType();
      const clang::QualType of =
          declared->isReferenceType() ? context_.getPointerType(declared->getPointeeType()) : declared;
      AllocaInst *value = inMemory(*argument++, context_.getCanonicalType(of.getUnqualifiedType()));
      builder_.CreateMemCpy(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), slot, member.offset), Align(1),
                            value, value->getAlign(), context_.getTypeSizeInChars(of).getQuantity());
    }
    return slot;
  }

  // The built-in as an object of the parameter's type: its components one after the other.
  AllocaInst *builtinInMemory(const ArgumentInfo &argument, clang::CanQualType type) {
    const uint64_t bytes = context_.getTypeSizeInChars(type).getQuantity();
    AllocaInst *slot = builder_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), bytes));
    slot->setAlignment(Align(std::max<uint64_t>(context_.getTypeAlignInChars(type).getQuantity(), 16)));
    values_.storeBuiltin(argument, slot, bytes);
    return slot;
  }

  // A value of the table of attributes.
  AllocaInst *attributeInMemory(const ArgumentInfo &argument) {
    AllocaInst *slot = builder_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), argument.pointeeBytes));
    slot->setAlignment(Align(16));
    builder_.CreateMemCpy(slot, slot->getAlign(), values_.attribute(argument), Align(1),
                          argument.pointeeBytes);
    return slot;
  }

  // A texture or sampler, or an array of them: the handles of its slots.
  AllocaInst *handlesInMemory(const ArgumentInfo &argument) {
    AllocaInst *slot = builder_.CreateAlloca(ArrayType::get(builder_.getInt64Ty(), argument.count));
    slot->setAlignment(Align(16));
    for (uint32_t i = 0; i < argument.count; ++i)
      builder_.CreateStore(values_.handle(argument, i),
                           builder_.CreateConstGEP1_32(builder_.getInt64Ty(), slot, i));
    return slot;
  }

  // The address of a buffer, of a function table's entries (msl_shim/metal_visible_function_table), or of a
  // tensor's record.
  AllocaInst *addressInMemory(const ArgumentInfo &argument) {
    Value *address = values_.pointer(argument);
    AllocaInst *slot = builder_.CreateAlloca(address->getType());
    slot->setAlignment(Align(16));
    builder_.CreateStore(address, slot);
    return slot;
  }

  void passValue(AllocaInst *slot, const ABIArgInfo &how, SmallVectorImpl<Value *> &arguments) {
    switch (how.getKind()) {
    case ABIArgInfo::Direct:
    case ABIArgInfo::Extend: {
      auto *type = how.getCoerceToType();
      auto *fields = how.isDirect() && how.getCanBeFlattened() ? dyn_cast<StructType>(type) : nullptr;
      if (!fields) {
        arguments.push_back(builder_.CreateLoad(
            type, builder_.CreateConstGEP1_32(builder_.getInt8Ty(), slot,
                                              how.isDirect() ? how.getDirectOffset() : 0)));
        return;
      }
      for (unsigned f = 0; f < fields->getNumElements(); ++f)
        arguments.push_back(
            builder_.CreateLoad(fields->getElementType(f), builder_.CreateStructGEP(fields, slot, f)));
      return;
    }
    default: // by address
      arguments.push_back(slot);
    }
  }

  clang::CodeGenerator &generator_;
  clang::ASTContext &context_;
  Module &module_;
  IRBuilder<> builder_;
  ArgumentValues values_{module_, builder_};
};

} // namespace

void addEntryWrappers(clang::CodeGenerator &generator, clang::ASTContext &context, ReflectedModule &module) {
  WrapperBuilder builder(generator, context);
  for (size_t i = 0; i < module.kernels.size(); ++i)
    builder.add(module.kernels[i], module.info.kernels[i], i);
  for (size_t i = 0; i < module.others.size(); ++i) {
    if (!isVisible(module.others[i]))
      continue;
    auto *value = generator.GetAddrOfGlobal(clang::GlobalDecl(module.others[i]), false);
    if (auto *function = dyn_cast_or_null<Function>(value ? value->stripPointerCasts() : nullptr);
        function && !function->isDeclaration())
      module.info.otherFunctions[i].symbol = function->getName().str();
  }
  for (size_t i = 0; i < module.globals.size(); ++i)
    if (module.globalVariables[i]->isReferenced())
      if (auto *global = generator.GetAddrOfGlobal(clang::GlobalDecl(module.globalVariables[i]), false))
        module.globals[i].symbol = global->stripPointerCasts()->getName().str();
  for (size_t i = 0; i < module.constants.size(); ++i)
    if (auto *global = generator.GetAddrOfGlobal(clang::GlobalDecl(module.constants[i]), false))
      module.info.functionConstants[i].symbol = global->stripPointerCasts()->getName().str();
  const auto nameConstants = [&](ArgumentInfo &argument) {
    for (const FunctionConstantInfo &constant : module.info.functionConstants) {
      if (!argument.condition.empty() && constant.name == argument.condition)
        argument.conditionSymbol = constant.symbol;
      if (!argument.indexConstant.empty() && constant.name == argument.indexConstant)
        argument.indexSymbol = constant.symbol;
    }
  };
  for (KernelInfo &kernel : module.info.kernels)
    std::ranges::for_each(kernel.arguments, nameConstants);
  for (GlobalBinding &global : module.globals)
    nameConstants(global.argument);
}

} // namespace assay::frontend
