// The filter against an oracle that keeps every access of every byte: random accesses of simdgroups, barriers
// and threadgroups.
#include "emulator/validation/race_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace assay::validation {
namespace {

constexpr uint32_t kMemory = 1024, kThreads = 128;
constexpr uint32_t kDevice = 1, kThreadgroup = 2; // mem_flags

enum class Touch : uint32_t { Read, Write, Update, Load, Store }; // the last three are atomic
constexpr bool isAtomic(Touch touch) {
  return touch >= Touch::Update;
}
constexpr bool writes(Touch touch) {
  return touch != Touch::Read && touch != Touch::Load;
}
constexpr bool reads(Touch touch) {
  return touch != Touch::Write && touch != Touch::Store;
}

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
  void simdgroupBarrier(uint32_t simdgroup, uint32_t flags) {
    for (const uint32_t space : {0u, 1u})
      simdgroupEpochs_[space][simdgroup] += flags >> space & 1;
  }
  /// Or a byte is accessed atomically and otherwise, by whatever thread, and no barrier is between.
  bool races(const Lanes &lanes, Touch touch, uint32_t space) const {
    bool any = false;
    std::array<int, kMemory> by; // in this access
    by.fill(-1);
    forEachByte(lanes, [&](uint32_t thread, size_t byte) {
      any |= touch == Touch::Write && by[byte] >= 0 && by[byte] != int(thread);
      by[byte] = int(thread);
      for (const Access &a : accesses_[space][byte]) {
        if (a.group == group_ && a.epoch != epochs_[space])
          continue;
        if (isAtomic(a.touch) || isAtomic(touch))
          any |= isAtomic(a.touch) != isAtomic(touch);
        else
          any |= (a.touch == Touch::Write || touch == Touch::Write) &&
                 (a.group != group_ || (a.thread != thread && !areOrdered(a, thread, space)));
      }
    });
    return any;
  }
  /// A read, of threadgroup memory.
  bool readsUnwritten(const Lanes &lanes) const {
    bool any = false;
    forEachByte(lanes, [&](uint32_t, size_t byte) {
      any |= std::none_of(accesses_[1][byte].begin(), accesses_[1][byte].end(),
                          [](const Access &a) { return writes(a.touch); });
    });
    return any;
  }
  void add(const Lanes &lanes, Touch touch, uint32_t space) {
    forEachByte(lanes, [&](uint32_t thread, size_t byte) {
      accesses_[space][byte].push_back(
          {group_, epochs_[space], simdgroupEpochs_[space][thread / kSimdWidth], thread, touch});
    });
  }
  bool hasWritten(size_t byte) const {
    return std::any_of(accesses_[0][byte].begin(), accesses_[0][byte].end(),
                       [](const Access &a) { return writes(a.touch); });
  }

private:
  struct Access {
    uint32_t group, epoch, simdgroupEpoch, thread;
    Touch touch;
  };
  bool areOrdered(const Access &a, uint32_t thread, uint32_t space) const {
    return a.thread / kSimdWidth == thread / kSimdWidth &&
           a.simdgroupEpoch != simdgroupEpochs_[space][thread / kSimdWidth];
  }
  template <class Visit> static void forEachByte(const Lanes &lanes, Visit visit) {
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      for (uint32_t i = 0; i < lanes.bytes && lanes.mask >> lane & 1; ++i)
        visit(lanes.simdgroup * kSimdWidth + lane, size_t(lanes.offsets[lane]) + i);
  }
  uint32_t group_ = 0;
  std::array<uint32_t, 2> epochs_{};
  std::array<std::array<uint32_t, kThreads / kSimdWidth>, 2> simdgroupEpochs_{};
  std::array<std::array<std::vector<Access>, kMemory>, 2> accesses_;
};

