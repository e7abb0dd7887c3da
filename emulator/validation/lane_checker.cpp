// See lane_checker.h.
#include "validation/lane_checker.h"

#include "../support/abi/source_lane.h"

#include <fmt/format.h>

#include <utility>

namespace assay::validation {
namespace {

// A lane number past the last one; of the other operations it means the lane's own value.
bool isBeyond(SimdOp op, uint32_t width, uint32_t operand) {
  switch (op) {
  case SimdOp::Broadcast:
  case SimdOp::Shuffle:
  case SimdOp::ShuffleXor: return operand >= width;
  case SimdOp::ShuffleAndFillUp:
  case SimdOp::ShuffleAndFillDown: {
    const uint32_t asked = operand >> 16;
    return (operand & 0xffff) > (asked >= 2 && asked < width ? asked : width);
  }
  default: return false;
  }
}

// simd_shuffle and quad_shuffle alone take a lane from each lane.
bool wantsOneOperand(SimdOp op) {
  return op != SimdOp::Shuffle;
}

} // namespace

void LaneChecker::simdOp(const GroupEvent &group, const SimdEvent &event) {
  if (!readsOneLane(event.site->op))
    return;
  const SimdForm form = simdForm(event.site->op);
  if (wantsOneOperand(form.op))
    lookForVarying(group, event, form.width);
  bool found[2] = {}; // by rule: one for each operation
  for (uint32_t rest = event.activeMask; rest; rest &= rest - 1) {
    const uint32_t lane = uint32_t(__builtin_ctz(rest)), base = lane & ~(form.width - 1);
    const uint32_t inBlock = form.width == 32 ? event.activeMask : event.activeMask >> base & 15;
    const uint32_t operand = event.operand[lane];
    const bool beyond = isBeyond(form.op, form.width, operand);
    const uint32_t from = sourceLane(form.op, form.width, lane - base, operand, inBlock);
    if (!beyond && (from == kOwnLane || inBlock >> (from & (form.width - 1)) & 1))
      continue;
    const uint32_t source = (from & (form.width - 1)) + base;
    const bool exists = event.simdgroup * kSimdWidth + source < group.threadCount();
    const bool isMissing = !beyond && !exists;
    if (std::exchange(found[isMissing], true))
      continue;
    const CheckRule rule = isMissing ? CheckRule::MissingLane : CheckRule::InactiveLane;
    findings().add(rule, event.site->where, [&]() -> FindingText {
      const uint32_t thread = event.simdgroup * kSimdWidth + lane;
      const std::string reader = fmt::format("{} of {}", threadText(thread), groupText(group.position));
      const std::string_view name = simdOpInfo(event.site->op).text;
      if (beyond)
        return {fmt::format("{} asks {} for lane or distance {} of {}", reader, name, operand & 0xffff,
                            form.width),
                "", "the value is undefined: keep the operand below the width"};
      return {fmt::format("{} takes the value of lane {} by {}, and that lane {}", reader, source, name,
                          exists ? "takes no part" : "does not exist in this threadgroup"),
              "",
              exists ? "the value is undefined: let all lanes that are read come to the operation"
                     : "the value is undefined: make the threads of a threadgroup a multiple of 32, or read "
                       "only from lanes that exist"};
    });
  }
}

// Lanes of one block that differ: of a simdgroup, or of a quad.
void LaneChecker::lookForVarying(const GroupEvent &group, const SimdEvent &event, uint32_t width) {
  uint32_t first[kSimdWidth], known = 0;
  for (uint32_t rest = event.activeMask; rest; rest &= rest - 1) {
    const uint32_t lane = uint32_t(__builtin_ctz(rest)), base = lane & ~(width - 1);
    if (!(known >> base & 1)) {
      known |= 1u << base;
      first[base] = lane;
    }
    const uint32_t one = event.operand[first[base]] & 0xffff, other = event.operand[lane] & 0xffff;
    if (one == other)
      continue;
    findings().add(CheckRule::VaryingOperand, event.site->where, [&]() -> FindingText {
      const uint32_t thread = event.simdgroup * kSimdWidth;
      return {fmt::format("{} of {} gives {} {}, and {} gives it {}", threadText(thread + first[base]),
                          groupText(group.position), simdOpInfo(event.site->op).text, one,
                          threadText(thread + lane), other),
              "",
              "all lanes must give the same, or the value is undefined: simd_shuffle takes a lane from each"};
    });
    return; // one for each operation
  }
}

} // namespace assay::validation
