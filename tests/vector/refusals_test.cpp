// What stays on fibers, and says so.
#include "both.h"

#include <gmock/gmock.h>

namespace assay::vector_test {

using testing::HasSubstr;

TEST(VectorRefusals, NameTheirReason) {
  EXPECT_THAT(
      onFibers("while (atomic_load_explicit((device atomic_uint *)out, memory_order_relaxed) == 0) {}"),
      HasSubstr("a loop that waits for another lane"));
  EXPECT_THAT(onFibers("out[i] = *(volatile device uint *)out;"), HasSubstr("volatile loads"));
  EXPECT_EQ(onFibers("out[i] = 1;"), "");
}

} // namespace assay::vector_test