// Two buffers of which the filter knows one alone, a kernel that reads and writes it and the arena.
class Dispatch {
public:
  /// sharedAtomics   some sites are atomic operations on threadgroup memory
  /// barriers        there are barriers of simdgroups
  Dispatch(bool unwritten, bool sharedAtomics, bool barriers) : filter_(unwritten) {
    for (uint32_t touch = 0; touch < kTouches; ++touch)
      for (const uint32_t space : {0u, 1u})
        for (uint32_t copy = 0; copy < kCopies; ++copy) {
          SiteInfo &site = code_.sites.emplace_back();
          site.memory = space ? MemoryKind::ThreadgroupVariable : MemoryKind::Buffer;
          site.access = touch == uint32_t(Touch::Read) ? AccessKind::Read : AccessKind::Write;
          if (!isAtomic(Touch(touch)) || (space && !sharedAtomics))
            continue;
          site.access = AccessKind::Atomic;
          site.atomic = Touch(touch) == Touch::Update ? AtomicKind::Update
                        : Touch(touch) == Touch::Load ? AtomicKind::Load
                                                      : AtomicKind::Store;
        }
    if (barriers) {
      SiteInfo &site = code_.sites.emplace_back();
      site.kind = SiteKind::Simd;
      site.op = SimdOp::Barrier;
    }
    abi_.buffers[0] = {memory_.data(), memory_.size()};
    filter_.dispatchBegin({&code_, &abi_, {kThreads, 1, 1}, {kThreads, 1, 1}});
  }
  void group() {
    deliver();
    filter_.groupBegin(group_);
  }
  void barrier(uint32_t flags, bool whole) {
    deliver();
    const std::vector<const SiteInfo *> sites(kThreads, &code_.sites[0]);
    // Who names less decides.
    std::vector<uint32_t> all(kThreads, flags | (whole ? 0 : kDevice | kThreadgroup));
    all[kThreads - 1] = flags;
    const std::vector<uint64_t> iterations(kThreads, 0);
    filter_.barrier(group_, {sites.data(), kThreads, all.data(), iterations.data(), whole});
  }
  void simdgroupBarrier(uint32_t simdgroup, uint32_t mask, uint32_t flags) {
    deliver();
    std::array<uint32_t, kSimdWidth> all;
    all.fill(flags);
    filter_.simdOp(group_, {&code_.sites.back(), simdgroup, mask, nullptr, nullptr, all.data()});
  }
  /// `copy` is one of some sites alike.
  ///   kept   as compiled code keeps it, to be told with others
  void access(const Lanes &lanes, Touch touch, uint32_t space, uint32_t copy, bool spaced, bool kept) {
    const uint32_t number = (uint32_t(touch) * 2 + space) * kCopies + copy;
    const uint64_t memory = reinterpret_cast<uintptr_t>(space ? arena_.data() : memory_.data());
    std::array<int64_t, kSimdWidth> distances = lanes.offsets;
    for (int64_t &distance : distances)
      distance -= lanes.offsets[0];
    const int64_t *const table = spaced ? tables_.insert(distances).first->data() : nullptr;
    const uint64_t base = memory + uint64_t(lanes.offsets[0]);
    std::array<uint64_t, kSimdWidth> addresses;
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      addresses[lane] = memory + uint64_t(lanes.offsets[lane]);
    if (kept) {
      log_.push_back({base, table, number, lanes.simdgroup, lanes.mask, lanes.bytes});
      if (!spaced) {
        const size_t at = log_.size();
        log_.resize(at + sizeof(KeptWords) / sizeof(KeptOperation));
        std::memcpy(static_cast<void *>(&log_[at]), addresses.data(), sizeof(KeptWords));
      }
      return;
    }
    deliver();
    if (spaced)
      filter_.spacedAccess(
          group_, {&code_.sites[number], lanes.simdgroup, lanes.mask, base, table, lanes.bytes, number});
    else
      filter_.access(group_,
                     {&code_.sites[number], lanes.simdgroup, lanes.mask, addresses.data(), lanes.bytes});
  }
  void deliver() {
    filter_.accesses(group_, {log_.data(), log_.data() + log_.size(), code_.sites.data()});
    log_.clear();
  }
  RaceFilter &filter() {
    deliver();
    return filter_;
  }
  /// By byte.
  std::vector<bool> written() {
    BytesByRow rows;
    filter().addWritten(rows);
    std::vector<bool> bytes;
    for (uint64_t i = 0; i < kMemory; ++i) {
      const uint64_t address = reinterpret_cast<uintptr_t>(memory_.data()) + i;
      const auto row = rows.find(address / kRowBytes);
      bytes.push_back(row != rows.end() && (row->second >> (address % kRowBytes) & 1));
    }
    return bytes;
  }

