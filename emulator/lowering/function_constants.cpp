// Function constants: their values go into the module's program-scope variables before anything is
// optimised.
//
// Problem.  `constant int n [[function_constant(0)]]` reaches IR as a variable with a dynamic initialiser
//           that calls @__assay_function_constant, and other program-scope constants may be computed from
//           it, sizes and conditions of arguments among them. A constant without a value is an error only if
//           the kernel, after folding, still reads it: `is_function_constant_defined(n) ? n : 4` is how a
//           default is written.
// Choice.   @__assay_function_constant gets a body, a switch over the given values; then an interpreter
//           (initializer_interpreter.h) runs the initialisers in order. Where it meets a constant without a value it
//           fails, and the
//           variables of that initialiser become declarations: "unknown", which everything computed from
//           them is in turn. Whatever reads of declarations survive optimisation are errors.
// Rejected. Letting the optimiser fold the initialisers (GlobalOpt evaluates only as a whole list, and stops
//           at the first that fails).
#include "function_constants.h"

#include "initializer_interpreter.h"
#include "inline_calls.h"
#include "optimizer.h"
#include "primitives.h"
#include "read_module.h"
#include "source_place.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Evaluator.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::lowering {
namespace {

const FunctionConstantInfo *findBySymbol(const ModuleInfo &module, llvm::StringRef symbol) {
  for (const FunctionConstantInfo &info : module.functionConstants)
    if (symbol == llvm::StringRef(info.symbol))
      return &info;
  return nullptr;
}

std::optional<uint64_t> valueOf(const Lowering &state, uint32_t index, uint32_t component) {
  const auto found = state.constants.find(index);
  if (found == state.constants.end() || component >= found->second.components.size())
    return state.options.zeroMissingConstants ? std::optional<uint64_t>(0) : std::nullopt;
  return found->second.components[component];
}

// i64 @__assay_function_constant(i32, i32): a switch over what has been given, for the evaluator to run.
void defineFunctionConstants(const Lowering &state) {
  llvm::Function *function = state.module->getFunction(kFunctionConstant);
  if (!function || !function->isDeclaration())
    return;
  llvm::LLVMContext &context = state.module->getContext();
  llvm::IRBuilder<> b(context);
  auto *entry = llvm::BasicBlock::Create(context, "", function);
  auto *missing = llvm::BasicBlock::Create(context, "missing", function);
  b.SetInsertPoint(missing);
  if (state.options.zeroMissingConstants)
    b.CreateRet(b.getInt64(0));
  else
    b.CreateUnreachable(); // the evaluator stops here
  b.SetInsertPoint(entry);
  llvm::Value *index = b.CreateZExt(function->getArg(0), b.getInt64Ty());
  llvm::Value *component = b.CreateZExt(function->getArg(1), b.getInt64Ty());
  llvm::SwitchInst *choice = b.CreateSwitch(b.CreateOr(b.CreateShl(index, 32), component), missing);
  for (const auto &[number, value] : state.constants)
    for (size_t i = 0; i < value.components.size(); ++i) {
      auto *given = llvm::BasicBlock::Create(context, "", function);
      choice->addCase(b.getInt64(uint64_t(number) << 32 | i), given);
      b.SetInsertPoint(given);
      b.CreateRet(b.getInt64(value.components[i]));
    }
}

void undefineFunctionConstants(const Lowering &state) {
  if (llvm::Function *function = state.module->getFunction(kFunctionConstant))
    function->deleteBody();
}

// The functions that llvm.global_ctors runs, in order; Clang's _GLOBAL__sub_I_ function is a list of calls,
// and each of them is taken alone, so that one failure does not take the others with it.
llvm::SmallVector<llvm::Function *> initializersOf(llvm::Module &module) {
  llvm::SmallVector<std::pair<uint64_t, llvm::Function *>> constructors;
  if (llvm::GlobalVariable *list = module.getNamedGlobal("llvm.global_ctors"); list && list->hasInitializer())
    if (auto *entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()))
      for (const llvm::Use &entry : entries->operands()) {
        auto *fields = llvm::cast<llvm::Constant>(entry);
        auto *function = llvm::dyn_cast<llvm::Function>(fields->getAggregateElement(1)->stripPointerCasts());
        if (function)
          constructors.push_back(
              {llvm::cast<llvm::ConstantInt>(fields->getAggregateElement(0u))->getZExtValue(), function});
      }
  std::stable_sort(constructors.begin(), constructors.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });

  llvm::SmallVector<llvm::Function *> functions;
  for (auto &[priority, function] : constructors) {
    llvm::cantFail(function->materialize());
    llvm::SmallVector<llvm::Function *> parts;
    bool onlyCalls = function->size() == 1;
    for (llvm::Instruction &instruction : llvm::instructions(*function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && callee->arg_empty())
        parts.push_back(callee);
      else if (!llvm::isa<llvm::ReturnInst>(instruction))
        onlyCalls = false;
    }
    if (onlyCalls)
      functions.append(parts);
    else
      functions.push_back(function);
  }
  return functions;
}

