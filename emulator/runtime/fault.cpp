// The sentences of a fault; see fault.h. Their form: place, fact with both numbers, rule; then who; then what
// to do.
#include "runtime/fault.h"

#include "support/abi/refusal.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace assay::runtime {
namespace {

std::string count(uint64_t n, const char *what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string triple(const uint32_t (&p)[3]) {
  return fmt::format("({},{},{})", p[0], p[1], p[2]);
}

std::string quoted(const std::string &name) {
  return name.empty() ? "" : fmt::format(" '{}'", name);
}

SourcePlace place(const RunPlan &plan, uint32_t site, uintptr_t pc) {
  if (pc)
    return plan.locate(pc);
  return site == kNoSite ? SourcePlace{} : plan.info.sites[site].where;
}
SourcePlace place(const RunPlan &plan, const Fault &fault) {
  return place(plan, fault.site, fault.pc);
}

void addNote(Error &error, SourcePlace where, std::string message) {
  Diagnostic note;
  note.severity = Severity::Note;
  note.where = std::move(where);
  note.message = std::move(message);
  error.diagnostics.push_back(std::move(note));
}

// ---- out of bounds ----

// A piece of memory that belongs to the kernel, in the user's words.
struct Target {
  std::string name;
  uint64_t base = 0, bytes = 0, before = 0;
};

std::string extent(const Target &target) {
  const std::string bytes = count(target.bytes, "byte");
  return target.before ? fmt::format("{} from its offset on and {} before it", bytes, target.before) : bytes;
}

std::string bufferName(const RunPlan &plan, uint32_t slot) {
  for (const SiteInfo &site : plan.info.sites)
    if (site.memory == MemoryKind::Buffer && site.slot == slot && !site.memoryName.empty())
      return fmt::format("buffer({}){}", slot, quoted(site.memoryName));
  return fmt::format("buffer({})", slot);
}

std::optional<Target> nearestBuffer(const RunPlan &plan, uint64_t address) {
  std::optional<Target> nearest;
  uint64_t least = ~uint64_t(0);
  for (uint32_t slot = 0; slot < kBufferSlots; ++slot) {
    const BufferAbi &buffer = plan.dispatch.buffers[slot];
    const uint64_t base = reinterpret_cast<uintptr_t>(buffer.base), end = base + buffer.bytes,
                   begin = base - buffer.before;
    const uint64_t distance = address < begin ? begin - address : address < end ? 0 : address - end;
    if (!buffer.base || distance >= least)
      continue;
    least = distance;
    nearest = Target{bufferName(plan, slot), base, buffer.bytes, buffer.before};
  }
  for (const BufferAbi &buffer : plan.request.resources) {
    const uint64_t base = reinterpret_cast<uintptr_t>(buffer.base), end = base + buffer.bytes;
    const uint64_t distance = address < base ? base - address : address < end ? 0 : address - end;
    if (distance >= least)
      continue;
    least = distance;
    nearest = Target{"a buffer that is used but not bound", base, buffer.bytes};
  }
  // An address that is far away says nothing about the buffer that happens to be the nearest.
  constexpr uint64_t kFar = 1 << 20;
  return least < kFar ? nearest : std::nullopt;
}

// A pointer to memory that does not belong to the kernel.
Error nowhere(const std::string &what, uint64_t address, SourcePlace where) {
  constexpr uint64_t kNullPage = 4096;
  if (address < kNullPage)
    return Error::kernel("out-of-bounds", fmt::format("{} at address {:#x}: a null pointer", what, address),
                         std::move(where), "check that every address in the argument buffer was written");
  return Error::kernel(
      "out-of-bounds",
      fmt::format("{} at address {:#x}, which lies in no buffer that is bound or used", what, address),
      std::move(where),
      "buffers that are reached through an address in memory must be made known by "
      "useResource; else check the pointer before the access");
}

std::optional<Target> targetOf(const RunPlan &plan, const GroupAbi &group, const SiteInfo &site) {
  const uint64_t arena = reinterpret_cast<uintptr_t>(group.arena);
  switch (site.memory) {
  case MemoryKind::Buffer: {
    const BufferAbi &buffer = plan.dispatch.buffers[site.slot];
    return Target{fmt::format("buffer({}){}", site.slot, quoted(site.memoryName)),
                  reinterpret_cast<uintptr_t>(buffer.base), buffer.bytes, buffer.before};
  }
  case MemoryKind::ThreadgroupSlot:
    return Target{fmt::format("threadgroup({}){}", site.slot, quoted(site.memoryName)),
                  arena + plan.dispatch.threadgroupOffset[site.slot],
                  plan.dispatch.threadgroupBytes[site.slot]};
  case MemoryKind::ThreadgroupVariable:
    return Target{fmt::format("threadgroup variable{}", quoted(site.memoryName)), arena + site.memoryOffset,
                  site.memoryBytes};
  default: return std::nullopt;
  }
}

bool inThreadgroupMemory(const RunPlan &plan, const GroupAbi &group, uint64_t address) {
  return address - reinterpret_cast<uintptr_t>(group.arena) < plan.arenaBytes;
}

const char *accessName(AccessKind access) {
  switch (access) {
  case AccessKind::Read: return "read";
  case AccessKind::Write: return "write";
  case AccessKind::Atomic: return "atomic access";
  }
  return "access";
}

const char *preposition(AccessKind access) {
  return access == AccessKind::Read ? "from" : access == AccessKind::Write ? "to" : "in";
}

std::string remedy(const SiteInfo &site, int64_t offset, uint64_t bytes) {
  if (offset < 0)
    return "the index is negative: check it before the access, and unsigned differences for wrapping";
  const std::string needed = count(uint64_t(offset) + bytes, "byte");
  if (site.memory == MemoryKind::Buffer)
    return fmt::format("check the index against the length, or bind a buffer of at least {}", needed);
  if (site.memory == MemoryKind::ThreadgroupSlot)
    return fmt::format("check the index, or set a threadgroup memory length of at least {}", needed);
  return "check the index against the length";
}

Error outOfBounds(const RunPlan &plan, const GroupAbi &group, const Fault &fault) {
  const SiteInfo &site = plan.info.sites[fault.site];
  const std::optional<WrappedIndex> wrapped = wrappedIndex(site.index, fault.index.values());
  const std::string why = wrapped ? ": " + wrapped->text() : "";
  const std::string what = fmt::format("{} of {}", accessName(site.access), count(fault.bytes, "byte"));
  if (const std::optional<Target> target = targetOf(plan, group, site)) {
    if (site.memory == MemoryKind::Buffer && !target->base)
      return Error::kernel(
          "out-of-bounds",
          fmt::format("{} {} {}, which is null", what, preposition(site.access), target->name), site.where,
          fmt::format("compare the pointer with nullptr before the access, or bind a buffer to slot {}",
                      site.slot));
    const int64_t offset = int64_t(fault.address - target->base);
    return Error::kernel(
        "out-of-bounds",
        fmt::format("{} at byte {} of {}, which has {}{}", what, offset, target->name, extent(*target), why),
        site.where, wrapped ? wrapped->remedy() : remedy(site, offset, fault.bytes));
  }
  const std::string toDo = wrapped ? wrapped->remedy() : "check the index against the length";
  if (site.memory == MemoryKind::ThreadVariable || site.memory == MemoryKind::Constant) {
    const char *kind = site.memory == MemoryKind::Constant ? "constant" : "thread";
    if (!site.memoryBytes) // it may be one of several
      return Error::kernel(
          "out-of-bounds",
          fmt::format("{} outside the {} variable that the pointer points into{}", what, kind, why),
          site.where, toDo);
    return Error::kernel("out-of-bounds",
                         fmt::format("{} outside {} variable{}, which has {}{}", what, kind,
                                     quoted(site.memoryName), count(site.memoryBytes, "byte"), why),
                         site.where, toDo);
  }
  if (inThreadgroupMemory(plan, group, fault.address))
    return Error::kernel(
        "out-of-bounds",
        fmt::format("{} outside the threadgroup memory that the pointer points into{}", what, why),
        site.where, toDo);
  if (const std::optional<Target> nearest = nearestBuffer(plan, fault.address))
    return Error::kernel(
        "out-of-bounds",
        fmt::format("{} outside all memory of the kernel, at byte {} of {}, which is the nearest "
                    "and has {}",
                    what, int64_t(fault.address - nearest->base), nearest->name,
                    count(nearest->bytes, "byte")),
        site.where, "check the index or the pointer before the access");
  return nowhere(what, fault.address, site.where);
}

// ---- what a signal told ----

Error stackOverflow(const RunPlan &plan, const Fault &fault) {
  return Error::kernel(
      "stack-overflow",
      fmt::format("a thread used more stack than the {} it was given", count(plan.stackBytes, "byte")),
      place(plan, fault), "make its arrays smaller, or move them to threadgroup or device memory");
}

Error trap(const RunPlan &plan, const Fault &fault) {
  if (fault.signal == SIGFPE)
    return Error::kernel("fault", "integer division by zero, or of the smallest integer by -1",
                         place(plan, fault), "check the divisor before the division");
  if (fault.signal == SIGILL)
    return Error::kernel("fault",
                         "ran into code that cannot be reached in a program without undefined behaviour",
                         place(plan, fault), "look for a loop without an end or effect, or a missing return");
  const std::optional<Target> nearest = nearestBuffer(plan, fault.address);
  return Error::kernel(
      "out-of-bounds",
      nearest
          ? fmt::format("access outside all memory of the kernel, at byte {} of {}, which is "
                        "the nearest and has {}",
                        int64_t(fault.address - nearest->base), nearest->name, count(nearest->bytes, "byte"))
          : std::string("access outside all memory of the kernel"),
      place(plan, fault), "check the index or the pointer before the access");
}

// A string literal of the kernel.
std::string textOf(const RunPlan &plan, const Fault &fault) {
  const MemoryRange *constants = plan.memoryAt(fault.address);
  const char *text = reinterpret_cast<const char *>(fault.address);
  return constants ? std::string(text, strnlen(text, constants->bytesFrom(fault.address))) : "(unknown)";
}

Error assertion(const RunPlan &plan, const Fault &fault) {
  return Error::kernel("assertion", fmt::format("assertion failed: {}", textOf(plan, fault)),
                       place(plan, fault), "without -D ASSAY_ASSERTIONS, asserts do nothing, as on a Mac");
}

Error refused(const RunPlan &plan, const GroupAbi &group, const Fault &fault) {
  const std::string what = textOf(plan, fault);
  const auto reason = static_cast<Refusal>(fault.bytes);
  if (reason == Refusal::AsyncCopy)
    return Error::kernel("async-copy", fmt::format("an async copy of a simdgroup: {}", what),
                         place(plan, fault), "");
  if (reason == Refusal::AnotherLayout)
    return Error::kernel(
        "cooperative-layout", what, place(plan, fault),
        "ask is_compatible_as_left_input, is_compatible_as_right_input or is_iterator_compatible first, "
        "and store the source to memory otherwise");
  if (reason == Refusal::NoDepth)
    return Error::kernel(
        "unsupported",
        fmt::format("{}, which Apple's compiler takes; what it computes is not published", what),
        place(plan, fault), "dynamic_length_v<int> is the depth of the tensors");
  const uint32_t there = group.builtin[size_t(Builtin::SimdgroupsPerThreadgroup)][0];
  return Error::kernel("execution-scope",
                       fmt::format("{} has a scope of {}, and the threadgroup has {}", what,
                                   count(fault.bytes, "simdgroup"), there),
                       place(plan, fault),
                       fmt::format("dispatch threadgroups of {} threads, or change the scope to "
                                   "execution_simdgroups<{}>",
                                   fault.bytes * kSimdWidth, there));
}

// ---- calls through pointers ----

// An index past a function table, a call through a pointer without a function of the call's type, or a
// recursion that is too deep.
Error noFunction(const RunPlan &plan, const Fault &fault) {
  const SiteInfo &site = plan.info.sites[fault.site];
  const auto error = [&](std::string fact, const char *remedy) {
    return Error::kernel("function-table", std::move(fact), site.where, remedy);
  };
  if (site.kind == SiteKind::CallDepth)
    return Error::kernel(
        "stack-overflow",
        fmt::format("a function that calls itself is more than {} calls deep", fault.address), site.where,
        "end the recursion earlier, or make the function's variables smaller");
  if (site.kind == SiteKind::TableEntry)
    return error(
        fault.bytes
            ? fmt::format("index {} of a function table, which has {}", fault.address,
                          fault.bytes == 1 ? "1 entry" : fmt::format("{} entries", fault.bytes))
            : fmt::format("index {} of a function table that is null or has no entries", fault.address),
        fault.bytes ? "check the index against size()"
                    : "bind a table, or ask is_null_visible_function_table first");
  if (fault.address == 0)
    return error("a call of a null function", "set every entry of the table that the kernel calls");
  const std::vector<PointedFunction> &functions = plan.info.pointedFunctions;
  if (fault.address > functions.size() || functions[fault.address - 1].name.empty())
    return error("a call through a pointer that is not a function's",
                 "a function pointer comes from a function table or from a function's name");
  const PointedFunction &function = functions[fault.address - 1];
  const std::string type = function.type.empty() ? "" : fmt::format(", which is of type {},", function.type);
  return error(fmt::format("a call of '{}'{} as a function of another type", function.name, type),
               "the functions in a table must have the table's type");
}

// ---- no progress ----

// "0-3, 7"; long lists end with the number of further threads.
std::string ranges(const std::vector<uint32_t> &threads) {
  constexpr int kMostRanges = 8;
  std::string text;
  int printed = 0;
  for (size_t i = 0; i < threads.size(); ++printed) {
    size_t last = i;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1)
      ++last;
    if (printed == kMostRanges)
      return fmt::format("{} and {} more", text, threads.size() - i);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", threads[i]);
    if (last > i)
      text += fmt::format("-{}", threads[last]);
    i = last + 1;
  }
  return text;
}

std::string predicate(const RunPlan &plan, const ThreadStanding &thread, bool many) {
  const std::string simdName =
      thread.site == kNoSite ? "" : std::string(simdOpInfo(plan.info.sites[thread.site].op).text);
  switch (thread.standing) {
  case Standing::Ended: return many ? "have ended" : "has ended";
  case Standing::NotStarted: return many ? "have not started" : "has not started";
  case Standing::Running: return many ? "run" : "runs";
  case Standing::Ready: return many ? "are ready to go on from here" : "is ready to go on from here";
  case Standing::AtSimd: return fmt::format("{} at {}", many ? "wait" : "waits", simdName);
  case Standing::AtBarrier: return fmt::format("{} at threadgroup_barrier", many ? "wait" : "waits");
  case Standing::Spinning: return many ? "poll an atomic" : "polls an atomic";
  case Standing::Elsewhere: return many ? "have not come here" : "has not come here";
  }
  return {};
}

// One note for all threads that stand alike at the same place, in order of their first thread.
//   first    number of the first thread
//   which    bit i: thread i is included; all threads from the 32nd on are
void addStandings(Error &error, const RunPlan &plan, const std::vector<ThreadStanding> &standings,
                  uint32_t first, uint32_t which = ~0u) {
  struct Alike {
    SourcePlace where;
    ThreadStanding standing;
    std::vector<uint32_t> threads;
  };
  std::vector<Alike> groups;
  for (uint32_t i = 0; i < standings.size(); ++i) {
    if (i < 32 && !(which >> i & 1))
      continue;
    const ThreadStanding &thread = standings[i];
    SourcePlace where =
        thread.standing == Standing::Ended ? SourcePlace{} : place(plan, thread.site, thread.pc);
    auto alike = [&](const Alike &g) { return g.standing.standing == thread.standing && g.where == where; };
    auto found = std::find_if(groups.begin(), groups.end(), alike);
    if (found == groups.end())
      found = groups.insert(groups.end(), {std::move(where), thread, {}});
    found->threads.push_back(first + i);
  }
  for (const Alike &g : groups) {
    const bool many = g.threads.size() > 1;
    addNote(
        error, g.where,
        fmt::format("thread{} {} {}", many ? "s" : "", ranges(g.threads), predicate(plan, g.standing, many)));
  }
}

Error noProgress(const RunPlan &plan, const GroupAbi &group, const Fault &fault,
                 const std::vector<ThreadStanding> &standings) {
  const auto &position = group.builtin[size_t(Builtin::ThreadgroupPositionInGrid)];
  const std::string more =
      plan.groupTimeout == plan.request.groupTimeout
          ? ""
          : fmt::format(", {} times the limit, because its code was made with little effort", kQuickSlowness);
  Error error = Error::kernel("no-progress",
                              fmt::format("threadgroup {} has not ended after {} ms{}", triple(position),
                                          plan.groupTimeout.count(), more),
                              place(plan, fault),
                              "make the loop end, or let every thread that has not ended reach the barrier; "
                              "a kernel that needs longer needs a longer limit");

  addStandings(error, plan, standings, 0);
  return error;
}

// ---- an operation of the whole simdgroup ----

// For operations that take all 32 lanes: who is missing, and why.
Error partialSimdgroup(const RunPlan &plan, const Fault &fault,
                       const std::vector<ThreadStanding> &standings) {
  const SiteInfo &site = plan.info.sites[fault.site];
  const uint32_t first = fault.thread / kSimdWidth * kSimdWidth;
  const size_t present = std::min<size_t>(kSimdWidth, standings.size() - first);
  Error error = Error::kernel("partial-simdgroup",
                              fmt::format("{} reached by {} of {} lanes", simdOpInfo(site.op).text,
                                          __builtin_popcount(fault.lanes), kSimdWidth),
                              site.where, "let all lanes of the simdgroup take the same path to it");
  if (present < kSimdWidth)
    addNote(error, {},
            fmt::format("the simdgroup has {}: make the threads of a threadgroup a multiple of {}",
                        count(present, "thread"), kSimdWidth));
  // The lanes that met stand there no longer, and their state is known.
  std::vector<ThreadStanding> absent(standings.begin() + first,
                                     standings.begin() + ptrdiff_t(first + present));
  addStandings(error, plan, absent, first, ~fault.lanes);
  return error;
}

std::string who(const RunPlan &plan, const GroupAbi &group, uint32_t thread) {
  const auto &size = group.builtin[size_t(Builtin::ThreadsPerThreadgroup)];
  const uint32_t position[3] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
  return fmt::format("kernel {}, threadgroup {}, thread {} in threadgroup, simdgroup {}, lane {}",
                     plan.info.kernelName, triple(group.builtin[size_t(Builtin::ThreadgroupPositionInGrid)]),
                     triple(position), thread / kSimdWidth, thread % kSimdWidth);
}

} // namespace

