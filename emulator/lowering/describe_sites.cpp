// See describe_sites.h.
#include "describe_sites.h"

#include "atomic_order.h"
#include "inactive_lanes.h"
#include "lockstep.h"
#include "primitives.h"
#include "sites.h"
#include "source_place.h"
#include "spin.h"
#include "support/abi/refusal.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

SiteInfo siteAt(const Instruction &instruction, SiteKind kind) {
  SiteInfo site;
  site.kind = kind;
  site.where = placeOf(instruction);
  return site;
}

Result<SiteInfo> describeSimdOp(const Lowering &state, const CallBase &call) {
  SiteInfo site = siteAt(call, SiteKind::Simd);
  const std::optional<uint32_t> op = constantArgument(call, 0), type = constantArgument(call, 1),
                                count = constantArgument(call, 2);
  if (!op || !type || !count || *op >= kSimdOps.size() || *type >= kScalarTypes.size())
    return Error::kernel("unsupported", "a simd operation whose kind or type is not a compile-time constant",
                         site.where);
  site.op = static_cast<SimdOp>(*op);
  site.type = static_cast<ScalarType>(*type);
  site.count = *count;
  site.published = registerPlaceOf(state, call).value_or(kNotPublished);
  return site;
}

Result<SiteInfo> describeProbe(const CallBase &call) {
  SiteInfo site = siteAt(call, SiteKind::Probe);
  StringRef name;
  const std::optional<uint32_t> type = constantArgument(call, 1), count = constantArgument(call, 2);
  if (!getConstantStringInfo(call.getArgOperand(0)->stripPointerCasts(), name) || !type || !count ||
      *type >= kScalarTypes.size())
    return Error::kernel("unsupported", "a probe whose name is not a string literal", site.where,
                         "write ASSAY_PROBE(\"name\", expression)");
  site.name = name.str();
  site.type = static_cast<ScalarType>(*type);
  site.count = *count;
  return site;
}

// A handle is the slot + 1; a computed one has no name at compile time.
void nameTexture(SiteInfo &site, const Value *handle, const KernelInfo &kernel) {
  const auto *constant = dyn_cast<ConstantInt>(handle);
  if (!constant)
    return;
  site.slot = uint32_t(constant->getZExtValue() - 1);
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Texture && site.slot - argument.index < argument.count)
      site.memoryName = argument.name;
}

SiteInfo describeTexture(const Lowering &state, const CallBase &call, Primitive primitive) {
  SiteInfo site = siteAt(call, SiteKind::Access);
  site.access = primitive == Primitive::TextureWrite    ? AccessKind::Write
                : primitive == Primitive::TextureAtomic ? AccessKind::Atomic
                                                        : AccessKind::Read;
  site.memory = MemoryKind::Texture;
  nameTexture(site, call.getArgOperand(0), state.kernel);
  return site;
}

// Gives every call of one of the primitives the site that `describe` makes of it.
template <class Describe>
Result<void> describeEach(Lowering &state, std::initializer_list<Primitive> primitives, Describe describe) {
  for (Instruction &instruction : instructions(*state.entry)) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (!primitive || !is_contained(primitives, *primitive))
      continue;
    Result<SiteInfo> site = describe(cast<CallBase>(instruction), *primitive);
    if (!site)
      return site.error();
    setSite(instruction, addSite(state, std::move(*site)));
  }
  return {};
}

