// The oracle of quantised caches against values worked by hand.
#include "kv_cache.h"

#include "f32.h"
#include "matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay::oracle {
namespace {

using ::testing::ElementsAre;

/// Two heads of three keys and two elements, two keys to a block, an element to a chunk.
KvCache small(int bits) {
  KvCache c;
  c.shape = {.heads = 2, .capacity = 3, .size = 2, .bits = bits, .block = 2, .chunk = 1};
  c.numbers = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -7};
  c.scales = {1, 2, 3, 4, 5, 6, 7, 8}; // [head][block][chunk]
  return c;
}

TEST(KvCacheOracle, MultipliesByTheScaleOfBlockAndChunk) {
  EXPECT_THAT(kvElements<Apple>(small(8)), ElementsAre(1, -2, 2, -4, 9, -12, 20, -24, 25, -30, 42, -56));
  KvCache perChannel = small(8);
  perChannel.shape.perChannel = true;
  perChannel.scales = {1, 2, 3, 4};
  EXPECT_THAT(kvElements<Ieee>(perChannel), ElementsAre(1, -2, 2, -4, 3, -6, 12, -16, 15, -20, 18, -28));
}

TEST(KvCacheOracle, RoundsTheDifferenceAndTheProduct) {
  KvCache c;
  c.shape = {.size = 2, .chunk = 1};
  c.numbers = {100, 3};
  c.zeros = {0x1p-20f, 0.5f};      // 100 - 2^-20 needs 27 bits: it rounds to 100
  c.scales = {1.0f, 1 + 0x1p-23f}; // 2.5 * (1 + 2^-23) is 2.5 and 1.25 units
  EXPECT_THAT(kvElements<Apple>(c), ElementsAre(100.0f, 2.5f + 0x1p-22f));
}

TEST(KvCacheOracle, FlushesAsItsProfileDoes) {
  KvCache c;
  c.shape = {.size = 1};
  c.numbers = {1}, c.scales = {0x1p-127f};
  EXPECT_THAT(kvElements<Apple>(c), ElementsAre(0.0f));
  EXPECT_THAT(kvElements<Ieee>(c), ElementsAre(0x1p-127f));
}

TEST(KvCacheOracle, OutliersReplace) {
  KvCache c = small(8);
  c.outliers = {{0, 0x7c00}, {7, 0x3800}};
  const std::vector<float> elements = kvElements<Apple>(c);
  EXPECT_TRUE(std::isinf(elements[0]));
  EXPECT_EQ(elements[1], -2);
  EXPECT_EQ(elements[7], 0.5f);
  c.shape.bfloat = true;
  c.outliers = {{7, 0x3f80}};
  EXPECT_EQ(kvElements<Apple>(c)[7], 1.0f);
}

TEST(KvCacheOracle, PacksBytesAndNibbles) {
  EXPECT_THAT(kvBytes(small(8)), ElementsAre(1, 255, 2, 254, 3, 253, 4, 252, 5, 251, 6, 249));
  EXPECT_THAT(kvBytes(small(4)), ElementsAre(0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0x96));
}

TEST(KvCacheOracle, LaysOutTheSideTable) {
  KvCache c = small(8);
  // Head 0: elements 1 and 3 of block 0, none of block 1; head 1: element 0 of its block 1, key 2.
  c.outliers = {{1, 0xaaaa}, {3, 0xbbbb}, {10, 0xcccc}};
  EXPECT_THAT(kvSideTable(c), ElementsAre(6, 8, 8, 8, 8, 9, 0x0001aaaa, 0x0003bbbb, 0x0000cccc));
}

TEST(KvCacheOracle, SaysWhatTheDecodesOracleKnows) {
  KvCache bytes = small(8); // blocks of 64 keys: twice the same scale for 32
  bytes.shape = {.capacity = 33, .size = 2, .block = 64, .chunk = 1};
  bytes.numbers.assign(66, -100), bytes.scales = {3, 5}, bytes.zeros = {28, -7};
  const DecodeCache asBytes = asDecodeCache(bytes);
  EXPECT_EQ(asBytes.bytes[0], -128);
  EXPECT_EQ(asBytes.bytes[65], -93);
  EXPECT_THAT(asBytes.scales, ElementsAre(3, 5, 3, 5));
  EXPECT_EQ(asBytes.chunk, 1);
  EXPECT_TRUE(asBytes.bits.empty());

  bytes.zeros = {29, 0}; // -129 is no byte, but -387 is a half
  const DecodeCache asBits = asDecodeCache(bytes);
  EXPECT_TRUE(asBits.bytes.empty());
  EXPECT_EQ(fromHalf(asBits.bits[0]), -387);

  bytes.scales = {0.1f, 5}; // and -129 * 0.1 is none
  const DecodeCache neither = asDecodeCache(bytes);
  EXPECT_TRUE(neither.bytes.empty() && neither.bits.empty());

  KvCache nan = small(8);
  nan.outliers = {{2, 0x7e00}};
  EXPECT_EQ(asDecodeCache(nan).bits[2], 0x7e00);
}

} // namespace
} // namespace assay::oracle