void addThread(Error &error, const RunPlan &plan, const GroupAbi &group, uint32_t thread) {
  addNote(error, {}, who(plan, group, thread));
}

Error describeFault(const RunPlan &plan, const GroupAbi &group, const Fault &fault,
                    const std::vector<ThreadStanding> &standings) {
  if (fault.kind == FaultKind::NoProgress) {
    Error error = noProgress(plan, group, fault, standings);
    addNote(error, {}, fmt::format("kernel {}", plan.info.kernelName));
    return error;
  }
  Error error = fault.kind == FaultKind::OutOfBounds        ? outOfBounds(plan, group, fault)
                : fault.kind == FaultKind::StackOverflow    ? stackOverflow(plan, fault)
                : fault.kind == FaultKind::Assertion        ? assertion(plan, fault)
                : fault.kind == FaultKind::Refused          ? refused(plan, group, fault)
                : fault.kind == FaultKind::NoFunction       ? noFunction(plan, fault)
                : fault.kind == FaultKind::PartialSimdgroup ? partialSimdgroup(plan, fault, standings)
                : fault.kind == FaultKind::Texture
                    ? describeTextureFault(plan, plan.info.sites[fault.site], fault)
                    : trap(plan, fault);
  addThread(error, plan, group, fault.thread);
  return error;
}

} // namespace assay::runtime