llvm::GlobalVariable *rootVariable(llvm::Value *pointer) {
  for (;;) {
    pointer = pointer->stripPointerCasts();
    if (auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointer))
      pointer = gep->getPointerOperand();
    else
      return llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  }
}

// Why an initialiser failed: the constants without a value that it reads, itself or through other variables.
std::set<uint32_t> missingConstants(const Lowering &state, const llvm::Function &function) {
  std::set<uint32_t> missing;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (primitiveOf(instruction) == Primitive::FunctionConstant) {
      const auto &call = llvm::cast<llvm::CallBase>(instruction);
      const std::optional<uint32_t> index = constantArgument(call, 0), component = constantArgument(call, 1);
      if (index && component && !valueOf(state, *index, *component))
        missing.insert(*index);
    }
    for (const llvm::Use &operand : instruction.operands())
      if (const llvm::GlobalVariable *variable = rootVariable(operand))
        if (const auto found = state.unknownGlobals.find(variable); found != state.unknownGlobals.end())
          missing.insert(found->second.missingConstants.begin(), found->second.missingConstants.end());
  }
  return missing;
}

void makeUnknown(Lowering &state, llvm::Function &initializer) {
  const std::set<uint32_t> missing = missingConstants(state, initializer);
  for (llvm::Instruction &instruction : llvm::instructions(initializer)) {
    llvm::Value *target = nullptr;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      target = store->getPointerOperand();
    else if (auto *fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
      target = fill->getDest();
    llvm::GlobalVariable *variable = target ? rootVariable(target) : nullptr;
    if (!variable || variable->isThreadLocal())
      continue;
    state.unknownGlobals[variable].missingConstants.insert(missing.begin(), missing.end());
    variable->setComdat(nullptr);
    variable->setInitializer(nullptr);
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

// For variables that hold addresses, which the interpreter does not keep.
bool evaluate(const llvm::TargetLibraryInfo &library, llvm::Function &function) {
  llvm::Evaluator evaluator(function.getParent()->getDataLayout(), &library);
  llvm::Constant *nothing = nullptr;
  if (!evaluator.EvaluateFunction(&function, nothing, llvm::SmallVector<llvm::Constant *>()))
    return false;
  for (const auto &[variable, value] : evaluator.getMutatedInitializers())
    variable->setInitializer(value);
  return true;
}

llvm::SmallPtrSet<llvm::GlobalVariable *, 16> variablesWrittenBy(llvm::ArrayRef<llvm::Function *> functions) {
  llvm::SmallPtrSet<llvm::GlobalVariable *, 16> written;
  for (llvm::Function *function : functions)
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
        if (llvm::GlobalVariable *variable = rootVariable(store->getPointerOperand()))
          written.insert(variable);
  return written;
}

} // namespace

Result<void> evaluateInitializers(Lowering &state, Optimizer &optimizer,
                                  const std::function<Result<void>()> &prepare) {
  const llvm::SmallVector<llvm::Function *> functions = initializersOf(*state.module);
  for (llvm::Function *function : functions) {
    if (Result<void> read = materializeReachable(*function); !read)
      return read;
    if (Result<void> prepared = prepare(); !prepared)
      return prepared;
    if (Result<void> flat = inlineCalls(
            *function, [&](llvm::Function &f) { optimizer.simplifyInitializer(f); },
            [&](llvm::Function &f) { optimizer.loopOverTailCalls(f); });
        !flat)
      return flat;
    foldFunctionConstants(state, *function);
    optimizer.simplifyInitializer(*function);
  }
  const auto written = variablesWrittenBy(functions);

  defineFunctionConstants(state);
  const llvm::TargetLibraryInfo &library = optimizer.libraryInfo();
  for (llvm::Function *function : functions)
    if (!interpretInitializer(*function, library) && !evaluate(library, *function))
      makeUnknown(state, *function);
  undefineFunctionConstants(state);

  for (llvm::GlobalVariable *variable : written)
    if (variable->hasInitializer())
      variable->setConstant(true);
  for (llvm::Function *function : functions)
    function->deleteBody();
  return {};
}

void foldFunctionConstants(Lowering &state, llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (primitive != Primitive::FunctionConstant && primitive != Primitive::FunctionConstantDefined)
      continue;
    auto &call = llvm::cast<llvm::CallBase>(instruction);
    std::optional<uint64_t> value;
    if (primitive == Primitive::FunctionConstantDefined) {
      const llvm::GlobalVariable *variable = rootVariable(call.getArgOperand(0));
      const FunctionConstantInfo *info =
          variable ? findBySymbol(state.moduleInfo, variable->getName()) : nullptr;
      if (info)
        value = state.constants.contains(info->index);
    } else {
      const std::optional<uint32_t> index = constantArgument(call, 0), component = constantArgument(call, 1);
      if (index && component)
        value = valueOf(state, *index, *component);
    }
    if (!value)
      continue;
    call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), *value));
    call.eraseFromParent();
  }
}

