// The state that the passes of one lowering share. Internal to lowering/.
#pragma once

#include "lower.h"
#include "reconvergence.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <llvm/ADT/SmallPtrSet.h>

#include <map>
#include <set>

namespace assay::lowering {

/// A global whose value is not known because function constants are missing, or because its initialiser
/// cannot be evaluated. In IR it is an external declaration, so that every read of it stays visible to the
/// end.
struct UnknownGlobal {
  std::set<uint32_t> missingConstants; ///< empty: the initialiser itself could not be evaluated
  SourcePlace where = {};              ///< of the initialiser
};

/// Where lanes publish the operand of a site: inactive_lanes.h.
struct OperandRegister {
  uint32_t elements = 0, elementBytes = 0;
  uint32_t place = 0; ///< in LaneAbi::published
  bool used = false;
};

/// One kernel on its way to native code.
struct Lowering {
  const ModuleInfo &moduleInfo;
  const KernelInfo &kernel;
  const std::map<uint32_t, ConstantValue> &constants;
  const LoweringOptions &options;

  llvm::Module *module = nullptr;
  llvm::Function *entry = nullptr; ///< after inlineCalls the only function with a body
  std::map<const llvm::GlobalVariable *, UnknownGlobal> unknownGlobals = {};
  /// Globals whose value depends on constants that were taken as zero, with the indices of these constants.
  std::map<llvm::GlobalVariable *, std::set<uint32_t>> zeroGlobals = {};
  llvm::SmallPtrSet<llvm::Function *, 32> prepared = {};                  ///< see prepareFunctions
  std::map<const llvm::GlobalVariable *, uint32_t> threadgroupIndex = {}; ///< in info.threadgroupVariables
  std::vector<OperandRegister> registers = {};
  Reconvergence order = Reconvergence(); ///< of sites and of the loops around them: describeSites
  bool polls = false;                    ///< a lane may wait for what another one does: spin.h
  KernelCodeInfo info = {};              ///< filled in by the passes

  /// The argument that only the fiber engine's entry has: fiber_entry.h.
  llvm::Value *lane() const { return entry->getArg(0); }
};

} // namespace assay::lowering
