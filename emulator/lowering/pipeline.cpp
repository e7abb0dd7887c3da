// One kernel of a module + function constants → native code: the order of the passes.
//
// Each line below is one pass with a file of its own. Why this order:
//   - Values of function constants come first, because they decide what the kernel reaches.
//   - Undefined behaviour is defined, and floating point is made to follow the profile, before any pass of
//     LLVM runs.
//   - Everything is inlined before it is optimised as a whole: sites are numbered in one function. What is
//     called through a function table becomes direct calls on the way (function_tables.h).
//   - What a lane computed for others to read is settled before anything is moved (inactive_lanes.h).
//   - Sites are numbered after the first optimisation, which keeps convergent calls what they are, and before
//     the second, which need not (reconvergence.h).
//   - Bounds checks go in after the first optimisation, which leaves fewer accesses and simple addresses, and
//     before the second, which moves and merges them like any other code.
//   - Products and sums of different statements meet once variables are values, hence after the first.
//   - NaNs are made canonical last of all, because no pass may look through it afterwards. Then bfloats,
//     which are only moved by now, become words.
#include "lower.h"

#include "bfloat_moves.h"
#include "bounds_checks.h"
#include "canonical_nan.h"
#include "codegen.h"
#include "contract_statements.h"
#include "explicit_flush.h"
#include "fp_arithmetic.h"
#include "function_constants.h"
#include "function_tables.h"
#include "host_target.h"
#include "inactive_lanes.h"
#include "inline_calls.h"
#include "invented_bfloat.h"
#include "loop_ends.h"
#include "lower_primitives.h"
#include "lower_textures.h"
#include "lowering_state.h"
#include "optimizer.h"
#include "primitives.h"
#include "print_ir.h"
#include "profile_reads.h"
#include "read_module.h"
#include "thread_memory.h"
#include "threadgroup_memory.h"
#include "total_operations.h"
#include "verify_ir.h"

#include "support/process/deep_stack.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

#ifdef ASSAY_VERIFY_IR
constexpr bool kVerifiesModules = true;
#else
constexpr bool kVerifiesModules = false;
#endif

Error noEntry(const KernelInfo &kernel) {
  return Error::usage(
      "bad-module", fmt::format("the module has no entry {} for kernel {}", kernel.entrySymbol, kernel.name));
}

// Every function that has been read and not been prepared yet.
Result<void> prepareFunctions(Lowering &state) {
  for (llvm::Function &function : *state.module) {
    if (function.isDeclaration() || function.isMaterializable() || !state.prepared.insert(&function).second)
      continue;
    const NumericsProfile &numerics = state.options.numerics;
    foldProfileReads(function, numerics);
    if (numerics.contract == Contraction::Off)
      splitContractions(function);
    else
      contractStatements(function, /*bfloatOnly=*/true);
    if (numerics.flushesExplicitly()) {
      state.info.usesFloatAtomics |= expandFloatAtomics(function);
      flushExplicitly(function, numerics);
    }
    expandBfloat(function, numerics);
    if (Result<void> done = makeTotal(function, numerics, state.options.debug); !done)
      return done;
    lowerFma(function, numerics);
  }
  return {};
}

// The look-ups of arguments that are left after dead code is removed.
void recordUsedArguments(Lowering &state) {
  state.info.usedBuffers = state.info.usedThreadgroup = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(*state.entry)) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    const bool buffer = primitive == Primitive::BufferDevice || primitive == Primitive::BufferConstant;
    if (!buffer && primitive != Primitive::ThreadgroupSlot)
      continue;
    const auto slot = constantArgument(llvm::cast<llvm::CallBase>(instruction), 0);
    if (slot && *slot < (buffer ? kBufferSlots : kThreadgroupSlots))
      (buffer ? state.info.usedBuffers : state.info.usedThreadgroup) |= 1u << *slot;
  }
}

// A later variable may have the address of one that was erased, and must not be taken for it.
void forgetErased(Lowering &state) {
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 32> left;
  for (const llvm::GlobalVariable &variable : state.module->globals())
    left.insert(&variable);
  std::erase_if(state.unknownGlobals, [&](const auto &entry) { return !left.contains(entry.first); });
  std::erase_if(state.zeroGlobals, [&](const auto &entry) { return !left.contains(entry.first); });
  llvm::SmallPtrSet<llvm::Function *, 32> prepared;
  for (llvm::Function &function : *state.module)
    if (state.prepared.contains(&function))
      prepared.insert(&function);
  state.prepared = std::move(prepared);
}

Result<void> foldInitializers(Lowering &state, Optimizer &optimizer) {
  return evaluateInitializers(state, optimizer, [&] { return prepareFunctions(state); });
}

// What is done with the module when every pass has run.
enum class Ending { Object, None };

