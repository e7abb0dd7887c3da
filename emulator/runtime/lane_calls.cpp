// The calls that compiled kernels make (support/abi/lane_abi.h). They run on the lane's own stack and never
// throw.
#include "runtime/host_mxcsr.h"
#include "runtime/lane_scheduler.h"
#include "support/abi/module_info.h"

using assay::LaneAbi;
using assay::Observer;
using assay::runtime::Fault;
using assay::runtime::FaultKind;
using assay::runtime::HostMxcsr;
using assay::runtime::Lane;
using assay::runtime::laneOf;
using assay::runtime::LaneScheduler;
using assay::runtime::RunPlan;
using assay::runtime::RunSite;
using assay::runtime::schedulerOf;

namespace {

// Whether memory of unknown origin belongs to the kernel.
bool known(const LaneScheduler &scheduler, const Lane &lane, uint64_t address, uint64_t bytes) {
  if (const auto *range = scheduler.plan().memoryAt(address); range && range->contains(address, bytes))
    return true;
  const uint64_t arena = reinterpret_cast<uintptr_t>(lane.group->arena);
  const bool inArena =
      assay::runtime::MemoryRange{arena, arena + scheduler.plan().arenaBytes}.contains(address, bytes);
  return inArena || (!scheduler.plan().info.checksVariables && scheduler.inLaneStack(lane, address, bytes));
}

// The memory in which an address of the kernel's is, or at whose end.
assay::IrAddressSpace memoryAt(const LaneScheduler &scheduler, const Lane &lane, uint64_t address) {
  const RunPlan &plan = scheduler.plan();
  const uint64_t arena = reinterpret_cast<uintptr_t>(lane.group->arena);
  if (plan.arenaBytes && address - arena <= plan.arenaBytes)
    return assay::kIrThreadgroup;
  return scheduler.inLaneStack(lane, address, 0) || plan.isConstant(address) ? assay::kIrThread
                                                                             : assay::kIrDevice;
}

} // namespace

extern "C" {

void assay_rt_threadgroup_barrier(LaneAbi *abi, uint32_t site, uint32_t flags) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).waitAtBarrier(lane, site, flags);
}

void assay_rt_simd_op(LaneAbi *abi, uint32_t site, const void *in, void *out, uint32_t operand) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).waitAtSimdOp(lane, site, in, out, operand);
}

void assay_rt_simdgroup_op(LaneAbi *abi, uint32_t index, uint32_t active, const void *in, void *out,
                           const void *operand) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, index);
  const RunPlan &plan = scheduler.plan();
  const assay::SiteInfo &info = plan.info.sites[index];
  const RunSite &site = plan.sites[index];
  if (site.allLanes && active != ~0u) {
    abi->current = uint32_t(__builtin_ctz(active));
    scheduler.fail(lane, {.kind = FaultKind::PartialSimdgroup, .site = index, .lanes = active});
  }
  const assay::SimdOpInfo &op = assay::simdOpInfo(info.op);
  const uint32_t bytes = assay::scalarTypeInfo(info.type).bytes, inBytes = op.inputs * info.count * bytes,
                 outBytes =
                     op.result == assay::SimdResult::Mask ? uint32_t(sizeof(uint64_t)) : info.count * bytes;
  const void *ins[assay::kSimdWidth];
  void *outs[assay::kSimdWidth];
  for (uint32_t i = 0; i < assay::kSimdWidth; ++i) {
    ins[i] = static_cast<const uint8_t *>(in) + i * inBytes;
    outs[i] = static_cast<uint8_t *>(out) + i * outBytes;
  }
  const uint8_t *const published =
      site.published == assay::kNotPublished ? nullptr : abi->published + site.published;
  site.evaluate({ins, outs, static_cast<const uint32_t *>(operand), active, site.count,
                 &plan.request.numerics, published, plan.info.publishedBytes});
}

LaneAbi *assay_rt_open_barrier(LaneAbi *abi) {
  Lane &lane = laneOf(abi);
  return &schedulerOf(lane).openTurns(lane);
}

uint32_t assay_rt_next_threadgroup(LaneAbi *abi) {
  return schedulerOf(laneOf(abi)).nextThreadgroup();
}

void assay_rt_spin(LaneAbi *abi, uint32_t site) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).spin(lane, site);
}

void assay_rt_log(LaneAbi *abi, uint32_t site, const void *record) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  scheduler.log(lane, site, record);
}

