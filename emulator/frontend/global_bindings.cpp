#include "frontend/global_bindings.h"

#include "frontend/argument_values.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <fmt/format.h>

#include <map>

namespace assay::frontend {
namespace {

using namespace llvm;

GlobalVariable *variableOf(Module &module, const GlobalBinding &global) {
  return global.symbol.empty() ? nullptr : module.getNamedGlobal(global.symbol);
}

bool isAddress(const ArgumentInfo &argument) {
  return argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::ThreadgroupMemory ||
         argument.kind == ArgumentKind::FunctionTable || argument.kind == ArgumentKind::Tensor;
}

void replaceHandles(Module &module, GlobalVariable &variable, const ArgumentInfo &argument) {
  SmallVector<uint64_t> handles;
  for (uint32_t i = 0; i < argument.count; ++i)
    handles.push_back(ArgumentValues::handle(argument.index, i));
  Constant *value = ConstantDataArray::get(module.getContext(), handles);
  auto *constant = new GlobalVariable(module, value->getType(), true, GlobalValue::InternalLinkage, value,
                                      variable.getName() + ".handles", nullptr, GlobalValue::NotThreadLocal,
                                      variable.getAddressSpace());
  constant->setAlignment(Align(16));
  variable.replaceAllUsesWith(constant);
}

// A reference lies in thread memory, and is read through a cast.
void replaceAddress(Module &module, Value &variable, const ArgumentInfo &argument) {
  for (User *user : make_early_inc_range(variable.users()))
    if (auto *load = dyn_cast<LoadInst>(user)) {
      IRBuilder<> builder(load);
      load->replaceAllUsesWith(ArgumentValues(module, builder).pointer(argument));
      load->eraseFromParent();
    } else if (auto *cast = dyn_cast<AddrSpaceCastInst>(user)) {
      replaceAddress(module, *cast, argument);
      cast->eraseFromParent();
    }
}

// Clang puts constants at program scope into constant memory. Whether all that is done with the address there
// can be done with an address in thread memory.
bool canMoveToThread(const Value &address) {
  return all_of(address.users(), [&](const User *user) {
    if (isa<AddrSpaceCastInst>(user))
      return user->getType()->getPointerAddressSpace() == kIrThread;
    return isa<LoadInst>(user) || (isa<GetElementPtrInst>(user) && canMoveToThread(*user));
  });
}

// Lets one use of the address be one of `slot`, which lies in thread memory.
void useSlot(Use &use, Value *slot) {
  auto *user = cast<Instruction>(use.getUser());
  if (use->getType() == slot->getType() || isa<LoadInst>(user)) {
    use.set(slot);
    return;
  }
  if (isa<AddrSpaceCastInst>(user)) {
    user->replaceAllUsesWith(slot);
  } else {
    Instruction *moved = user->clone();
    moved->insertBefore(user);
    moved->setOperand(use.getOperandNo(), slot);
    moved->mutateType(slot->getType());
    for (Use &next : make_early_inc_range(user->uses()))
      useSlot(next, moved);
  }
  user->eraseFromParent();
}

bool isOnlyLoaded(const Value &variable) {
  return all_of(variable.users(), [](const User *user) {
    return isa<LoadInst>(user) || (isa<AddrSpaceCastInst>(user) && isOnlyLoaded(*user));
  });
}

// A built-in, or a tensor whose members are called: each function gets its own copy.
void replaceByCopies(Module &module, GlobalVariable &variable, const ArgumentInfo &argument) {
  const uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable.getValueType());
  std::map<Function *, AllocaInst *> slots;
  for (Use &use : make_early_inc_range(variable.uses())) {
    auto *instruction = dyn_cast<Instruction>(use.getUser());
    if (!instruction)
      continue;
    AllocaInst *&slot = slots[instruction->getFunction()];
    if (!slot) {
      BasicBlock &entry = instruction->getFunction()->getEntryBlock();
      IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
      slot = builder.CreateAlloca(variable.getValueType());
      slot->setAlignment(std::max(variable.getAlign().valueOrOne(), Align(16)));
      ArgumentValues values(module, builder);
      if (argument.kind == ArgumentKind::Tensor)
        builder.CreateStore(values.pointer(argument), slot);
      else
        values.storeBuiltin(argument, slot, bytes);
    }
    useSlot(use, slot);
  }
}

} // namespace

void checkGlobalBindings(Module &module, std::vector<GlobalBinding> &globals) {
  for (GlobalBinding &global : globals) {
    GlobalVariable *variable = variableOf(module, global);
    if (!variable)
      continue;
    convertUsersOfConstantsToInstructions({variable});
    const auto refuse = [&](std::string why) {
      if (global.unsupported.empty())
        global.unsupported = std::move(why);
    };
    if (global.argument.kind == ArgumentKind::Builtin && variable->getAddressSpace() != kIrThread &&
        !canMoveToThread(*variable))
      refuse(fmt::format("the address of the built-in '{}' is taken as one in constant memory",
                         global.argument.name));
    const bool mayBeCopied = global.argument.kind == ArgumentKind::Tensor && canMoveToThread(*variable);
    if (isAddress(global.argument) && !isOnlyLoaded(*variable) && !mayBeCopied)
      refuse(fmt::format("the address of '{}' is taken, which the host binds at program scope",
                         global.argument.name));
  }
}

void replaceGlobalBindings(Module &module, const std::vector<GlobalBinding> &globals) {
  for (const GlobalBinding &global : globals) {
    GlobalVariable *variable = variableOf(module, global);
    if (!variable || !global.unsupported.empty())
      continue;
    if (global.argument.kind == ArgumentKind::Builtin || global.argument.kind == ArgumentKind::Tensor)
      replaceByCopies(module, *variable, global.argument);
    else if (isAddress(global.argument))
      replaceAddress(module, *variable, global.argument);
    else
      replaceHandles(module, *variable, global.argument);
    if (variable->use_empty())
      variable->eraseFromParent();
  }
}

} // namespace assay::frontend
