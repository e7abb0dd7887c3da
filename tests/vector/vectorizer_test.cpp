// Faults: the same words as on fibers.
#include "both.h"

#include <gmock/gmock.h>

namespace assay::vector_test {

TEST(VectorFaults, NameThreadAndLineAsFibersDo) {
  for (const char *body :
       {"out[i == 37 ? 300u : i] = 1;", "out[i] = in[i * 5];",
        "uint a[4]; a[0] = 1;\n"
        "out[i] = a[lane == 9 ? 4 + in[0] : 0];",
        "if (lane > 20) out[i] = in[256 + i];", "out[i] = in[7 + in[1]];", "shared[t + 250] = 1;"}) {
    const std::string fibers = failure(body, Engine::Fiber);
    EXPECT_THAT(fibers, testing::HasSubstr("out-of-bounds")) << body;
    EXPECT_EQ(failure(body, Engine::Vector), fibers) << body;
  }
}

TEST(VectorFaults, OfAMatrixProductThatLacksLanes) {
  const char *body =
      "if (lane == 3) return; simdgroup_float8x8 a = make_filled_simdgroup_matrix<float, 8, 8>(1.0f), c;\n"
      "simdgroup_multiply(c, a, a); out[i] = as_type<uint>(c.thread_elements()[0]);";
  const std::string fibers = failure(body, Engine::Fiber), vectors = failure(body, Engine::Vector);
  const auto firstLines = [](const std::string &text) { return text.substr(0, text.find("note:")); };
  EXPECT_THAT(fibers, testing::HasSubstr("partial-simdgroup"));
  EXPECT_EQ(firstLines(vectors), firstLines(fibers));
  EXPECT_THAT(vectors, testing::HasSubstr("thread 3 has not come here"));
}

} // namespace assay::vector_test
