// Function constants: their values go into the module's program-scope variables before anything is
// optimised.
//
// Problem.  `constant int n [[function_constant(0)]]` reaches IR as a variable with a dynamic initialiser
//           that calls @__assay_function_constant. Other program-scope constants may be computed from it,
//           including sizes and conditions of arguments. A constant without a value is an error only if the
//           kernel, after folding, still reads it: `is_function_constant_defined(n) ? n : 4` is how a default
//           is written.
// Choice.   @__assay_function_constant gets a body, a switch over the given values. Then an interpreter
//           (initializer_interpreter.h) runs the initialisers in order, or earlier where another one reads
//           the variable. It fails at a constant without a value. Every variable that an initialiser should
//           have given a value, and did not, becomes a declaration: "unknown", and so does everything
//           computed from it. Reads of declarations that survive optimisation are errors.
// Rejected. Letting the optimiser fold the initialisers (GlobalOpt evaluates only whole lists, and stops at
//           the first that fails).
#include "function_constants.h"

#include "initializer_interpreter.h"
#include "inline_calls.h"
#include "optimizer.h"
#include "primitives.h"
#include "read_module.h"
#include "source_place.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

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

bool isGiven(const Lowering &state, uint32_t index, uint32_t component) {
  const auto found = state.constants.find(index);
  return found != state.constants.end() && component < found->second.components.size();
}

