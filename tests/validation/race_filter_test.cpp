// The filter against an oracle that keeps every access of every byte: random accesses of simdgroups, barriers
// and threadgroups.
#include "emulator/validation/race_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace assay::validation {
namespace {

constexpr uint32_t kMemory = 1024, kThreads = 128;
constexpr uint32_t kDevice = 1, kThreadgroup = 2; // mem_flags

struct Lanes {
  uint32_t simdgroup, mask;
  std::array<int64_t, kSimdWidth> offsets;
  uint32_t bytes;
};

class Oracle {
public:
  void group() {
    ++group_;
    barrier(kDevice | kThreadgroup);
    accesses_[1] = {};
  }
  void barrier(uint32_t flags) {
    for (const uint32_t space : {0u, 1u})
      epochs_[space] += flags >> space & 1;
  }
  bool races(const Lanes &lanes, bool writes, uint32_t space) const {
    bool any = false;
    std::array<int, kMemory> by; // in this access
    by.fill(-1);
    forEachByte(lanes, [&](uint32_t thread, size_t byte) {
      any |= writes && by[byte] >= 0 && by[byte] != int(thread);
      by[byte] = int(thread);
      for (const Access &a : accesses_[space][byte])
        any |=
            (a.writes || writes) && (a.group != group_ || (a.epoch == epochs_[space] && a.thread != thread));
    });
    return any;
  }
  bool readsUnwritten(const Lanes &lanes) const {
    bool any = false;
    forEachByte(lanes, [&](uint32_t, size_t byte) {
      any |= std::none_of(accesses_[1][byte].begin(), accesses_[1][byte].end(),
                          [](const Access &a) { return a.writes; });
    });
    return any;
  }
  void add(const Lanes &lanes, bool writes, uint32_t space) {
    forEachByte(lanes, [&](uint32_t thread, size_t byte) {
      accesses_[space][byte].push_back({group_, epochs_[space], thread, writes});
    });
  }
  bool hasWritten(size_t byte) const {
    return std::any_of(accesses_[0][byte].begin(), accesses_[0][byte].end(),
                       [](const Access &a) { return a.writes; });
  }

private:
  struct Access {
    uint32_t group, epoch, thread;
    bool writes;
  };
  template <class Visit> static void forEachByte(const Lanes &lanes, Visit visit) {
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      for (uint32_t i = 0; i < lanes.bytes && lanes.mask >> lane & 1; ++i)
        visit(lanes.simdgroup * kSimdWidth + lane, size_t(lanes.offsets[lane]) + i);
  }
  uint32_t group_ = 0;
  std::array<uint32_t, 2> epochs_{};
  std::array<std::array<std::vector<Access>, kMemory>, 2> accesses_;
};

// Two buffers of which the filter knows one alone, a kernel that reads and writes it and the arena.
class Dispatch {
public:
  explicit Dispatch(bool unwritten) : filter_(unwritten) {
    for (const bool writes : {false, true})
      for (const uint32_t space : {0u, 1u})
        for (uint32_t copy = 0; copy < kCopies; ++copy) {
          SiteInfo &site = code_.sites.emplace_back();
          site.access = writes ? AccessKind::Write : AccessKind::Read;
          site.memory = space ? MemoryKind::ThreadgroupVariable : MemoryKind::Buffer;
        }
    abi_.buffers[0] = {memory_.data(), memory_.size()};
    filter_.dispatchBegin({&code_, &abi_, {kThreads, 1, 1}, {kThreads, 1, 1}});
  }
  void group() { filter_.groupBegin(group_); }
  void barrier(uint32_t flags, bool whole) {
    const std::vector<const SiteInfo *> sites(kThreads, &code_.sites[0]);
    // Who names less decides.
    std::vector<uint32_t> all(kThreads, flags | (whole ? 0 : kDevice | kThreadgroup));
    all[kThreads - 1] = flags;
    const std::vector<uint64_t> iterations(kThreads, 0);
    filter_.barrier(group_, {sites.data(), kThreads, all.data(), iterations.data(), whole});
  }
  /// `copy` is one of some sites alike.
  void access(const Lanes &lanes, bool writes, uint32_t space, uint32_t copy, bool spaced) {
    const uint32_t number = (uint32_t(writes) * 2 + space) * kCopies + copy;
    const uint64_t memory = reinterpret_cast<uintptr_t>(space ? arena_.data() : memory_.data());
    if (spaced) {
      auto &distances =
          *tables_.emplace_back(std::make_unique<std::array<int64_t, kSimdWidth>>(lanes.offsets));
      for (int64_t &distance : distances)
        distance -= lanes.offsets[0];
      return filter_.spacedAccess(group_, {&code_.sites[number], lanes.simdgroup, lanes.mask,
                                           memory + uint64_t(lanes.offsets[0]), distances.data(), lanes.bytes,
                                           number});
    }
    std::array<uint64_t, kSimdWidth> addresses;
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      addresses[lane] = memory + uint64_t(lanes.offsets[lane]);
    filter_.access(group_,
                   {&code_.sites[number], lanes.simdgroup, lanes.mask, addresses.data(), lanes.bytes});
  }
  RaceFilter &filter() { return filter_; }
  bool hasWritten(size_t byte) const {
    BytesByRow rows;
    filter_.addWritten(rows);
    const uint64_t address = reinterpret_cast<uintptr_t>(memory_.data()) + byte;
    const auto row = rows.find(address / kRowBytes);
    return row != rows.end() && (row->second >> (address % kRowBytes) & 1);
  }

