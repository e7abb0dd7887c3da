// See undefined_checker.h.
#include "validation/undefined_checker.h"

#include "validation/simd_shadows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay::validation {
namespace {

std::string decisionText(const SiteInfo &site, const std::string &thread, const std::string &memory) {
  switch (site.decision) {
  case Decision::Branch: return fmt::format("which way {} goes here depends on", thread);
  case Decision::Address: return fmt::format("the place that {} accesses depends on", thread);
  case Decision::Store: return fmt::format("what {} writes to {} depends on", thread, memory);
  case Decision::Atomic:
    return fmt::format("what the atomic operation of {} makes of {} depends on", thread, memory);
  case Decision::SimdOperand:
    return fmt::format("the lane that {} reads by {} depends on", thread, simdOpInfo(site.op).text);
  case Decision::Texel: return fmt::format("what {} writes to {} depends on", thread, memory);
  case Decision::None: break;
  }
  return fmt::format("{} depends on", thread);
}

constexpr const char *kUnwrittenText = ", which nobody has written";

struct ResultText {
  const char *what, *note, *hint;
};
ResultText textOf(BirthKind kind) {
  switch (kind) {
  case BirthKind::Division:
    return {"an integer division", "the divisor is zero here, or the quotient does not fit",
            "check the divisor before the division"};
  case BirthKind::Shift:
    return {"a shift", "the amount is not less than the number of bits here",
            "mask the amount, or treat the full width by itself"};
  case BirthKind::Conversion:
    return {"a conversion to an integer", "the integer type does not have the value that is converted here",
            "clamp the value before the conversion"};
  case BirthKind::Variable: break;
  }
  return {"a variable", "", ""};
}

} // namespace

UndefinedChecker::UndefinedChecker(const CheckContext &context, std::vector<UnwrittenMemory> unwritten)
    : Checker(context), unwritten_(std::move(unwritten)) {
  tracks_ = trackingOf(findings().wants(CheckRule::UninitialisedThread) ||
                           findings().wants(CheckRule::UninitialisedThreadgroup),
                       findings().wants(CheckRule::UninitialisedDevice) && !unwritten_.empty(),
                       findings().wants(CheckRule::UndefinedResult));
}

void UndefinedChecker::dispatchBegin(const DispatchEvent &event) {
  names_.emplace(event, context().arguments);
  code_ = event.code;
  dispatch_ = event.dispatch;
  std::fill(std::begin(abi_.device), std::end(abi_.device), 0);
  for (const UnwrittenMemory &memory : unwritten_)
    abi_.device[memory.slot] = int64_t(reinterpret_cast<uintptr_t>(memory.shadow)) -
                               int64_t(reinterpret_cast<uintptr_t>(dispatch_->buffers[memory.slot].base));
}

void UndefinedChecker::groupBegin(const GroupEvent &group) {
  arenaBytes_ = group.arena.size();
  arena_.assign(arenaBytes_ + kWidestAccess, 0xff);
  arenaOrigins_.assign(arena_.size() / 4 + 1, 0);
  for (const auto &[offset, bytes] : code_->writtenThreadgroupBytes)
    std::memset(arena_.data() + offset, 0, bytes);
  abi_.arenaBase = reinterpret_cast<uintptr_t>(group.arena.data());
  abi_.arena = int64_t(reinterpret_cast<uintptr_t>(arena_.data())) - int64_t(abi_.arenaBase);
  abi_.arenaOrigins = arenaOrigins_.data();
  std::fill_n(lanes_.begin(), group.threadCount(), LaneShadow{});
  abi_.lanes = lanes_.data();
}

void UndefinedChecker::simdOp(const GroupEvent &, const SimdEvent &event) {
  moveShadows(event, lanes_.data() + event.simdgroup * kSimdWidth);
}

void UndefinedChecker::written(uint64_t address, uint64_t bytes) {
  if (address - abi_.arenaBase < arenaBytes_)
    std::memset(arena_.data() + (address - abi_.arenaBase), 0, bytes);
  for (const UnwrittenMemory &memory : unwritten_) {
    const BufferAbi &buffer = dispatch_->buffers[memory.slot];
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(buffer.begin());
    if (offset < buffer.allBytes())
      std::memset(memory.shadow - buffer.before + offset, 0, std::min(bytes, buffer.allBytes() - offset));
  }
}

BirthKind UndefinedChecker::birthKindOf(uint64_t origin) const {
  return origin && origin <= code_->births.size() ? code_->births[origin - 1].kind : BirthKind::Variable;
}

CheckRule UndefinedChecker::ruleOf(uint64_t origin) const {
  if (!ValueOrigin::isLoad(origin))
    return birthKindOf(origin) == BirthKind::Variable ? CheckRule::UninitialisedThread
                                                      : CheckRule::UndefinedResult;
  return ValueOrigin::slot(origin) == ValueOrigin::kArena ? CheckRule::UninitialisedThreadgroup
                                                          : CheckRule::UninitialisedDevice;
}

SourcePlace UndefinedChecker::placeOf(uint64_t origin) const {
  if (ValueOrigin::isLoad(origin))
    return code_->sites[ValueOrigin::site(origin)].where;
  return origin && origin <= code_->births.size() ? code_->births[origin - 1].where : SourcePlace();
}

UndefinedChecker::Source UndefinedChecker::sourceOf(const GroupEvent &group, uint64_t origin) const {
  Source source{ruleOf(origin), placeOf(origin), {}, {}, {}};
  if (source.rule == CheckRule::UndefinedResult) {
    const auto [what, note, hint] = textOf(birthKindOf(origin));
    source.what = fmt::format("{}, which Metal does not define", what);
    source.note = note;
    source.hint = hint;
    return source;
  }
  if (source.rule == CheckRule::UninitialisedThread) {
    const std::string name = origin ? code_->births[origin - 1].name : "a variable";
    source.what = name + kUnwrittenText;
    source.note = fmt::format("{} is declared here without a value", name);
    source.hint = "give it a value there, or on each way from there to here";
    if (!source.where.known())
      source.note.clear();
    return source;
  }
  const bool arena = source.rule == CheckRule::UninitialisedThreadgroup;
  const uint64_t begin =
      arena ? abi_.arenaBase
            : reinterpret_cast<uintptr_t>(dispatch_->buffers[ValueOrigin::slot(origin)].base);
  const std::string name =
      names_->of(code_->sites[ValueOrigin::site(origin)], group, begin + ValueOrigin::offset(origin));
  source.what = name + kUnwrittenText;
  source.note = fmt::format("{} is read here", name);
  source.hint =
      arena ? "let a thread write it first, also where the data end before the memory does, and put a "
              "barrier between"
            : "let the host or a kernel write the buffer first";
  return source;
}

void UndefinedChecker::undefined(const GroupEvent &group, const UndefinedEvent &event) {
  const SourcePlace birth = placeOf(event.origin);
  findings().add(ruleOf(event.origin), event.site->where, birth, true, [&]() -> FindingText {
    const Source source = sourceOf(group, event.origin);
    const std::string memory =
        event.site->decision == Decision::Texel || event.address == 0
            ? (event.site->memoryName.empty() ? "a texture" : "texture " + event.site->memoryName)
            : names_->of(*event.site, group, event.address);
    const std::string thread =
        fmt::format("{} of {}", threadText(event.threadIndex), groupText(group.position));
    return {fmt::format("{} {}", decisionText(*event.site, thread, memory), source.what), source.note,
            source.hint};
  });
}

} // namespace assay::validation