std::optional<uint64_t> valueOf(const Lowering &state, uint32_t index, uint32_t component) {
  if (isGiven(state, index, component))
    return state.constants.at(index).components[component];
  return state.options.zeroMissingConstants ? std::optional<uint64_t>(0) : std::nullopt;
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

// The functions that llvm.global_ctors runs, in order, each with the variable that the list names beside it,
// if any. Clang's _GLOBAL__sub_I_ function is a list of calls: each of them is taken alone, so that one
// failure does not affect the others.
llvm::SmallVector<std::pair<llvm::Function *, llvm::GlobalVariable *>> initializersOf(llvm::Module &module) {
  struct Constructor {
    uint64_t priority;
    llvm::Function *function;
    llvm::GlobalVariable *variable;
  };
  llvm::SmallVector<Constructor> constructors;
  if (llvm::GlobalVariable *list = module.getNamedGlobal("llvm.global_ctors"); list && list->hasInitializer())
    if (auto *entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()))
      for (const llvm::Use &entry : entries->operands()) {
        auto *fields = llvm::cast<llvm::Constant>(entry);
        auto *function = llvm::dyn_cast<llvm::Function>(fields->getAggregateElement(1)->stripPointerCasts());
        if (function)
          constructors.push_back(
              {llvm::cast<llvm::ConstantInt>(fields->getAggregateElement(0u))->getZExtValue(), function,
               llvm::dyn_cast<llvm::GlobalVariable>(fields->getAggregateElement(2)->stripPointerCasts())});
      }
  std::stable_sort(constructors.begin(), constructors.end(),
                   [](const auto &a, const auto &b) { return a.priority < b.priority; });

  llvm::SmallVector<std::pair<llvm::Function *, llvm::GlobalVariable *>> functions;
  for (auto &[priority, function, variable] : constructors) {
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
    if (!onlyCalls)
      parts = {function};
    for (llvm::Function *part : parts)
      functions.push_back({part, variable});
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

// The constants without a value that an initialiser reads, itself or through other variables: why it failed,
// or what its result owes to zeros.
std::set<uint32_t> missingConstants(const Lowering &state, const llvm::Function &function) {
  std::set<uint32_t> missing;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (primitiveOf(instruction) == Primitive::FunctionConstant) {
      const auto &call = llvm::cast<llvm::CallBase>(instruction);
      const std::optional<uint32_t> index = constantArgument(call, 0), component = constantArgument(call, 1);
      // A vector's components are read in a loop; the first stands for all.
      if (index && !isGiven(state, *index, component.value_or(0)))
        missing.insert(*index);
    }
    for (const llvm::Use &operand : instruction.operands())
      if (llvm::GlobalVariable *variable = rootVariable(operand)) {
        if (const auto found = state.unknownGlobals.find(variable); found != state.unknownGlobals.end())
          missing.insert(found->second.missingConstants.begin(), found->second.missingConstants.end());
        if (const auto found = state.zeroGlobals.find(variable); found != state.zeroGlobals.end())
          missing.insert(found->second.begin(), found->second.end());
      }
  }
  return missing;
}

void makeUnknown(Lowering &state, llvm::GlobalVariable &variable, UnknownGlobal why) {
  state.unknownGlobals[&variable] = std::move(why);
  variable.setComdat(nullptr);
  variable.setInitializer(nullptr);
  variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
}

// Clang makes a variable of a const type constant unless code initialises it. Clang's own marks of what has
// been initialised tell the remaining cases apart.
bool waitsForItsInitializer(const llvm::GlobalVariable &variable) {
  const unsigned space = variable.getAddressSpace();
  return variable.hasInitializer() && variable.getInitializer()->isNullValue() && !variable.isConstant() &&
         !variable.isThreadLocal() && (space == kIrThread || space == kIrConstant) &&
         !variable.getName().starts_with("llvm.") && !variable.getName().starts_with("_ZGV");
}

// The variables that the initialisers of a module give their values to.
class Initializers {
public:
  Initializers(Lowering &state, const llvm::TargetLibraryInfo &library) : state_(state), library_(library) {
    for (llvm::GlobalVariable &variable : state.module->globals())
      if (waitsForItsInitializer(variable))
        waiting_.insert(&variable);
  }

  /// Before anything is inlined: the variable is the first one that the function names, because a program
  /// names what it has declared. Initialisers of templates, whose order is free, have theirs in
  /// llvm.global_ctors.
  void add(llvm::Function &function, llvm::GlobalVariable *variable) {
    functions_.push_back(&function);
    if (variable) {
      own(function, *variable);
      return;
    }
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      for (llvm::Value *operand : instruction.operands())
        if (llvm::GlobalVariable *named = rootVariable(operand))
          own(function, *named);
  }

  /// Before its reads of constants are folded, after which a zero no longer shows where it is from.
  void rememberZeros(llvm::Function &function) {
    if (state_.options.zeroMissingConstants)
      zeros_[&function] = missingConstants(state_, function);
  }

  void run() {
    for (llvm::Function *function : functions_)
      run(*function);
    for (llvm::GlobalVariable *variable : waiting_) {
      const auto owner = owners_.find(variable);
      // Neither constant nor of an initialiser: a function initialises it when called, which no kernel can.
      if (owner == owners_.end() && variable->getAddressSpace() != kIrConstant)
        continue;
      if (!state_.unknownGlobals.contains(variable))
        makeUnknown(state_, *variable,
                    {{}, owner == owners_.end() ? SourcePlace() : places_.lookup(owner->second)});
    }
  }

private:
  void own(llvm::Function &function, llvm::GlobalVariable &variable) {
    if (!waiting_.contains(&variable) || !owners_.try_emplace(&variable, &function).second)
      return;
    // The function is Clang's own, which placeOf passes over; the line is that of the program.
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const llvm::DILocation *at = instruction.getDebugLoc();
          at && at->getLine() && !inShim(at->getFilename())) {
        places_.try_emplace(&function, SourcePlace{at->getFilename().str(), at->getLine(), at->getColumn()});
        break;
      }
  }

  void run(llvm::Function &function) {
    if (!started_.insert(&function).second)
      return;
    const auto written = interpretInitializer(function, library_, [&](llvm::GlobalVariable &variable) {
      if (const auto owner = owners_.find(&variable); owner != owners_.end())
        run(*owner->second);
    });
    if (written) {
      std::set<uint32_t> zeros = missingConstants(state_, function);
      zeros.merge(zeros_[&function]);
      for (llvm::GlobalVariable *variable : *written) {
        variable->setConstant(waiting_.remove(variable) || variable->isConstant());
        if (!zeros.empty())
          state_.zeroGlobals[variable] = zeros;
      }
      return;
    }
    const std::set<uint32_t> missing =
        state_.options.zeroMissingConstants ? std::set<uint32_t>() : missingConstants(state_, function);
    for (const auto &[variable, owner] : owners_)
      if (owner == &function && waiting_.contains(variable))
        makeUnknown(state_, *variable, {missing, places_.lookup(&function)});
  }

  Lowering &state_;
  const llvm::TargetLibraryInfo &library_;
  llvm::SmallVector<llvm::Function *> functions_;
  llvm::SetVector<llvm::GlobalVariable *> waiting_;
  llvm::MapVector<llvm::GlobalVariable *, llvm::Function *> owners_;
  llvm::DenseMap<llvm::Function *, SourcePlace> places_;
  llvm::SmallPtrSet<llvm::Function *, 16> started_;
  std::map<const llvm::Function *, std::set<uint32_t>> zeros_; // that its own calls gave
};