  static constexpr uint32_t kCopies = 3, kTouches = 5;

private:
  alignas(8) std::array<uint8_t, kMemory> memory_{}, arena_{};
  KernelCodeInfo code_;
  DispatchAbi abi_{};
  GroupEvent group_{{0, 0, 0}, {kThreads, 1, 1}, arena_, &abi_};
  std::set<std::array<int64_t, kSimdWidth>> tables_;
  std::vector<KeptOperation> log_;
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

struct Step {
  Lanes lanes;
  Touch touch;
  uint32_t space, copy;
  bool spaced, kept;
};

// A threadgroup goes through random accesses and barriers, and through phases that have been before.
// Most steps that would race are left out, so that a run goes on.
class RandomRun {
public:
  explicit RandomRun(uint64_t seed)
      : random_(seed), unwritten_(!below(random_, 4)), logged_(below(random_, 4)),
        neighbours_(!below(random_, 3)), kinds_(neighbours_ || below(random_, 3) ? 2 : 5),
        sharedAtomics_(kinds_ > 2 && below(random_, 2)), barriers_(!below(random_, 3)),
        dispatch_(unwritten_, sharedAtomics_, barriers_) {}

  void go(uint64_t seed) {
    dispatch_.group();
    for (uint32_t event = 0; event < 60 && !ends(); ++event) {
      const uint32_t choice = below(random_, 24);
      if (!choice)
        group();
      else if (choice < 4)
        barrier(below(random_, 4));
      else if (choice < 6 && !phases_.empty())
        again();
      else if (choice < 10 && barriers_)
        simdgroupBarrier();
      else
        take(randomStep());
      if (below(random_, logged_ ? 12 : 3))
        continue; // what is put off stays so
      ASSERT_EQ(dispatch_.filter().found(), races_) << "seed " << seed << ", event " << event;
      ASSERT_EQ(dispatch_.filter().foundUnwritten(), undefined_) << "seed " << seed << ", event " << event;
    }
    ASSERT_EQ(dispatch_.filter().found(), races_) << "seed " << seed;
    ASSERT_EQ(dispatch_.filter().foundUnwritten(), undefined_) << "seed " << seed;
    // What is written goes on being noted.
    for (uint32_t event = 0; event < 5; ++event) {
      const Lanes lanes = randomLanes(random_);
      dispatch_.access(lanes, Touch::Write, 0, 0, below(random_, 2), below(random_, 2));
      oracle_.add(lanes, Touch::Write, 0);
    }
    const std::vector<bool> written = dispatch_.written();
    for (size_t byte = 0; byte < kMemory; ++byte)
      ASSERT_EQ(written[byte], oracle_.hasWritten(byte)) << "seed " << seed << ", byte " << byte;
  }
  bool ends() const { return races_ || undefined_; }
  size_t events() const { return events_; }
  size_t phasesAgain() const { return phasesAgain_; }

private:
  void group() {
    dispatch_.group();
    oracle_.group();
    endPhase();
  }
  void barrier(uint32_t flags) {
    dispatch_.barrier(flags, below(random_, 2));
    oracle_.barrier(flags);
    if (flags & kThreadgroup)
      endPhase();
  }
  void simdgroupBarrier() {
    const uint32_t simdgroup = below(random_, kThreads / kSimdWidth), flags = below(random_, 4);
    const bool all = below(random_, 4);
    dispatch_.simdgroupBarrier(simdgroup, all ? ~0u : ~2u, flags);
    if (all)
      oracle_.simdgroupBarrier(simdgroup, flags);
  }
  void endPhase() {
    if (!phase_.empty())
      phases_.push_back(std::move(phase_));
    phase_.clear();
  }
  // A phase as before, or nearly so, between barriers.
  void again() {
    barrier(kDevice | kThreadgroup);
    const std::vector<Step> steps = phases_[below(random_, uint32_t(phases_.size()))];
    for (Step step : steps) {
      if (!below(random_, 12))
        continue;
      if (!below(random_, 12))
        step = randomStep();
      take(step);
      if (ends())
        return;
    }
    ++phasesAgain_;
    barrier(kDevice | kThreadgroup);
  }
  Step randomStep() {
    const uint32_t space = below(random_, 2);
    const bool again = !before_.empty() && below(random_, 2);
    const Touch touch = Touch(below(random_, space && !sharedAtomics_ ? 2 : kinds_));
    Step step{again ? before_[below(random_, uint32_t(before_.size()))] : randomLanes(random_),
              touch,
              space,
              below(random_, Dispatch::kCopies),
              below(random_, 2) != 0,
              logged_ && below(random_, 20)};
    Lanes &lanes = step.lanes;
    if (neighbours_ && !space && below(random_, 60)) {
      lanes = elements();
      return step;
    }
    if (again && below(random_, 2))
      lanes.bytes = std::min(lanes.bytes, 4u);
    if (again && below(random_, 2)) { // the next one in a loop
      const uint32_t steps[] = {lanes.bytes, 16 * lanes.bytes, 4, 68};
      const uint32_t distance = steps[below(random_, 4)];
      std::array<int64_t, kSimdWidth> moved = lanes.offsets;
      for (int64_t &offset : moved)
        offset += distance;
      if (*std::max_element(moved.begin(), moved.end()) <= int64_t(kMemory) - 16)
        lanes.offsets = moved;
    }
    return step;
  }
  // Each thread its own, of a row of elements.
  Lanes elements() {
    const uint32_t simdgroup = below(random_, kThreads / kSimdWidth), begin = below(random_, 5) * 128;
    Lanes lanes{simdgroup, below(random_, 6) ? ~0u : ~0u >> below(random_, 32), {}, 4};
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      lanes.offsets[lane] = begin + (simdgroup * kSimdWidth + lane) * 4 - (begin == 512 ? 4 : 0);
    return lanes;
  }
  void take(const Step &step) {
    const bool bad = oracle_.races(step.lanes, step.touch, step.space);
    const bool none = unwritten_ && step.space && reads(step.touch) && oracle_.readsUnwritten(step.lanes);
    if ((bad || none) && below(random_, 40))
      return;
    before_.push_back(step.lanes);
    phase_.push_back(step);
    dispatch_.access(step.lanes, step.touch, step.space, step.copy, step.spaced, step.kept);
    oracle_.add(step.lanes, step.touch, step.space);
    races_ |= bad;
    undefined_ |= none;
    ++events_;
  }

