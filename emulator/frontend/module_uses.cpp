#include "frontend/module_uses.h"

#include "support/abi/limits.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay::frontend {
namespace {

using namespace llvm;

using Globals = SetVector<const GlobalValue *>;

void collect(const Value *value, Globals &found, std::set<const Value *> &seen) {
  if (!isa<Constant>(value) || !seen.insert(value).second)
    return;
  if (const auto *global = dyn_cast<GlobalValue>(value))
    found.insert(global);
  else
    for (const Use &operand : cast<Constant>(value)->operands())
      collect(operand, found, seen);
}

Globals globalsOf(const Function &function) {
  Globals found;
  std::set<const Value *> seen;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      for (const Use &operand : instruction.operands())
        collect(operand, found, seen);
  return found;
}

class Reach {
public:
  explicit Reach(const Module &module) {
    // A variable with a dynamic initialiser depends on what its initialiser reads.
    for (const Function &function : module)
      if (!function.isDeclaration() && function.getName().starts_with("__cxx_global_var_init"))
        for (const BasicBlock &block : function)
          for (const Instruction &instruction : block)
            if (const GlobalVariable *target = initialised(instruction))
              initialiser_[target] = &function;
  }

  Globals from(Globals reached) {
    for (size_t i = 0; i < reached.size(); ++i) {
      const GlobalValue *global = reached[i];
      if (const auto *function = dyn_cast<Function>(global)) {
        if (!function->isDeclaration())
          for (const GlobalValue *used : uses(*function))
            reached.insert(used);
      } else if (const auto it = initialiser_.find(global); it != initialiser_.end()) {
        reached.insert(it->second);
      }
    }
    return reached;
  }

private:
  // The variable that a store gives its value, or the object that a constructor makes or a copy goes to.
  static const GlobalVariable *initialised(const Instruction &instruction) {
    const Value *target = nullptr;
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
      target = store->getPointerOperand();
    else if (const auto *call = dyn_cast<CallBase>(&instruction); call && call->arg_size() > 0)
      target = call->getArgOperand(0);
    return target && target->getType()->isPointerTy() ? dyn_cast<GlobalVariable>(target->stripPointerCasts())
                                                      : nullptr;
  }

  const Globals &uses(const Function &function) {
    auto [it, fresh] = uses_.try_emplace(&function);
    if (fresh)
      it->second = globalsOf(function);
    return it->second;
  }

  std::map<const GlobalValue *, const Function *> initialiser_;
  std::map<const Function *, Globals> uses_;
};

void addGlobal(const GlobalBinding &global, KernelInfo &kernel) {
  const ArgumentInfo &added = global.argument;
  const bool known = std::ranges::any_of(kernel.arguments, [&](const ArgumentInfo &argument) {
    return argument.kind == added.kind && argument.index == added.index &&
           argument.builtin == added.builtin && argument.indexConstant.empty();
  });
  if (!known)
    kernel.arguments.push_back(added);
  if (kernel.unsupported.empty())
    kernel.unsupported = global.unsupported;
}

// Which functions a table holds is known only when a pipeline is made, and then what a kernel is bound to is
// fixed. A built-in needs no binding.
void refuseInTables(const OtherFunctionInfo &function, const GlobalBinding &global, ModuleInfo &info) {
  for (KernelInfo &kernel : info.kernels) {
    const ArgumentInfo &wanted = global.argument;
    const bool bound = std::ranges::any_of(kernel.arguments, [&](const ArgumentInfo &argument) {
      return argument.kind == wanted.kind && argument.index == wanted.index && argument.indexConstant.empty();
    });
    if (wanted.kind != ArgumentKind::Builtin && kernel.takesFunctionTables() && !bound &&
        kernel.unsupported.empty())
      kernel.unsupported =
          fmt::format("the {} function '{}' of its function tables uses '{}', which the host "
                      "binds at program scope, and the kernel does not",
                      function.kind, function.name, wanted.name);
  }
}

// A pipeline has one value for an index. In one source the compiler has refused two constants with it.
void refuseTwoMeanings(const ModuleInfo &info, KernelInfo &kernel) {
  std::map<uint32_t, const FunctionConstantInfo *> known;
  for (const uint32_t place : kernel.functionConstants) {
    const FunctionConstantInfo &constant = info.functionConstants[place];
    const auto [first, fresh] = known.try_emplace(constant.index, &constant);
    if (!fresh && !first->second->isSameAs(constant) && kernel.unsupported.empty())
      kernel.unsupported = fmt::format("it reads function constant {} as '{}' and, in a function of another "
                                       "file, as '{}'",
                                       constant.index, first->second->name, constant.name);
  }
}

// is_function_constant_defined in the shim (msl_shim/detail/primitives.h).
void findDefaults(const Module &module, ModuleInfo &info) {
  const Function *question = module.getFunction("__assay_is_function_constant_defined");
  if (!question)
    return;
  std::set<StringRef> asked;
  for (const User *user : question->users())
    if (const auto *call = dyn_cast<CallBase>(user))
      if (const auto *variable = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts()))
        asked.insert(variable->getName());
  for (FunctionConstantInfo &constant : info.functionConstants)
    constant.hasDefault = asked.contains(constant.symbol);
}

} // namespace

