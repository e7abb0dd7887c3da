// Shortcuts against the way without: random runs as kernels are, with lanes that do the same, places that
// come again, and rows of addresses. Every finding is the same: its words, its places, how often, in which
// order. That the other way is right is shown by oracle_test.cpp.
#include "emulator/validation/cell_shortcuts.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

#include <random>

namespace assay::validation::test {
namespace {

std::string textOf(const std::vector<Finding> &findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += renderDiagnostics(diagnosticsOf(finding)) + " " + std::to_string(finding.count) + "\n";
  return text;
}

using Addresses = std::array<uint64_t, kSimdWidth>;

struct Outcome {
  std::string text;
  size_t findings = 0, accesses = 0;
};

// The numbers that are drawn do not depend on `shortcuts`.
Outcome runAtRandom(uint64_t seed, bool shortcuts) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  const uint32_t threads = 32 * (1 + below(4)) - (below(4) ? 0 : 7), simdgroups = (threads + 31) / 32;
  CheckRules rules = CheckRules::byDefault();
  for (const CheckRule rule : {CheckRule::RaceThreadgroup, CheckRule::RaceDevice, CheckRule::RaceGrid,
                               CheckRule::RaceLanes, CheckRule::MixedAtomic, CheckRule::BarrierMemory})
    if (below(8) == 0)
      rules.set(rule, false); // then one that is less grave is named
  Trace trace(below(6) == 0, threads, 4, rules, false, shortcuts);
  trace.knowMemory();
  struct Place {
    uint32_t line, bytes, space;
    AccessKind kind;
  };
  std::vector<Place> places;
  Outcome run;
  const uint32_t groups = 1 + below(3), writes = 2 + below(12), barriers = 4 + below(8);
  for (uint32_t group = 0; group < groups; ++group) {
    if (group)
      trace.group(group);
    const uint32_t events = 5 + below(60);
    for (uint32_t event = 0; event < events; ++event) {
      const uint32_t simdgroup = below(simdgroups), choice = below(barriers);
      const uint32_t lanes = std::min(32u, threads - simdgroup * 32),
                     all = lanes == 32 ? ~0u : (1u << lanes) - 1;
      if (choice == 0) {
        trace.barrier(1 + below(3));
        continue;
      }
      if (choice == 1 && below(2)) {
        trace.simdgroupBarrier(simdgroup, below(8) ? all : (uint32_t(random()) & all) | 1u, 1 + below(3));
        continue;
      }
      // Rows of `period` lanes, whose addresses are so far apart; the arenas have 256 bytes.
      const bool isNew = places.empty() || below(3) == 0;
      const uint32_t sizes[] = {1, 2, 4, 4, 4, 8, 16, 12};
      const Place place = isNew ? Place{0, sizes[below(8)], below(2),
                                        below(writes) == 0 ? AccessKind::Write
                                        : below(20) == 0   ? AccessKind::Atomic
                                                           : AccessKind::Read}
                                : places[below(uint32_t(places.size()))];
      const uint32_t bytes = place.kind == AccessKind::Atomic ? 4 : place.bytes;
      const uint32_t period = 1u << below(6), step = below(3) ? 1 : below(3), from = below(64),
                     repeat = 1u << below(3);
      Addresses addresses;
      for (uint32_t lane = 0; lane < kSimdWidth; ++lane) {
        const uint32_t element = from + lane % period / repeat * step, most = 256 / bytes - 1;
        addresses[lane] = (place.space ? trace.threadgroup(0) : trace.device(0)) + element % most * bytes;
        if (bytes != 4 && below(200) == 0)
          addresses[lane] += 1; // no multiple
      }
      const uint32_t mask = below(3) ? all : (uint32_t(random()) & all) | 1u << below(lanes);
      if (isNew) {
        const uint32_t line = trace.access(place.kind, simdgroup, mask, addresses, bytes,
                                           below(2) ? AtomicKind::Load : AtomicKind::Update);
        places.push_back({line, bytes, place.space, place.kind});
      } else {
        trace.again(place.line, simdgroup, mask, addresses);
      }
      ++run.accesses;
    }
  }
  const std::vector<Finding> found = trace.findings();
  run.findings = found.size();
  run.text = textOf(found);
  return run;
}

TEST(CellShortcuts, ChangeNoFindingOfRandomRuns) {
  size_t findings = 0, quiet = 0, accesses = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    const Outcome run = runAtRandom(seed, true);
    const Outcome each = runAtRandom(seed, false);
    ASSERT_EQ(run.text, each.text) << "seed " << seed;
    findings += run.findings;
    quiet += run.findings == 0;
    accesses += run.accesses;
  }
  // Both answers are common, or the comparison would say little.
  EXPECT_GT(findings, 3000u);
  EXPECT_GT(quiet, 100u);
  EXPECT_GT(accesses, 30000u);
}