  Random random_;
  const bool unwritten_, logged_;
  const bool neighbours_; ///< nearly all accesses of buffers are by elements()
  const uint32_t kinds_;  ///< of Touch
  const bool sharedAtomics_;
  const bool barriers_; ///< of simdgroups
  Oracle oracle_;
  Dispatch dispatch_;
  bool races_ = false, undefined_ = false;
  std::vector<Lanes> before_;
  std::vector<Step> phase_;
  std::vector<std::vector<Step>> phases_;
  size_t events_ = 0, phasesAgain_ = 0;
};

TEST(RaceFilter, SaysWhatAnOracleSays) {
  size_t clean = 0, events = 0, phases = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    const auto run = std::make_unique<RandomRun>(seed);
    run->go(seed);
    if (HasFatalFailure())
      return;
    clean += !run->ends();
    events += run->events();
    phases += run->phasesAgain();
  }
  EXPECT_GT(clean, 500u);
  EXPECT_LT(clean, 3800u);
  EXPECT_GT(events, 60000u);
  EXPECT_GT(phases, 4000u);
}

// What a phase reads must have been written in this threadgroup, too.
TEST(RaceFilter, APhaseLikeOneBeforeMayReadWhatNobodyHasWritten) {
  for (const bool writes : {false, true}) {
    Lanes lanes{0, ~0u, {}, 4};
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      lanes.offsets[lane] = 64 + 4 * lane;
    Dispatch dispatch(true, false, false);
    for (const bool first : {true, false}) {
      dispatch.group();
      if (first || writes)
        dispatch.access(lanes, Touch::Write, 1, 0, true, true);
      dispatch.barrier(kThreadgroup, true);
      dispatch.access(lanes, Touch::Read, 1, 0, true, true);
      dispatch.barrier(kThreadgroup, true);
    }
    EXPECT_NE(dispatch.filter().foundUnwritten(), writes);
  }
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
  EXPECT_TRUE(takes([](SiteInfo &site) { site.kind = SiteKind::Simd, site.op = SimdOp::Barrier; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.kind = SiteKind::Fence; }));
  EXPECT_TRUE(takes([](SiteInfo &site) { site.access = AccessKind::Atomic; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.memory = MemoryKind::Unknown; }));
  EXPECT_FALSE(takes([](SiteInfo &site) { site.memory = MemoryKind::Texture; }));
}

} // namespace
} // namespace assay::validation
