// Every element of an 8 by 8 matrix has one lane.
#include "support/abi/matrix_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace assay {

TEST(MatrixLayout, HasEachElementOnce) {
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t element = 0; element < 2; ++element) {
      EXPECT_LT(laneRow(lane), 8u);
      EXPECT_LT(laneColumn(lane) + element, 8u);
      places.insert({laneRow(lane), laneColumn(lane) + element});
    }
  EXPECT_EQ(places.size(), 64u);
}

} // namespace assay
