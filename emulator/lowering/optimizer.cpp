// The pass pipelines made of LLVM's own passes: the cheapest ones that give good code, measured on the
// originals.
//
// Left out: GlobalsAA and GlobalOpt (they reason about who can write an internal global, and do not know that
// other lanes do), function attribute inference (one function is left), jump threading and loop versioning
// before sites are numbered (they copy blocks), and the SLP vectorizer: LLVM 19's narrows `uitofp (sext x)`
// of two bytes to `uitofp` of the bytes, which loses their sign.
#include "optimizer.h"

#include "support/abi/module_info.h"

#include "address_space_aa.h"
#include "kept_places.h"
#include "known_numbers.h"
#include "large_functions.h"
#include "outside_accesses.h"
#include "scalar_arithmetic.h"
#include "sink_to_cold.h"
#include "unroll_pointers.h"
#include "zero_compares.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

namespace assay::lowering {

using namespace llvm;

Optimizer::Optimizer(TargetMachine &machine, bool debug, size_t largeFunction)
    : debug_(debug), largeFunction_(largeFunction), builder_(&machine) {
  libraryImpl_ = std::make_unique<TargetLibraryInfoImpl>(machine.getTargetTriple());
  // A user's function with the name of a C library function is not that function.
  libraryImpl_->disableAllFunctions();
  library_ = std::make_unique<TargetLibraryInfo>(*libraryImpl_);
  functions_.registerPass([this] { return TargetLibraryAnalysis(*libraryImpl_); });
  functions_.registerPass([] { return AddressSpaceAA(); });
  functions_.registerPass([] {
    AAManager manager;
    manager.registerFunctionAnalysis<BasicAA>();
    manager.registerFunctionAnalysis<ScopedNoAliasAA>();
    manager.registerFunctionAnalysis<AddressSpaceAA>();
    return manager;
  });
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

const TargetLibraryInfo &Optimizer::libraryInfo() {
  return *library_;
}

void Optimizer::forget(Function &function) {
  functions_.invalidate(function, PreservedAnalyses::none());
}

void Optimizer::run(FunctionPassManager &passes, Function &function) {
  forget(function);
  passes.run(function, functions_);
  forget(function);
}

namespace {

void promoteVariables(FunctionPassManager &passes, SROAOptions options) {
  passes.addPass(SROAPass(options));
  passes.addPass(FlushComparedConstants());
}

// The same of the neutral module: what is simplified next has no arithmetic of vectors.
void promoteAndSplit(FunctionPassManager &passes, SROAOptions options) {
  passes.addPass(KeepOutsideAccesses());
  promoteVariables(passes, options);
  passes.addPass(SplitVectorArithmetic());
}

// Whether a debug record names the memory: it is then a variable of the user.
bool isNamed(AllocaInst &memory) {
  return !findDVRDeclares(&memory).empty() || !findDbgDeclares(&memory).empty();
}

} // namespace

// For the debugger, variables stay in memory: memory with a debug record is left alone. Temporaries have
// none. They become values, including those of classes, because the kinds of simd operations must be
// constants, and an operand must be recognised as a copy of its variable (inactive_lanes.h). SROA does not
// touch memory whose address goes to an unknown function. Nobody debugs functions of the shim: they are
// simplified as always.
void Optimizer::simplifyForDebug(Function &function) {
  Module &module = *function.getParent();
  IRBuilder<> b(module.getContext());
  SmallVector<CallInst *> holds;
  for (Instruction &instruction : make_early_inc_range(function.getEntryBlock()))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && isNamed(*variable)) {
      const FunctionCallee hold =
          module.getOrInsertFunction("__assay_hold", b.getVoidTy(), variable->getType());
      b.SetInsertPoint(variable->getNextNode());
      holds.push_back(b.CreateCall(hold, {variable}));
    }
  FunctionPassManager passes;
  promoteAndSplit(passes, SROAOptions::PreserveCFG);
  passes.addPass(InstSimplifyPass());
  run(passes, function);
  for (CallInst *hold : holds)
    hold->eraseFromParent();
  if (Function *hold = module.getFunction("__assay_hold"); hold && hold->use_empty())
    hold->eraseFromParent();
  // Code that function constants switch off must not require constants of its own.
  for (BasicBlock &block : function)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(function);
  forget(function);
}

void Optimizer::pruneByConstants(Function &function, bool knowsCalls) {
  if (debug_ || !callsProgram(function))
    return;
  const bool isTold = knowsCalls && takeConstantArguments(function);
  if (!isTold && !readsConstantNumbers(function))
    return;
  FunctionPassManager passes;
  promoteAndSplit(passes, SROAOptions::ModifyCFG);
  passes.addPass(SCCPPass()); // for (int i = 0; i < constant; ++i)
  passes.addPass(SimplifyCFGPass());
  run(passes, function);
}

void Optimizer::simplifyCallee(Function &function) {
  const bool shim = function.hasFnAttribute(kShimFunction);
  if (debug_ && !shim)
    return simplifyForDebug(function);
  simplifyInitializer(function);
  // For the debugger unrollOperands skips the program's loops; the shim's put operands into memory, too.
  if (debug_)
    unroll(function);
}

void Optimizer::loopOverTailCalls(Function &function) {
  FunctionPassManager passes;
  promoteAndSplit(passes, SROAOptions::ModifyCFG); // for the debugger, too: variables in memory prevent it
  passes.addPass(TailCallElimPass());
  run(passes, function);
}

void Optimizer::makeReducible(Function &function) {
  FunctionPassManager passes;
  passes.addPass(LowerSwitchPass()); // what follows knows branches only
  passes.addPass(FixIrreduciblePass());
  run(passes, function);
}

void Optimizer::simplifyInitializer(Function &function) {
  if (isLarge(function))
    splitLongBlocks(function);
  FunctionPassManager passes;
  promoteAndSplit(passes, SROAOptions::ModifyCFG);
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  // A load that is left over from a folded choice would stop the evaluator where the constant has no value.
  passes.addPass(ADCEPass());
  run(passes, function);
}

namespace {

void combineInstructions(FunctionPassManager &passes) {
  passes.addPass(TestZerosByExponent());
  passes.addPass(InstCombinePass());
}

} // namespace

void Optimizer::unrollOperands(Function &function) {
  if (!debug_)
    unroll(function);
}

void Optimizer::unroll(Function &function) {
  FunctionPassManager passes;
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/false));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/false));
  promoteAndSplit(passes, SROAOptions::ModifyCFG);
  passes.addPass(InstSimplifyPass());
  passes.addPass(SimplifyCFGPass());
  run(passes, function);
}

