// A compiled kernel as data: everything about its native code that the runtime needs to run it.
#pragma once

#include "../text/diagnostic.h"
#include "lane_abi.h"
#include "scalar_type.h"
#include "simd_op.h"
#include "work.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

enum class SiteKind : uint8_t {
  ThreadgroupBarrier,
  Simd,
  Access,
  Spin,
  Log,
  Assertion,
  AsyncCopy, ///< that cannot be done
  Scope,     ///< a tensor operation with another number of simdgroups than the threadgroup has
  Probe,
  PointerCall, ///< a call through a pointer that holds no function of the call's type
  TableEntry,  ///< an entry that a function table does not have
  CallDepth,   ///< a function that calls itself, where its calls are too deep
  Fence,       ///< atomic_thread_fence, in pipelines that observe memory
  Decision     ///< something depends on a value, in pipelines that track undefined ones
};
enum class AccessKind : uint8_t { Read, Write, Atomic };
/// What an atomic access does. A compare-and-exchange that fails is a Load.
enum class AtomicKind : uint8_t { Update, Load, Store };

/// What depends on a value.
enum class Decision : uint8_t {
  None,
  Branch,      ///< where the kernel goes on
  Address,     ///< which element of memory, or which texel, it accesses
  Store,       ///< what it writes to device memory
  Atomic,      ///< what an atomic operation does
  SimdOperand, ///< which lane a simd operation reads
  Texel        ///< what it writes to a texture
};

/// Which memory an access goes to, as far as lowering knows it.
enum class MemoryKind : uint8_t {
  Unknown,
  Buffer,
  ThreadgroupSlot,
  ThreadgroupVariable,
  ThreadVariable,
  Constant,
  Texture
};

/// A loop around a site: its place in the order of sites, and the counter that holds its iteration.
struct SiteLoop {
  uint32_t order = 0;
  uint32_t counter = 0;
};

inline constexpr uint32_t kNotPublished = 0xFFFFFFFFu;

/// A step in the computation of an index in fewer than 64 bits; operands come before their operation.
/// Operand: the next value that the kernel passes. Constant: `value`. Add, Subtract and Multiply take two
/// numbers. The last three take one number, and extend or truncate it.
enum class IndexOp : uint8_t { Operand, Constant, Add, Subtract, Multiply, ZeroExtend, SignExtend, Truncate };

struct IndexStep {
  IndexOp op = IndexOp::Operand;
  uint8_t bits = 32; ///< of its result, 8 to 64
  int64_t value = 0;
};

/// The limit for all computations of one access together.
inline constexpr uint32_t kMostIndexOperands = 8;

/// A place in the kernel where it calls the runtime.
///
/// `order` numbers sites and loops so that what runs first has the smaller number, and a loop's number
/// precedes everything that follows the loop. A lane blocked at a site has the key
///   (loops[0].order, iteration 0, loops[1].order, iteration 1, ..., order)
/// and the lexicographically smallest key runs first. For structured flow, that is reconvergence at the
/// post-dominator.
struct SiteInfo {
  SiteKind kind = SiteKind::Access;
  SourcePlace where;           ///< innermost place in the user's text
  uint32_t order = 0;          ///< ThreadgroupBarrier, Simd and Spin
  std::vector<SiteLoop> loops; ///< outermost first
  SimdOp op = SimdOp::Barrier; ///< Simd
  ScalarType type = ScalarType::UInt;
  uint32_t count = 1; ///< elements in one input of a simd operation; of a probe
  AccessKind access = AccessKind::Read;
  AtomicKind atomic = AtomicKind::Update; ///< of AccessKind::Atomic, in pipelines that observe memory
  uint32_t bytes = 0;                     ///< of an access; 0 where it varies
  MemoryKind memory = MemoryKind::Unknown;
  uint32_t slot = 0;         ///< of a buffer or dynamic threadgroup memory
  std::string memoryName;    ///< argument or variable as the user wrote it
  uint64_t memoryBytes = 0;  ///< size of a variable; buffers and slots know theirs at run time
  uint32_t memoryOffset = 0; ///< of a threadgroup variable in the arena
  std::string name;          ///< Probe
  /// Simd: where in LaneAbi::published a lane keeps what others read of it while it takes no part;
  /// kNotPublished if it keeps nothing. First comes its operand as it lies at `in`, then a byte for each
  /// element, which is 1 once the element has been computed. See lowering/inactive_lanes.h.
  uint32_t published = kNotPublished;
  Decision decision = Decision::None; ///< with the access, if there is one
  /// Of an access, in pipelines that observe memory: the alignment of its type in the source; 0 if unknown.
  uint32_t alignment = 0;
  bool polled = false;   ///< likewise, of an atomic access: a loop waits for its result
  bool together = false; ///< likewise: it is part of an operation that all lanes must reach
  uint64_t calls = 0;    ///< ThreadgroupBarrier: the calls that were inlined; equal for copies of one barrier
  /// Of a checked access: the parts of its address that are computed in fewer than 64 bits, one after
  /// another. Each ends with an extension to 64 bits. See lowering/narrow_indices.h.
  std::vector<IndexStep> index;
};