  static constexpr uint32_t kCopies = 3;

private:
  alignas(8) std::array<uint8_t, kMemory> memory_{}, arena_{};
  KernelCodeInfo code_;
  DispatchAbi abi_{};
  GroupEvent group_{{0, 0, 0}, {kThreads, 1, 1}, arena_, &abi_};
  std::vector<std::unique_ptr<std::array<int64_t, kSimdWidth>>> tables_;
  RaceFilter filter_;
};

using Random = std::mt19937_64;
uint32_t below(Random &random, uint32_t n) {
  return uint32_t(random() % n);
}

// As kernels have them: for all lanes one, neighbours, members of structures, rows of tiles, backwards, any.
Lanes randomLanes(Random &random) {
  const uint32_t sizes[] = {1, 2, 4, 4, 4, 8, 16}, simdgroup = below(random, kThreads / kSimdWidth);
  Lanes lanes{simdgroup,
              below(random, 3) ? ~0u : uint32_t(random()) | 1u << below(random, 32),
              {},
              sizes[below(random, 7)]};
  if (!below(random, 8))
    lanes.mask = 1u << below(random, 32);
  const uint32_t steps[] = {lanes.bytes, lanes.bytes, lanes.bytes, 2 * lanes.bytes, 12, 20, 3};
  const uint32_t form = below(random, 6), step = steps[below(random, 7)];
  const uint32_t begin = below(random, 2) ? below(random, 8) * 64 : below(random, 40) * 4 + below(random, 2);
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane) {
    const uint32_t thread = (form == 1 || form == 2 ? simdgroup * 32 : 0) + lane;
    const uint32_t places[] = {0,
                               thread * lanes.bytes,
                               thread * step,
                               lane / 16 * 68 + lane % 16 * lanes.bytes,
                               lane % 8 * step,
                               below(random, 2) ? (31 - lane) * step : below(random, 200)};
    lanes.offsets[lane] = (begin + places[form]) % (kMemory - 16);
  }
  return lanes;
}

