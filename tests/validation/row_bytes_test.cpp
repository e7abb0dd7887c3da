// Sets of bytes of a row.
#include "emulator/validation/row_bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::validation {
namespace {

TEST(RowBytes, AreThoseFromOneToAnother) {
  for (unsigned from = 0; from < kRowBytes; ++from)
    for (unsigned to = from + 1; to <= kRowBytes; ++to) {
      std::vector<unsigned> expected, bytes;
      for (unsigned i = from; i < to; ++i)
        expected.push_back(i);
      forEachByte(rowBytes(from, to), [&](unsigned byte) { bytes.push_back(byte); });
      ASSERT_EQ(bytes, expected);
      ASSERT_EQ(lowestByte(rowBytes(from, to)), from);
    }
  EXPECT_EQ(lowestByte(0), 128u);
}

} // namespace
} // namespace assay::validation
