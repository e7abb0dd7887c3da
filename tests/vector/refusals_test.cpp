// What stays on fibers, and says so.
#include "both.h"

#include <gmock/gmock.h>

namespace assay::vector_test {

using testing::HasSubstr;

TEST(VectorRefusals, NameTheirReason) {
  EXPECT_THAT(
      onFibers("out[i] = atomic_fetch_add_explicit((device atomic_uint *)out, 1u, memory_order_relaxed);"),
      HasSubstr("atomic operations whose result is used"));
  EXPECT_THAT(onFibers("atomic_fetch_add_explicit((device atomic_float *)out, 1.0f, memory_order_relaxed);"),
              HasSubstr("atomic operations whose order shows in the result"));
  EXPECT_EQ(onFibers("out[i] = 1;"), "");
}

} // namespace assay::vector_test
