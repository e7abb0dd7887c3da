// Shadow memory: which touches conflict, cells, and pages that are made when they are touched.
#include "emulator/validation/shadow_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace assay::validation {
namespace {

constexpr Touch kAll[] = {Touch::AtomicRead, Touch::Read, Touch::AtomicWrite, Touch::Write};

TEST(ShadowMemory, OneOfTwoWritesAndNotBothAreAtomic) {
  EXPECT_TRUE(conflict(Touch::Write, Touch::Write));
  EXPECT_TRUE(conflict(Touch::Read, Touch::AtomicWrite));
  EXPECT_TRUE(conflict(Touch::AtomicRead, Touch::Write));
  EXPECT_FALSE(conflict(Touch::Read, Touch::Read));
  EXPECT_FALSE(conflict(Touch::AtomicRead, Touch::Read));
  EXPECT_FALSE(conflict(Touch::AtomicWrite, Touch::AtomicWrite));
}

TEST(ShadowMemory, WhatCoversAnotherTouchConflictsWithAllThatConflictsWithIt) {
  for (const Touch stronger : kAll)
    for (const Touch weaker : kAll) {
      bool all = true;
      for (const Touch other : kAll)
        all &= !conflict(weaker, other) || conflict(stronger, other);
      EXPECT_EQ(covers(stronger, weaker), all) << int(stronger) << int(weaker);
    }
}

TEST(ShadowMemory, CellsKeepRecordsUntilTheyHaveNoBytes) {
  ShadowMemory shadow;
  ShadowCell &cell = shadow.at(0);
  AccessRecord record;
  record.bytes = 0xf;
  for (record.site = 1; record.site <= 3; ++record.site)
    shadow.add(cell, record);
  const auto sites = [&] {
    uint32_t sum = 0;
    shadow.forEach(cell, [&](const AccessRecord &each) { sum += 1u << each.site; });
    return sum;
  };
  const auto drop = [&](uint32_t site) {
    shadow.forEach(cell, [&](AccessRecord &each) { each.bytes = each.site == site ? 0 : each.bytes; });
    shadow.compact(cell);
  };
  EXPECT_EQ(sites(), 0b1110u);
  drop(2);
  EXPECT_EQ(sites(), 0b1010u);
  drop(cell.first.site); // the one in the cell itself
  EXPECT_TRUE(sites() == 0b1000 || sites() == 0b0010);
  EXPECT_TRUE(cell.first.bytes);
  shadow.clear(cell);
  EXPECT_EQ(sites(), 0u);
  EXPECT_EQ(cell.more, 0u);
}

TEST(ShadowMemory, RecordsThatAreDroppedAreUsedAgain) {
  ShadowMemory shadow;
  AccessRecord record;
  record.bytes = 1;
  for (uint64_t word = 0; word < 100; ++word) {
    for (int i = 0; i < 4; ++i)
      shadow.add(shadow.at(word), record);
    shadow.clear(shadow.at(word));
  }
  EXPECT_EQ(shadow.poolSize(), 3u);
}

// Each word of a row that is taken apart has all of its records, also where the pool grows meanwhile.
TEST(ShadowMemory, ARowThatIsTakenApartKeepsItsRecords) {
  constexpr uint32_t kRecords = 100;
  ShadowMemory shadow;
  const auto none = [](const AccessRecord &) { return false; };
  ShadowCell *const row = shadow.ofRow(3, RowForm{0}, none);
  ASSERT_TRUE(row);
  AccessRecord record;
  record.bytes = 0xf;
  record.lanes = 1;
  for (record.site = 1; record.site <= kRecords; ++record.site)
    shadow.add(*row, record);
  for (uint32_t word = 0; word < ShadowMemory::kRowWords; ++word) {
    std::vector<bool> seen(kRecords + 1);
    shadow.forEach(shadow.at(3 * ShadowMemory::kRowWords + word), [&](const AccessRecord &each) {
      ASSERT_TRUE(each.site >= 1 && each.site <= kRecords);
      EXPECT_FALSE(seen[each.site]);
      seen[each.site] = true;
      EXPECT_EQ(each.lanes, 1u << word);
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), kRecords);
  }
  EXPECT_FALSE(shadow.ofRow(3, RowForm{0}, none));
}

TEST(ShadowMemory, GrowsWithWhatIsTouched) {
  ShadowMemory shadow;
  EXPECT_EQ(shadow.pages(), 0u);
  shadow.at(1).first.site = 7;
  shadow.at(255).first.site = 8;
  EXPECT_EQ(shadow.pages(), 1u);
  shadow.at(uint64_t(1) << 40).first.site = 9;
  shadow.at(256 * 256 + 1).first.site = 10; // the place of the first page in the table of known pages
  EXPECT_EQ(shadow.pages(), 3u);
  EXPECT_EQ(shadow.at(1).first.site, 7u);
  EXPECT_EQ(shadow.at(uint64_t(1) << 40).first.site, 9u);
  shadow.clear();
  EXPECT_EQ(shadow.pages(), 0u);
  EXPECT_EQ(shadow.at(1).first.site, 0u);
}

} // namespace
} // namespace assay::validation