// ---- single steps ----

struct Cell {
  ShadowMemory shadow;
  ShadowCell &cell = shadow.at(0);
  CellAccess access{{}, MemorySpace::Threadgroup, 0};

  Cell() {
    access.record.lanes = ~0u;
    access.record.bytes = 0xf;
    access.record.site = 1;
  }
  bool take() { return CellShortcuts(shadow, cell, access).take(); }
  uint32_t records() {
    uint32_t count = 0;
    shadow.forEach(cell, [&](const AccessRecord &) { ++count; });
    return count;
  }
};

TEST(CellShortcuts, LanesThatReadTogetherAreOneRecord) {
  Cell c;
  c.access.record.lanes = 0xff;
  EXPECT_TRUE(c.take());
  c.access.record.lanes = 0xff00;
  EXPECT_TRUE(c.take());
  EXPECT_EQ(c.records(), 1u);
  EXPECT_EQ(c.cell.first.lanes, 0xffffu);
}

TEST(CellShortcuts, ReadersOfTwoSimdgroupsAreEnough) {
  Cell c;
  for (uint8_t simdgroup = 0; simdgroup < 6; ++simdgroup) {
    c.access.record.simdgroup = simdgroup;
    EXPECT_TRUE(c.take());
  }
  EXPECT_EQ(c.records(), 2u); // who races with a third one races with one of these
}

TEST(CellShortcuts, WhatABarrierHasSettledGivesWay) {
  Cell c;
  for (uint8_t simdgroup = 0; simdgroup < 3; ++simdgroup) {
    c.access.record.simdgroup = simdgroup;
    EXPECT_TRUE(c.take());
  }
  c.access.record.touch = Touch::Write;
  c.access.record.lanes = 1;
  EXPECT_FALSE(c.take()) << "it races";
  EXPECT_EQ(c.records(), 2u);
  c.access.record.barrier = c.access.record.time = c.access.settledBefore = 1;
  EXPECT_TRUE(c.take());
  EXPECT_EQ(c.records(), 1u);
  EXPECT_EQ(c.cell.first.touch, Touch::Write);
}

TEST(CellShortcuts, AThreadKnowsItsOwnPast) {
  Cell c;
  c.access.space = MemorySpace::Device;
  c.access.record.lanes = 1;
  for (const Touch touch : {Touch::Write, Touch::Read, Touch::Write, Touch::Read}) {
    c.access.record.touch = touch;
    ++c.access.record.barrier; // which does not name the memory
    ++c.access.record.time;
    EXPECT_TRUE(c.take());
    EXPECT_EQ(c.records(), touch == Touch::Write ? 1u : 2u);
  }
  c.access.record.touch = Touch::Write;
  c.access.record.lanes = 2;
  EXPECT_FALSE(c.take());
}

TEST(CellShortcuts, AReadAfterAnotherSimdgroupsWriteIsLeft) {
  Cell c;
  c.access.record.touch = Touch::Write;
  c.access.record.lanes = 1;
  EXPECT_TRUE(c.take());
  c.access.record.touch = Touch::Read;
  c.access.record.simdgroup = 1;
  EXPECT_FALSE(c.take());
  c.access.record.simdgroup = 0;
  EXPECT_TRUE(c.take()) << "its own";
  c.access.record.lanes = 3;
  EXPECT_FALSE(c.take()) << "one of them did not write";
}

} // namespace
} // namespace assay::validation::test