bool Optimizer::isLarge(const Function &function) const {
  return function.getInstructionCount() > largeFunction_;
}

void Optimizer::simplifyStructure(Function &function) {
  const bool large = isLarge(function); // then no loops, and nothing that needs MemorySSA
  if (large)
    splitLongBlocks(function);
  FunctionPassManager passes;
  promoteAndSplit(passes, SROAOptions::ModifyCFG);
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/!large));
  passes.addPass(InferAddressSpacesPass(0));
  combineInstructions(passes);
  passes.addPass(SimplifyCFGPass());
  if (!large) {
    LoopPassManager loops;
    loops.addPass(LoopInstSimplifyPass());
    loops.addPass(LoopSimplifyCFGPass());
    loops.addPass(LoopRotatePass());
    loops.addPass(LICMPass(LICMOptions()));
    loops.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/false));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
    passes.addPass(SimplifyCFGPass());
    combineInstructions(passes);
  }
  if (!large) {
    LoopPassManager loops;
    loops.addPass(IndVarSimplifyPass());
    loops.addPass(LoopDeletionPass());
    loops.addPass(UnrollPointers());
    loops.addPass(LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/false));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/false));
  }
  promoteAndSplit(passes, SROAOptions::ModifyCFG);
  if (!large)
    passes.addPass(GVNPass());
  passes.addPass(SCCPPass());
  passes.addPass(BDCEPass());
  combineInstructions(passes);
  if (!large) {
    passes.addPass(DSEPass());
    LoopPassManager loops;
    loops.addPass(LICMPass(LICMOptions()));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  }
  passes.addPass(ADCEPass());
  passes.addPass(SimplifyCFGPass());
  const KeptPlaces places(function);
  run(passes, function);
  places.restore();
}