void assay_rt_assertion_failed(LaneAbi *abi, uint32_t site, const void *expression) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).fail(
      lane, {.kind = FaultKind::Assertion, .site = site, .address = reinterpret_cast<uintptr_t>(expression)});
}

void assay_rt_refuse(LaneAbi *abi, uint32_t site, const void *what, uint32_t simdgroups) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).fail(lane, {.kind = FaultKind::Refused,
                                .site = site,
                                .address = reinterpret_cast<uintptr_t>(what),
                                .bytes = simdgroups});
}

void assay_rt_no_function(LaneAbi *abi, uint32_t site, uint64_t value, uint64_t size) {
  Lane &lane = laneOf(abi);
  schedulerOf(lane).fail(lane,
                         {.kind = FaultKind::NoFunction, .site = site, .address = value, .bytes = size});
}

void assay_rt_out_of_bounds(LaneAbi *abi, uint32_t site, uint64_t address, uint64_t bytes) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.fail(lane, {.kind = FaultKind::OutOfBounds,
                        .site = site,
                        .address = address,
                        .bytes = bytes,
                        .index = scheduler.takeIndexOperands()});
}

void assay_rt_index_operand(LaneAbi *abi, uint64_t value) {
  schedulerOf(laneOf(abi)).addIndexOperand(value);
}

void assay_rt_check_access(LaneAbi *abi, uint32_t site, uint64_t address, uint64_t bytes) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  if (!known(scheduler, lane, address, bytes)) [[unlikely]]
    assay_rt_out_of_bounds(abi, site, address, bytes);
}

uint32_t assay_rt_known_memory(LaneAbi *abi, uint32_t site, uint64_t address, uint64_t bytes) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  return known(scheduler, lane, address, bytes);
}

uint32_t assay_rt_points_to(LaneAbi *abi, uint64_t address, uint32_t space) {
  Lane &lane = laneOf(abi);
  return address && memoryAt(schedulerOf(lane), lane, address) == space;
}

void assay_rt_probe(LaneAbi *abi, uint32_t site, const void *value) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  const RunPlan &plan = scheduler.plan();
  if (!plan.observer)
    return;
  scheduler.checkStop(lane, site);
  scheduler.eventLog().deliver();
  const HostMxcsr host;
  plan.observer->probe(scheduler.event(), {&plan.info.sites[site], lane.thread, value});
}

void assay_rt_observe_access(LaneAbi *abi, uint32_t site, uint64_t address, uint64_t bytes) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  // Without bytes: a promise about a pointer, or a copy of nothing.
  const uint32_t alignment = scheduler.plan().info.sites[site].alignment;
  if (scheduler.eventLog().wants(site) && (bytes || (alignment > 1 && address % alignment)))
    scheduler.eventLog().keep(lane.thread, site, address, bytes);
}

void assay_rt_take_operations(LaneAbi *abi) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, assay::runtime::kNoSite);
  scheduler.eventLog().deliver();
}

void assay_rt_enter_block(LaneAbi *abi, uint32_t block) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, assay::runtime::kNoSite);
  if (assay::runtime::WorkCounter *const counter = scheduler.workCounter())
    counter->enter(lane.thread, block);
}

assay::ShadowAbi *assay_rt_shadows(LaneAbi *abi) {
  return schedulerOf(laneOf(abi)).plan().observer->shadows();
}

void assay_rt_undefined(LaneAbi *abi, uint32_t site, uint64_t origin, uint64_t address) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  const RunPlan &plan = scheduler.plan();
  const HostMxcsr host;
  plan.observer->undefined(scheduler.event(), {&plan.info.sites[site], lane.thread, origin, address});
}

void assay_rt_unwritten_read(LaneAbi *abi, uint32_t any) {
  Observer *const observer = schedulerOf(laneOf(abi)).plan().observer;
  if (any && observer)
    observer->unwrittenVariable();
}

void assay_rt_written(LaneAbi *abi, uint64_t address, uint64_t bytes) {
  schedulerOf(laneOf(abi)).plan().observer->written(address, bytes);
}

void assay_rt_observe_fence(LaneAbi *abi, uint32_t site, uint32_t flags, uint32_t order_scope) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  const RunPlan &plan = scheduler.plan();
  if (!plan.observer)
    return;
  scheduler.eventLog().deliver();
  const HostMxcsr host;
  plan.observer->fence(scheduler.event(),
                       {&plan.info.sites[site], lane.thread / assay::kSimdWidth,
                        1u << lane.thread % assay::kSimdWidth, flags, order_scope & 0xff, order_scope >> 8});
}
}
