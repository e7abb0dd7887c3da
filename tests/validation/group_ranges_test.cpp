// Ranges of threadgroups. race_filter_test.cpp compares whole dispatches with an oracle.
#include "emulator/validation/group_ranges.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay::validation {
namespace {

constexpr uint64_t kMemory = 1 << 20; // an address
constexpr uint32_t kReads = 0, kWrites = 1, kMore = 2;

// `count` words from a word on, which are those of threads 0 and following.
bool add(GroupRanges &ranges, uint32_t site, uint64_t word, uint64_t count) {
  const uint64_t begin = kMemory + 4 * word;
  return ranges.add(site, site != kReads, begin, begin + 4 * count, Owners::spaced(0, begin, 4, 4));
}

TEST(GroupRanges, SimdgroupsOfOneThreadgroupAreOneRange) {
  GroupRanges ranges;
  for (uint32_t simdgroup = 0; simdgroup < 8; ++simdgroup)
    for (const uint32_t site : {kReads, kWrites}) {
      const uint64_t begin = kMemory + simdgroup * 128;
      EXPECT_TRUE(
          ranges.add(site, site == kWrites, begin, begin + 128, Owners::spaced(simdgroup * 32, begin, 4, 4)));
    }
  ASSERT_EQ(ranges.now().size(), 2u);
  EXPECT_EQ(ranges.now()[1].end, kMemory + 1024);
  EXPECT_TRUE(ranges.endGroup()) << "each thread reads and writes its own";
}

TEST(GroupRanges, ThreadsOfOneThreadgroupMustNotMeet) {
  for (const uint32_t other : {kReads, kMore}) {
    GroupRanges apart, doubted;
    add(apart, kWrites, 0, 32), add(apart, other, 32, 32);
    EXPECT_TRUE(apart.areApart());
    add(doubted, kWrites, 0, 32), add(doubted, other, 31, 32);
    EXPECT_FALSE(doubted.areApart()) << "word 31 is thread 31's and thread 0's";
    EXPECT_FALSE(doubted.endGroup());
    EXPECT_EQ(doubted.now().size(), 2u) << "nothing has changed";
  }
  GroupRanges reads;
  add(reads, kReads, 0, 32), add(reads, kReads, 31, 32);
  EXPECT_TRUE(reads.areApart());
}

TEST(GroupRanges, ThreadgroupsMustNotMeet) {
  for (const uint32_t first : {kReads, kWrites})
    for (const uint32_t second : {kReads, kWrites})
      for (const uint64_t word : {0, 40, 63, 64, 200}) {
        GroupRanges ranges;
        for (const uint64_t before : {100, 32, 0}) {
          EXPECT_TRUE(add(ranges, first, before, 32));
          EXPECT_TRUE(ranges.endGroup());
        }
        add(ranges, second, word, 4);
        EXPECT_EQ(ranges.endGroup(), (first == kReads && second == kReads) || word >= 64) << word;
      }
}

TEST(GroupRanges, NeighboursBecomeOneSpan) {
  GroupRanges ranges;
  for (const uint64_t word : {0, 64, 192, 128, 32, 96, 160, 224}) {
    add(ranges, kWrites, word, 32);
    ASSERT_TRUE(ranges.endGroup());
  }
  ASSERT_EQ(ranges.written().size(), 1u);
  EXPECT_EQ(ranges.written()[0].begin, kMemory);
  EXPECT_EQ(ranges.written()[0].end, kMemory + 1024);
}

TEST(GroupRanges, AreFew) {
  GroupRanges ranges;
  uint64_t word = 0;
  while (add(ranges, kWrites, word, 1))
    word += 100;
  EXPECT_LE(word, 1000u);
  GroupRanges groups;
  for (word = 0; groups.endGroup(); word += 100)
    ASSERT_TRUE(add(groups, kWrites, word, 1));
  EXPECT_LE(word, 100'000u);
}

} // namespace
} // namespace assay::validation
