// The race checker against an oracle: random runs with barriers, simdgroup barriers of any lanes, atomic
// operations and fences. The oracle keeps every access and a plain vector clock for each thread and each kind
// of memory, so that nothing of the checker's epochs, tables and thinned records can be wrong in it likewise.
#include "support/process/sanitizers.h"
#include "tests/validation/trace.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace assay::validation::test {
namespace {

constexpr uint32_t kSpaces = 2;             // device, threadgroup
using Clock = std::map<uint32_t, uint32_t>; // thread of the grid → what it had done, in events
void joinInto(Clock &to, const Clock &from) {
  for (const auto &[thread, time] : from)
    to[thread] = std::max(to[thread], time);
}

class Oracle {
public:
  explicit Oracle(uint32_t threads) : threads_(threads) {}

  void group(uint32_t number) {
    group_ = number;
    for (auto &[address, messages] : locations_)
      std::erase_if(messages, [&](const Message &m) { return m.space == 1; });
    std::erase_if(accesses_, [](const Access &a) { return a.space == 1; }); // other memory now
  }
  void barrier(uint32_t flags) {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < threads_; ++i)
      all.push_back(id(i));
    meet(all, flags);
  }
  void simdgroupBarrier(uint32_t simdgroup, uint32_t mask, uint32_t flags) {
    std::vector<uint32_t> some;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        some.push_back(id(simdgroup * 32 + lane));
    meet(some, flags);
  }
  void fence(uint32_t thread, uint32_t flags, uint32_t order, uint32_t scope) {
    const uint32_t self = id(thread);
    if (order == kAcquire || order > kRelease)
      for (const Message &message : pending_[self])
        if (message.flags & flags && includes(scope, self, message.by) &&
            includes(message.scope, message.by, self))
          for (uint32_t space = 0; space < kSpaces; ++space)
            if (message.flags & flags & 1u << space)
              joinInto(clock(self, space), message.clocks[space]);
    if (order >= kRelease) {
      Message message{self, 0, flags, scope, {}};
      for (uint32_t space = 0; space < kSpaces; ++space) {
        message.clocks[space] = clock(self, space);
        message.clocks[space][self] = time_[self];
      }
      released_[self].push_back(message);
    }
  }
  /// The lines of earlier accesses that race with this one.
  std::set<uint32_t> access(uint32_t line, uint32_t thread, uint64_t address, uint32_t bytes, AccessKind kind,
                            AtomicKind atomic, uint32_t space) {
    const uint32_t self = id(thread);
    const bool isAtomic = kind == AccessKind::Atomic;
    const bool writes = isAtomic ? atomic != AtomicKind::Load : kind == AccessKind::Write;
    std::set<uint32_t> races;
    for (const Access &a : accesses_)
      if (a.space == space && a.address < address + bytes && address < a.address + a.bytes &&
          (a.writes || writes) && !(a.atomic && isAtomic) && a.thread != self &&
          clock(self, space)[a.thread] < a.time)
        races.insert(a.line);
    accesses_.push_back({line, self, ++time_[self], address, bytes, space, writes, isAtomic});
    if (!isAtomic)
      return races;
    auto &messages = locations_[address];
    if (atomic != AtomicKind::Store)
      pending_[self].insert(pending_[self].end(), messages.begin(), messages.end());
    if (atomic == AtomicKind::Store)
      messages.clear();
    if (atomic != AtomicKind::Load)
      for (Message message : released_[self]) {
        message.space = space;
        messages.push_back(message);
      }
    return races;
  }

private:
  struct Access {
    uint32_t line, thread, time;
    uint64_t address;
    uint32_t bytes, space;
    bool writes, atomic;
  };
  struct Message {
    uint32_t by, space, flags, scope;
    std::array<Clock, kSpaces> clocks;
  };
  uint32_t id(uint32_t thread) const { return group_ * threads_ + thread; }
  Clock &clock(uint32_t thread, uint32_t space) { return clocks_[space][thread]; }
  bool includes(uint32_t scope, uint32_t a, uint32_t b) const {
    const bool sameGroup = a / threads_ == b / threads_;
    if (scope == kGroupScope)
      return sameGroup;
    if (scope == kSimdScope)
      return sameGroup && a % threads_ / 32 == b % threads_ / 32;
    return scope == kDeviceScope;
  }
  void meet(const std::vector<uint32_t> &threads, uint32_t flags) {
    for (uint32_t space = 0; space < kSpaces; ++space) {
      if (!(flags >> space & 1))
        continue;
      Clock all;
      for (const uint32_t thread : threads) {
        joinInto(all, clock(thread, space));
        all[thread] = time_[thread];
      }
      for (const uint32_t thread : threads)
        clock(thread, space) = all;
    }
  }

  const uint32_t threads_;
  uint32_t group_ = 0;
  std::vector<Access> accesses_;
  std::array<std::map<uint32_t, Clock>, kSpaces> clocks_;
  std::map<uint32_t, uint32_t> time_;
  std::map<uint32_t, std::vector<Message>> released_, pending_;
  std::map<uint64_t, std::vector<Message>> locations_;
};

struct Outcome {
  std::map<uint32_t, std::set<uint32_t>> races; // line → lines of earlier accesses
  std::vector<Finding> found;
  size_t events = 0;
};

