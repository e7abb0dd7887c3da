// Builds the function for 32 lanes. Internal to this room: flow.cpp and parking.cpp have the blocks,
// full_loops.cpp the copies of loops, stale_slots.cpp the slots that loops clear, whole_groups.cpp the loops
// around the program of a simdgroup, widen.cpp the instructions, division.cpp quotients of integers,
// memory.cpp, shared_memory.cpp, run_accesses.cpp and copies.cpp the accesses, atomics.cpp the atomic ones,
// simd_calls.cpp and matrices.cpp the operations between lanes, reports.cpp what observers are told.
#pragma once

#include "values.h"

#include "access_patterns.h"
#include "lane_runs.h"
#include "lane_teams.h"
#include "load_groups.h"
#include "private_memory.h"

#include "lowering/reconvergence.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>

namespace assay::lowering::vector {

inline constexpr unsigned kAxes = 3;

/// The alignment of memory of which nothing is known.
inline constexpr llvm::Align kAnyAlign;

/// The two loops around the program of a simdgroup: whole_groups.cpp.
struct WholeGroups {
  llvm::BasicBlock *group = nullptr, *simdgroup = nullptr;          ///< where each one begins
  llvm::Value *first = nullptr, *end = nullptr, *threads = nullptr; ///< LaneAbi's
  llvm::Value *call = nullptr;                                      ///< where LaneAbi::thread is
  llvm::Value *size[kAxes] = {}, *position[kAxes] = {};             ///< of the threadgroup
  llvm::Value *step[kAxes] = {};                                    ///< 32 threads farther on
  llvm::PHINode *number = nullptr;                                  ///< of the simdgroup
  llvm::PHINode *local[kAxes] = {};                                 ///< where its first thread is
  llvm::Value *index = nullptr, *inGrid[kAxes] = {};                ///< of that thread
};

class Vectorizer {
public:
  Vectorizer(Lowering &state, llvm::Function &from, llvm::Function &to, const LaneShapes &shapes,
             const PrivateMemory &privates, const Reconvergence &order, const llvm::DominatorTree &dominators,
             const llvm::TargetTransformInfo &target);
  /// Requires that refusals.h refuses nothing in the function.
  void run();

private:
  // ---- flow.cpp ----
  struct Places {
    llvm::BasicBlock *guard = nullptr, *body = nullptr;
    llvm::AllocaInst *mask = nullptr;
  };
  void layOut();
  void emitEntry();
  void emitBlock(size_t index);
  void emitInstructions(const llvm::BasicBlock &block);
  void emitEnd(const llvm::BasicBlock &block);
  void send(const llvm::BasicBlock &from, const llvm::BasicBlock &to, llvm::Value *mask, bool all);
  llvm::BasicBlock *after(size_t index, size_t first);
  llvm::BasicBlock *afterNobody(size_t index);
  void findTeams();
  bool parts(const llvm::BasicBlock &block) const;
  bool isNext(size_t index, const llvm::BasicBlock &to) const;
  bool goesDirectly(size_t index, const llvm::BasicBlock &to) const;
  bool isAsked(const llvm::BasicBlock &block) const;
  void go(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  void emitCheck(const llvm::BranchInst &branch, const llvm::BasicBlock &from);
  void report(const llvm::BasicBlock &doomed, const llvm::BasicBlock &from, llvm::Value *lanes);
  struct QuickCheck {
    llvm::Value *fine = nullptr;
    /// For runs of lanes (lane_runs.h): whether their distances hold, which depends on the extension.
    llvm::Value *runsHold = nullptr;
    const llvm::Instruction *extension = nullptr;
    unsigned length = 0;
  };
  QuickCheck quickCheck(const llvm::Value &condition);
  llvm::BasicBlock *newBlock(const llvm::Twine &name);

  // ---- full_loops.cpp ----
  void findFullLoops();
  void goOnFull(const llvm::BasicBlock &block);
  void emitFull(const llvm::BasicBlock &block);
  void goFull(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  void partFull(const llvm::BasicBlock &from, const llvm::BranchInst &branch);
  llvm::Value *surely(const llvm::Value &condition, bool wanted);

  // ---- stale_slots.cpp ----
  void clearInLoops();
  const llvm::BasicBlock *headerThatClears(const SlotUse &use) const;

  // ---- whole_groups.cpp ----
  void emitLoops(llvm::BasicBlock *entry);
  void emitPlace(llvm::BasicBlock *from);
  void emitNext();
  llvm::Value *livingThreads();
  llvm::Value *ofWhole(Builtin which, uint32_t component);
  llvm::Value *positionTable();

  // ---- parking.cpp ----
  bool parks(const llvm::BasicBlock &block) const;
  void park(const llvm::BasicBlock &block);
  void emitReturn();

  // ---- division.cpp ----
  llvm::Value *harmlessDivisor(const llvm::BinaryOperator &operation, llvm::Value *dividend,
                               llvm::Value *divisor);
  llvm::Value *divided(const llvm::BinaryOperator &operation, llvm::Value *dividend, llvm::Value *divisor);

  // ---- widen.cpp ----
  void widen(const llvm::Instruction &instruction);
  void cloneScalar(const llvm::Instruction &instruction);
  Components widened(const llvm::Instruction &instruction);
  Components widenedCall(const llvm::CallBase &call);
  Components bitCast(const llvm::CastInst &cast);
  llvm::Value *interleaved(llvm::ArrayRef<llvm::Value *> parts);
  Components apart(llvm::Value *joined, unsigned count);
  llvm::Value *address(const llvm::GetElementPtrInst &address);
  llvm::Value *privateOffset(const llvm::GetElementPtrInst &address);
  llvm::Value *zero();
  void builtin(const llvm::CallBase &call);
  void serialize(const llvm::CallBase &call);
  void callOnce(const llvm::CallBase &call);
  void checkAccess(const llvm::CallBase &call);
  void call(const llvm::CallBase &call);

  // ---- memory.cpp ----
  void load(const llvm::LoadInst &load);
  void store(const llvm::StoreInst &store);
  llvm::Value *placeOf(const llvm::Value &pointer, uint64_t offset);
  llvm::Value *loadPrivate(const llvm::Value &pointer, uint64_t offset, llvm::Type *type);
  void storePrivate(const llvm::Value &pointer, uint64_t offset, llvm::Value *value);

  // ---- copies.cpp ----
  void fill(const llvm::MemSetInst &fill);
  void copy(const llvm::MemTransferInst &copy);
  void storeAnywhere(const llvm::Value &pointer, llvm::ArrayRef<llvm::Value *> elements);
  void inTurn(const llvm::MemIntrinsic &whole);
  unsigned commonBytes(const llvm::Value &pointer, unsigned most) const;

  // ---- shared_memory.cpp ----
  Components loadShared(const llvm::LoadInst &load);
  void storeShared(const llvm::StoreInst &store);
  Components loadStored(const llvm::LoadInst &load);
  unsigned atOnce(const llvm::LoadInst &load, unsigned count) const;
  void findLoadGroups();
  llvm::Value *farther(llvm::Value *places, int64_t bytes);
  Components loadElements(const llvm::Value &pointer, int64_t offset, unsigned count, llvm::Type *type);
  void storeElements(const llvm::Value &pointer, llvm::ArrayRef<llvm::Value *> parts);
  void fetchAhead(llvm::Value *place, unsigned bytes);
  bool isConsecutive(const llvm::Value &pointer, uint64_t bytes) const;
  AccessShape accessShape(const llvm::Value &pointer, unsigned count, llvm::Type *type) const;
  Components eitherWay(llvm::Value *test, llvm::function_ref<Components()> fast,
                       llvm::function_ref<Components()> slow);
  llvm::Value *allAndAffine(const llvm::Value &pointer);
  Components loadPieces(llvm::Value *base, const AccessPattern &pattern, const AccessShape &shape,
                        llvm::Type *type);
  void storePieces(llvm::Value *base, const AccessPattern &pattern, const AccessShape &shape,
                   llvm::ArrayRef<llvm::Value *> parts);
  llvm::Type *wordOf(const llvm::Value &pointer, unsigned count, llvm::Type *type) const;
  Components loadWords(llvm::Value *place, llvm::Type *word, unsigned count, llvm::Type *type);
  bool hasGather(llvm::Type *word) const;
  bool hasScatter(llvm::Type *word) const;
  llvm::AllocaInst *scratch(llvm::Type *type, const llvm::Twine &name);
  Components gathered(llvm::Value *places, unsigned count, llvm::Type *type);
  Components gatheredInWords(llvm::Value *places, unsigned count, llvm::Type *type);
  Components gatheredAtOnce(llvm::Value *places, unsigned count, llvm::Type *type);
  Components gatheredInTurn(llvm::Value *places, unsigned count, llvm::Type *type);
  void scattered(llvm::Value *places, llvm::ArrayRef<llvm::Value *> parts);

  // ---- run_accesses.cpp ----
  llvm::Value *runsExtendEvenly(const RunExtension &extension, unsigned length);
  QuickCheck quickCheckOfRuns(const llvm::Value &offset, const llvm::Value &limit);
  struct RunPlaces {
    llvm::Value *hold = nullptr;
    llvm::SmallVector<llvm::Value *, 4> firsts{};
  };
  RunPlaces runPlaces(const llvm::Value &pointer, int64_t offset, const LaneRuns &runs);
  llvm::Value *runsHold(const LaneRuns &runs);
  void storeRuns(const llvm::Value &pointer, const LaneRuns &runs, llvm::Value *value);
  Components loadRuns(const llvm::Value &pointer, int64_t offset, const LaneRuns &runs, llvm::Type *type);

  // ---- atomics.cpp ----
  void atomic(const llvm::Instruction &operation);
  bool reduced(const llvm::AtomicRMWInst &update);

  // ---- simd_calls.cpp ----
  void simdCall(const llvm::CallBase &call);
  llvm::Value *ofUnknownValue(llvm::Value *value);
  Components operandsOf(const llvm::CallBase &call, const SiteInfo &site);
  Components outOfLine(const llvm::CallBase &call, const SiteInfo &site,
                       llvm::ArrayRef<llvm::Value *> operands);
  Components inlineForAll(const llvm::CallBase &call, const SiteInfo &site,
                          llvm::ArrayRef<llvm::Value *> operands);
  Components inlineForAny(const llvm::CallBase &call, const SiteInfo &site,
                          llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *butterfly(llvm::Value *value, bool isFloat, bool product);
  llvm::Value *reduced(llvm::Value *value, SimdOp op, unsigned width, bool isFloat, bool isSigned);
  llvm::Value *combined(SimdOp op, llvm::Value *a, llvm::Value *b, bool isFloat, bool isSigned);
  llvm::Value *prefixes(llvm::Value *value, SimdOp op, unsigned width);
  llvm::Value *permuted(llvm::Value *value, SimdOp op, unsigned width, const llvm::CallBase &call);
  llvm::Value *extremum(llvm::Value *value, bool greatest);
  void publish(const llvm::CallBase &call);
  llvm::Type *typeOfScalar(ScalarType type);

  // ---- matrices.cpp ----
  Components matrixProduct(llvm::ArrayRef<llvm::Value *> parts, const SiteInfo &site);
  llvm::Value *roundedToBfloat(llvm::Value *value);
  llvm::Value *fusedInHalf(llvm::Value *a, llvm::Value *b, llvm::Value *sum);
  void fragmentProduct(const llvm::CallBase &call, const SiteInfo &site);

  // ---- reports.cpp ----
  llvm::Value *logField(llvm::Type *type, uint64_t offset, bool changes);
  /// What an entry of the log says of each lane. If `spaced` is set, its value at run time says which of two
  /// forms the entry has.
  struct Kept {
    llvm::Value *base = nullptr;
    llvm::Constant *distances = nullptr;
    llvm::Value *spaced = nullptr, *words = nullptr;
  };
  llvm::Constant *distanceTable(const Distances &distances);
  Kept keptAddresses(const llvm::Value &address);
  void keep(uint32_t site, const Kept &what, llvm::Value *bytes, bool asks);
  void keepReport(const llvm::CallBase &call, RuntimeCall runtime);
  void keepMeeting(const llvm::CallBase &call);
  void tellUnwritten(const llvm::CallBase &call);
  llvm::Instruction *ofLog(llvm::Instruction *access);
  void describeLog();

  llvm::Value *bitsOf(llvm::Value *mask);
  llvm::Value *firstOf(llvm::Value *mask);
  llvm::Value *lastOf(llvm::Value *mask);
  /// Lanes in which the mask and the condition hold, whatever the condition is in the others.
  llvm::Value *both(llvm::Value *mask, llvm::Value *condition);
  llvm::Type *wide(llvm::Type *type) const;
  /// Calls `body(lane)` for each lane in the mask, in ascending order.
  void forEachLane(llvm::Value *mask, llvm::function_ref<void(llvm::Value *lane)> body);
  /// A member of LaneAbi that stays as it is while the program runs.
  llvm::Value *laneField(llvm::Type *type, uint64_t offset);
  void setCurrent(llvm::Value *lane);
  llvm::Value *laneArgument() { return to_.getArg(0); }

  Lowering &state_;
  llvm::Function &from_, &to_;
  const LaneShapes &shapes_;
  const Reconvergence &order_;
  const llvm::DominatorTree &dominators_; ///< of the kernel
  const llvm::TargetTransformInfo &target_;
  llvm::IRBuilder<> b_;
  Values values_;
  std::vector<const llvm::BasicBlock *> blocks_; ///< in order, without doomed ones
  llvm::DenseMap<const llvm::BasicBlock *, Places> places_;
  const PrivateMemory &privates_;
  llvm::DenseMap<const llvm::AllocaInst *, llvm::AllocaInst *> memory_; ///< of private variables
  std::optional<LaneTeams> teams_;
  llvm::DenseMap<const llvm::BasicBlock *, size_t> indices_; ///< in blocks_
  size_t index_ = 0;                                         ///< of the block that is built
  llvm::Value *mask_ = nullptr;                              ///< of the block that is built
  bool together_ = false;                                    ///< all living lanes run that block
  std::optional<LoadGroups> groups_;
  llvm::DenseMap<const LoadGroup *, Components> loadedGroups_;        ///< in the block that is built
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> full_; ///< copies for all lanes
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> fullHeaders_;        ///< of the loops that have them
  bool isFull_ = false;                                               ///< such a copy is built
  /// What a check has found of the runs in its extension, by the block to which the check leads. The second
  /// map is for the copies for all lanes.
  struct CheckedRuns {
    const llvm::Instruction *extension;
    unsigned length;
    llvm::AllocaInst *hold;
  };
  llvm::DenseMap<const llvm::BasicBlock *, CheckedRuns> checkedRuns_[2];
  llvm::BasicBlock *next_ = nullptr; ///< where the program goes on after the block that is built
  llvm::BasicBlock *start_ = nullptr, *return_ = nullptr;             ///< of the program of a simdgroup
  llvm::MDNode *log_ = nullptr;                                       ///< the scope of the observer's log
  llvm::DenseMap<llvm::Constant *, llvm::Constant *> distanceTables_; ///< by content
  std::optional<WholeGroups> whole_;                                  ///< if one call runs whole threadgroups
  llvm::MapVector<const llvm::BasicBlock *, llvm::AllocaInst *>
      parked_; ///< masks of lanes, by the barrier's block
  /// For each index in blocks_, the headers of the loops that end there, innermost first.
  std::vector<llvm::SmallVector<const llvm::BasicBlock *, 2>> loopsEnding_;
};

} // namespace assay::lowering::vector
