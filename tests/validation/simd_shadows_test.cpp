// Shadows through simd operations. What is expected comes from what the operations compute.
#include "emulator/validation/simd_shadows.h"

#include "emulator/support/abi/matrix_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace assay::validation::test {
namespace {

/// One operation of a whole simdgroup on words.
struct Operation {
  explicit Operation(SimdOp op, uint32_t count = 1) {
    site.op = op;
    site.type = ScalarType::UInt;
    site.count = count;
    operands.fill(0);
  }

  static constexpr size_t kWords = 8;
  SiteInfo site;
  uint32_t mask = ~0u;
  std::array<std::array<uint32_t, kWords>, kSimdWidth> values{}, in{}, out{};
  std::array<std::array<uint64_t, kWords>, kSimdWidth> inOrigins{}, outOrigins{};
  std::array<uint32_t, kSimdWidth> operands, operandShadows{};

  void run() {
    std::array<LaneShadow, kSimdWidth> lanes{};
    std::array<const void *, kSimdWidth> pointers{};
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane) {
      out[lane].fill(0x12345678); // of an earlier operation
      pointers[lane] = values[lane].data();
      lanes[lane] = {reinterpret_cast<const uint8_t *>(in[lane].data()),
                     inOrigins[lane].data(),
                     reinterpret_cast<uint8_t *>(out[lane].data()),
                     outOrigins[lane].data(),
                     lane + 100,
                     operandShadows[lane]};
    }
    moveShadows({&site, 0, mask, pointers.data(), pointers.data(), operands.data()}, lanes.data());
    for (const LaneShadow &lane : lanes)
      EXPECT_TRUE(!(mask >> (&lane - lanes.data()) & 1) || (!lane.in && !lane.out))
          << "it would be used again";
  }
  std::set<uint32_t> lanesWithShadow(size_t word = 0) const {
    std::set<uint32_t> lanes;
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      if (mask >> lane & 1 && out[lane][word])
        lanes.insert(lane);
    return lanes;
  }
};

using Lanes = std::set<uint32_t>;

TEST(SimdShadows, AShuffleMovesThemLikeValues) {
  Operation o(SimdOp::ShuffleXor);
  o.in[5][0] = 0xff00;
  o.inOrigins[5][0] = 42;
  o.operands.fill(1);
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{4});
  EXPECT_EQ(o.out[4][0], 0xff00u);
  EXPECT_EQ(o.outOrigins[4][0], 42u);
}

TEST(SimdShadows, ABroadcastGivesThemToAll) {
  Operation o(SimdOp::Broadcast);
  o.in[3][0] = 1;
  o.operands.fill(3);
  o.mask = 0xffff;
  o.run();
  EXPECT_EQ(o.lanesWithShadow().size(), 16u);
  o = Operation(SimdOp::Broadcast);
  o.in[3][0] = 1;
  o.operands.fill(2);
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{});
}

TEST(SimdShadows, FillingDataHaveThemToo) {
  Operation o(SimdOp::ShuffleAndFillDown);
  o.in[0][1] = 7; // filling data of lane 0, which lane 31 reads at a distance of one
  o.operands.fill(1);
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{31});
}

TEST(SimdShadows, ASumDependsOnEachLaneThatTakesPart) {
  Operation o(SimdOp::Sum);
  o.in[9][0] = 1;
  o.mask = 0xff00;
  o.run();
  EXPECT_EQ(o.lanesWithShadow().size(), 8u);
  EXPECT_EQ(o.out[8][0], ~0u);
  o = Operation(SimdOp::Sum);
  o.in[9][0] = 1;
  o.mask = 0x00ff;
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{});
}

TEST(SimdShadows, APrefixSumDependsOnTheLanesBefore) {
  Operation o(SimdOp::PrefixExclusiveSum);
  o.in[30][0] = 1;
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{31});
  o = Operation(SimdOp::PrefixInclusiveSum);
  o.in[30][0] = 1;
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), (Lanes{30, 31}));
}

TEST(SimdShadows, AQuadIsABlockOfItsOwn) {
  Operation o(SimdOp::QuadSum);
  o.in[6][0] = 1;
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), (Lanes{4, 5, 6, 7}));
}

// All values and shadows of one bit in three lanes: the result is undefined iff completions differ.
TEST(SimdShadows, AreExactForAndOrAndXor) {
  for (const SimdOp op : {SimdOp::And, SimdOp::Or, SimdOp::Xor})
    for (uint32_t values = 0; values < 8; ++values)
      for (uint32_t shadows = 0; shadows < 8; ++shadows) {
        bool seen[2] = {};
        for (uint32_t completion = 0; completion < 8; ++completion) {
          if ((completion ^ values) & ~shadows)
            continue;
          const uint32_t ones = uint32_t(__builtin_popcount(completion));
          seen[op == SimdOp::And ? ones == 3 : op == SimdOp::Or ? ones > 0 : ones % 2] = true;
        }
        Operation o(op);
        o.mask = 7;
        for (uint32_t lane = 0; lane < 3; ++lane) {
          o.values[lane][0] = values >> lane & 1;
          o.in[lane][0] = shadows >> lane & 1;
        }
        o.run();
        EXPECT_EQ(o.out[0][0], uint32_t(seen[0] && seen[1])) << values << ' ' << shadows;
      }
}

TEST(SimdShadows, ABallotHasABitForEachLane) {
  Operation o(SimdOp::Ballot);
  o.operandShadows[3] = o.operandShadows[17] = 1;
  o.run();
  EXPECT_EQ(o.out[8][0], 1u << 3 | 1u << 17);
  EXPECT_EQ(o.out[8][1], 0u);
}

TEST(SimdShadows, AProductDependsOnARowAndAColumn) {
  // Operands of two words each: left, right, and what is added.
  for (const size_t operand : {0, 2, 4}) {
    Operation o(SimdOp::MatrixMultiplyAccumulate, 2);
    const uint32_t lane = 13, element = 1;
    const uint32_t row = laneRow(lane), column = laneColumn(lane) + element;
    o.in[lane][operand + element] = 1;
    o.run();
    for (uint32_t other = 0; other < kSimdWidth; ++other)
      for (uint32_t i = 0; i < 2; ++i) {
        const bool sameRow = laneRow(other) == row, sameColumn = laneColumn(other) + i == column;
        const bool expected = operand == 0 ? sameRow : operand == 2 ? sameColumn : sameRow && sameColumn;
        EXPECT_EQ(o.out[other][i] != 0, expected) << operand << ": lane " << other << ", element " << i;
      }
  }
}

TEST(SimdShadows, NothingUndefinedMakesTheResultDefined) {
  Operation o(SimdOp::Max);
  o.run();
  EXPECT_EQ(o.lanesWithShadow(), Lanes{});
}

} // namespace
} // namespace assay::validation::test