void Optimizer::optimizeLeaf(Function &leaf) {
  if (debug_)
    return;
  simplifyStructure(leaf);
  compareLowestBits(leaf);
}

void Optimizer::optimizeStructure(Function &function) {
  if (debug_)
    simplifyForDebug(function);
  else
    simplifyStructure(function);
  showOutsideAccesses(function);
  forget(function);
}

void Optimizer::optimizeCode(Function &function) {
  if (debug_)
    return;
  const bool large = isLarge(function);
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/!large));
  combineInstructions(passes);
  if (!large) {
    LoopPassManager loops;
    loops.addPass(LICMPass(LICMOptions()));
    loops.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/true)); // on the flags of loop_ranges.h
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
    passes.addPass(SimplifyCFGPass()); // the split leaves more branches on the same flag, constant now
    passes.addPass(GVNPass());
    passes.addPass(LoopVectorizePass());
    passes.addPass(VectorCombinePass());
    combineInstructions(passes);
  }
  passes.addPass(SimplifyCFGPass(
      SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(true)));
  run(passes, function);
}

namespace {

// Loads of what the runtime keeps for the lane, which never changes and can always be read, go to the entry.
// LICM forgets that they never change where it is not certain that they are reached, and would load them
// anew after each call.
void hoistStateLoads(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  const auto isThere = [&](const Value *value) {
    const auto *made = dyn_cast<Instruction>(value);
    return !made || made->getParent() == &entry;
  };
  const auto isOfLane = [&](Value *pointer) {
    while (true) {
      if (auto *step = dyn_cast<GetElementPtrInst>(pointer))
        pointer = step->getPointerOperand();
      else if (auto *load = dyn_cast<LoadInst>(pointer); load && load->hasMetadata(LLVMContext::MD_align))
        pointer = load->getPointerOperand(); // LaneLoads::loadPointer
      else
        return isa<Argument>(pointer);
    }
  };
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : make_early_inc_range(*block)) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      const bool constant = load ? load->isSimple() && load->hasMetadata(LLVMContext::MD_invariant_load) &&
                                       isOfLane(instruction.getOperand(0))
                                 : isa<GetElementPtrInst>(instruction) && isOfLane(&instruction);
      if (block != &entry && constant && all_of(instruction.operands(), isThere))
        instruction.moveBefore(entry.getTerminator());
    }
}

} // namespace

void Optimizer::optimizeVectorCode(Function &function, bool wholeThreadgroups) {
  if (wholeThreadgroups)
    hoistStateLoads(function);
  FunctionPassManager passes;
  promoteVariables(passes, SROAOptions::ModifyCFG);
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  if (wholeThreadgroups) {
    // Parameters and their checks leave the loops over simdgroups and threadgroups while they still stand at
    // their beginning: what has been moved past a branch would be loaded in each threadgroup.
    LoopPassManager loops;
    loops.addPass(LICMPass(LICMOptions()));
    loops.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/false));
    loops.addPass(LICMPass(LICMOptions()));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  }
  combineInstructions(passes);
  passes.addPass(SimplifyCFGPass());
  {
    LoopPassManager loops;
    loops.addPass(LoopRotatePass());
    loops.addPass(LICMPass(LICMOptions()));
    loops.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/false));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  }
  passes.addPass(SinkToCold()); // what has left loops for them, too: GVN would compute it on more ways
  passes.addPass(GVNPass());
  combineInstructions(passes);
  passes.addPass(DSEPass());
  passes.addPass(ADCEPass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(SinkToCold());
  run(passes, function);
}

} // namespace assay::lowering