Result<LoweredKernel> lowerHere(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                const KernelInfo &kernel, const std::map<uint32_t, ConstantValue> &constants,
                                const LoweringOptions &options, Ending ending) {
  llvm::LLVMContext context;
  auto machine = makeHostTarget(options.cpu, options.debug);
  if (!machine)
    return machine.error();
  auto module = readModule(bitcode, context);
  if (!module)
    return module.error();
  (*module)->setDataLayout((*machine)->createDataLayout());

  Lowering state{moduleInfo, kernel, constants, options};
  state.module = module->get();
  state.info.kernelName = kernel.name;
  state.entry = state.module->getFunction(kernel.entrySymbol);
  if (!state.entry)
    return noEntry(kernel);
  Optimizer optimizer(**machine, options.debug);
  std::optional<Error> broken; // by the first pass that did
  const auto after = [&](llvm::StringRef pass) {
    printIrAfter(pass, options.printIrAfter, *state.module);
    if (kVerifiesModules && !broken)
      broken = verifyAfter(pass, *state.module);
  };

  declareEffects(*state.module);
  if (auto done = foldInitializers(state, optimizer); !done)
    return done.error();
  after("fold-initializers");

  FunctionTables tables(state);
  if (auto done = materializeReachable(*state.entry, tables.linked()); !done)
    return done.error();
  keepOnly(*state.entry, tables.linked());
  forgetErased(state);
  exposeThreadgroupVariables(*state.module);
  if (auto done = prepareFunctions(state); !done)
    return done.error();
  after("make-total");

  markLoopEnds(*state.module, optimizer.analyses());
  giveLaneArgument(state);
  tables.number();
  if (auto done = inlineCalls(
          *state.entry, [&](llvm::Function &f) { optimizer.simplifyCallee(f); },
          [&](llvm::Function &f) { optimizer.loopOverTailCalls(f); },
          [&](llvm::Function &f) { return tables.expandCalls(f); });
      !done)
    return done.error();
  tables.finish();
  foldFunctionConstants(state, *state.entry);
  recordZeroConstants(state, optimizer);
  refineEffects(*state.entry);
  after("inline-calls");

  publishOperands(state, optimizer);
  after("publish-operands");

  optimizer.optimizeStructure(*state.entry);
  contractStatements(*state.entry, /*bfloatOnly=*/false);
  lowerFma(*state.entry, options.numerics);
  removeLoopEndMarks(*state.module);
  recordUsedArguments(state);
  after("optimize-structure");

  if (auto done = refuseUnknownCalls(*state.entry); !done)
    return done.error();
  if (auto done = refuseUnknownGlobals(state); !done)
    return done.error();
  if (auto done = placeThreadgroupVariables(state); !done)
    return done.error();
  if (auto done = lowerSites(state, optimizer.analyses()); !done)
    return done.error();
  after("lower-sites");
  lowerTextures(state);
  after("lower-textures");

  if (options.boundsChecks || options.observeMemory)
    insertBoundsChecks(state, optimizer.analyses());
  after("bounds-checks");
  if (auto done = lowerState(state); !done)
    return done.error();
  after("lower-state");

  optimizer.optimizeCode(*state.entry);
  after("optimize-code");
  if (auto done = refuseLargeVariables(state); !done)
    return done.error();

  expandInventedBfloat(*state.entry, options.numerics);
  if (options.numerics.flushesInHardware())
    foldFlushedConstants(*state.entry);
  state.info.usesFloatAtomics |= expandFloatAtomics(*state.entry);
  if (options.numerics.nan == NanBits::Canonical)
    canonicalizeNans(*state.entry);
  widenHalfComparisons(*state.entry);
  after("canonicalize-nans");
  moveBfloatsAsWords(*state.entry);
  after("move-bfloats");

  if (broken)
    return *broken;
  if (ending == Ending::None)
    return LoweredKernel{std::move(state.info), {}};
  auto object = generateObject(*state.module, **machine);
  if (!object)
    return object.error();
  if (auto done = refuseLargeFrame(state, object->stackBytes); !done)
    return done.error();
  state.info.stackBytes = uint32_t(object->stackBytes);
  return LoweredKernel{std::move(state.info), std::move(object->bytes)};
}

} // namespace

Result<LoweredKernel> lowerKernel(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                  const KernelInfo &kernel,
                                  const std::map<uint32_t, ConstantValue> &constants,
                                  const LoweringOptions &options) {
  std::optional<Result<LoweredKernel>> result;
  onDeepStack([&] { result = lowerHere(bitcode, moduleInfo, kernel, constants, options, Ending::Object); });
  return std::move(*result);
}

Result<void> runPasses(std::string_view bitcode, const ModuleInfo &moduleInfo, const KernelInfo &kernel,
                       const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options) {
  Result<void> result;
  onDeepStack([&] {
    const auto lowered = lowerHere(bitcode, moduleInfo, kernel, constants, options, Ending::None);
    if (!lowered)
      result = lowered.error();
  });
  return result;
}

Result<std::vector<bool>> activeArguments(std::string_view bitcode, const ModuleInfo &moduleInfo,
                                          const KernelInfo &kernel,
                                          const std::map<uint32_t, ConstantValue> &constants,
                                          const LoweringOptions &options) {
  std::vector<bool> active(kernel.arguments.size(), true);
  bool conditional = false;
  for (const ArgumentInfo &argument : kernel.arguments)
    conditional |= !argument.condition.empty();
  if (!conditional)
    return active;

  llvm::LLVMContext context;
  auto machine = makeHostTarget(options.cpu, /*debug=*/false);
  if (!machine)
    return machine.error();
  auto module = readModule(bitcode, context);
  if (!module)
    return module.error();
  Lowering state{moduleInfo, kernel, constants, options};
  state.module = module->get();
  Optimizer optimizer(**machine, /*debug=*/false);
  declareEffects(*state.module);
  if (auto done = foldInitializers(state, optimizer); !done)
    return done.error();
  for (size_t i = 0; i < active.size(); ++i) {
    if (kernel.arguments[i].condition.empty())
      continue;
    Result<bool> value = readCondition(state, kernel.arguments[i].condition);
    if (!value)
      return value.error();
    active[i] = *value;
  }
  return active;
}

} // namespace assay::lowering