Outcome runAtRandom(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  const bool fences = below(2), lanesTogether = below(2);
  const uint32_t threads = below(2) ? 64 : 40, bytes = 4 + below(12);
  const uint32_t few = 2 + below(5); // threads that do something
  std::vector<uint32_t> actors;
  for (uint32_t i = 0; i < few; ++i)
    actors.push_back(below(threads));
  Trace trace(fences, threads);
  if (below(2))
    trace.knowMemory(); // what is done for lanes together
  Oracle oracle(threads);
  Outcome outcome;
  const uint32_t groups = 1 + below(3);
  for (uint32_t group = 0; group < groups; ++group) {
    if (group) {
      trace.group(group);
      oracle.group(group);
    }
    const uint32_t events = 5 + below(40);
    for (uint32_t event = 0; event < events; ++event) {
      const uint32_t thread = actors[below(few)], space = below(2), choice = below(fences ? 20 : 14);
      const auto place = [&](uint32_t byte) { return space ? trace.threadgroup(byte) : trace.device(byte); };
      if (choice == 0) {
        const uint32_t flags = below(4);
        trace.barrier(flags);
        oracle.barrier(flags);
      } else if (choice == 1) {
        const uint32_t simdgroup = thread / 32, lanes = std::min(32u, threads - simdgroup * 32);
        const uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1;
        const uint32_t mask = below(2) ? all : (uint32_t(random()) | 1u << thread % 32) & all;
        const uint32_t flags = below(4);
        trace.simdgroupBarrier(simdgroup, mask, flags);
        oracle.simdgroupBarrier(simdgroup, mask, flags);
      } else if (choice >= 14 && choice < 17) {
        const uint32_t orders[] = {kAcquire, kRelease, kSequential}, scopes[] = {0, 1, 2, 2, 2, 4};
        const uint32_t flags = 1 + below(3), order = orders[below(3)], scope = scopes[below(6)];
        trace.fence(thread, flags, order, scope);
        oracle.fence(thread, flags, order, scope);
      } else if (choice >= 10 || (choice == 9 && below(2))) {
        const AtomicKind kinds[] = {AtomicKind::Update, AtomicKind::Load, AtomicKind::Store};
        const AtomicKind kind = kinds[below(3)];
        const uint64_t address = place(below(bytes) / 4 * 4);
        const uint32_t line = trace.access(AccessKind::Atomic, thread, address, 4, kind);
        const auto races = oracle.access(line, thread, address, 4, AccessKind::Atomic, kind, space);
        if (!races.empty())
          outcome.races[line] = races;
      } else {
        const AccessKind kind = below(2) ? AccessKind::Write : AccessKind::Read;
        const uint32_t sizes[] = {1, 2, 4, 4, 8}, size = sizes[below(5)];
        uint32_t mask = 1u << thread % 32;
        if (lanesTogether)
          for (const uint32_t other : actors)
            if (other / 32 == thread / 32 && below(2))
              mask |= 1u << other % 32; // which race, if they write one byte
        std::array<uint64_t, 32> addresses{};
        for (uint64_t &address : addresses)
          address = place(below(bytes));
        if (below(2))
          addresses.fill(addresses[0]);
        const uint32_t line = trace.access(kind, thread / 32, mask, addresses, size);
        for (uint32_t lane = 0; lane < 32; ++lane)
          if (mask >> lane & 1)
            outcome.races[line].merge(oracle.access(line, thread / 32 * 32 + lane, addresses[lane], size,
                                                    kind, AtomicKind::Update, space));
        if (outcome.races[line].empty())
          outcome.races.erase(line);
      }
      ++outcome.events;
    }
  }
  outcome.found = trace.findings();
  return outcome;
}

bool isRace(const std::string &rule) {
  return rule.starts_with("race-") || rule == "mixed-atomic" || rule == "unfenced-publication" ||
         rule == "barrier-memory";
}

// All of them in release. A sanitizer looks at how the checker works and not at what it finds.
#ifdef ASSAY_ASAN
constexpr uint64_t kRuns = 750, kCommon = 1000;
#else
constexpr uint64_t kRuns = 3000, kCommon = 5000;
#endif

TEST(Oracle, SaysTheSameOfEachAccessInRandomRuns) {
  size_t racing = 0, quiet = 0;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    const Outcome outcome = runAtRandom(seed);
    std::set<uint32_t> found, expected;
    for (const Finding &finding : outcome.found) {
      if (!isRace(finding.warning.rule))
        continue;
      const uint32_t line = finding.warning.where.line, other = finding.notes.at(0).where.line;
      found.insert(std::max(line, other));
      const auto races = outcome.races.find(std::max(line, other));
      ASSERT_TRUE(races != outcome.races.end() && races->second.contains(std::min(line, other)))
          << "seed " << seed << ": " << renderDiagnostics(diagnosticsOf(finding));
    }
    for (const auto &[line, others] : outcome.races)
      expected.insert(line);
    ASSERT_EQ(found, expected) << "seed " << seed;
    racing += expected.size();
    quiet += outcome.events - expected.size();
  }
  // Both answers are common, or the comparison would say little.
  EXPECT_GT(racing, kCommon);
  EXPECT_GT(quiet, kCommon);
}

} // namespace
} // namespace assay::validation::test
