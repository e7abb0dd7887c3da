// One row under the accesses of threads. race_filter_test.cpp compares whole dispatches with an oracle.
#include "emulator/validation/filter_rows.h"

#include <gtest/gtest.h>

namespace assay::validation {
namespace {

constexpr uint64_t kRow = 4 * kRowBytes; // an address

struct OneRow {
  FilterRows rows;
  FilterRows::Row row;
  explicit OneRow(bool isShared = true) : rows(isShared, {}) { rows.beginGroup(); }

  bool read(RowBytes bytes, Owners owners) {
    rows.sync(row);
    return rows.read(row, kRow, bytes, owners);
  }
  bool readBySeveral(RowBytes bytes) {
    rows.sync(row);
    return rows.readBySeveral(row, bytes);
  }
  bool write(RowBytes bytes, Owners owners) {
    rows.sync(row);
    row.everWritten |= bytes;
    return rows.write(row, kRow, bytes, owners);
  }
};

const Owners kWords = Owners::spaced(0, kRow, 4, 4); // thread i has word i

TEST(FilterRows, AThreadMayDoAsItLikesWithItsOwn) {
  OneRow one;
  EXPECT_TRUE(one.write(rowBytes(0, 128), kWords));
  EXPECT_TRUE(one.read(rowBytes(0, 128), kWords));
  EXPECT_TRUE(one.write(rowBytes(8, 16), kWords));
  EXPECT_TRUE(one.read(rowBytes(8, 12), Owners::one(2))) << "the same thread, said otherwise";
  EXPECT_TRUE(one.write(rowBytes(9, 10), Owners::one(2)));
  EXPECT_FALSE(one.read(rowBytes(8, 12), Owners::one(3)));
}

TEST(FilterRows, AWriteAndAnythingOfAnotherThreadRace) {
  for (const bool barrier : {false, true}) {
    const auto next = [&](OneRow &one) { barrier ? one.rows.beginEpoch() : void(); };
    OneRow write, read, several, severalLater;
    write.write(rowBytes(0, 4), Owners::one(0)), next(write);
    EXPECT_EQ(write.write(rowBytes(3, 7), Owners::one(1)), barrier);
    read.read(rowBytes(0, 4), Owners::one(0)), next(read);
    EXPECT_EQ(read.write(rowBytes(3, 7), Owners::one(1)), barrier);
    several.readBySeveral(rowBytes(0, 4)), next(several);
    EXPECT_EQ(several.write(rowBytes(3, 7), Owners::one(1)), barrier);
    severalLater.write(rowBytes(0, 4), Owners::one(0)), next(severalLater);
    EXPECT_EQ(severalLater.readBySeveral(rowBytes(3, 7)), barrier);
  }
}

TEST(FilterRows, BytesOfOneWordAreDifferentMemory) {
  OneRow one;
  EXPECT_TRUE(one.write(rowBytes(0, 2), Owners::one(0)));
  EXPECT_TRUE(one.write(rowBytes(2, 4), Owners::one(1)));
  EXPECT_FALSE(one.write(rowBytes(1, 2), Owners::one(1)));
}

TEST(FilterRows, WhatOtherThreadgroupsHaveDoneHasNoOrder) {
  for (const bool isShared : {false, true}) {
    OneRow written(isShared), read(isShared);
    written.write(rowBytes(0, 4), Owners::one(0));
    written.rows.beginEpoch();
    written.rows.beginGroup();
    EXPECT_EQ(written.read(rowBytes(0, 4), Owners::one(0)), !isShared);
    EXPECT_TRUE(written.read(rowBytes(4, 8), Owners::one(0)));
    read.read(rowBytes(0, 4), Owners::one(0));
    read.rows.beginGroup();
    EXPECT_TRUE(read.readBySeveral(rowBytes(0, 4)));
    read.rows.beginEpoch();
    EXPECT_EQ(read.write(rowBytes(0, 4), Owners::one(0)), !isShared);
    EXPECT_EQ(written.rows.writtenByAnybody(written.row), isShared ? rowBytes(0, 4) : RowBytes(0));
  }
}

TEST(FilterRows, KnowsWhatHasBeenReadInAnEpoch) {
  OneRow one;
  one.read(rowBytes(0, 64), kWords);
  one.readBySeveral(rowBytes(64, 72));
  EXPECT_TRUE(one.rows.knowsRead(one.row, rowBytes(4, 8), kWords));
  EXPECT_FALSE(one.rows.knowsRead(one.row, rowBytes(4, 8), Owners::one(1)));
  EXPECT_FALSE(one.rows.knowsRead(one.row, rowBytes(60, 68), kWords));
  EXPECT_TRUE(one.rows.knowsRead(one.row, rowBytes(64, 68), {}));
  EXPECT_FALSE(one.rows.knowsRead(one.row, rowBytes(4, 8), {}));
  one.rows.beginEpoch();
  EXPECT_FALSE(one.rows.knowsRead(one.row, rowBytes(4, 8), kWords));
}

TEST(Owners, SayWhoseAByteIs) {
  const Owners half = Owners::spaced(40, kRow + 80, 2, 2);
  EXPECT_EQ(half.of(kRow + 80), 40u);
  EXPECT_EQ(half.of(kRow + 83), 41u);
  EXPECT_EQ(half.of(kRow), 0u);
  EXPECT_EQ(Owners::one(7).of(kRow + 3), 7u);
  const Owners x = Owners::spaced(3, kRow + 48, 4, 16), y = Owners::spaced(3, kRow + 52, 4, 16);
  EXPECT_EQ(x, y) << "two members of one structure";
  EXPECT_EQ(y.of(kRow + 64 + 5), 4u);
  EXPECT_NE(half, Owners::spaced(40, kRow + 82, 2, 2));
}

} // namespace
} // namespace assay::validation