// Most steps that would race are left out, so that a run goes on.
void runAtRandom(uint64_t seed, size_t &clean, size_t &events) {
  Random random(seed);
  const bool unwritten = !below(random, 4);
  auto oracle = std::make_unique<Oracle>();
  auto dispatch = std::make_unique<Dispatch>(unwritten);
  dispatch->group();
  bool races = false, undefined = false;
  std::vector<Lanes> before;
  for (uint32_t event = 0; event < 60 && !races && !undefined; ++event) {
    const uint32_t choice = below(random, 24);
    if (!choice) {
      dispatch->group();
      oracle->group();
    } else if (choice < 4) {
      const uint32_t flags = below(random, 4);
      dispatch->barrier(flags, below(random, 2));
      oracle->barrier(flags);
    } else {
      const uint32_t space = below(random, 2);
      const bool again = !before.empty() && below(random, 2), writes = below(random, 2);
      Lanes lanes = again ? before[below(random, uint32_t(before.size()))] : randomLanes(random);
      if (again && below(random, 2))
        lanes.bytes = std::min(lanes.bytes, 4u);
      if (again && !writes && below(random, 2)) { // the next one in a loop
        const uint32_t steps[] = {lanes.bytes, 16 * lanes.bytes, 4, 68};
        const uint32_t step = steps[below(random, 4)];
        for (int64_t &offset : lanes.offsets)
          offset += step;
        if (*std::max_element(lanes.offsets.begin(), lanes.offsets.end()) > int64_t(kMemory) - 16)
          continue;
      }
      const bool bad = oracle->races(lanes, writes, space),
                 none = unwritten && space && !writes && oracle->readsUnwritten(lanes);
      if ((bad || none) && below(random, 40))
        continue;
      before.push_back(lanes);
      dispatch->access(lanes, writes, space, below(random, Dispatch::kCopies), below(random, 2));
      oracle->add(lanes, writes, space);
      races |= bad;
      undefined |= none;
      ++events;
    }
    if (below(random, 3))
      continue; // what is put off stays so
    ASSERT_EQ(dispatch->filter().found(), races) << "seed " << seed << ", event " << event;
    ASSERT_EQ(dispatch->filter().foundUnwritten(), undefined) << "seed " << seed << ", event " << event;
  }
  ASSERT_EQ(dispatch->filter().found(), races) << "seed " << seed;
  ASSERT_EQ(dispatch->filter().foundUnwritten(), undefined) << "seed " << seed;
  // What is written goes on being noted.
  for (uint32_t event = 0; event < 5; ++event) {
    const Lanes lanes = randomLanes(random);
    dispatch->access(lanes, true, 0, 0, below(random, 2));
    oracle->add(lanes, true, 0);
  }
  for (size_t byte = 0; byte < kMemory; ++byte)
    ASSERT_EQ(dispatch->hasWritten(byte), oracle->hasWritten(byte)) << "seed " << seed << ", byte " << byte;
  clean += !races && !undefined;
}

TEST(RaceFilter, SaysWhatAnOracleSays) {
  size_t clean = 0, events = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    runAtRandom(seed, clean, events);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(clean, 500u);
  EXPECT_LT(clean, 2800u);
  EXPECT_GT(events, 40000u);
}

TEST(RaceFilter, TakesKernelsWhoseOrderComesFromBarriersOfThreadgroups) {
  const auto takes = [](auto change) {
    KernelCodeInfo code;
    code.sites.resize(1);
    code.sites[0].memory = MemoryKind::Buffer;
    change(code.sites[0]);
    return RaceFilter::takes(code);
  };
  EXPECT_TRUE(takes([](SiteInfo &) {}));
  EXPECT_TRUE(takes([](SiteInfo &site) { site.kind = SiteKind::ThreadgroupBarrier; }));
  EXPECT_TRUE(takes([](SiteInfo &site) { site.kind = SiteKind::Simd, site.op = SimdOp::Shuffle; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.kind = SiteKind::Simd, site.op = SimdOp::Barrier; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.kind = SiteKind::Fence; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.access = AccessKind::Atomic; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.memory = MemoryKind::Unknown; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.memory = MemoryKind::Texture; }));
}

} // namespace
} // namespace assay::validation