// A program-scope constant that decides about an argument: whether it exists, or its index.
llvm::GlobalVariable *constantOf(const Lowering &state, const std::string &symbol) {
  return symbol.empty() ? nullptr : state.module->getNamedGlobal(symbol);
}

// Variables that depend on zeros are constants to LLVM only after recordZeroConstants, so that their reads
// are not folded before it has seen them. What decides about an argument is read now, for nothing else keeps
// it.
void hideZeros(Lowering &state) {
  for (const auto &[variable, indices] : state.zeroGlobals)
    variable->setConstant(false);
  for (const ArgumentInfo &argument : state.kernel.arguments)
    for (const std::string &symbol : {argument.conditionSymbol, argument.indexSymbol})
      if (const auto found = state.zeroGlobals.find(constantOf(state, symbol));
          found != state.zeroGlobals.end())
        state.info.zeroConstants.insert(state.info.zeroConstants.end(), found->second.begin(),
                                        found->second.end());
}

} // namespace

Result<void> evaluateInitializers(Lowering &state, Optimizer &optimizer,
                                  const std::function<Result<void>()> &prepare) {
  const auto functions = initializersOf(*state.module);
  Initializers initializers(state, optimizer.libraryInfo());
  for (const auto &[function, variable] : functions) {
    if (Result<void> read = materializeReachable(*function); !read)
      return read;
    initializers.add(*function, variable);
    if (Result<void> prepared = prepare(); !prepared)
      return prepared;
    if (Result<void> flat = inlineCalls(
            *function, {.simplify = [&](llvm::Function &f) { optimizer.simplifyInitializer(f); },
                        .loopOverTailCalls = [&](llvm::Function &f) { optimizer.loopOverTailCalls(f); }});
        !flat)
      return flat;
    initializers.rememberZeros(*function);
    foldFunctionConstants(state, *function);
    optimizer.simplifyInitializer(*function);
  }

  defineFunctionConstants(state);
  initializers.run();
  undefineFunctionConstants(state);

  for (const auto &[function, variable] : functions) {
    function->setComdat(nullptr); // of a static member of a template: a declaration may not be in one
    function->deleteBody();
  }
  hideZeros(state);
  return {};
}

void recordZeroConstants(Lowering &state, Optimizer &optimizer) {
  if (state.zeroGlobals.empty())
    return;
  // What the question for a constant without a value has decided goes first, with its reads.
  optimizer.simplifyCallee(*state.entry);
  std::set<uint32_t> zeros = missingConstants(state, *state.entry);
  zeros.insert(state.info.zeroConstants.begin(), state.info.zeroConstants.end());
  state.info.zeroConstants.assign(zeros.begin(), zeros.end());
  for (const auto &[variable, indices] : state.zeroGlobals)
    variable->setConstant(true);
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
  for (const FunctionConstantInfo &info : state.moduleInfo.constantsAt(state.kernel.functionConstants))
    if (info.index == index)
      name = info.name; // in another source it may have another
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
             ? notEvaluated(state, variable, why.where.known() ? why.where : std::move(where))
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

namespace {

//   what   it is of an argument
//   errors   those of readCondition
Result<const llvm::Constant *> readConstant(const Lowering &state, const std::string &symbol,
                                            std::string_view what, const std::string &name) {
  if (const llvm::GlobalVariable *variable = constantOf(state, symbol)) {
    if (const auto found = state.unknownGlobals.find(variable); found != state.unknownGlobals.end())
      return unknown(state, *variable, found->second, state.kernel.where);
    if (variable->hasInitializer())
      return variable->getInitializer();
  }
  return Error::kernel("unsupported",
                       fmt::format("the {} {} of an argument is not a program-scope constant", what, name),
                       state.kernel.where);
}

} // namespace

Result<bool> readCondition(const Lowering &state, const ArgumentInfo &argument) {
  const Result<const llvm::Constant *> value =
      readConstant(state, argument.conditionSymbol, "condition", argument.condition);
  if (!value)
    return value.error();
  return !(*value)->isZeroValue();
}

Result<std::optional<int64_t>> readIndex(const Lowering &state, const ArgumentInfo &argument) {
  const Result<const llvm::Constant *> value =
      readConstant(state, argument.indexSymbol, "index", argument.indexConstant);
  if (!value)
    return value.error();
  if (state.zeroGlobals.contains(constantOf(state, argument.indexSymbol)))
    return std::optional<int64_t>();
  const auto *number = llvm::dyn_cast<llvm::ConstantInt>(*value);
  return std::optional<int64_t>(number ? number->getSExtValue() : 0); // of a null that is no number
}

} // namespace assay::lowering