void fillModuleUses(const Module &module, const std::vector<GlobalBinding> &globals, ModuleInfo &info) {
  findDefaults(module, info);
  Reach reach(module);
  std::map<StringRef, uint32_t> constants; // symbols, and places in the list
  for (uint32_t place = 0; place < info.functionConstants.size(); ++place)
    if (info.functionConstants[place].index != kComputedConstant)
      constants.emplace(info.functionConstants[place].symbol, place);
  for (KernelInfo &kernel : info.kernels) {
    uint64_t bytes = 0;
    std::set<uint32_t> places;
    const Function *entry = module.getFunction(kernel.entrySymbol);
    if (!entry)
      continue;
    // A kernel also reads the constants that decide whether an argument exists, and which index it has.
    Globals roots;
    roots.insert(entry);
    for (const ArgumentInfo &argument : kernel.arguments)
      for (const std::string &symbol : {argument.conditionSymbol, argument.indexSymbol})
        if (const GlobalVariable *variable = symbol.empty() ? nullptr : module.getNamedGlobal(symbol))
          roots.insert(variable);
    for (const GlobalValue *global : reach.from(std::move(roots))) {
      const auto *variable = dyn_cast<GlobalVariable>(global);
      if (!variable)
        continue;
      if (variable->getAddressSpace() == kIrThreadgroup) {
        const uint64_t align =
            std::max<uint64_t>(variable->getAlign().valueOrOne().value(), kThreadgroupMemoryAlignment);
        bytes = alignTo(bytes, align) + module.getDataLayout().getTypeAllocSize(variable->getValueType());
      }
      if (const auto it = constants.find(variable->getName()); it != constants.end())
        places.insert(it->second);
      for (const GlobalBinding &binding : globals)
        if (variable->getName() == binding.symbol)
          addGlobal(binding, kernel);
    }
    kernel.staticThreadgroupBytes = uint32_t(std::min<uint64_t>(bytes, UINT32_MAX));
    kernel.functionConstants.assign(places.begin(), places.end());
    refuseTwoMeanings(info, kernel);
  }
  for (OtherFunctionInfo &other : info.otherFunctions) {
    const Function *function = other.symbol.empty() ? nullptr : module.getFunction(other.symbol);
    if (!function)
      continue;
    Globals roots;
    roots.insert(function);
    std::set<uint32_t> places;
    for (const GlobalValue *global : reach.from(std::move(roots))) {
      if (const auto it = constants.find(global->getName()); it != constants.end())
        places.insert(it->second);
      for (const GlobalBinding &binding : globals)
        if (global->getName() == binding.symbol)
          refuseInTables(other, binding, info);
    }
    other.functionConstants.assign(places.begin(), places.end());
  }
}

} // namespace assay::frontend