// No lane waits at these, so they have a place but no order.
Result<void> describeOthers(Lowering &state) {
  const auto refused = [](const CallBase &call) {
    const auto *reason = dyn_cast<ConstantInt>(call.getArgOperand(1));
    return reason && reason->equalsInt(uint64_t(Refusal::AsyncCopy)) ? SiteKind::AsyncCopy : SiteKind::Scope;
  };
  auto done =
      describeEach(state, {Primitive::Log, Primitive::AssertionFailed, Primitive::Refuse},
                   [&](const CallBase &call, Primitive primitive) -> Result<SiteInfo> {
                     return siteAt(call, primitive == Primitive::Log               ? SiteKind::Log
                                         : primitive == Primitive::AssertionFailed ? SiteKind::Assertion
                                                                                   : refused(call));
                   });
  // What ends the kernel at a call: a pointer holds no function of the call's type, a table has no such
  // entry, or a function has called itself too often.
  if (done)
    done = describeEach(state, {Primitive::NoFunction, Primitive::NoTableEntry, Primitive::CallsTooDeep},
                        [](const CallBase &call, Primitive primitive) -> Result<SiteInfo> {
                          return siteAt(call, primitive == Primitive::NoFunction     ? SiteKind::PointerCall
                                              : primitive == Primitive::NoTableEntry ? SiteKind::TableEntry
                                                                                     : SiteKind::CallDepth);
                        });
  if (done)
    done = describeEach(state, {Primitive::Probe},
                        [](const CallBase &call, Primitive) { return describeProbe(call); });
  return done;
}

Result<void> describeMeetings(Lowering &state, FunctionAnalysisManager &analyses) {
  Function &entry = *state.entry;
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(entry);
  // Spins first: a loop that polls does so in lockstep, too.
  SmallVector<Instruction *> sites;
  append_range(sites, insertSpins(entry, loops));
  state.polls = pollsAnywhere(loops);
  if (state.options.observeMemory)
    markWaits(loops);
  if (state.options.lockstep)
    insertLockstep(entry);
  const DominatorTree &dominators = analyses.getResult<DominatorTreeAnalysis>(entry);
  if (!state.polls)
    orderAtomics(entry, loops, dominators, analyses.getResult<PostDominatorTreeAnalysis>(entry));
  for (Instruction &instruction : instructions(entry))
    if (isSite(instruction))
      sites.push_back(&instruction);
  if (sites.empty())
    return {};
  state.order = numberSites(entry, loops, dominators, sites);
  for (Instruction *instruction : sites) {
    const std::optional<Primitive> primitive = primitiveOf(*instruction);
    Result<SiteInfo> site =
        primitive == Primitive::SimdOp
            ? describeSimdOp(state, cast<CallBase>(*instruction))
            : siteAt(*instruction, primitive == Primitive::ThreadgroupBarrier ? SiteKind::ThreadgroupBarrier
                                                                              : SiteKind::Spin);
    if (!site)
      return site.error();
    if (site->kind == SiteKind::ThreadgroupBarrier)
      site->calls = callsAround(*instruction);
    site->order = state.order.order.lookup(instruction);
    site->loops = state.order.loopsAround(*instruction);
    state.info.usesBarriers |= site->kind == SiteKind::ThreadgroupBarrier;
    state.info.usesSimdOps |= site->kind == SiteKind::Simd;
    state.info.usesSpin |= site->kind == SiteKind::Spin;
    setSite(*instruction, addSite(state, std::move(*site)));
  }
  return {};
}

} // namespace

Result<void> describeSites(Lowering &state, FunctionAnalysisManager &analyses) {
  Function &entry = *state.entry;
  if (Result<void> done = describeOthers(state); !done)
    return done.error();
  analyses.invalidate(entry, PreservedAnalyses::none());
  canonicalizeLoops(entry, analyses);
  placeRegisters(state, analyses);
  if (Result<void> done = describeMeetings(state, analyses); !done)
    return done.error();
  analyses.invalidate(entry, PreservedAnalyses::none());
  if (!state.options.boundsChecks)
    return {};
  return describeEach(
      state,
      {Primitive::TextureRead, Primitive::TextureWrite, Primitive::TextureSample, Primitive::TextureAtomic},
      [&](const CallBase &call, Primitive primitive) -> Result<SiteInfo> {
        return describeTexture(state, call, primitive);
      });
}

} // namespace assay::lowering