/// A static threadgroup variable in the arena.
struct ThreadgroupVariable {
  std::string name;
  /// With its function, "fold<32>::shared", followed by "#2" if that function has another of the same name.
  std::string fullName;
  uint32_t offset = 0;
  uint32_t bytes = 0;
  std::vector<uint32_t> extents; ///< of an array, outermost first
};

/// What an undefined value comes from. Variable: one that is declared without a value, or a part of it. The
/// others: an operation whose result Metal does not define for its operands.
enum class BirthKind : uint8_t { Variable, Division, Shift, Conversion };

struct Birth {
  std::string name; ///< of a variable: "acc", "v.y", "rows[3]"
  SourcePlace where;
  BirthKind kind = BirthKind::Variable;
};

/// A function that a pointer may hold.
struct PointedFunction {
  std::string name;
  std::string type; ///< as in OtherFunctionInfo; empty for a function that is not visible
};

/// Whether no thread of a kernel can see what another one does, as long as none of the `written` buffers
/// shares memory with another buffer of the kernel. Buffers have a bit each. See
/// lowering/independent_threads.h.
struct IndependentThreads {
  bool known = false;
  uint32_t written = 0;
  /// If the grid is one row, the thread in column x accesses only element x of these. All have elements of
  /// one size, so they may be the same memory if they begin at the same place.
  uint32_t ownElements = 0;
  bool inRows = false; ///< holds only if the grid is one row
};

/// The part that is cached with the object.
struct KernelCodeInfo {
  std::string kernelName;
  std::string symbol; ///< of the KernelEntry in the object
  std::vector<SiteInfo> sites;
  uint32_t loopCounters = 0;
  uint32_t publishedBytes = 0; ///< of each lane
  uint32_t threadsPerCall = 1; ///< 1, or 32: a simdgroup (lowering/vector/)
  /// Code for simdgroups: it is right only for threadgroups of the GroupShape for which it was made.
  bool needsShape = false;
  bool readsPositions = false; ///< code for simdgroups: whether it reads LaneAbi::positions
  /// Code for simdgroups: one call runs all simdgroups of a threadgroup, and one threadgroup after another
  /// (RuntimeCall::NextThreadgroup).
  bool wholeThreadgroups = false;
  /// With wholeThreadgroups: simdgroups wait for each other at barriers, and the code itself switches from
  /// one to the next (lowering/vector/turns.h).
  bool takesTurns = false;
  uint32_t frameBytes = 0; ///< with takesTurns: the bytes of a simdgroup's frame
  std::string onFibers;    ///< why threadsPerCall is not 32 although that was asked for
  uint32_t staticThreadgroupBytes = 0;
  std::vector<ThreadgroupVariable> threadgroupVariables;
  std::vector<PointedFunction> pointedFunctions; ///< by number, from 1 on; empty if nothing calls a pointer
  /// A bit for each buffer index that the code looks up. Other indices need no binding: an argument that a
  /// kernel does not use is not active in Metal, either. Without optimisation (debug) every argument is
  /// looked up.
  uint32_t usedBuffers = ~0u;
  uint32_t usedThreadgroup = ~0u; ///< likewise for threadgroup memory: other indices need no length
  uint32_t stackBytes = 0;        ///< what the code needs of its stack, without the runtime's share
  /// Whether the code itself compares a pointer of unknown origin with its thread variables. If not (debug),
  /// RuntimeCall::CheckAccess accepts the lane's whole stack.
  bool checksVariables = false;
  bool usesBarriers = false; ///< threadgroup barriers
  bool usesSimdOps = false;  ///< simd or quad operations, simdgroup barriers
  bool usesSpin = false;
  bool usesFloatAtomics = false;
  bool isQuick = false; ///< made by CodeEffort::Quick
  IndependentThreads independent;
  /// Indices, ascending, of the function constants without a value that the code reads as zero
  /// (CodeOptions::zeroMissingConstants).
  std::vector<uint32_t> zeroConstants;
  std::vector<Birth> births; ///< by number, from 1 on, in pipelines that track undefined values
  /// In such pipelines: ranges of bytes of static threadgroup memory that are not data of any variable, or to
  /// which a declaration gives a value. They are in order; each is an offset and a number of bytes.
  std::vector<std::pair<uint32_t, uint32_t>> writtenThreadgroupBytes;
  WorkBlocks work; ///< in pipelines that count work
  bool needsFibers() const {
    return (usesBarriers && !takesTurns) || (threadsPerCall == 1 && usesSimdOps) || usesSpin;
  }
};

/// A loaded kernel.
struct KernelCode {
  KernelEntry entry = nullptr;
  const KernelCodeInfo *info = nullptr;
  std::vector<std::pair<uintptr_t, uintptr_t>> codeRanges; ///< [first, last) of machine code
  std::vector<std::pair<uintptr_t, uintptr_t>> dataRanges; ///< [first, last) of the module's constants
  std::function<SourcePlace(uintptr_t pc)> locate;         ///< place of an instruction; may be empty
};

} // namespace assay