namespace {

const llvm::Instruction *firstUse(const llvm::Value &value, const llvm::Function &function) {
  for (const llvm::User *user : value.users()) {
    if (const auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (instruction->getFunction() == &function)
        return instruction;
    } else if (const llvm::Instruction *inner = firstUse(*user, function)) {
      return inner;
    }
  }
  return nullptr;
}

Error missingConstant(const Lowering &state, uint32_t index, SourcePlace where) {
  std::string name = "?";
  for (const FunctionConstantInfo &info : state.moduleInfo.functionConstants)
    if (info.index == index)
      name = info.name;
  return Error::kernel("missing-function-constant",
                       fmt::format("kernel {} needs function constant {} (index {}), which has no value",
                                   state.kernel.name, name, index),
                       std::move(where),
                       fmt::format("give it a value by name or index, or a default in the source with "
                                   "is_function_constant_defined({})",
                                   name));
}

Error notEvaluated(const Lowering &state, const llvm::GlobalVariable &variable, SourcePlace where) {
  const FunctionConstantInfo *info = findBySymbol(state.moduleInfo, variable.getName());
  return Error::kernel(
      "unsupported",
      fmt::format("the initialiser of program-scope variable {} cannot be computed at compile time",
                  info ? info->name : userName(variable.getName())),
      std::move(where), "make it constexpr, or compute it inside the kernel");
}

Error unknown(const Lowering &state, const llvm::GlobalVariable &variable, const UnknownGlobal &why,
              SourcePlace where) {
  return why.missingConstants.empty()
             ? notEvaluated(state, variable, std::move(where))
             : missingConstant(state, *why.missingConstants.begin(), std::move(where));
}

} // namespace

Result<void> refuseUnknownGlobals(const Lowering &state) {
  for (const llvm::GlobalVariable &variable : state.module->globals())
    if (const auto found = state.unknownGlobals.find(&variable); found != state.unknownGlobals.end())
      if (const llvm::Instruction *use = firstUse(variable, *state.entry))
        return unknown(state, variable, found->second, placeOf(*use));
  for (const llvm::Instruction &instruction : llvm::instructions(*state.entry)) {
    if (primitiveOf(instruction) == Primitive::FunctionConstant) {
      const std::optional<uint32_t> index = constantArgument(llvm::cast<llvm::CallBase>(instruction), 0);
      return missingConstant(state, index.value_or(kComputedConstant), placeOf(instruction));
    }
    if (primitiveOf(instruction) == Primitive::FunctionConstantDefined)
      return Error::kernel("unsupported",
                           "is_function_constant_defined of something that is not a function constant",
                           placeOf(instruction));
  }
  return {};
}

Result<bool> readCondition(const Lowering &state, const std::string &name) {
  for (const FunctionConstantInfo &info : state.moduleInfo.functionConstants) {
    if (info.name != name)
      continue;
    const llvm::GlobalVariable *variable = state.module->getNamedGlobal(info.symbol);
    if (!variable)
      break;
    if (const auto found = state.unknownGlobals.find(variable); found != state.unknownGlobals.end())
      return unknown(state, *variable, found->second, state.kernel.where);
    if (!variable->hasInitializer())
      break;
    return !variable->getInitializer()->isZeroValue();
  }
  return Error::kernel("unsupported",
                       fmt::format("the condition {} of an argument is not a program-scope constant", name),
                       state.kernel.where);
}

} // namespace assay::lowering
